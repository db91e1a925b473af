// SPDX-License-Identifier: Apache-2.0
// Two sibling phases through a temporary, then an ordered one: y = g(f(x)), then a running sum over the block totals.
#include "examples/example.h"

using namespace tilenest;

int main() {
  constexpr int width = 16;
  auto kernel = tile_kernel("sibling_phases", [](TensorView<const f32, 1> x, Out<f32, 1> tmp, Out<f32, 1> y,
                                                 Out<f32, 1> running) {
    auto f = [](const auto &t) { return t * t; };
    auto g = [](const auto &t) { return t + 1; };
    auto programs = shape(ceil_div(x.extent<0>(), width));
    for (auto &p : parallel(programs)) {
      auto origin = coord(p.index() * width);
      tmp(origin, shape(width)).store(f(x[origin, shape(width)]));
    }
    for (auto &p : parallel(programs)) {
      auto origin = coord(p.index() * width);
      y(origin, shape(width)).store(g(tmp[origin, shape(width)]));
    }
    Scalar<f32> total = 0;
    for (auto &step : serial(programs)) {
      auto block = tmp[coord(step.index() * width), shape(width)];
      total += sum(block, block.dim<0>());
      running(step.index()).store(total);
    }
  });
  const auto executable = example::prepared(kernel.capture(arg("x", tensor_shape("N")), arg("tmp", tensor_shape("N")),
                                                           arg("y", tensor_shape("N")), arg("running", tensor_shape("B"))));
  example::Judgement judgement("sibling_phases");
  for (int n : {100, 16, 1, 0}) {
    const auto x = example::random_values(n, 11);
    const int blocks = (n + width - 1) / width;
    std::vector<f32> tmp(n), y(n), running(blocks);
    judgement.clean(run(executable, array(x), undefined(array(tmp)), undefined(array(y)), undefined(array(running))));
    double total = 0;
    for (int i = 0; i < n; ++i) {
      const double square = double(x[i]) * x[i];
      judgement.element(tmp[i], square, example::unit * square);
      judgement.element(y[i], square + 1, 1.01 * example::unit * (2 * square + 1));
      total += square;
      if ((i + 1) % width == 0 || i + 1 == n) // a square rounds, then a sum of positive terms
        judgement.element(running[i / width], total, example::dot_bound(i + 1 + width + blocks, total));
    }
  }
  return judgement.report();
}
