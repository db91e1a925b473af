// SPDX-License-Identifier: Apache-2.0
// stable_sort.tile and top_k.tile against std::stable_sort with NaN behind every number.
#include "tests/examples/example.h"
#include <algorithm>
#include <bit>
#include <numeric>

using namespace tilenest::examples;

namespace {

// The indices of a row in order, the greatest first where `descending`.
std::vector<std::int64_t> order_of(const Array<float> &x, std::int64_t row, bool descending) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(x.shape[1]));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    const float l = x(row, a), r = x(row, b);
    if (std::isnan(l) || std::isnan(r)) return !std::isnan(l);
    return descending ? l > r : l < r;
  });
  return order;
}

// NaN, signed zeros, infinities and many equal keys.
Array<float> awkward(int rows, int columns, std::uint64_t seed) {
  auto x = whole<float>({rows, columns}, seed, 9);
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    if (x.values[i] == 3) x.values[i] = not_a_number;
    if (x.values[i] == 4) x.values[i] = i % 2 == 0 ? -0.0f : 0.0f;
    if (x.values[i] == 5) x.values[i] = i % 2 == 0 ? inf : -inf;
  }
  return x;
}

bool same_bits(float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }

void check_sort(Array<float> keys) {
  static Example example("stable_sort");
  auto payload = keys.shape[0] * keys.shape[1] > 0 ? whole<std::int64_t>(keys.shape, 99, 1000) : filled<std::int64_t>(keys.shape, 0);
  auto sorted = output<float>(keys.shape);
  auto carried = output<std::int64_t>(keys.shape);
  example.run(keys, payload, sorted, carried);
  int wrong = 0;
  for (std::int64_t r = 0; r < keys.shape[0]; ++r) {
    const auto order = order_of(keys, r, false);
    for (std::size_t c = 0; c < order.size(); ++c)
      wrong += !same_bits(sorted(r, c), keys(r, order[c])) || carried(r, c) != payload(r, order[c]);
  }
  CHECK(wrong == 0);
}

void check_top(Array<float> x) {
  static Example example("top_k");
  auto values = output<float>({x.shape[0], 8});
  auto indices = output<std::int64_t>({x.shape[0], 8});
  example.run(x, values, indices);
  int wrong = 0;
  for (std::int64_t r = 0; r < x.shape[0]; ++r) {
    const auto order = order_of(x, r, true);
    for (std::size_t c = 0; c < 8; ++c)
      if (c < order.size())
        wrong += indices(r, c) != order[c] || !same_bits(values(r, c), x(r, order[c]));
      else
        wrong += !std::isnan(values(r, c)) || indices(r, c) != static_cast<std::int64_t>(c);
  }
  CHECK(wrong == 0);
}

} // namespace

TEST_CASE("stable_sort.tile keeps the order of equal keys", "[examples][NUM-NAN]") {
  for (int rows : {1, 3, 0})
    for (int columns : {1, 2, 3, 16, 33, 100}) {
      INFO("M=" << rows << " N=" << columns);
      check_sort(uniform({rows, columns}, 1));
      check_sort(awkward(rows, columns, 2));
      check_sort(filled<float>({rows, columns}, 7));
    }
}

TEST_CASE("top_k.tile chooses among the choices of its parts", "[examples][NUM-NAN]") {
  for (int rows : {1, 3, 0})
    for (int columns : {256, 512, 8, 9, 1, 7, 255, 257, 700, 0}) {
      INFO("M=" << rows << " N=" << columns);
      check_top(uniform({rows, columns}, 3));
      check_top(awkward(rows, columns, 4));
      check_top(filled<float>({rows, columns}, -inf));
      check_top(filled<float>({rows, columns}, not_a_number));
    }
}
