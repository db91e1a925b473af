// SPDX-License-Identifier: Apache-2.0
// grouped_query_attention.tile, decode_attention.tile and rotary_embedding.tile against their formulas.
#include "tests/examples/attention_row.h"
#include "tests/examples/rounded.h"
#include <array>

using namespace tilenest::examples;

namespace {

Array<float> scaled(Array<float> a, float scale) {
  for (float &x : a.values) x *= scale;
  return a;
}

void check_grouped(Array<float> q, Array<float> k, Array<float> v) {
  static Example example("grouped_query_attention");
  auto o = output<float>(q.shape);
  example.run(q, k, v, o);
  const std::int64_t heads = q.shape[1], length = q.shape[2], width = q.shape[3];
  Comparison comparison;
  for (std::int64_t h = 0; h < q.shape[0] * heads; ++h)
    for (std::int64_t i = 0; i < length; ++i) {
      const double blocks = std::floor(static_cast<double>(i) / 16) + 1;
      const std::int64_t row = (h * length + i) * width, group = h / heads * length * width;
      check_attention_row({q.values.data() + row, k.values.data() + group, v.values.data() + group, o.values.data() + row, i + 1,
                           width, blocks, blocks},
                          comparison);
    }
  CHECK(comparison.fault() == "");
  CHECK(comparison.count() == o.values.size());
}

void check_decode(Array<float> q, Array<float> k, Array<float> v) {
  static Example example("decode_attention");
  auto o = output<float>(q.shape);
  example.run(q, k, v, o);
  const std::int64_t length = k.shape[1], width = q.shape[1];
  Comparison comparison;
  for (std::int64_t h = 0; h < q.shape[0]; ++h) {
    // A part fades at its own four blocks and once when it is merged; each block and each part adds once.
    const double additions = std::ceil(static_cast<double>(length) / 64) + std::ceil(static_cast<double>(length) / 256);
    const std::int64_t head = h * length * width, row = h * width;
    check_attention_row({q.values.data() + row, k.values.data() + head, v.values.data() + head, o.values.data() + row, length,
                         width, 5, additions},
                        comparison);
  }
  CHECK(comparison.fault() == "");
  CHECK(comparison.count() == o.values.size());
}

void check_rotary(Array<float> x, Array<std::int32_t> position) {
  static Example example("rotary_embedding");
  auto y = output<float>(x.shape);
  example.run(x, position, y);
  const std::int64_t pairs = x.shape[2] / 2;
  Comparison comparison;
  for (std::int64_t s = 0; s < x.shape[0]; ++s)
    for (std::int64_t h = 0; h < x.shape[1]; ++h)
      for (std::int64_t p = 0; p < pairs; ++p) {
        // 10000^e: an error d of e is a factor 10000^d.
        const Rounded exponent = Rounded(static_cast<float>(-p)) / Rounded(static_cast<float>(pairs));
        const double power = std::pow(10000.0, exponent.value);
        const Rounded frequency = rounded(power, power * std::expm1(std::log(10000.0) * exponent.error));
        const Rounded angle = rounded(position(s), 0) * frequency;
        const Rounded a(x(s, h, p)), b(x(s, h, p + pairs));
        const Rounded first = a * cos(angle) - b * sin(angle), second = a * sin(angle) + b * cos(angle);
        comparison.element(comparison.count(), y(s, h, p), first.value, first.error);
        comparison.element(comparison.count(), y(s, h, p + pairs), second.value, second.error);
      }
  CHECK(comparison.fault() == "");
  CHECK(comparison.count() == y.values.size());
}

} // namespace

TEST_CASE("grouped_query_attention.tile on ragged lengths", "[examples][MMA][IDX-PRED]") {
  for (int length : {16, 32, 1, 15, 17, 40, 0})
    for (int width : {16, 1, 20})
      for (const auto &[G, R] : {std::array<int, 2>{1, 1}, {2, 3}, {1, 4}, {0, 2}, {2, 0}}) {
        INFO("G=" << G << " R=" << R << " S=" << length << " D=" << width);
        check_grouped(uniform({G, R, length, width}, 1), uniform({G, length, width}, 2), uniform({G, length, width}, 3));
      }
  check_grouped(scaled(uniform({2, 2, 50, 16}, 4), 40), uniform({2, 50, 16}, 5), uniform({2, 50, 16}, 6));
  auto v = uniform({2, 40, 8}, 7);
  v(0, 20, 3) = not_a_number; // the queries of all heads of group 0 from 20 on, in column 3
  v(1, 5, 1) = inf;
  check_grouped(uniform({2, 3, 40, 8}, 8), uniform({2, 40, 8}, 9), v);
}

TEST_CASE("decode_attention.tile merges the parts of a long context", "[examples][MEM-OWN][MEM-STATE]") {
  for (int length : {256, 512, 1, 63, 64, 65, 255, 257, 700, 0})
    for (int width : {32, 1, 20}) {
      INFO("S=" << length << " D=" << width);
      check_decode(uniform({2, width}, 1), uniform({2, length, width}, 2), uniform({2, length, width}, 3));
    }
  check_decode(scaled(uniform({2, 16}, 4), 60), uniform({2, 600, 16}, 5), uniform({2, 600, 16}, 6)); // parts of weight 0
  check_decode(uniform({0, 8}, 7), uniform({0, 300, 8}, 8), uniform({0, 300, 8}, 9));
  auto v = uniform({3, 400, 8}, 10);
  v(0, 399, 3) = not_a_number;
  v(1, 5, 1) = -inf;
  check_decode(uniform({3, 8}, 11), uniform({3, 400, 8}, 12), v);
}

TEST_CASE("decode_attention.tile of equal scores is the mean", "[examples]") {
  const int length = 300, width = 3;
  auto q = filled<float>({1, width}, 0), k = uniform({1, length, width}, 1), o = output<float>({1, width});
  auto v = whole<float>({1, length, width}, 2, 99); // the sums are exact, the quotient is rounded once
  Example("decode_attention").run(q, k, v, o);
  for (int x = 0; x < width; ++x) {
    float sum = 0;
    for (int j = 0; j < length; ++j) sum += v(0, j, x);
    CHECK(o(0, x) == sum / length);
  }
}

TEST_CASE("rotary_embedding.tile turns pairs", "[examples]") {
  for (int tokens : {16, 1, 15, 17, 33, 0})
    for (const auto &[H, P] : {std::array<int, 2>{1, 8}, {3, 5}, {2, 1}, {0, 4}, {2, 0}}) {
      INFO("S=" << tokens << " H=" << H << " P=" << P);
      check_rotary(uniform({tokens, H, 2 * P}, 1), whole<std::int32_t>({tokens}, 2, 5000));
    }
  auto x = uniform({4, 2, 6}, 3);
  x(0, 0, 1) = not_a_number;
  x(1, 1, 5) = inf;
  Array<std::int32_t> position{{4}, {1, 2, 123456789, -2147483647 - 1}, true};
  check_rotary(x, position);
  // Position 0 turns nothing.
  auto y = output<float>({4, 2, 6});
  auto still = uniform({4, 2, 6}, 4), unmoved = still;
  position = filled<std::int32_t>({4}, 0);
  Example("rotary_embedding").run(still, position, y);
  CHECK(y.values == unmoved.values);
}
