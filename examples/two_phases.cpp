// SPDX-License-Identifier: Apache-2.0
// Two phases, one after the other: the second sees everything that the first has stored, also what another instance
// stored. Here y is the difference of neighbouring squares, also across the edges of the blocks.
#include "examples/example.h"

using namespace tilenest;

int main() {
  auto kernel = tile_kernel("two_phases", [](TensorView<const f32, 1> x, Out<f32, 1> tmp, Out<f32, 1> y) {
    auto block = axis("block", ceil_div(x.extent<0>(), 8)), e = axis("e", 8);
    for (auto &p : parallel(shape(block))) {
      auto t = x[p.index() * 8, shape(e)];
      tmp(p.index() * 8, shape(e)).store(t * t);
    }
    for (auto &p : parallel(shape(block))) {
      y(p.index() * 8, shape(e)).store(tmp[p.index() * 8, shape(e)] - tmp[p.index() * 8 - 1, shape(e)]);
    }
  });
  const auto open = tensor_shape("N");
  const auto executable = example::prepared(kernel.capture(arg("x", open), arg("tmp", open), arg("y", open)));
  example::Judgement judgement("two_phases");
  for (int n : {100, 64, 8, 7, 1, 0}) {
    const auto x = example::random_values(n, 11);
    std::vector<f32> tmp(n), y(n);
    judgement.clean(run(executable, array(x), undefined(array(tmp)), undefined(array(y))));
    // Each element is one rounded product, or one rounded difference of two of them: equality.
    f32 before = 0;
    for (int i = 0; i < n; ++i) {
      const f32 square = static_cast<f32>(double(x[i]) * x[i]);
      judgement.element(tmp[i], square, 0);
      judgement.element(y[i], static_cast<f32>(double(square) - before), 0);
      before = square;
    }
  }
  return judgement.report();
}
