// SPDX-License-Identifier: Apache-2.0
// RED-SET, RED-TREE: what the groupings of a tree policy may and may not do, by running many of them. Contributions
// that are powers of two, or digits, tell which were counted, how often and in what order.
#include "interp/grouping.h"
#include "semantics/library/contracts.h"
#include "tests/interp/tile_run.h"
#include "tests/volume.h"
#include <catch2/catch.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

using namespace tilenest;
using F = std::vector<float>;
using I = std::vector<std::int64_t>;

namespace {

// The distinct contents of `name` over every run that a chooser allows.
template <class T> std::set<std::vector<T>> reachable(const std::string &text, const std::vector<NamedArray> &arrays, const std::string &name) {
  std::set<std::vector<T>> out;
  ExhaustiveChooser chooser;
  TileRunOptions options;
  options.chooser = &chooser;
  int runs = 0;
  do {
    REQUIRE(++runs < 10000); // an order of its own makes far more
    const TileRun r = run_tile(text, arrays, options);
    REQUIRE(r.codes() == "");
    out.insert(r.get<T>(name));
  } while (chooser.next());
  return out;
}

template <class T> std::set<std::vector<T>> sampled(const std::string &text, const std::vector<NamedArray> &arrays, const std::string &name, int runs) {
  std::set<std::vector<T>> out;
  for (int seed = 0; seed < runs; ++seed) {
    SeededChooser chooser(static_cast<std::uint64_t>(seed));
    TileRunOptions options;
    options.chooser = &chooser;
    const TileRun r = run_tile(text, arrays, options);
    REQUIRE(r.codes() == "");
    out.insert(r.get<T>(name));
  }
  return out;
}

// Maps v -> m v + b as m, b; merging applies the left one first.
const char *affine = R"(kernel k(M: i32[N], B: i32[N], P: out i32[2]) {
  axis r = N
  m: i32 = 1
  b: i32 = 0
  reduce i in [r] POLICY with contract(m, b) associative identity { give 1, 0 } merge (ml, bl), (mr, br) { give ml * mr, mr * bl + br } {
    x = M[i.r]
    b = x * b + B[i.r]
    m = m * x
  }
  P(0).store(m)
  P(1).store(b)
})";

std::string with_policy(std::string text, const std::string &policy) {
  return text.replace(text.find("POLICY"), 6, policy);
}

} // namespace

TEST_CASE("every grouping counts each contribution and the seed once", "[RED-TREE][RED-SET][RED-SEED]") {
  // 2^20 as the seed and 2^0 .. 2^4: any miss or repeat changes a bit of the sum. Point 2 is inactive.
  const char *text = R"(kernel k(X: i64[5], Y: out i64[1]) {
  axis r = 5
  s: i64 = 1048576
  reduce i in [r] where r != 2 POLICY { s = s + X[i.r] }
  Y(0).store(s)
})";
  const std::vector<NamedArray> x = {array("X", I{1, 2, 4, 8, 16})};
  CHECK(reachable<std::int64_t>(with_policy(text, "ordered_tree"), x, "Y") == std::set<I>{{1048576 + 27}});
  CHECK(sampled<std::int64_t>(with_policy(text, "unordered_tree"), x, "Y", 300) == std::set<I>{{1048576 + 27}});
  const char *expression = "kernel k(X: i64[5], Y: out i64[1]) {\n axis r = 5\n Y(0).store(sum(X[0, [r]], r))\n}";
  CHECK(sampled<std::int64_t>(expression, x, "Y", 300) == std::set<I>{{31}});
}

TEST_CASE("an empty domain gives the seed, bit for bit, in every grouping", "[RED-TREE][RED-SEED]") {
  const std::set<F> values = sampled<float>("kernel k(X: f32[N], Y: out f32[1]) {\n axis r = N\n s: f32 = -0.0\n reduce i in [r] { s = s + X[i.r] }\n Y(0).store(s)\n}",
                                            {array("X", F{})}, "Y", 20);
  REQUIRE(values.size() == 1);
  CHECK(std::signbit((*values.begin())[0]));
}

TEST_CASE("an ordered tree keeps the leaves in order and the seed in its place", "[RED-SET]") {
  // The composition of affine maps does not commute: pairs of B20, (2, 1) (3, 1) (1, 5) (2, 0) make (12, 18).
  const std::vector<NamedArray> maps = {array("M", std::vector<std::int32_t>{2, 3, 1, 2}), array("B", std::vector<std::int32_t>{1, 1, 5, 0})};
  CHECK(reachable<std::int32_t>(with_policy(affine, "ordered_tree"), maps, "P") == std::set<std::vector<std::int32_t>>{{12, 18}});
  const TileRun refused = run_tile(with_policy(affine, "unordered_tree"), maps);
  CHECK(refused.codes() == "T0305@5 T0305@5");
  CHECK(refused.says("not commutative"));
  CHECK(refused.says("the strongest policy that is legal here is `ordered_tree`"));
}

TEST_CASE("B18: the sums of a float tree", "[cases][RED-SET][RED-TREE]") {
  // 1e8 and 1 in f32: 1e8 + 1 is 1e8, its ulp is 8. Tiles of 1, 2, 3 and 6 give 3, 2, 3 and 3 (the exact sum is 4).
  const char *text = R"(kernel k(X: f32[6], Y: out f32[1]) {
  axis r = 6
  s: f32 = 0
  reduce i in [r] POLICY { s = s + X[i.r] }
  Y(0).store(s)
})";
  const std::vector<NamedArray> x = {array("X", F{1e8f, 1, -1e8f, 1, 1, 1})};
  const std::set<F> ordered = reachable<float>(with_policy(text, "ordered_tree"), x, "Y");
  // By hand: every partial sum that holds 1e8 or -1e8 alone loses up to three ones, so the results are whole
  // numbers of 0 to 3 in order; only leaving 1e8 and -1e8 to meet first could give 4, and the 1 between them stops that.
  for (const F &v : ordered) CHECK((v[0] >= 0 && v[0] <= 3 && v[0] == std::floor(v[0])));
  CHECK(ordered.count({3}) == 1);
  CHECK(ordered.count({2}) == 1);
  CHECK(ordered.count({4}) == 0);
  // Any order: the two meet first in some grouping, and the sum is exact.
  CHECK(sampled<float>(with_policy(text, "unordered_tree"), x, "Y", 400).count({4}) == 1);
  CHECK(reachable<float>(with_policy(text, "fold_left"), x, "Y") == std::set<F>{{3}});
}

TEST_CASE("B22: a hand-written argmax depends on its grouping", "[cases][RED-SET][RED-TREE]") {
  // `a >= b ? a : b` over 2, 7, NaN, 7, 1: a NaN on the left loses to what is on its right, on the right it wins. Trees
  // in order end at index 1 or at index 3.
  const char *text = R"(kernel k(X: f32[5], Y: out i64[1]) {
  axis r = 5
  v: f32 = -inf
  at: i64 = -1
  reduce i in [r] POLICY with contract(v, at) associative identity { give -inf, -1 } merge (a, i1), (b, i2) { give ite(a >= b, a, b), ite(a >= b, i1, i2) } {
    x = X[i.r]
    keeps = v >= x
    v = ite(keeps, v, x)
    at = ite(keeps, at, i.r)
  }
  Y(0).store(at)
})";
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<NamedArray> x = {array("X", F{2, 7, nan, 7, 1})};
  const std::set<I> found = reachable<std::int64_t>(with_policy(text, "ordered_tree"), x, "Y");
  CHECK(found.count({1}) == 1);
  CHECK(found.count({3}) == 1);
  // The library's contract ranks NaN last and breaks ties to the lower index: one result.
  const char *named = R"(kernel k(X: f32[5], Y: out i64[1]) {
  axis r = 5
  v: f32 = nan
  at: i64 = 9223372036854775807
  reduce i in [r] with argmax(v, at) {
    x = X[i.r]
    ahead = x > v | is_nan(v) & !is_nan(x)
    behind = v > x | is_nan(x) & !is_nan(v)
    takes = ahead | !behind & i.r < at
    v = ite(takes, x, v)
    at = ite(takes, i.r, at)
  }
  Y(0).store(at)
})";
  CHECK(sampled<std::int64_t>(named, x, "Y", 200) == std::set<I>{{1}});
  CHECK(sampled<std::int64_t>(named, {array("X", F{nan, nan, nan, nan, nan})}, "Y", 50) == std::set<I>{{0}});
}

TEST_CASE("contracts of the library agree with the body over every grouping", "[RED-TREE][RED-LAW]") {
  // Whole numbers small enough that every step of Welford on 1, 3, 5, 7 is exact: mean 4, m2 20.
  const char *welford = R"(kernel k(X: f64[4], Y: out f64[3]) {
  axis r = 4
  n: f64 = 0
  mean: f64 = 0
  m2: f64 = 0
  reduce i in [r] with welford(n, mean, m2) {
    x = X[i.r]
    n = n + 1
    d = x - mean
    mean = mean + d / n
    m2 = m2 + d * (x - mean)
  }
  Y(0).store(n)
  Y(1).store(mean)
  Y(2).store(m2)
})";
  for (const std::vector<double> &y : sampled<double>(welford, {array("X", std::vector<double>{1, 3, 5, 7})}, "Y", 300)) {
    CHECK(y[0] == 4);
    CHECK(y[1] == Approx(4).epsilon(1e-14));
    CHECK(y[2] == Approx(20).epsilon(1e-14));
  }
  const char *lse = R"(kernel k(X: f64[5], Y: out f64[1]) {
  axis r = 5
  m: f64 = -inf
  l: f64 = 0
  reduce i in [r] with logsumexp(m, l) {
    x = X[i.r]
    top = max(m, x)
    l = l * exp(m - top) + exp(x - top)
    m = top
  }
  Y(0).store(m + log(l))
})";
  // log(e^0 + e^1 + e^2 + e^3 + e^4), 4.451914395937593 by the formula in f64.
  double exact = 0;
  for (int i = 0; i < 5; ++i) exact += std::exp(static_cast<double>(i));
  for (const std::vector<double> &y : sampled<double>(lse, {array("X", std::vector<double>{3, 0, 4, 1, 2})}, "Y", 300))
    CHECK(y[0] == Approx(std::log(exact)).epsilon(1e-13));
}

TEST_CASE("a grouping is a partition into chains with one seed and one tree", "[RED-TREE][RED-SET]") {
  ExhaustiveChooser every;
  std::size_t groupings = 0;
  do {
    const Grouping g = choose_grouping(every, {0, 1, 2, 3}, ReductionPolicy::unordered_tree);
    ++groupings;
    std::vector<std::int64_t> all;
    std::size_t seeds = 0, depth = 0;
    bool sound = true;
    for (std::size_t i = 0; i < g.leaves.size(); ++i) {
      seeds += g.leaves[i].seed;
      sound &= g.leaves[i].seed || !g.leaves[i].contributions.empty();
      all.insert(all.end(), g.leaves[i].contributions.begin(), g.leaves[i].contributions.end());
      ++depth;
      sound &= g.merges[i] < depth;
      depth -= g.merges[i];
    }
    std::sort(all.begin(), all.end());
    if (!sound || all != std::vector<std::int64_t>{0, 1, 2, 3} || seeds != 1 || depth != 1) FAIL("grouping " << groupings);
  } while (every.next());
  CHECK(groupings > 24 * 14);
}

TEST_CASE("the kernels that document the library's contracts obey them", "[RED-TREE][RED-LAW]") {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<F> rows = {{2, 2, 2, 2}, {-0.0f, 0, -1, 0}, {nan, 1, nan, 1}, {-inf, 1, -inf, 2}, {-inf, -inf, -inf, -inf}, {inf, 1, 2, 3}, {1, inf, inf, -inf}};
  for (const library::Contract &c : library::contracts())
    for (const F &row : rows) {
      const std::string name = c.name;
      INFO(name << " of " << row[0] << " " << row[1] << " " << row[2] << " " << row[3]);
      const std::vector<NamedArray> x = {array("X", {1, 4}, row)};
      if (name == "argmax" || name == "argmin") {
        // NaN behind every number, ties to the lower index.
        std::int64_t best = 0;
        for (std::int64_t i = 1; i < 4; ++i) {
          const float a = row[static_cast<std::size_t>(best)], b = row[static_cast<std::size_t>(i)];
          if ((name == "argmax" ? b > a : b < a) || (std::isnan(a) && !std::isnan(b))) best = i;
        }
        CHECK(sampled<std::int64_t>(c.example, x, "Y", volume(60)) == std::set<I>{{best}});
      } else if (name == "topk") {
        I order{0, 1, 2, 3};
        std::stable_sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) {
          const float a = row[static_cast<std::size_t>(i)], b = row[static_cast<std::size_t>(j)];
          return a > b || (!std::isnan(a) && std::isnan(b));
        });
        order.resize(3);
        CHECK(sampled<std::int64_t>(c.example, x, "Y", volume(60)) == std::set<I>{order});
      } else if (name == "logsumexp") {
        if (std::isnan(row[0])) continue;
        double greatest = -inf, sum = 0;
        for (float v : row) greatest = std::max<double>(greatest, v);
        for (float v : row) sum += v == greatest ? 1 : std::exp(v - greatest);
        for (const F &y : sampled<float>(c.example, x, "Y", 60)) {
          if (std::isinf(greatest)) CHECK(y[0] == greatest);
          else CHECK(y[0] == Approx(greatest + std::log(sum)).epsilon(1e-5));
        }
      }
    }
}

// Three orders, none of which another gives: schedules, groupings, and whether anything interferes.
TEST_CASE("more order edges leave fewer results of the same events", "[ORD-PROD]") {
  const std::string sum = R"(kernel k(X: f32[N], Y: out f32[1]) {
  axis n = N
  s: f32 = -0.0
  reduce i in [n] POLICY { s = s + X[i.n] }
  Y(0).store(s)
})";
  const std::vector<NamedArray> x = {array<float>("X", {16777216, 1, -16777216, 3}), array<float>("Y", {0})};
  const auto fold = reachable<float>(with_policy(sum, "fold_left"), x, "Y"), ordered = reachable<float>(with_policy(sum, "ordered_tree"), x, "Y");
  const auto unordered = sampled<float>(with_policy(sum, "unordered_tree"), x, "Y", 400);
  CHECK(fold.size() == 1);
  CHECK(std::includes(ordered.begin(), ordered.end(), fold.begin(), fold.end()));
  CHECK(std::includes(unordered.begin(), unordered.end(), ordered.begin(), ordered.end()));
  CHECK(ordered.size() < unordered.size()); // (2^24 - 2^24) + (1 + 3) = 4 needs another order
  // What only an order of the leaves can change, a policy that keeps it does not.
  const std::vector<NamedArray> maps = {array<std::int32_t>("M", {2, 3, 1, 2}), array<std::int32_t>("B", {1, 1, 5, 0}), array<std::int32_t>("P", {0, 0})};
  CHECK(reachable<std::int32_t>(with_policy(affine, "ordered_tree"), maps, "P") == reachable<std::int32_t>(with_policy(affine, "fold_left"), maps, "P"));
  // Instances under every order, and one after the other: the edges of `serial` take schedules away, and not the events.
  const auto last = [](const std::string &region) {
    std::set<std::int32_t> out;
    ExhaustiveChooser chooser(Freedom::order);
    do {
      TileRunOptions options;
      options.chooser = &chooser;
      options.checked = false; // the instances interfere, which no edge of `parallel` forbids
      const std::string text = "kernel k(Y: out i32[1]) {\n  axis n = 3\n  " + region + " i in [n] { Y(0).store(cast(i.n, i32)) }\n}";
      out.insert(run_tile(text, {array<std::int32_t>("Y", {7})}, options).get<std::int32_t>("Y")[0]);
    } while (chooser.next());
    return out;
  };
  CHECK(last("parallel") == std::set<std::int32_t>{0, 1, 2});
  CHECK(last("serial") == std::set<std::int32_t>{2});
}
