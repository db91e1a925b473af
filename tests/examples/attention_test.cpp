// SPDX-License-Identifier: Apache-2.0
// flash_attention.tile against attention computed with all scores of a row at hand.
#include "tests/examples/attention_row.h"

using namespace tilenest::examples;

namespace {


struct Attention {
  Array<float> q, k, v, o;
  Attention(Array<float> queries, Array<float> keys, Array<float> values)
      : q(std::move(queries)), k(std::move(keys)), v(std::move(values)), o(output<float>(q.shape)) {
    static Example example("flash_attention");
    example.run(q, k, v, o);
  }
  Attention(int heads, int length, int width, std::uint64_t seed, float scale)
      : Attention(scaled(uniform({heads, length, width}, seed), scale), uniform({heads, length, width}, seed + 1),
                  uniform({heads, length, width}, seed + 2)) {}
  static Array<float> scaled(Array<float> a, float scale) {
    for (float &x : a.values) x *= scale;
    return a;
  }
  void check() const {
    const std::int64_t length = q.shape[1], width = q.shape[2];
    Comparison comparison;
    for (std::int64_t h = 0; h < q.shape[0]; ++h)
      for (std::int64_t i = 0; i < length; ++i) {
        const double blocks = std::floor(static_cast<double>(i) / 32) + 1;
        const std::int64_t head = h * length * width, row = head + i * width;
        check_attention_row({q.values.data() + row, k.values.data() + head, v.values.data() + head, o.values.data() + row, i + 1,
                             width, blocks, blocks},
                            comparison);
      }
    CHECK(comparison.fault() == "");
    CHECK(comparison.count() == o.values.size());
  }
};

} // namespace

TEST_CASE("flash_attention.tile on ragged lengths", "[examples][IDX-PRED]") {
  for (int length : {32, 64, 1, 2, 31, 33, 100, 0})
    for (int width : {64, 1, 20, 0})
      for (int heads : {1, 3}) {
        INFO("H=" << heads << " S=" << length << " D=" << width);
        Attention(heads, length, width, 7, 1).check();
      }
  Attention(2, 97, 16, 11, 40).check(); // scores far apart: weights that vanish, a maximum that moves
  Attention(0, 33, 8, 12, 1).check();
}

TEST_CASE("flash_attention.tile of equal scores is the mean of what is visible", "[examples]") {
  // Whole numbers: the numerator is exact, and so is the number of keys; one rounding remains.
  const int length = 70, width = 5;
  const Attention a(filled<float>({1, length, width}, 0), uniform({1, length, width}, 3), whole<float>({1, length, width}, 4, 99));
  for (int x = 0; x < width; ++x) {
    double sum = 0;
    for (int i = 0; i < length; ++i) {
      sum += a.v(0, i, x);
      REQUIRE(a.o(0, i, x) == static_cast<float>(sum) / static_cast<float>(i + 1));
    }
  }
}

TEST_CASE("flash_attention.tile: what comes later reaches no earlier row", "[examples][IDX-PRED]") {
  const int length = 66, width = 8;
  for (int at : {0, 1, 31, 32, 40, 65}) {
    auto q = uniform({2, length, width}, 21), k = uniform({2, length, width}, 22), v = uniform({2, length, width}, 23);
    const Attention clean(q, k, v);
    v(0, at, 3) = not_a_number;
    k(1, at, 0) = inf;
    const Attention marked(q, k, v);
    marked.check();
    for (int i = 0; i < length; ++i)
      for (int x = 0; x < width; ++x) {
        if (i < at || x != 3) REQUIRE(marked.o(0, i, x) == clean.o(0, i, x));
        else REQUIRE(std::isnan(marked.o(0, i, x)));
        if (i < at) REQUIRE(marked.o(1, i, x) == clean.o(1, i, x));
      }
  }
}
