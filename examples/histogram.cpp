// SPDX-License-Identifier: Apache-2.0
// counts[v] = how often v occurs in the data. A first phase clears the counts; in the second, equal atomics need no
// order. `where` keeps the tail out; a value outside 0..B-1 is out of bounds and therefore masked.
#include "examples/example.h"

using namespace tilenest;

int main() {
  auto kernel = tile_kernel("histogram", [](TensorView<const i32, 1> data, Out<i32, 1> counts) {
    auto bins = axis("bins", ceil_div(counts.extent<0>(), 64)), block = axis("block", ceil_div(data.extent<0>(), 64));
    auto e = axis("e", 64);
    for (auto &p : parallel(shape(bins))) counts(p.index() * 64, shape(e)).store(zeros<i32>(shape(e)));
    for (auto &p : parallel(shape(block))) {
      auto first = p.index() * 64;
      auto value = data[first, where(shape(e), [&](auto i) { return first + i < data.extent<0>(); })];
      counts.scatter_add(coord(value), full<i32>(shape(e), 1));
    }
  });
  const auto executable =
      example::prepared(kernel.capture(arg("data", tensor_shape("N")), arg("counts", tensor_shape("B"))));
  example::Judgement judgement("histogram");
  const int shapes[][2] = {{1000, 30}, {64, 64}, {1, 100}, {65, 1}, {0, 5}, {70, 0}};
  for (const auto &[n, bins] : shapes) {
    std::vector<i32> data(n), counts(bins), expected(bins);
    for (int i = 0; i < n; ++i) {
      data[i] = i * i * 31 % 47 - 5; // some below 0, some beyond the bins
      if (data[i] >= 0 && data[i] < bins) ++expected[data[i]];
    }
    judgement.clean(run(executable, array(data), undefined(array(counts))));
    for (int b = 0; b < bins; ++b) judgement.element(counts[b], expected[b], 0);
  }
  return judgement.report();
}
