// SPDX-License-Identifier: Apache-2.0
// Binding: where parameters get their numbers, what is refused, one capture bound twice.
#include "semantics/diag/codes.h"
#include "semantics/program/bind.h"
#include "semantics/program/builder.h"
#include <catch2/catch.hpp>

using namespace tilenest;

namespace {

using Program = std::shared_ptr<const TileProgram>;
using Named = std::map<std::string, std::int64_t>;

Program finish(Builder &b) {
  Result<TileProgram> p = b.finish();
  REQUIRE(p.ok());
  return std::make_shared<const TileProgram>(std::move(*p));
}

// C[M, N] = A[M, K] x B[K, N] as far as binding is concerned.
Program product() {
  Builder b("product");
  const Extent m = b.extent_param("M"), n = b.extent_param("N"), k = b.extent_param("K");
  b.argument("A", ScalarType::f32, {m, k}, ArgumentAccess::in);
  b.argument("B", ScalarType::f32, {k, n}, ArgumentAccess::in);
  b.argument("C", ScalarType::f32, {m, n}, ArgumentAccess::out);
  return finish(b);
}

Diagnostics refused(const Program &p, const std::vector<ArgumentShape> &shapes, const Named &named = {}) {
  Result<BoundProgram> r = bind(p, shapes, named);
  REQUIRE(!r.ok());
  return r.errors();
}

Code only_code(const Diagnostics &errors) {
  REQUIRE(errors.size() == 1);
  return errors[0].code;
}

} // namespace

TEST_CASE("parameters come from the shapes of arguments", "[SPC-EXT]") {
  const Program p = product();
  const auto r = bind(p, {{"A", {3, 5}}, {"B", {5, 7}}}, {});
  REQUIRE(r.ok());
  const Object &c = p->objects[p->arguments[2]];
  CHECK(r->extent(c.shape[0]) == 3);
  CHECK(r->extent(c.shape[1]) == 7);
  CHECK(r->count(p->views[ViewId(2)].space) == 21);
  CHECK(r->shape(p->views[ViewId(1)].space) == std::vector<std::int64_t>{5, 7});
}

TEST_CASE("one capture is bound twice", "[SPC-EXT]") {
  const Program p = product();
  const auto small = bind(p, {{"A", {2, 2}}, {"B", {2, 2}}}, {});
  const auto large = bind(p, {{"A", {1000, 0}}}, {{"N", 33}});
  REQUIRE(small.ok());
  REQUIRE(large.ok());
  CHECK(small->program == large->program); // nothing is captured again
  const Space &c = p->views[ViewId(2)].space;
  CHECK(small->shape(c) == std::vector<std::int64_t>{2, 2});
  CHECK(large->shape(c) == std::vector<std::int64_t>{1000, 33});
}

TEST_CASE("a mismatch names both arguments and axes", "[SPC-EXT]") {
  const Diagnostics errors = refused(product(), {{"A", {3, 64}}, {"B", {63, 7}}});
  CHECK(only_code(errors) == Code::T1005);
  CHECK(errors[0].message() == "`K` is 64 by axis 1 of `A` and 63 by axis 0 of `B`");
}

TEST_CASE("a name that disagrees with a shape is a mismatch", "[SPC-EXT]") {
  const Diagnostics errors = refused(product(), {{"A", {3, 64}}, {"B", {64, 7}}}, {{"M", 4}});
  CHECK(only_code(errors) == Code::T1005);
  CHECK(errors[0].message() == "`M` is 4 by name and 3 by axis 0 of `A`");
}

TEST_CASE("axes that agree against a name share one report", "[SPC-EXT]") {
  const Diagnostics errors = refused(product(), {{"A", {3, 64}}, {"B", {64, 7}}}, {{"K", 4}});
  CHECK(only_code(errors) == Code::T1005);
  CHECK(errors[0].message() == "`K` is 4 by name and 64 by axis 1 of `A`");
  CHECK(refused(product(), {{"A", {3, 64}}, {"B", {63, 7}}}, {{"K", 4}}).size() == 2);
}

TEST_CASE("an unbound parameter says how to give it", "[SPC-EXT]") {
  const Diagnostics errors = refused(product(), {{"A", {3, 64}}});
  CHECK(only_code(errors) == Code::T1007);
  CHECK(errors[0].message() == "extent parameter `N` has no value");
  CHECK(errors[0].help == "give it by name, `--shape N=...`, or an array for `B` or `C`");
}

TEST_CASE("names, ranks and signs are checked", "[SPC-EXT]") {
  const Program p = product();
  CHECK(only_code(refused(p, {{"D", {3, 4}}}, {{"M", 1}, {"N", 1}, {"K", 1}})) == Code::T1001);
  CHECK(only_code(refused(p, {{"A", {3, 4, 5}}}, {{"M", 1}, {"N", 1}, {"K", 1}})) == Code::T1002);
  CHECK(only_code(refused(p, {}, {{"M", 1}, {"N", 1}, {"K", 1}, {"Q", 1}})) == Code::T1003);
  CHECK(only_code(refused(p, {}, {{"M", -1}, {"N", 1}, {"K", 1}})) == Code::T1004);
  CHECK(only_code(refused(p, {{"A", {3, 4}}, {"A", {3, 4}}}, {{"N", 1}})) == Code::T1009);
}

TEST_CASE("an affine axis gives its one unknown parameter", "[SPC-EXT]") {
  Builder b("affine");
  const Extent m = b.extent_param("M"), n = b.extent_param("N");
  b.argument("A", ScalarType::f32, {m.times(2) + n + Extent(1)}, ArgumentAccess::in);
  b.argument("B", ScalarType::f32, {n}, ArgumentAccess::in);
  b.argument("C", ScalarType::f32, {m.ceil_div(4)}, ArgumentAccess::out);
  const Program p = finish(b);
  const auto r = bind(p, {{"A", {18}}, {"B", {3}}}, {}); // 2 M + 3 + 1 = 18
  REQUIRE(r.ok());
  CHECK(r->extent(m) == 7);
  CHECK(r->extent(p->objects[p->arguments[2]].shape[0]) == 2);

  // 2 M + 3 + 1 = 19 has no solution; M = -1 is none.
  CHECK(only_code(refused(p, {{"A", {19}}, {"B", {3}}})) == Code::T1006);
  CHECK(only_code(refused(p, {{"A", {2}}, {"B", {3}}})) == Code::T1006);
  // A floor does not give its parameter: M is unbound.
  CHECK(only_code(refused(p, {{"C", {2}}, {"B", {3}}})) == Code::T1007);
  // All known: the axis is checked.
  const Diagnostics errors = refused(p, {{"A", {18}}, {"B", {3}}, {"C", {3}}});
  CHECK(only_code(errors) == Code::T1008);
  CHECK(errors[0].message() == "axis 0 of `C` has 3 elements, its extent is `ceil_div(M, 4) = 2`");
  CHECK(errors[0].notes == std::vector<std::string>{"`M` is 7 by axis 0 of `A`"});
}

TEST_CASE("a fixed axis is checked", "[SPC-EXT]") {
  Builder b("fixed");
  b.argument("A", ScalarType::f32, {Extent(8)}, ArgumentAccess::in);
  const Program p = finish(b);
  CHECK(bind(p, {{"A", {8}}}, {}).ok());
  CHECK(only_code(refused(p, {{"A", {9}}})) == Code::T1008);
}

TEST_CASE("constraints left open by capture are decided", "[SPC-EXT][BCAST]") {
  Builder b("sum");
  const Extent m = b.extent_param("M"), n = b.extent_param("N");
  const ViewId a = b.argument("A", ScalarType::f32, {m}, ArgumentAccess::in);
  const ViewId c = b.argument("B", ScalarType::f32, {n}, ArgumentAccess::in);
  auto load = [&](ViewId v, const Extent &e) {
    return b.load({v, {Operand(std::int64_t{0})}, {WindowAxis{false, {}, e}}});
  };
  b.elementwise(OpKind::add, std::vector<Operand>{load(a, m), load(c, n)});
  const Program p = finish(b);
  REQUIRE(p->constraints.size() == 1);
  CHECK(bind(p, {{"A", {4}}, {"B", {4}}}, {}).ok());
  CHECK(bind(p, {{"A", {4}}, {"B", {1}}}, {}).ok()); // the second operand broadcasts
  const Diagnostics errors = refused(p, {{"A", {4}}, {"B", {3}}});
  CHECK(only_code(errors) == Code::T0201);
  CHECK(errors[0].message() == "operands of `add` disagree on dim `#0`: extents N = 3 and M = 4");
  CHECK(only_code(refused(p, {{"A", {1}}, {"B", {3}}})) == Code::T0201); // the result would have extent M = 1
}

TEST_CASE("reshape compares counts that are no quasi-affine expression", "[SPC-EXT]") {
  Builder b("flat");
  const Extent m = b.extent_param("M"), n = b.extent_param("N"), q = b.extent_param("Q");
  const ViewId a = b.argument("A", ScalarType::f32, {m, n}, ArgumentAccess::in);
  const DimId i = b.dim("i"), j = b.dim("j"), f = b.dim("f");
  const ValueId x = b.load({a, {Operand(std::int64_t{0}), Operand(std::int64_t{0})},
                            {WindowAxis{false, i, m}, WindowAxis{false, j, n}}});
  b.reshape(x, Space{{{f, q}}});
  const Program p = finish(b);
  CHECK(bind(p, {{"A", {3, 4}}}, {{"Q", 12}}).ok());
  CHECK(bind(p, {{"A", {0, 4}}}, {{"Q", 0}}).ok());
  CHECK(only_code(refused(p, {{"A", {3, 4}}}, {{"Q", 13}})) == Code::T0206);
}

TEST_CASE("every extent evaluates and is not negative", "[SPC-EXT]") {
  Builder b("tail");
  const Extent m = b.extent_param("M");
  b.argument("A", ScalarType::f32, {m}, ArgumentAccess::in);
  b.iota({b.dim("t"), m - Extent(4)});
  const Program p = finish(b);
  CHECK(bind(p, {{"A", {4}}}, {}).ok());
  const Diagnostics errors = refused(p, {{"A", {3}}});
  CHECK(only_code(errors) == Code::T0204);
  CHECK(errors[0].message() == "extent M - 4 = -1 of dim `t` of `iota` is not usable: it is negative");

  Builder c("overflow");
  const Extent n = c.extent_param("N");
  c.argument("A", ScalarType::f32, {n}, ArgumentAccess::in);
  c.iota({c.dim("t"), n.times(1000)});
  const Program q = finish(c);
  CHECK(only_code(refused(q, {}, {{"N", INT64_MAX / 500}})) == Code::T0204);
}

TEST_CASE("absurd sizes are limits, large domains are not", "[SPC-EXT]") {
  Builder b("large");
  const Extent m = b.extent_param("M");
  b.argument("A", ScalarType::f32, {m}, ArgumentAccess::in);
  ParallelSpec spec;
  spec.domain = Space{{{b.dim("i"), m}, {b.dim("j"), m}}};
  b.begin_parallel(spec);
  b.end();
  const Program p = finish(b);
  CHECK(bind(p, {}, {{"M", 1000000000}}).ok());                                  // 10^18 instances
  CHECK(only_code(refused(p, {}, {{"M", std::int64_t{1} << 32}})) == Code::L1001); // 2^64
  CHECK(only_code(refused(p, {}, {{"M", INT64_MAX}})) == Code::L1001);

  Builder t("tile");
  const Extent n = t.extent_param("N");
  t.argument("A", ScalarType::f32, {n}, ArgumentAccess::in);
  t.iota({t.dim("t"), n});
  const Program q = finish(t);
  CHECK(bind(q, {}, {{"N", std::int64_t{1} << 31}}).ok());
  CHECK(only_code(refused(q, {}, {{"N", (std::int64_t{1} << 31) + 1}})) == Code::L1001);
}

TEST_CASE("an empty space is fine, whatever its other extents are", "[SPC-UNIQ]") {
  Builder b("empty");
  const Extent m = b.extent_param("M"), n = b.extent_param("N");
  const DimId i = b.dim("i"), j = b.dim("j"), k = b.dim("k");
  const ValueId x = b.full(ScalarType::f32, 0.0, Space{{{i, m}, {j, m}, {k, n}}});
  b.declare("x", x);
  ParallelSpec spec;
  spec.domain = Space{{{b.dim("p"), m}, {b.dim("q"), m}, {b.dim("r"), n}}};
  b.begin_parallel(spec);
  b.end();
  const Program p = finish(b);
  for (const std::int64_t large : {std::int64_t{65536}, std::int64_t{1} << 32, INT64_MAX}) {
    const Result<BoundProgram> bound = bind(p, {}, {{"M", large}, {"N", 0}});
    REQUIRE(bound.ok());
    CHECK(bound->count(p->variables[VarId(0)].type.space) == 0);
  }
  CHECK(!bind(p, {}, {{"M", 65536}, {"N", 1}}).ok());
}

TEST_CASE("the order of a serial is checked for the bound domain", "[CTX-SER]") {
  // `outputs` as many expressions over two inputs of extents M and N.
  auto program = [](std::vector<IndexExpr> outputs) {
    Builder b("ordered");
    const Extent m = b.extent_param("M"), n = b.extent_param("N");
    LoopSpec spec;
    spec.name = "s";
    spec.domain = Space{{{b.dim("i"), m}, {b.dim("j"), n}}};
    spec.order = Map::expressions(2, std::move(outputs));
    b.begin_serial(spec);
    b.end();
    return finish(b);
  };
  auto code = [](const Program &p, std::int64_t m, std::int64_t n) {
    const Result<BoundProgram> r = bind(p, {}, {{"M", m}, {"N", n}});
    return r.ok() ? std::string() : std::string(r.errors()[0].info().code);
  };
  const IndexExpr i = index_input(0), j = index_input(1);
  auto number = [](std::int64_t v) { return index_extent(Extent(v)); };
  auto two = [](IndexNode::Kind kind, IndexExpr a, IndexExpr b) { return index_binary(kind, std::move(a), std::move(b)); };
  using K = IndexNode::Kind;
  constexpr std::int64_t huge = std::int64_t{1} << 29; // squared 2^58 points: decided without visiting them
  const Program same = program({i, j}), exchanged = program({j, i});
  CHECK(code(same, huge, huge).empty());
  CHECK(code(exchanged, huge, huge).empty());
  CHECK(code(exchanged, 3, 4) == "T0610");
  const Program turned = program({two(K::sub, number(huge - 1), i), two(K::add, j, number(0))});
  CHECK(code(turned, huge, huge).empty());
  CHECK(code(turned, 5, 2) == "T0610");
  CHECK(code(program({two(K::mul, i, number(0)), j}), 4, 2) == "T0610");
  CHECK(code(program({two(K::mul, i, number(0)), j}), 1, 2).empty());
  CHECK(code(program({i, i}), 4, 4) == "T0610");
  CHECK(code(program({two(K::add, i, number(1)), j}), 4, 4) == "T0610");
  CHECK(code(program({two(K::add, i, number(1)), j}), 0, 4).empty()); // no point
  CHECK(code(program({two(K::floordiv, i, number(0)), j}), 2, 2) == "T0610");
  // (i, j) -> (i xor 1, j): pairs change places, and an odd one has none to change with.
  const Program pairs = program({two(K::bit_xor, i, number(1)), j});
  CHECK(code(pairs, 6, 3).empty());
  CHECK(code(pairs, 5, 3) == "T0610");
  CHECK(code(pairs, huge, 1) == "L0303");
}

TEST_CASE("the layout of a memory is checked for the bound shape", "[MEM-OWN]") {
  auto program = [](Map layout) {
    Builder b("staged");
    const Extent m = b.extent_param("M");
    b.memory("buf", ScalarType::f32, Space{{{b.dim("i"), m}, {b.dim("j"), Extent(8)}}}, std::move(layout), "");
    return finish(b);
  };
  // Rows of 9: padded, and fine for every M.
  CHECK(bind(program(Map::strided({9, 1})), {}, {{"M", 100}}).ok());
  // Rows of 7 overlap from the second row on.
  const Program overlapping = program(Map::strided({7, 1}));
  CHECK(bind(overlapping, {}, {{"M", 1}}).ok());
  const Diagnostics errors = refused(overlapping, {}, {{"M", 2}});
  CHECK(only_code(errors) == Code::T1010);
  CHECK(errors[0].message() ==
        "the layout of `buf` is not usable: it places (0, 7) and (1, 0) both at 7");
  // Backwards: in bounds only with an offset.
  CHECK(only_code(refused(program(Map::strided({8, -1})), {}, {{"M", 2}})) == Code::T1010);
  CHECK(bind(program(Map::strided({8, -1}, 7)), {}, {{"M", 2}}).ok());
}

TEST_CASE("an axis in bytes of 4-bit elements is bounded, not given", "[SPC-EXT][NUM-TYPES]") {
  Builder b("packed");
  const Extent m = b.extent_param("M"), k = b.extent_param("K");
  b.argument("Q", ScalarType::u4, {m, k}, ArgumentAccess::in);
  b.argument("X", ScalarType::f32, {k}, ArgumentAccess::in);
  const Program p = finish(b);
  const ArgumentShape q{"Q", {2, 3}, true}; // 2 rows of 3 bytes: 5 or 6 elements
  auto extents = [&](const std::vector<ArgumentShape> &shapes, const Named &named) {
    const auto r = bind(p, shapes, named);
    REQUIRE(r.ok());
    return r->params;
  };
  using Params = std::vector<std::int64_t>;
  CHECK(extents({q}, {}) == Params{2, 6});
  CHECK(extents({q}, {{"K", 5}}) == Params{2, 5});
  CHECK(extents({q, {"X", {5}}}, {}) == Params{2, 5});
  CHECK(extents({{"X", {6}}, q}, {}) == Params{2, 6});
  CHECK(only_code(refused(p, {q}, {{"K", 4}})) == Code::T1005);
  CHECK(only_code(refused(p, {q, {"X", {7}}})) == Code::T1005);
  CHECK(extents({{"Q", {2, 0}, true}}, {}) == Params{2, 0});
  CHECK(only_code(refused(p, {{"Q", {2, 0}, true}}, {{"K", 1}})) == Code::T1005);

  Builder c("affine"); // the extent is an expression
  const Extent n = c.extent_param("N");
  c.argument("Q", ScalarType::i4, {n.times(2) + Extent(1)}, ArgumentAccess::in);
  const Program affine = finish(c);
  CHECK(bind(affine, {{"Q", {4}, true}}, {{"N", 3}}).ok()); // 7 of 8
  CHECK(only_code(refused(affine, {{"Q", {4}, true}}, {{"N", 2}})) == Code::T1008);
}
