// SPDX-License-Identifier: Apache-2.0
// scan.tile, segment_sum_offsets.tile, segment_sum_ids.tile and ragged_batch.tile: sums over parts of an array.
#include "tests/examples/rounded.h"
#include <array>

using namespace tilenest::examples;

namespace {

void check_scan(Array<float> x, bool exact) {
  static Example example("scan");
  const std::int64_t n = x.shape[0];
  auto inclusive = output<float>({n}), exclusive = output<float>({n});
  example.run(x, inclusive, exclusive);
  Comparison with, without;
  Sum sum;
  for (std::int64_t i = 0; i < n; ++i) {
    // Each prefix: six doubling steps in the block, one addition per block before it, one of both.
    const double additions = 6 + std::floor(static_cast<double>(i) / 64) + 1;
    const Rounded before = i == 0 ? Rounded(0.0f) : sum.total(additions);
    without.element(static_cast<std::size_t>(i), exclusive(i), before.value, exact ? 0 : before.error);
    sum.add(Rounded(x(i)));
    with.element(static_cast<std::size_t>(i), inclusive(i), sum.total(additions).value, exact ? 0 : sum.total(additions).error);
  }
  CHECK(with.fault() == "");
  CHECK(without.fault() == "");
}

struct Segments {
  std::vector<std::int64_t> offsets;
  void check(Array<float> values, bool exact) const {
    static Example example("segment_sum_offsets");
    const std::int64_t n = static_cast<std::int64_t>(offsets.size()) - 1;
    Array<std::int64_t> at{{n + 1}, offsets, true};
    auto sums = output<float>({n});
    example.run(values, at, sums);
    Comparison comparison;
    for (std::int64_t s = 0; s < n; ++s) {
      Sum sum;
      for (std::int64_t i = at(s); i < at(s + 1); ++i) sum.add(Rounded(values(i)));
      const double length = static_cast<double>(at(s + 1) - at(s));
      const Rounded expected = sum.total(length + std::ceil(length / 64));
      comparison.element(static_cast<std::size_t>(s), sums(s), expected.value, exact ? 0 : expected.error);
    }
    CHECK(comparison.fault() == "");
  }
};

void check_ids(Array<float> values, Array<std::int32_t> ids, int groups, bool exact) {
  static Example example("segment_sum_ids");
  auto sums = output<float>({groups});
  example.run(values, ids, sums);
  std::vector<Sum> expected(static_cast<std::size_t>(groups));
  std::vector<int> count(expected.size());
  for (std::int64_t i = 0; i < values.shape[0]; ++i)
    if (ids(i) >= 0 && ids(i) < groups) {
      expected[static_cast<std::size_t>(ids(i))].add(Rounded(values(i)));
      ++count[static_cast<std::size_t>(ids(i))];
    }
  Comparison comparison;
  for (std::size_t s = 0; s < expected.size(); ++s) {
    const Rounded total = expected[s].total(count[s]);
    comparison.element(s, sums(s), total.value, exact ? 0 : total.error);
  }
  CHECK(comparison.fault() == "");
}

void check_batch(Array<float> x, Array<std::int64_t> lengths) {
  static Example example("ragged_batch");
  const std::int64_t batch = x.shape[0], tokens = x.shape[1], width = x.shape[2];
  auto mean = output<float>({batch, width}), y = output<float>(x.shape);
  example.run(x, lengths, mean, y);
  Comparison means, deviations;
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t d = 0; d < width; ++d) {
      const std::int64_t length = lengths(b);
      Sum sum;
      for (std::int64_t t = 0; t < length; ++t) sum.add(Rounded(x(b, t, d)));
      const double n = static_cast<double>(length);
      const Rounded average = sum.total(n + std::ceil(n / 16)) / Rounded(static_cast<float>(length));
      means.element(means.count(), mean(b, d), average.value, average.error);
      for (std::int64_t t = 0; t < tokens; ++t) {
        const Rounded expected = t < length ? Rounded(x(b, t, d)) - average : Rounded(0.0f);
        deviations.element(deviations.count(), y(b, t, d), expected.value, t < length ? expected.error : 0);
      }
    }
  CHECK(means.fault() == "");
  CHECK(deviations.fault() == "");
  CHECK(deviations.count() == y.values.size());
}

} // namespace

TEST_CASE("scan.tile on any length", "[examples][VAL-CARRY]") {
  for (int n : {64, 128, 1, 2, 63, 65, 200, 1000, 0}) {
    INFO("N=" << n);
    check_scan(uniform({n}, 1), false);
    check_scan(whole<float>({n}, 2, 999), true); // every sum below 2^20
  }
  auto x = whole<float>({140}, 3, 9);
  x(70) = inf;
  x(100) = -inf; // NaN from here on
  check_scan(x, true);
  x = whole<float>({140}, 4, 9);
  x(130) = not_a_number;
  check_scan(x, true);
}

TEST_CASE("segment_sum_offsets.tile on segments of any length", "[examples]") {
  const Segments segments[] = {{{0, 0}},       {{0, 1}},          {{0, 64, 128}},           {{0, 63, 128, 200}},
                               {{0, 0, 7, 7}}, {{5, 5, 150, 199}}, {{0, 1, 2, 3, 3, 3, 200}}, {{0}}};
  for (const Segments &s : segments) {
    s.check(uniform({200}, 5), false);
    s.check(whole<float>({200}, 6, 999), true);
  }
  auto values = whole<float>({200}, 7, 9);
  values(63) = not_a_number; // the segment that has it, and no other
  values(128) = inf;
  values(199) = -inf;
  Segments{{0, 63, 64, 128, 129, 199, 200}}.check(values, true);
}

TEST_CASE("segment_sum_ids.tile takes ids in any order", "[examples][ATOM]") {
  for (int n : {64, 1, 63, 65, 500, 0})
    for (int groups : {8, 1, 64, 65, 0}) {
      INFO("N=" << n << " G=" << groups);
      auto ids = whole<std::int32_t>({n}, 8, 9); // from -9 to 9: some are no segment
      if (n > 40) {
        ids(3) = std::numeric_limits<std::int32_t>::max();
        ids(5) = groups;
        ids(6) = groups - 1;
      }
      check_ids(uniform({n}, 9), ids, groups, false);
      check_ids(whole<float>({n}, 10, 999), ids, groups, true);
    }
  auto values = whole<float>({70}, 11, 9);
  values(0) = not_a_number;
  values(66) = inf;
  check_ids(values, whole<std::int32_t>({70}, 12, 3), 5, true);
}

TEST_CASE("ragged_batch.tile reads no padding", "[examples][IDX-PRED]") {
  for (int tokens : {16, 32, 1, 15, 17, 50})
    for (int width : {8, 1, 0}) {
      INFO("S=" << tokens << " D=" << width);
      Array<std::int64_t> lengths{{5}, {tokens, 1, tokens / 2, tokens - tokens / 3, 0}, true};
      auto x = uniform({5, tokens, width}, 13);
      for (int b = 0; b < 5; ++b)
        for (std::int64_t t = lengths(b); t < tokens; ++t)
          for (int d = 0; d < width; ++d) x(b, t, d) = not_a_number; // would show if it were read
      check_batch(x, lengths);
    }
  check_batch(uniform({0, 20, 4}, 14), {{0}, {}, true});
  check_batch(uniform({3, 0, 4}, 14), {{3}, {0, 0, 0}, true});
}
