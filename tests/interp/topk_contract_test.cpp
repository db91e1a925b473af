// SPDX-License-Identifier: Apache-2.0
// The contract topk against a plain sort in the order of NUM-NAN: along the reference, along every grouping of few
// contributions and sampled ones of more there is one result. And the states that it refuses.
#include "interp/laws.h"
#include "semantics/judge.h"
#include "semantics/text/parser.h"
#include "tests/interp/tile_run.h"
#include <algorithm>
#include "tests/volume.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

using namespace tilenest;

namespace {

// The k greatest of X and where they are. `last` is the value behind every other.
std::string topk_kernel(const std::string &type, const std::string &last, bool floats, const std::string &index, const std::string &greatest_index, int k, const std::string &policy = "") {
  const std::string nan_ahead = floats ? " | is_nan(x) & !is_nan(best)" : "", nan_behind = floats ? " | is_nan(best) & !is_nan(x)" : "";
  return "kernel k(X: " + type + "[N], V: out " + type + "[" + std::to_string(k) + "], I: out " + index + "[" + std::to_string(k) + "]) {\n  axis r = N, k = " + std::to_string(k) +
         "\n  best = broadcast(" + last + ", [k])\n  at = broadcast(" + index + "(" + greatest_index + "), [k])\n  reduce i in [r] " + policy +
         " with topk(best, at) {\n    x = X[i.r]\n    here = cast(i.r, " + index + ")\n    ahead = best > x" + nan_ahead + "\n    behind = x > best" + nan_behind +
         "\n    stays = ahead | !behind & at < here\n    before = max(iota(k) - 1, 0)\n    moves = iota(k) > 0 & !take(stays, before)\n"
         "    best_before = take(best, before)\n    at_before = take(at, before)\n    best = ite(stays, best, ite(moves, best_before, x))\n"
         "    at = ite(stays, at, ite(moves, at_before, here))\n  }\n  V((0), [k]).store(best)\n  I((0), [k]).store(at)\n}\n";
}

template <class T> bool is_not_a_number(T x) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(x);
  else return false;
}

// Positions in order, filled up with the greatest index.
template <class T, class Index> std::vector<Index> first_of(const std::vector<T> &x, std::size_t k) {
  std::vector<Index> order(x.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    const T u = x[static_cast<std::size_t>(a)], v = x[static_cast<std::size_t>(b)];
    return u > v || (!is_not_a_number(u) && is_not_a_number(v));
  });
  order.resize(k, std::numeric_limits<Index>::max());
  return order;
}

template <class T, class Index> void holds_along(const std::string &text, const std::vector<T> &x, std::size_t k, T last, Chooser *chooser) {
  TileRunOptions options;
  options.chooser = chooser;
  const TileRun r = run_tile(text, {array("X", x)}, options);
  REQUIRE(r.codes() == "");
  const std::vector<Index> expected = first_of<T, Index>(x, k);
  REQUIRE(r.get<Index>("I") == expected);
  const std::vector<T> values = r.get<T>("V");
  for (std::size_t i = 0; i < k; ++i) {
    const T wanted = i < x.size() ? x[static_cast<std::size_t>(expected[i])] : last;
    if (is_not_a_number(wanted)) REQUIRE(is_not_a_number(values[i]));
    else REQUIRE((values[i] == wanted && std::signbit(static_cast<double>(values[i])) == std::signbit(static_cast<double>(wanted))));
  }
}

template <class T, class Index = std::int64_t> void agrees(const std::string &text, const std::vector<T> &x, std::size_t k, T last, int seeds = 40) {
  holds_along<T, Index>(text, x, k, last, nullptr);
  for (int seed = 0; seed < seeds; ++seed) {
    SeededChooser chooser(static_cast<std::uint64_t>(seed));
    holds_along<T, Index>(text, x, k, last, &chooser);
  }
}

const float none = std::numeric_limits<float>::quiet_NaN(), most = std::numeric_limits<float>::infinity();
const std::string greatest_i64 = "9223372036854775807", greatest_i32 = "2147483647";

std::string codes_of(const std::string &states, const std::string &body) {
  const ParsedFile file = parse_text("k.tile", "kernel k(X: f32[N, 3], Y: out f32[1]) {\n  axis r = N, k = 3, q = 2\n" + states + "\n  reduce i in [r] with topk(a, b) {\n" + body + "\n  }\n  Y(0).store(0.0)\n}");
  std::string out;
  for (const Diagnostic &d : file.diagnostics) out += std::string(out.empty() ? "" : " ") + d.info().code + ": " + d.message();
  return out;
}

} // namespace

TEST_CASE("topk: floats, with NaN, equal values, both zeros, infinities and too few", "[RED-LAW][RED-TREE][NUM-NAN]") {
  const std::string text = topk_kernel("f32", "f32(nan)", true, "i64", greatest_i64, 3);
  for (const std::vector<float> &x : std::vector<std::vector<float>>{{3, 1, 4, 1, 5, 9, 2, 6}, {1, 1, 1, 1, 1}, {none, 1, none, 2, none}, {none, none, none, none}, {-0.0F, 0.0F, -1, 0.0F, -0.0F},
                                                                     {-most, most, none, most, -most}, {7}, {none, 1}, {}})
    agrees<float>(text, x, 3, none);
}

TEST_CASE("topk: every grouping of four contributions gives one result", "[RED-LAW][RED-TREE]") {
  const std::string text = topk_kernel("f32", "f32(nan)", true, "i64", greatest_i64, 2, "ordered_tree");
  for (const std::vector<float> &x : std::vector<std::vector<float>>{{1, 2, 2, none}, {none, 0, -0.0F, 0}}) {
    ExhaustiveChooser every(Freedom::grouping);
    do holds_along<float, std::int64_t>(text, x, 2, none, &every);
    while (every.next());
  }
}

TEST_CASE("topk: integers, their least value as what is lacking, and indices of 32 bits", "[RED-LAW][RED-TREE]") {
  agrees<std::int32_t>(topk_kernel("i32", "i32(-2147483648)", false, "i64", greatest_i64, 4), {5, -7, 5, INT32_MIN, 0, 5, INT32_MAX}, 4, INT32_MIN);
  agrees<std::int32_t, std::int32_t>(topk_kernel("i32", "i32(-2147483648)", false, "i32", greatest_i32, 2), {1, 3, 3, 2}, 2, INT32_MIN);
  agrees<std::uint8_t>(topk_kernel("u8", "u8(0)", false, "i64", greatest_i64, 3), {0, 255, 0, 7, 255}, 3, std::uint8_t{0});
  agrees<std::uint64_t>(topk_kernel("u64", "u64(0)", false, "i64", greatest_i64, 1), {1, UINT64_MAX, 3}, 1, std::uint64_t{0});
}

TEST_CASE("topk: no law of it has a counterexample", "[RED-LAW]" TILENEST_LONG) {
  for (const auto &[text, what] : {std::pair{topk_kernel("i8", "i8(-128)", false, "i32", greatest_i32, 2), "i8"}, std::pair{topk_kernel("f16", "f16(nan)", true, "i64", greatest_i64, 2), "f16"}}) {
    INFO(what);
    ParsedFile file = parse_text("k.tile", text);
    REQUIRE_FALSE(has_error(judge(file.kernels.at(0))));
    const LawCheck check = check_laws(std::make_shared<const TileProgram>(std::move(file.kernels[0])));
    CHECK(check.diagnostics.empty());
    CHECK(check.contracts.at(0).tried() > 5000);
  }
}

TEST_CASE("topk: states that it does not take", "[RED-LAW]") {
  const std::string update = "    a = a + 1\n    b = b + 1";
  CHECK(codes_of("  a = zeros f32 [k]\n  b = zeros i64 [k]", update) == "");
  CHECK(codes_of("  a = f32(0)\n  b = i64(0)", update) == "T0307: a contract does not fit its `reduce`: `topk(values, indices)`: its states have one dim");
  CHECK(codes_of("  a = zeros f32 [k]\n  b = zeros f32 [k]", update) == "T0307: a contract does not fit its `reduce`: `topk(values, indices)`: its second state is an index, i32 or i64");
  CHECK(codes_of("  a = zeros f32 [k]\n  b = zeros i64 [q]", update) == "T0307: a contract does not fit its `reduce`: `topk(values, indices)`: its states have one space");
}
