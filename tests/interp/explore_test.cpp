// SPDX-License-Identifier: Apache-2.0
// RED-SENS: the values that groupings can give, worked out by hand, and that each named schedule gives its value again.
#include "interp/explore.h"
#include "semantics/diag/codes.h"
#include "semantics/judge.h"
#include "semantics/numerics/literals.h"
#include "semantics/text/parser.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <set>

using namespace tilenest;

namespace {

// Y[i] = the sum of X[i, .] and Z = the number of columns, over X of f32.
const char *row_sums = R"(kernel k(X: f32[M, N], Y: out f32[M], Z: out i32[1]) {
  axis m = M, n = N
  parallel p in [m] {
    s: f32 = -0.0
    reduce i in [n] POLICY { s = s + X[p.m, i.n] }
    Y(p.m).store(s)
  }
  c: i32 = 0
  reduce j in [n] { c = c + 1 }
  Z(0).store(c)
})";

struct Case {
  BoundProgram bound;
  std::vector<float> x, y;
  std::vector<std::int32_t> z{7};
  std::vector<Buffer> buffers;

  Case(std::string text, const std::string &policy, std::int64_t rows, std::vector<float> values) : x(std::move(values)), y(rows, 9) {
    if (const auto at = text.find("POLICY"); at != std::string::npos) text.replace(at, 6, policy);
    const std::int64_t columns = static_cast<std::int64_t>(x.size()) / rows;
    ParsedFile file = parse_text("k.tile", text);
    REQUIRE(file.kernels.size() == 1);
    REQUIRE(!has_error(judge(file.kernels[0])));
    const auto program = std::make_shared<const TileProgram>(std::move(file.kernels[0]));
    buffers = {{x.data(), {rows, columns}, {columns * 4, 4}}, {y.data(), {rows}, {4}, false}, {z.data(), {1}, {4}, false}};
    Result<BoundProgram> b = tilenest::bind(program, {{"X", {rows, columns}}, {"Y", {rows}}, {"Z", {1}}}, {});
    REQUIRE(b.ok());
    bound = std::move(*b);
  }

  // Y under a schedule.
  std::vector<float> under(const std::string &schedule) {
    const std::unique_ptr<Chooser> chooser = chooser_of(schedule);
    REQUIRE(chooser != nullptr);
    RunOptions options;
    options.chooser = chooser.get();
    REQUIRE(!has_error(run(bound, buffers, options).diagnostics));
    return y;
  }
};

float f32(std::uint64_t bits) { return static_cast<float>(value_as_f64(ScalarType::f32, bits)); }

} // namespace

TEST_CASE("explore: a sum that rounding makes depend on its tree", "[RED-SENS]") {
  // 2^24 + 1 rounds to 2^24 (ties to even): (2^24 + 1) + 1 = 2^24, but 2^24 + (1 + 1) = 2^24 + 2. Nothing else.
  Case c(row_sums, "ordered_tree", 1, {16777216, 1, 1});
  const Exploration e = explore(c.bound, c.buffers);
  CHECK(e.diagnostics.empty());
  CHECK(e.all);
  CHECK(e.runs > 4);
  REQUIRE(e.outputs.size() == 2);
  CHECK(e.outputs[0].argument == 1);
  CHECK(e.outputs[0].sensitive == 1);
  REQUIRE(e.outputs[0].widest);
  const SensitiveElement &w = *e.outputs[0].widest;
  CHECK(w.index == 0);
  CHECK(w.values == 2);
  CHECK(f32(w.low.value()) == 16777216);
  CHECK(f32(w.high.value()) == 16777218);
  CHECK(w.low_schedule == "reference");
  // Counting is the same in any order.
  CHECK(e.outputs[1].sensitive == 0);
  CHECK(!e.outputs[1].widest);
  // The caller's arrays are as they were.
  CHECK(c.y == std::vector<float>{9});
  CHECK(c.z == std::vector<std::int32_t>{7});
  CHECK(c.under(w.low_schedule) == std::vector<float>{16777216});
  CHECK(c.under(w.high_schedule) == std::vector<float>{16777218});
}

TEST_CASE("explore: only some elements, and the widest of them", "[RED-SENS]") {
  // Row 0 is exact. Row 1: 2^24 + 1 and back is 0 or 1. Row 2 cancels, with a large number either way: inf or not.
  Case c(row_sums, "unordered_tree", 3, {1, 2, 3, 16777216, 1, -16777216, 3e38f, 3e38f, -3e38f});
  const Exploration e = explore(c.bound, c.buffers, {{}, 1000, 300});
  CHECK(e.all);
  CHECK(e.runs == 4); // the reference, one that shows that there are too many groupings, one for each of two values
  CHECK(e.outputs[0].sensitive == 2);
  REQUIRE(e.outputs[0].widest);
  const SensitiveElement &w = *e.outputs[0].widest;
  // The first of two with two values: 0, which the reference gives, and 1.
  CHECK(w.index == 1);
  CHECK(w.values == 2);
  CHECK(f32(w.low.value()) == 0);
  CHECK(f32(w.high.value()) == 1);
  CHECK(c.under(w.low_schedule)[1] == 0);
  CHECK(c.under(w.high_schedule)[1] == 1);
}

TEST_CASE("explore: a strict fold has one grouping, NaN is one value", "[RED-SENS]") {
  Case strict(row_sums, "fold_left", 1, {16777216, 1, 1});
  const Exploration one = explore(strict.bound, strict.buffers);
  // The count alone has groupings, of integers.
  CHECK(one.all);
  CHECK(one.outputs[0].sensitive == 0);
  const float inf = std::numeric_limits<float>::infinity();
  Case nan(row_sums, "ordered_tree", 1, {inf, -inf, std::nanf("1")});
  CHECK(explore(nan.bound, nan.buffers).outputs[0].sensitive == 0);
  // 3e38 + 3e38 overflows and stays there; 3e38 + (3e38 - inf) is -inf, inf - inf NaN: a NaN and one number.
  Case half(row_sums, "ordered_tree", 1, {3e38f, 3e38f, -inf});
  const Exploration e = explore(half.bound, half.buffers);
  REQUIRE(e.outputs[0].widest);
  CHECK(e.outputs[0].widest->values == 2);
  CHECK(!e.outputs[0].widest->low);
}

TEST_CASE("explore: a run with a violation ends it and is named", "[RED-SENS]") {
  // The sum is an index: 0 in the reference, 1 + 1 = 2 beside 2^24 - 2^24 in another tree, which is outside.
  Case c(R"(kernel k(X: f32[M, N], Y: out f32[M], Z: out i32[1]) {
  axis n = N
  s: f32 = -0.0
  reduce i in [n] ordered_tree { s = s + X[0, i.n] }
  Y(cast(s, i64), assume).store(1.0)
  Z(0).store(1)
})",
         "", 1, {16777216, 1, -16777216});
  const Exploration e = explore(c.bound, c.buffers);
  REQUIRE(has_error(e.diagnostics));
  CHECK(e.outputs.empty());
  CHECK(e.schedule.starts_with("groupings="));
  CHECK(chooser_of(e.schedule) != nullptr);
}

TEST_CASE("explore: what it cannot try wholly is said, and sampled", "[RED-SENS]") {
  Case c(R"(kernel k(X: f32[M, N], Y: out f32[M], Z: out i32[1]) {
  axis m = M, n = N
  x = X[(0, 0), [m, n]]
  Y(0, [m]).store(mma(x, x, zeros f32 [m]))
  Z(0).store(1)
})",
         "", 2, {4097, 1, 3, 4});
  const Exploration e = explore(c.bound, c.buffers);
  CHECK(e.unexplored == std::set<std::string>{"mma"});
  CHECK(!e.all);
  CHECK(e.outputs[0].open == 1); // 4097 * 4097 + 1 has 25 bits; 3 * 3 + 4 * 4 is exact in any order
  CHECK(e.outputs[0].may == 0);
  CHECK(e.outputs[0].sensitive == 1);
  REQUIRE(e.outputs[0].widest);
  CHECK_FALSE(e.outputs[0].widest->exact); // there are wider formats than f64
  CHECK(f32(e.outputs[0].widest->low.value()) == 16785408);
  CHECK(f32(e.outputs[0].widest->high.value()) == 16785410); // in one rounding: an fma, or all in f64
  CHECK(c.under(e.outputs[0].widest->high_schedule)[0] == 16785410);
}

namespace {

// The values of all trees over the leaves, in order or not.
void all_trees(const std::vector<float> &leaves, bool ordered, std::set<float> &out) {
  if (leaves.size() == 1) return void(out.insert(leaves[0]));
  for (std::size_t i = 0; i < leaves.size(); ++i)
    for (std::size_t k = i + 1; k < (ordered ? std::min(i + 2, leaves.size()) : leaves.size()); ++k) {
      std::vector<float> rest = leaves;
      rest[i] = leaves[i] + leaves[k];
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
      all_trees(rest, ordered, out);
    }
}

} // namespace

TEST_CASE("explore: all values of single reductions are those of all trees, and their schedules give them", "[RED-SENS][RED-TREE]") {
  const std::vector<float> x = {1e8f, 1, -1e8f, 3, 0.25f, -5, /**/ 16777216, 1, 1, 1, -3, 0.5f, /**/ 1, 2, 3, 4, 5, 6};
  for (const char *policy : {"ordered_tree", "unordered_tree"})
    for (const char *seed : {"-0.0", "2.5"}) {
      std::string text = row_sums;
      text.replace(text.find("-0.0"), 4, seed);
      Case c(text, policy, 3, x);
      const Exploration e = explore(c.bound, c.buffers, {{}, 50, 0}); // so few that none is enumerated
      INFO(policy << ", seed " << seed);
      CHECK(e.all);
      std::size_t most = 0, sensitive = 0, widest = 0;
      std::vector<std::set<float>> values(3);
      for (std::size_t row = 0; row < 3; ++row) {
        std::vector<float> leaves(x.begin() + static_cast<std::ptrdiff_t>(6 * row), x.begin() + static_cast<std::ptrdiff_t>(6 * row + 6));
        if (seed[0] != '-') leaves.insert(leaves.begin(), 2.5f);
        all_trees(leaves, policy[0] == 'o', values[row]);
        sensitive += values[row].size() > 1;
        if (values[row].size() > most) most = values[row].size(), widest = row;
      }
      CHECK(values[2].size() == 1);
      CHECK(e.outputs[0].sensitive == sensitive);
      CHECK(e.outputs[0].open == 0);
      REQUIRE(e.outputs[0].widest);
      const SensitiveElement &w = *e.outputs[0].widest;
      CHECK(w.exact);
      CHECK(w.index == static_cast<std::int64_t>(widest));
      CHECK(w.values == most);
      CHECK(f32(*w.low) == *values[widest].begin());
      CHECK(f32(*w.high) == *values[widest].rbegin());
      CHECK(c.under(w.low_schedule)[widest] == *values[widest].begin());
      CHECK(c.under(w.high_schedule)[widest] == *values[widest].rbegin());
    }
}

TEST_CASE("explore: ten contributions of a tile are exact, eleven are enclosed and sampled", "[RED-SENS]") {
  const char *text = R"(kernel k(X: f32[M, N], Y: out f32[M], Z: out i32[1]) {
  axis m = M, n = N
  s = zeros f32 [m]
  reduce i in [n] { s = s + X[(0, i.n), [m, _]] }
  Y((0), [m]).store(s * 2)
  Z(0).store(cast(sum(full(1.0, [m]), m), i32))
})";
  std::string body = text;
  body.replace(body.find("cast(sum(full(1.0, [m]), m), i32)"), 33, "i32(1)");
  std::vector<float> ten, eleven;
  for (int row = 0; row < 2; ++row)
    for (int i = 0; i < 11; ++i) {
      const float v = (i % 3 == 0 ? 1e6f : 0.1f) * static_cast<float>(i + 1 + row) * (i % 2 ? -1.f : 1.f);
      if (i < 10) ten.push_back(v);
      eleven.push_back(v);
    }
  Case exact(body, "", 2, ten);
  const Exploration e = explore(exact.bound, exact.buffers);
  CHECK(e.all);
  CHECK(e.outputs[0].sensitive == 2);
  REQUIRE(e.outputs[0].widest);
  CHECK(e.outputs[0].widest->values > 2);
  const auto w = *e.outputs[0].widest;
  CHECK(exact.under(w.high_schedule)[static_cast<std::size_t>(w.index)] == f32(*w.high));
  Case more(body, "", 2, eleven);
  const Exploration s = explore(more.bound, more.buffers, {{}, 1000, 40});
  CHECK(!s.all);
  CHECK(s.outputs[0].open == 2);
  REQUIRE(s.outputs[0].widest);
  CHECK(!s.outputs[0].widest->exact);
  REQUIRE(s.outputs[0].widest->enclosure);
  CHECK(s.outputs[0].widest->enclosure->contains(ScalarType::f32, *s.outputs[0].widest->low));
  CHECK(s.outputs[0].widest->enclosure->contains(ScalarType::f32, *s.outputs[0].widest->high));
  CHECK(s.outputs[0].widest->low_schedule != s.outputs[0].widest->high_schedule);
}

TEST_CASE("explore: an element that two reductions decide is not exact", "[RED-SENS]") {
  Case c(R"(kernel k(X: f32[M, N], Y: out f32[M], Z: out i32[1]) {
  axis n = N
  a = sum(X[(0, 0), [_, n]], n)
  b = sum(X[(1, 0), [_, n]], n)
  Y(0).store(a * b)
  Y(1).store(a)
  Z(0).store(1)
})",
         "", 2, {16777216, 1, 1, 1, -3, 0.5f, 1e8f, 1, -1e8f, 3, 0.25f, -5});
  const Exploration e = explore(c.bound, c.buffers, {{}, 50, 20});
  CHECK(!e.all);
  CHECK(e.outputs[0].open == 1);
  CHECK(e.outputs[0].sensitive == 2);
}

TEST_CASE("schedules have names", "[RED-SENS]") {
  for (const char *good : {"reference", "seed=0", "seed=18446744073709551615", "groupings=0", "groupings=3,0,1", "groupings=40*0,2"}) CHECK(chooser_of(good) != nullptr);
  for (const char *bad : {"", "seed", "seed=", "seed=-1", "seed=18446744073709551616", "groupings=", "groupings=1,", "groupings=*0", "groupings=2*", "groupings=99999999999*0", "groupings=,1", "orders=1"})
    CHECK(chooser_of(bad) == nullptr);
}
