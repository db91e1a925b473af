// SPDX-License-Identifier: Apache-2.0
// Every elementwise row at every element type; what has no result; what a row refuses.
#include "tests/conformance/derived_cases.h"

namespace tilenest::derived {

namespace {

bool is_cast_row(const OpInfo &row) { return row.result == OpResult::attribute; }
bool is_elementary_row(const OpInfo &row) { return std::string(row.summary).find("correctly rounded") != std::string::npos; }

std::string value_of(const OpInfo &row) {
  if (std::string(row.name) == "ite") return "ite(M[0, [m]], A[0, [m]], B[0, [m]])";
  const std::string a = "A[0, [m]]", b = "B[0, [m]]", d = "D[0, [m]]";
  if (*row.spelling) return row.arity == 1 ? row.spelling + a : a + " " + row.spelling + " " + b;
  return std::string(row.name) + "(" + a + (row.arity > 1 ? ", " + b : "") + (row.arity > 2 ? ", " + d : "") + ")";
}

bool divides(OpKind kind) { return kind == OpKind::div || kind == OpKind::rem || kind == OpKind::floordiv || kind == OpKind::mod; }
bool shifts(OpKind kind) { return kind == OpKind::shl || kind == OpKind::shr; }

std::vector<std::string> rules_of(OpKind kind, ScalarType type) {
  switch (kind) {
  case OpKind::ite: return {"VAL-MARK", "BCAST"};
  case OpKind::eq: case OpKind::ne: case OpKind::lt: case OpKind::le: case OpKind::gt: case OpKind::ge: case OpKind::is_nan: return {"NUM-TYPES", "BCAST"};
  case OpKind::min: case OpKind::max: case OpKind::minnum: case OpKind::maxnum: return {is_float(type) ? "NUM-NAN" : "NUM-INT", "NUM-TYPES"};
  case OpKind::add: case OpKind::sub: case OpKind::mul: case OpKind::div: case OpKind::sqrt: case OpKind::fma:
    return {is_float(type) ? "NUM-RN" : "NUM-INT", "NUM-TYPES"};
  default: break;
  }
  if (is_float(type) && is_elementary_row(info(kind))) return {"NUM-FUN", "NUM-TYPES"};
  return {is_float(type) ? "NUM-TYPES" : "NUM-INT"};
}

const char *program_of(const OpInfo &row) {
  if (std::string(row.name) == "ite") return "choice";
  return row.arity == 1 ? "unary" : row.arity == 2 ? "binary" : "ternary";
}

std::string type_name(ScalarType type) { return std::string(to_string(type)); }

CaseText applied(const OpInfo &row, ScalarType type, const std::string &name) {
  CaseText c;
  c.name = name;
  c.program = program_of(row);
  const std::string result = row.result == OpResult::boolean ? "bool" : type_name(type);
  c.with = {{"NAME", std::string(row.name) + "_" + type_name(type)}, {"TYPE", type_name(type)}, {"RESULT", result}, {"VALUE", value_of(row)}};
  return c;
}

void add_inputs(CaseText &c, const OpInfo &row, ScalarType type, const Elements &a, const Elements &b, const Elements &d, const Elements &m) {
  const Shape shape{static_cast<std::int64_t>(a.size())};
  c.inputs.emplace_back("A", bits_text(type, shape, a));
  if (row.arity > 1) c.inputs.emplace_back("B", bits_text(type, shape, b));
  if (std::string(row.name) == "ite") c.inputs.emplace_back("M", bits_text(ScalarType::boolean, shape, m));
  else if (row.arity > 2) c.inputs.emplace_back("D", bits_text(type, shape, d));
}

CaseText values_case(OpKind kind, ScalarType type) {
  const OpInfo &row = info(kind);
  const std::size_t n = type == ScalarType::boolean ? 8 : is_elementary_row(row) && is_float(type) ? 16 : 20;
  oracle::Random random{static_cast<std::uint64_t>(static_cast<int>(kind) * 64 + static_cast<int>(type))};
  Elements a, b, d, m, right;
  while (a.size() < n) {
    a.push_back(oracle::random_element(type, random));
    b.push_back(oracle::random_element(type, random));
    d.push_back(oracle::random_element(type, random));
    m.push_back(random() & 1);
    if (is_integer(type) && divides(kind) && b.back() == 0) b.back() = 1;
    if (is_integer(type) && shifts(kind)) b.back() &= static_cast<std::uint64_t>(bit_width(type) - 1);
    Elements x{a.back(), b.back(), d.back()};
    if (kind == OpKind::ite) x = {m.back(), a.back(), b.back()};
    x.resize(static_cast<std::size_t>(row.arity));
    right.push_back(expected(kind, type, x));
  }
  CaseText c = applied(row, type, std::string(row.name) + "/" + type_name(type));
  c.rules = rules_of(kind, type);
  add_inputs(c, row, type, a, b, d, m);
  const ScalarType result = row.result == OpResult::boolean ? ScalarType::boolean : type;
  c.outputs.emplace_back("C", bits_text(result, {static_cast<std::int64_t>(n)}, right));
  return c;
}

// One element in three has no result: two of six.
CaseText mark_case(OpKind kind, ScalarType type) {
  const OpInfo &row = info(kind);
  CaseText c = applied(row, type, std::string(row.name) + "/" + type_name(type) + "_without_result");
  const std::int64_t width = bit_width(type);
  std::vector<std::int64_t> counts = divides(kind) ? std::vector<std::int64_t>{1, 0, 3, 2, 0, 7} : std::vector<std::int64_t>{0, width, 1, width - 1, width + 1, 2};
  c.rules = {"VAL-MARK", "NUM-INT"};
  c.inputs = {{"A", values_text(type, {6}, {1, 2, 3, 4, 5, 6})}, {"B", values_text(type, {6}, counts)}};
  c.reports = {std::string(divides(kind) ? "U0101" : "U0102") + "@3 x2"};
  c.contained = true;
  c.derived = divides(kind) ? "by hand: the second and fifth divisor are 0, and both quotients are stored" : "by hand: the second and fifth count are outside 0 to width - 1, and both results are stored";
  return c;
}

CaseText refused_case(const OpInfo &row, ScalarType type) {
  CaseText c = applied(row, type, std::string(row.name) + "/" + type_name(type) + "_refused");
  c.rules = {"NUM-TYPES"};
  c.extents = {{"N", "4"}};
  c.reports = {is_packed(type) ? "T0108@3" : "T0102@3"};
  c.derived = is_packed(type) ? "by hand: nothing computes in a type that is only stored" : "by hand: the row's operand class excludes the type";
  return c;
}

} // namespace

FileText elementwise_cases() {
  FileText file;
  file.chapter = "elementwise";
  file.about = "Every elementwise row of the op table at every element type that it takes, at special and random operands; operands without a result; types that it refuses.";
  file.derived = "oracle: exact integers, and MPFR rounded once to the type";
  const auto program = [](const std::string &arguments) {
    return "kernel $NAME(" + arguments + ", C: out $RESULT[N]) {\n  axis m = N\n  C(0, [m]).store($VALUE)\n}\n";
  };
  file.programs = {{"unary", program("A: $TYPE[N]")}, {"binary", program("A: $TYPE[N], B: $TYPE[N]")},
                   {"ternary", program("A: $TYPE[N], B: $TYPE[N], D: $TYPE[N]")}, {"choice", program("A: $TYPE[N], B: $TYPE[N], M: bool[N]")}};
  for (int i = 0; i < op_count; ++i) {
    const OpInfo &row = op_table[i];
    const auto kind = static_cast<OpKind>(i);
    if (row.form != Form::elementwise || is_cast_row(row)) continue;
    for (const ScalarType type : oracle::all_types()) {
      if (!takes(row, type)) {
        file.cases.push_back(refused_case(row, type));
        continue;
      }
      file.cases.push_back(values_case(kind, type));
      if (is_integer(type) && (divides(kind) || shifts(kind))) file.cases.push_back(mark_case(kind, type));
    }
  }
  return file;
}

} // namespace tilenest::derived
