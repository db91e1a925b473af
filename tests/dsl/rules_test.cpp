// SPDX-License-Identifier: Apache-2.0
// Rules of identity and context as the C++ surface shows them; each expected value follows from the rule's
// text.
#include "tests/dsl/captured.h"
#include <tilenest/run.h>

using namespace tilenest;

namespace {

// Captures a kernel on out: f32[n], runs it, and gives the output.
template <class F> std::vector<f32> result_of(int n, F body) {
  std::vector<f32> out(n, -1);
  const auto kernel = tile_kernel("rule", [&](TensorView<f32, 1> v) { body(v); });
  const RunResult r = run(captured(kernel.capture(arg("out", tensor_shape(n)))), array(out));
  if (has_error(r.diagnostics)) FAIL(listing(r.diagnostics));
  return out;
}
using Line = TensorView<f32, 1>;
using Values = std::vector<f32>;

} // namespace

TEST_CASE("equal labels do not make equal dims", "[DIM-ID]") {
  const auto r = tile_kernel("dims", [](TensorView<f32, 1> out) {
                   auto first = axis("m", 4), second = axis("m", 4);
                   auto a = zeros<f32>(shape(first));
                   CHECK((a + zeros<f32>(shape(second))).rank() == 2); // an outer sum
                   out(0, shape(second)).store(a);
                 }).capture(tensor_shape(4));
  REQUIRE(!r.ok());
  CHECK(std::string(r.errors()[0].info().code) == "T0202");
}

TEST_CASE("the dims of a kernel's run are its own", "[DIM-ID]") {
  std::vector<DimId> seen;
  const auto kernel = tile_kernel("fresh", [&](TensorView<f32, 1>) {
    auto [m, n] = dims("m", "n");
    seen = {m, n, dim(), dim()};
  });
  captured(kernel.capture(tensor_shape(4)));
  std::sort(seen.begin(), seen.end());
  CHECK(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
}

TEST_CASE("positional shapes share dims from the right", "[DIM-POS]") {
  CHECK(result_of(6, [](Line out) {
          auto row = iota(shape(3));                 // the last dim
          auto column = iota(axis("rows", 2)) * 10;  // a dim of its own
          auto both = zeros<i64>(shape(2, 3)) + row; // row joins the last dim of the matrix
          CHECK(both.rank() == 2);
          CHECK(both.dim<1>() == row.dim<0>());
          CHECK((both + column).rank() == 3);
          auto flat = reshape(cast<f32>(both), shape(6));
          out(0, shape(6)).store(flat);
        }) == Values{0, 1, 2, 0, 1, 2});
}

TEST_CASE("a copy is a new identity with the same definition", "[VAL-OWN][VAL-SNAP]") {
  CHECK(result_of(3, [](Line out) {
          Scalar<f32> a = 1;
          auto copy = a;
          a = a + 10;
          auto by_value = [](Tile<f32> x) {
            x = x * 100; // the parameter's own identity
            return x;
          };
          auto scaled = by_value(a);
          out(0).store(a);
          out(1).store(copy);
          out(2).store(scaled);
        }) == Values{11, 1, 1100});
}

TEST_CASE("iterations swap through copies", "[VAL-CARRY][VAL-SNAP]") {
  // t = a; a = b; b = t, five times: an odd number of swaps.
  CHECK(result_of(2, [](Line out) {
          Scalar<f32> a = 3, b = 8;
          for (auto &i : serial(shape(5))) {
            (void)i;
            auto t = a;
            a = b;
            b = t;
          }
          out(0).store(a);
          out(1).store(b);
        }) == Values{8, 3});
}

TEST_CASE("a load is a snapshot", "[VAL-SNAP]") {
  CHECK(result_of(2, [](Line out) {
          out(0).store(5);
          auto before = out(0).load();
          out(0).store(7);
          out(1).store(before);
        }) == Values{7, 5});
}

TEST_CASE("only parallel extends the prefix", "[CTX-PAR][CTX-ROOT]") {
  const auto kernel = tile_kernel("prefix", [](TensorView<f32, 2> out) {
    for (auto &nest : parallel(shape(2)))
      for (auto &i : nest.serial(shape(3))) out(coord(nest.index(), i.index())).store(1);
    for (auto &k : serial(shape(1))) out(coord(0, k.index())).store(1);
  });
  TileProgram p = captured(kernel.capture(tensor_shape(2, 3)));
  REQUIRE(p.levels.size() == 2);
  std::vector<LevelId> levels;
  for_each_op(p, p.body, [&](const Op &op, OpId) {
    if (op.kind == OpKind::store) levels.push_back(p.regions[op.parent].level);
  });
  CHECK(levels == std::vector{LevelId(1), TileProgram::root()});
}

TEST_CASE("serial takes its order as a bijection", "[CTX-SER]") {
  // Digits in the order of the points 3, 2, 1, 0.
  CHECK(result_of(1, [](Line out) {
          Scalar<f32> digits = 0;
          for (auto &i : serial(shape(4), order([](auto at) { return 3 - at; })))
            digits = digits * 10 + cast<f32>(i.index());
          out(0).store(digits);
        }) == Values{3210});
}

TEST_CASE("a pipeline keeps its policy and means its serial execution", "[CTX-PIPE]") {
  const auto kernel = tile_kernel("pipe", [](TensorView<f32, 1> out) {
    Scalar<f32> digits = 0;
    for (auto &k : pipeline(shape(4), pipeline_policy{.stages = 3, .max_in_flight = 2})) {
      k.stage("read");
      auto x = cast<f32>(k.index());
      k.stage("fold");
      digits = digits * 10 + x;
    }
    out(0).store(digits);
  });
  TileProgram p = captured(kernel.capture(tensor_shape(1)));
  REQUIRE(p.policies.size() == 1);
  CHECK(p.policies[PolicyId(0)] == PipelinePolicy{3, 0, 2});
  std::vector<f32> out(1);
  CHECK(!has_error(run(std::move(p), array(out)).diagnostics));
  CHECK(out == Values{123});
}

TEST_CASE("values of a stage are seen by the stages after it", "[CTX-STAGE]") {
  const auto kernel = tile_kernel("stages", [](TensorView<f32, 1> out) {
    for (auto &k : pipeline(shape(3))) {
      k.stage("make");
      auto x = cast<f32>(k.index()) + 1;
      k.stage("square");
      auto y = x * x;
      k.stage("write");
      out(k.index()).store(x + y);
    }
  });
  TileProgram p = captured(kernel.capture(tensor_shape(3)));
  CHECK(count(p, OpKind::stage) == 3);
  std::vector<f32> out(3);
  const RunResult r = run(std::move(p), array(out));
  CHECK(listing(r.diagnostics) == "");
  CHECK(out == Values{2, 6, 12});
}

TEST_CASE("a reduce region infers its states from what it updates", "[CTX-RED]") {
  const auto kernel = tile_kernel("fold", [](TensorView<f32, 1> out) {
    Scalar<f32> sum = 0, greatest = -100, untouched = 4;
    for (auto &r : reduce(shape(5), reduction::ordered_tree)) {
      auto x = cast<f32>(r.index() * (r.index() - 3)); // 0 -2 -2 0 4
      sum += x;
      greatest = max(greatest, x);
    }
    out(0).store(sum + untouched);
    out(1).store(greatest);
  });
  TileProgram p = captured(kernel.capture(tensor_shape(2)));
  REQUIRE(p.algebras.size() == 1);
  CHECK(p.algebras[AlgebraId(0)].policy == ReductionPolicy::ordered_tree);
  CHECK(p.algebras[AlgebraId(0)].states.size() == 2);
  std::vector<f32> out(2);
  CHECK(!has_error(run(std::move(p), array(out)).diagnostics));
  CHECK(out == Values{4, 4});
}

TEST_CASE("index() is the scope's own coordinate, also inside its descendants", "[EXT-NOW]") {
  CHECK(result_of(6, [](Line out) {
          for (auto &outer : parallel(shape(2)))
            for (auto &inner : outer.parallel(shape(3)))
              out(outer.index() * 3 + inner.index()).store(cast<f32>(outer.index() * 10 + inner.index()));
        }) == Values{0, 1, 2, 10, 11, 12});
}
