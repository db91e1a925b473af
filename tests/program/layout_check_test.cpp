// SPDX-License-Identifier: Apache-2.0
// Layout checks: verdicts by strides agree with a sweep over all pairs of points, and the witnesses are real.
#include "semantics/maps/layout_check.h"
#include <catch2/catch.hpp>
#include <map>
#include <random>

using namespace tilenest;
using Verdict = LayoutReport::Verdict;

namespace {

const Extent::Lookup no_params = [](ParamId) { return std::optional<std::int64_t>(); };

// The verdict by definition, for small strided layouts.
struct Oracle {
  Verdict verdict = Verdict::ok;
  std::int64_t cosize = 0;
};
Oracle oracle(const std::vector<std::int64_t> &shape, const std::vector<std::int64_t> &strides, std::int64_t base) {
  std::map<std::int64_t, int> places;
  Oracle r;
  std::int64_t points = 1;
  for (std::int64_t n : shape) points *= n;
  bool below = false, twice = false;
  for (std::int64_t k = 0; k < points; ++k) {
    std::int64_t rest = k, at = base;
    for (std::size_t i = shape.size(); i-- > 0;) at += strides[i] * (rest % shape[i]), rest /= shape[i];
    below |= at < 0;
    twice |= ++places[at] > 1;
    r.cosize = std::max(r.cosize, at + 1);
  }
  r.verdict = below ? Verdict::out_of_bounds : twice ? Verdict::not_injective : Verdict::ok;
  return r;
}

std::int64_t place(const std::vector<std::int64_t> &strides, std::int64_t base, const std::vector<std::int64_t> &at) {
  for (std::size_t i = 0; i < at.size(); ++i) base += strides[i] * at[i];
  return base;
}

} // namespace

TEST_CASE("strided verdicts agree with a sweep over all points", "[MEM-OWN]") {
  std::mt19937 random(20240611);
  int collisions = 0, fine = 0, below = 0;
  for (int round = 0; round < 20000; ++round) {
    const int rank = static_cast<int>(random() % 5);
    std::vector<std::int64_t> shape, strides;
    std::vector<Extent> extents;
    for (int i = 0; i < rank; ++i) {
      shape.push_back(random() % 5);
      strides.push_back(static_cast<std::int64_t>(random() % 30) - (random() % 3 == 0 ? 15 : 0));
      extents.push_back(strides.back());
    }
    const std::int64_t base = random() % 40;
    const LayoutReport found = check_layout(Map::strided(extents, base), shape, no_params);
    const Oracle expected = oracle(shape, strides, base);
    REQUIRE(found.verdict == expected.verdict);
    if (found.verdict == Verdict::ok) {
      REQUIRE(found.cosize == expected.cosize);
      ++fine;
    } else if (found.verdict == Verdict::not_injective) {
      REQUIRE(found.first != found.second);
      REQUIRE(found.first.size() == shape.size());
      for (std::size_t i = 0; i < shape.size(); ++i) {
        REQUIRE((found.first[i] >= 0 && found.first[i] < shape[i]));
        REQUIRE((found.second[i] >= 0 && found.second[i] < shape[i]));
      }
      REQUIRE(place(strides, base, found.first) == found.offset);
      REQUIRE(place(strides, base, found.second) == found.offset);
      ++collisions;
    } else {
      REQUIRE(place(strides, base, found.first) == found.offset);
      REQUIRE(found.offset < 0);
      ++below;
    }
  }
  CHECK(collisions > 1000);
  CHECK(fine > 1000);
  CHECK(below > 500);
}

TEST_CASE("large strided layouts are decided by their strides", "[MEM-OWN]") {
  const std::vector<std::int64_t> shape = {100000, 100000};
  const LayoutReport padded = check_layout(Map::strided({100001, 1}), shape, no_params);
  CHECK(padded.verdict == Verdict::ok);
  CHECK(padded.cosize == 99999LL * 100001 + 100000);
  CHECK(check_layout(Map::strided({99999, 1}), shape, no_params).verdict == Verdict::not_injective);
  CHECK(check_layout(Map::strided({100001, 0}), shape, no_params).verdict == Verdict::not_injective);
  CHECK(check_layout(Map::strided({INT64_MAX / 2, 1}), shape, no_params).verdict == Verdict::not_total);
  // Not nested, yet injective: 100003 and 100001 share no divisor.
  CHECK(check_layout(Map::strided({100003, 100001}), shape, no_params).verdict == Verdict::ok);
}

TEST_CASE("index expressions are swept point by point", "[MEM-OWN]") {
  const IndexExpr i = index_input(0), j = index_input(1);
  auto binary = [](IndexNode::Kind k, IndexExpr a, IndexExpr b) { return index_binary(k, std::move(a), std::move(b)); };
  using Kind = IndexNode::Kind;
  // 8 i + (i xor j): the XOR swizzle.
  const IndexExpr swizzle =
      binary(Kind::add, binary(Kind::mul, index_extent(8), i), binary(Kind::bit_xor, i, j));
  const std::vector<std::int64_t> shape = {8, 8};
  const LayoutReport fine = check_layout(Map::expressions(2, {swizzle}), shape, no_params);
  CHECK(fine.verdict == Verdict::ok);
  CHECK(fine.cosize == 64);
  // i mod 4 forgets a bit: (0, 0) and (4, 0) meet.
  const IndexExpr folded = binary(
      Kind::add, binary(Kind::mul, index_extent(8), binary(Kind::mod, i, index_extent(4))), j);
  const LayoutReport twice = check_layout(Map::expressions(2, {folded}), shape, no_params);
  CHECK(twice.verdict == Verdict::not_injective);
  CHECK(twice.first == std::vector<std::int64_t>{0, 0});
  CHECK(twice.second == std::vector<std::int64_t>{4, 0});
  // A division by zero gives no place.
  const LayoutReport partial =
      check_layout(Map::expressions(2, {binary(Kind::floordiv, i, j)}), shape, no_params);
  CHECK(partial.verdict == Verdict::not_total);
  CHECK(partial.first == std::vector<std::int64_t>{0, 0});
  CHECK(check_layout(Map::expressions(2, {binary(Kind::sub, i, j)}), shape, no_params).verdict ==
        Verdict::out_of_bounds);
  CHECK(check_layout(Map::expressions(2, {swizzle}), std::vector<std::int64_t>{1 << 20, 8}, no_params).verdict ==
        Verdict::undecided);
}
