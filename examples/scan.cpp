// SPDX-License-Identifier: Apache-2.0
// Prefix sums of any length in three phases: each block scans its own elements in six doubling steps, one serial loop
// carries the blocks' totals, and the blocks add what came before them. `exclusive` is the same, one element later.
#include "examples/example.h"

using namespace tilenest;

int main() {
  auto kernel = tile_kernel("scan", [](TensorView<const f32, 1> X, Out<f32, 1> inclusive, Out<f32, 1> exclusive) {
    auto block = axis("block", ceil_div(X.extent<0>(), 64)), e = axis("e", 64), step = axis("step", 6);
    auto totals = memory<f32>(shape(block)), before = memory<f32>(shape(block));
    for (auto &p : parallel(shape(block))) {
      auto x = X[p.index() * 64, shape(e)];
      for (auto &s : p.serial(shape(step))) {
        auto distance = Scalar<i64>(1) << s.index();
        x = ite(iota(e) < distance, x, x + take(x, coord(iota(e) - distance)));
      }
      inclusive(p.index() * 64, shape(e)).store(x);
      totals(p.index()).store(take(x, coord(63)));
    }
    Scalar<f32> carry = 0;
    for (auto &b : serial(shape(block))) {
      before(b.index()).store(carry);
      carry += totals(b.index()).load();
    }
    exclusive(0).store(0);
    for (auto &p : parallel(shape(block))) {
      auto x = inclusive[p.index() * 64, shape(e)] + before(p.index()).load();
      inclusive(p.index() * 64, shape(e)).store(x);
      exclusive(p.index() * 64 + 1, shape(e)).store(x);
    }
  });
  const auto open = tensor_shape("N");
  const auto executable = example::prepared(kernel.capture(arg("X", open), arg("inclusive", open), arg("exclusive", open)));
  example::Judgement judgement("scan");
  for (int n : {300, 64, 65, 1, 0}) {
    const auto x = example::random_values(n, 21);
    std::vector<f32> inclusive(n), exclusive(n);
    judgement.clean(run(executable, array(x), undefined(array(inclusive)), undefined(array(exclusive))));
    double sum = 0, magnitude = 0;
    for (int i = 0; i < n; ++i) {
      // An element meets six additions in its block, one per block in the carry, and one of both.
      const double relative = example::gamma_n(8 + i / 64);
      judgement.element(exclusive[i], sum, relative * magnitude);
      sum += x[i];
      magnitude += std::fabs(x[i]);
      judgement.element(inclusive[i], sum, relative * magnitude);
    }
  }
  return judgement.report();
}
