// SPDX-License-Identifier: Apache-2.0
// Folds, scans and atomics by every reducer at every type: chains of steps that are rounded each, and sums that no
// grouping can change.
#include "tests/conformance/derived_cases.h"
#include <algorithm>

namespace tilenest::derived {

namespace {

struct Reducing {
  const char *fold, *scan, *atomic; // spellings; "": there is none
  OpKind step;
};
constexpr Reducing reducings[] = {{"sum", "add", "add", OpKind::add},         {"prod", "mul", "", OpKind::mul},
                                  {"reduce_min", "min", "min", OpKind::min},  {"reduce_max", "max", "max", OpKind::max},
                                  {"reduce_minnum", "minnum", "", OpKind::minnum}, {"reduce_maxnum", "maxnum", "", OpKind::maxnum},
                                  {"reduce_and", "bit_and", "and", OpKind::bit_and}, {"reduce_or", "bit_or", "or", OpKind::bit_or},
                                  {"reduce_xor", "bit_xor", "xor", OpKind::bit_xor}};
constexpr std::size_t terms = 10;

std::string of_type(ScalarType type) { return std::string(to_string(type)); }
Elements random_terms(ScalarType type, std::uint64_t seed, std::size_t n = terms) {
  oracle::Random random{seed * 131 + static_cast<std::uint64_t>(type)};
  Elements out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(oracle::random_element(type, random));
  return out;
}
// -1, 0 and 1, few of them not 0: no sum of them leaves the numbers that the narrowest float holds exactly.
Elements small_terms(ScalarType type, std::uint64_t seed, std::size_t n = terms) {
  oracle::Random random{seed * 257 + static_cast<std::uint64_t>(type)};
  Elements out;
  int used = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t pick = random() % 3;
    const bool negative = pick == 2 && !(is_integer(type) && !is_signed(type));
    const double x = pick == 0 || used >= 7 ? 0.0 : negative ? -1.0 : 1.0;
    used += x != 0;
    if (is_float(type)) out.push_back(oracle::round_to(type, oracle::number_of(x)));
    else out.push_back(static_cast<std::uint64_t>(static_cast<std::int64_t>(x)) & (bit_width(type) == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bit_width(type)) - 1));
  }
  return out;
}

bool reduces(const Reducing &by, ScalarType type) { return takes(info(by.step), type) && !(type == ScalarType::boolean && by.step != OpKind::bit_and && by.step != OpKind::bit_or && by.step != OpKind::bit_xor); }

std::uint64_t chained(OpKind step, ScalarType type, const Elements &x) {
  std::uint64_t s = x[0];
  for (std::size_t i = 1; i < x.size(); ++i) s = expected(step, type, {s, x[i]});
  return s;
}

std::vector<std::string> fold_rules(ScalarType type, const char *also) {
  return {also, is_float(type) ? "NUM-RN" : "NUM-INT", "NUM-ACC"};
}

void add_folds(FileText &file, const Reducing &by, ScalarType type) {
  for (const bool left : {true, false}) {
    CaseText c;
    c.name = std::string(by.fold) + "/" + of_type(type) + (left ? "_left" : "_right");
    c.program = "fold";
    const std::string policy = left ? "fold_left" : "fold_right";
    c.with = {{"NAME", std::string(by.fold) + "_" + of_type(type)}, {"TYPE", of_type(type)}, {"VALUE", std::string(by.fold) + "(A[0, [m]], m, " + policy + ")"}};
    const Elements a = random_terms(type, left ? 1 : 2);
    Elements in_order = a;
    if (!left) std::reverse(in_order.begin(), in_order.end());
    c.rules = fold_rules(type, "RED-FOLD");
    c.inputs = {{"A", bits_text(type, {terms}, a)}};
    c.outputs = {{"C", bits_text(type, {1}, {chained(by.step, type, in_order)})}};
    file.cases.push_back(std::move(c));
  }
  CaseText tree;
  tree.name = std::string(by.fold) + "/" + of_type(type) + "_tree";
  tree.program = "fold";
  tree.with = {{"NAME", std::string(by.fold) + "_" + of_type(type)}, {"TYPE", of_type(type)}, {"VALUE", std::string(by.fold) + "(A[0, [m]], m)"}};
  const bool free = is_float(type) && (by.step == OpKind::add || by.step == OpKind::mul);
  const Elements a = free ? small_terms(type, 3) : random_terms(type, 3);
  tree.rules = {"RED-TREE", "RED-SET", "ADM-SET"};
  tree.inputs = {{"A", bits_text(type, {terms}, a)}};
  tree.outputs = {{"C", bits_text(type, {1}, {chained(by.step, type, a)})}};
  // A product of small terms is a zero whose sign depends on no grouping: the signs multiply.
  tree.derived = free ? "oracle: terms of -1, 0 and 1, whose sums and products are exact in any grouping" : "oracle: exact integers; the order of no grouping matters";
  file.cases.push_back(std::move(tree));
}

void add_scans(FileText &file, const Reducing &by, ScalarType type) {
  for (const bool reverse : {false, true}) {
    CaseText c;
    c.name = std::string("scan_") + by.scan + "/" + of_type(type) + (reverse ? "_reverse" : "");
    c.program = "scan";
    c.with = {{"NAME", std::string("scan_") + by.scan + "_" + of_type(type)}, {"TYPE", of_type(type)},
              {"VALUE", std::string("scan(A[0, [m]], m, ") + by.scan + ", fold_left" + (reverse ? ", reverse = true" : "") + ")"}};
    Elements x = random_terms(type, reverse ? 5 : 4);
    c.inputs = {{"A", bits_text(type, {terms}, x)}};
    if (reverse) std::reverse(x.begin(), x.end());
    Elements out;
    for (std::size_t i = 1; i <= x.size(); ++i) out.push_back(chained(by.step, type, Elements(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(i))));
    if (reverse) std::reverse(out.begin(), out.end());
    c.rules = fold_rules(type, "SCAN");
    c.outputs = {{"C", bits_text(type, {terms}, out)}};
    file.cases.push_back(std::move(c));
  }
}

void add_atomics(FileText &file, const Reducing &by, ScalarType type) {
  const bool floats_sum = is_float(type) && by.step == OpKind::add;
  const Elements a = floats_sum ? small_terms(type, 7) : random_terms(type, 7);
  Elements all = floats_sum ? small_terms(type, 8, 1) : random_terms(type, 8, 1);
  CaseText c;
  c.name = std::string("atomic_") + by.atomic + "/" + of_type(type);
  c.program = "atomic";
  c.with = {{"NAME", std::string("atomic_") + by.atomic + "_" + of_type(type)}, {"TYPE", of_type(type)}, {"BY", by.atomic}};
  c.rules = {"ATOM", "ANC-ATOM"};
  c.orders = 2;
  c.inputs = {{"A", bits_text(type, {terms}, a)}, {"C", bits_text(type, {1}, all)}};
  all.insert(all.end(), a.begin(), a.end());
  c.outputs = {{"C", bits_text(type, {1}, {chained(by.step, type, all)})}};
  c.derived = floats_sum ? "oracle: terms of -1, 0 and 1, whose sums are exact in any order" : "oracle: exact integers; the order of no updates matters";
  file.cases.push_back(std::move(c));
}

// Atomics and folds of what their step does not take.
void add_refusals(FileText &file, const Reducing &by, ScalarType type) {
  const auto refuse = [&](const std::string &name, const std::string &program, std::vector<std::pair<std::string, std::string>> with, const std::string &line) {
    CaseText c;
    c.name = name + "/" + of_type(type) + "_refused";
    c.program = program;
    c.with = std::move(with);
    c.rules = {"NUM-TYPES"};
    c.reports = {(is_packed(type) ? "T0108@" : "T0102@") + line};
    c.derived = is_packed(type) ? "by hand: nothing computes in a type that is only stored" : "by hand: the reducer's operand class excludes the type";
    file.cases.push_back(std::move(c));
  };
  refuse(by.fold, "fold", {{"NAME", std::string(by.fold) + "_" + of_type(type)}, {"TYPE", of_type(type)}, {"VALUE", std::string(by.fold) + "(A[0, [m]], m)"}}, "3");
  refuse(std::string("scan_") + by.scan, "scan",
         {{"NAME", std::string("scan_") + by.scan + "_" + of_type(type)}, {"TYPE", of_type(type)}, {"VALUE", std::string("scan(A[0, [m]], m, ") + by.scan + ")"}}, "3");
  if (*by.atomic) refuse(std::string("atomic_") + by.atomic, "atomic", {{"NAME", std::string("atomic_") + by.atomic + "_" + of_type(type)}, {"TYPE", of_type(type)}, {"BY", by.atomic}}, "3");
}

} // namespace

FileText fold_cases() {
  FileText file;
  file.chapter = "folds";
  file.about = "Folds, scans and atomics by every reducer at every element type: strict chains of rounded steps, and trees and orders that cannot matter.";
  file.derived = "oracle: a chain of steps, each by exact integers or MPFR and rounded once";
  file.programs = {{"fold", "kernel $NAME(A: $TYPE[10], C: out $TYPE[1]) {\n  axis m = 10\n  C(0).store($VALUE)\n}\n"},
                   {"scan", "kernel $NAME(A: $TYPE[10], C: out $TYPE[10]) {\n  axis m = 10\n  C(0, [m]).store($VALUE)\n}\n"},
                   {"atomic", "kernel $NAME(A: $TYPE[10], C: mut $TYPE[1]) {\n  parallel p in [10] {\n    C(0).atomic_$BY(A[p.index])\n  }\n}\n"}};
  for (const Reducing &by : reducings)
    for (const ScalarType type : oracle::all_types()) {
      if (!reduces(by, type)) {
        add_refusals(file, by, type);
        continue;
      }
      add_folds(file, by, type);
      add_scans(file, by, type);
      if (*by.atomic) add_atomics(file, by, type);
    }
  return file;
}

} // namespace tilenest::derived
