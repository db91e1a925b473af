// SPDX-License-Identifier: Apache-2.0
// What the suite covers, counted on the captured programs of its cases: every operation at every element type that it takes, every
// rule of the calculus on both sides, every code of a judgement or violation that text can reach.
#include "conformance/suite/launch.h"
#include "semantics/diag/codes.h"
#include "semantics/library/function.h"
#include "semantics/support/rule.h"
#include "tests/conformance/suite_cases.h"
#include "tests/types/elements.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <sstream>

using namespace tilenest;
using namespace tilenest::conformance;

namespace {

using Covered = std::set<std::pair<OpKind, ScalarType>>;

// The type that an operation works on.
ScalarType worked_type(const TileProgram &p, const Op &op) {
  const auto elem = [&](ValueId v) { return p.values[v].type.elem; };
  switch (op.kind) {
  case OpKind::ite: return elem(op.operands[1]);
  case OpKind::mma: return elem(op.operands[2]);
  case OpKind::memory: return p.objects[std::get<MemoryAttr>(op.attr).object].elem;
  case OpKind::load: case OpKind::gather: return elem(op.results[0]);
  default: break;
  }
  if (!op.operands.empty()) return elem(op.operands[0]);
  return op.results.empty() ? ScalarType::boolean : elem(op.results[0]);
}

const Covered &covered() {
  static const Covered all = [] {
    Covered out;
    for (const Case &c : committed_cases()) {
      if (c.refused() || !c.expect.names_results()) continue;
      const Front front = front_of(c);
      if (!front.program) continue;
      for_each_op(*front.program, front.program->body, [&](const Op &op, OpId) { out.emplace(op.kind, worked_type(*front.program, op)); });
    }
    return out;
  }();
  return all;
}

bool is_of_movement(const OpInfo &row) {
  const OpKind kind = *find_op(row.name);
  return row.form == Form::index_map || kind == OpKind::constant || kind == OpKind::load || kind == OpKind::store || kind == OpKind::gather ||
         kind == OpKind::scatter || kind == OpKind::memory;
}

// By the prose of the table: what holds of a row that is not elementwise.
bool works_on(const OpInfo &row, ScalarType type) {
  const OpKind kind = *find_op(row.name);
  if (row.form == Form::elementwise) return row.result == OpResult::attribute ? !is_packed(type) || kind == OpKind::cast || kind == OpKind::cast_sat : takes(row, type);
  if (is_of_movement(row)) return true;
  if (row.form == Form::reduce || kind == OpKind::atomic) return !is_packed(type);
  if (kind == OpKind::mma) return !is_packed(type) && type != ScalarType::boolean;
  return false; // control, and what has one type: below
}
// bool has neither cast_sat nor bitcast.
bool excepted(OpKind kind, ScalarType type) { return type == ScalarType::boolean && (kind == OpKind::cast_sat || kind == OpKind::bitcast); }

std::set<std::string> lines_before_hash(const std::string &path) {
  std::ifstream file(path);
  REQUIRE(file);
  std::set<std::string> out;
  for (std::string line; std::getline(file, line);) {
    line.resize(std::min(line.find('#'), line.size()));
    line.resize(line.find_last_not_of(' ') + 1);
    if (!line.empty()) out.insert(line);
  }
  return out;
}

// Codes of judgements and violations that no case has, each because text or the suite cannot reach it.
struct Unreached {
  std::string_view code, reason;
};
constexpr Unreached unreached[] = {
    {"T0208", "the text's relabel says it as T0214"}, {"T0502", "C++ alone"}, {"T0504", "C++ alone"}, {"T0608", "C++ alone"}, {"T0804", "builder alone"},
    {"T1009", "a name stands once in a case"}, {"T1101", "a command's"}, {"T1102", "a command's"}, {"T1103", "a caller's"}, {"T1301", "no front end's"},
    {"T1302", "no front end's"}, {"U1101", "a command's"}};
bool is_unreached(std::string_view code) {
  if (code.starts_with("T07") || code.starts_with("T09")) return true; // the C++ surface; array files
  return std::any_of(std::begin(unreached), std::end(unreached), [&](const Unreached &u) { return u.code == code; });
}

} // namespace

TEST_CASE("every operation at every type that it takes has a case with results", "[conformance]") {
  std::string missing;
  std::size_t wanted = 0;
  for (const OpInfo &row : op_table) {
    const OpKind kind = *find_op(row.name);
    bool any = false;
    for (const ScalarType type : oracle::all_types()) {
      any |= covered().count({kind, type}) != 0;
      if (!works_on(row, type) || excepted(kind, type)) continue;
      ++wanted;
      if (!covered().count({kind, type})) missing += std::string(" ") + row.name + ":" + std::string(to_string(type));
    }
    if (!any) missing += std::string(" ") + row.name;
  }
  INFO("missing:" << missing);
  CHECK(missing.empty());
  CHECK(wanted > 650);
}

TEST_CASE("every function of the library is called in a case with results", "[conformance]") {
  std::set<std::string> called;
  for (const Case &c : committed_cases()) {
    if (c.refused() || !c.expect.names_results()) continue;
    const Front front = front_of(c);
    if (!front.program) continue;
    for (const LibraryCall &call : front.program->calls) called.insert(call.function);
  }
  for (const std::string &name : library::function_names()) {
    INFO(name);
    CHECK(called.count(name));
  }
}

TEST_CASE("every elementwise row refuses, in a case, each type that it does not take", "[conformance]") {
  std::set<std::string> names;
  for (const Case &c : committed_cases())
    if (c.refused()) names.insert(c.name);
  for (const OpInfo &row : op_table)
    for (const ScalarType type : oracle::all_types())
      if (row.form == Form::elementwise && row.result != OpResult::attribute && !takes(row, type))
        CHECK(names.count(std::string("elementwise/") + row.name + "/" + std::string(to_string(type)) + "_refused"));
}

TEST_CASE("every rule has a case that keeps it and, where it can be broken, one that breaks it", "[conformance]") {
  const std::set<std::string> pending = lines_before_hash(TILENEST_SOURCE_DIR "/docs/pending.txt");
  std::set<std::string> kept, broken, breakable;
  for (const Case &c : committed_cases())
    for (const std::string &id : c.rules) (c.refused() ? broken : kept).insert(id);
  for (std::size_t i = 0; i < code_count(); ++i) {
    const CodeInfo &d = info(static_cast<Code>(i));
    if (d.severity == Severity::error && (d.code[0] == 'T' || d.code[0] == 'U') && !is_unreached(d.code)) breakable.insert(d.rule);
  }
  static const char *ids[] = {
#define RULE(name, id) id,
#include "semantics/support/rules.def"
#undef RULE
  };
  std::size_t count = 0;
  for (const std::string id : ids) {
    if (pending.count(id)) continue;
    INFO(id);
    CHECK(kept.count(id));
    if (breakable.count(id)) CHECK(broken.count(id));
    ++count;
  }
  CHECK(count > 55);
}

TEST_CASE("every code that text can reach is reported in a case", "[conformance]") {
  std::set<std::string> reported;
  for (const Case &c : committed_cases())
    for (const ExpectedReport &r : c.expect.reports) reported.insert(r.code);
  for (std::size_t i = 0; i < code_count(); ++i) {
    const std::string code = info(static_cast<Code>(i)).code;
    if (code[0] != 'T' && code[0] != 'U' && code[0] != 'A') continue;
    INFO(code);
    CHECK(reported.count(code) != is_unreached(code));
  }
}

TEST_CASE("both sides: innocent twins and refusals", "[conformance]") {
  std::size_t refused = 0;
  for (const Case &c : committed_cases()) {
    refused += c.refused();
    INFO(c.name);
    CHECK((c.refused() || c.expect.names_results() || c.expect.asks_reference() || c.laws)); // none only says that it runs
  }
  CHECK(refused > 800);
  CHECK(committed_cases().size() - refused > 1500);
}
