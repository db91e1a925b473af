// SPDX-License-Identifier: Apache-2.0
// The one-line kernels that document operations and library functions: each parses without a report, uses what it
// documents, prints and parses back in both forms, and runs without a violation.
#include "semantics/library/contracts.h"
#include "semantics/library/function.h"
#include "semantics/op_facts.h"
#include "semantics/program/equality.h"
#include "semantics/text/parser.h"
#include "semantics/text/printer.h"
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>

using namespace tilenest;

namespace {

// Every argument that is read starts with 0, 1, 2, ... modulo 8; open extents are 8.
void check_example(const std::string &name, const std::string &text, bool function) {
  INFO(name << "\n" << text);
  ParsedFile file = parse_text("example.tile", text);
  REQUIRE(file.diagnostics.empty());
  REQUIRE(file.kernels.size() == 1);
  const TileProgram &p = file.kernels[0];
  bool used = false;
  if (function)
    for (const LibraryCall &c : p.calls) used |= c.function == name;
  for (const ReductionAlgebra &a : p.algebras)
    for (const ReductionAlgebra::Contract &c : a.contracts) used |= function && c.name == name;
  if (!function)
    for_each_op(p, p.body, [&](const Op &op, OpId) { used |= name == info(op.kind).name; });
  CHECK(used);
  for (const bool expand : {false, true}) {
    const std::string printed = print(p, {.expand = expand});
    INFO(printed);
    ParsedFile again = parse_text("printed.tile", printed);
    REQUIRE(again.kernels.size() == 1);
    std::string difference;
    CHECK(equal(p, again.kernels[0], &difference));
    CHECK(difference == "");
    CHECK((printed.find(name + "(") != std::string::npos || !function) != (expand && function));
  }
  std::vector<NamedArray> arrays;
  TileRunOptions options;
  for (const Param &q : p.params) options.extents[q.name] = 8;
  for (ObjectId id : p.arguments) {
    const Object &o = p.objects[id];
    if (o.access == ArgumentAccess::out) continue;
    std::vector<std::int64_t> shape;
    std::size_t n = 1;
    for (const Extent &e : o.shape) shape.push_back(e.constant().value_or(8)), n *= static_cast<std::size_t>(shape.back());
    std::vector<float> floats;
    std::vector<std::int32_t> integers;
    std::vector<std::int64_t> wide;
    std::vector<std::uint8_t> bools;
    for (std::size_t i = 0; i < n; ++i)
      floats.push_back(static_cast<float>(i % 8)), integers.push_back(static_cast<std::int32_t>(i % 8)),
          wide.push_back(static_cast<std::int64_t>(i % 8)), bools.push_back(i % 2);
    if (o.elem == ScalarType::f32) arrays.push_back(array(o.name, shape, floats));
    else if (o.elem == ScalarType::i32) arrays.push_back(array(o.name, shape, integers));
    else if (o.elem == ScalarType::i64) arrays.push_back(array(o.name, shape, wide));
    else if (o.elem == ScalarType::boolean) arrays.push_back(array(o.name, shape, bools, ScalarType::boolean));
    else FAIL("examples read f32, i32, i64 and bool");
  }
  const TileRun run = run_tile(text, arrays, options);
  CHECK(run.codes() == "");
}

} // namespace

TEST_CASE("the example of every operation runs", "[library]") {
  for (int i = 0; i < op_count; ++i) check_example(op_table[i].name, example_of(static_cast<OpKind>(i)), false);
}

TEST_CASE("the example of every library function runs", "[library]") {
  for (const library::Family &family : library::families())
    for (const library::Function &f : family.functions) check_example(f.name, f.example, true);
}

TEST_CASE("the example of every contract runs", "[library][RED-LAW]") {
  for (const library::Contract &c : library::contracts()) check_example(c.name, c.example, true);
}

TEST_CASE("every row of the library is whole", "[library]") {
  for (const library::Family &family : library::families())
    for (const library::Function &f : family.functions) {
      INFO(f.name);
      CHECK(library::find(f.name) == &f); // no name twice
      CHECK(f.parameter_count() > 0);
      CHECK(f.parameter_count() <= library::most_parameters);
      for (const char *text : {f.summary, f.shapes, f.rounding, f.results}) CHECK(std::string(text) != "");
      CHECK(!find_op(f.name));
    }
}
