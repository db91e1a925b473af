// SPDX-License-Identifier: Apache-2.0
// A histogram with atomics: instances count into the same cells, in any order, with one result.
#include "examples/example.h"

using namespace tilenest;

int main() {
  constexpr int width = 32, bins = 10;
  auto kernel = tile_kernel("histogram", [](TensorView<const i32, 1> x, TensorView<i32, 1> count) {
    for (auto &nest : parallel(shape(ceil_div(x.extent<0>(), width)))) {
      auto origin = nest.index() * width;
      for (auto &leaf : nest.parallel(where(shape(width), [&](auto i) { return i + origin < extent(x.extent<0>()); }))) {
        auto value = x(origin + leaf.index()).load();
        count(cast<i64>(mod(value, bins))).atomic_add(1);
      }
    }
  });
  const auto executable =
      example::prepared(kernel.capture(arg("x", tensor_shape("N")), arg("count", tensor_shape(bins))));
  example::Judgement judgement("histogram");
  for (int n : {333, 32, 1, 0}) {
    std::vector<i32> x(n), count(bins, 100), expected(bins, 100);
    for (int i = 0; i < n; ++i) {
      x[i] = (i * i * 31 + 7 * i) % 1000 - 500;
      ++expected[((x[i] % bins) + bins) % bins];
    }
    judgement.clean(run(executable, array(x), array(count)));
    for (int b = 0; b < bins; ++b) judgement.element(count[b], expected[b], 0);
  }
  return judgement.report();
}
