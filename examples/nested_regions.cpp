// SPDX-License-Identifier: Apache-2.0
// parallel > serial > pipeline > reduce in one kernel: repeated smoothing of blocks. Exact in integers.
#include "examples/example.h"

using namespace tilenest;

int main() {
  constexpr int width = 8, rounds = 3, steps = 4;
  auto kernel = tile_kernel("nested_regions", [](TensorView<const i32, 1> x, Out<i32, 1> y) {
    auto i = axis("i", width);
    for (auto &nest : parallel(shape(ceil_div(x.extent<0>(), width)))) {
      auto origin = coord(nest.index() * width);
      auto state = x[origin, shape(i)];
      for (auto &round : nest.serial(shape(rounds))) {
        for (auto &step : round.pipeline(shape(steps), pipeline_policy{.stages = 2})) {
          step.stage("fold");
          Scalar<i32> total = 0;
          for (auto &r : step.reduce(shape(i))) total += state.at(r) * cast<i32>(r.index() + 1);
          step.stage("update");
          state = state * 3 + total + cast<i32>(step.index() * 10 + round.index());
        }
      }
      y(origin, shape(i)).store(state);
    }
  });
  const auto executable = example::prepared(kernel.capture(arg("x", tensor_shape("N")), arg("y", tensor_shape("N"))));
  example::Judgement judgement("nested_regions");
  for (int n : {21, 8, 1, 0}) {
    std::vector<i32> x(n), y(n);
    for (int j = 0; j < n; ++j) x[j] = j * 7 % 13 - 6;
    judgement.clean(run(executable, array(x), undefined(array(y))));
    for (int block = 0; block * width < n; ++block) {
      std::uint32_t state[width] = {}; // wraps as i32 does
      for (int j = 0; j < width && block * width + j < n; ++j) state[j] = static_cast<std::uint32_t>(x[block * width + j]);
      for (int round = 0; round < rounds; ++round)
        for (int step = 0; step < steps; ++step) {
          std::uint32_t total = 0;
          for (int j = 0; j < width; ++j) total += state[j] * static_cast<std::uint32_t>(j + 1);
          for (std::uint32_t &s : state) s = s * 3 + total + static_cast<std::uint32_t>(step * 10 + round);
        }
      for (int j = 0; j < width && block * width + j < n; ++j)
        judgement.element(y[block * width + j], static_cast<std::int32_t>(state[j]), 0);
    }
  }
  return judgement.report();
}
