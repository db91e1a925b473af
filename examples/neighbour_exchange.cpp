// SPDX-License-Identifier: Apache-2.0
// A neighbour exchange through memory and sync: each lane writes its cell, all meet, each reads its neighbours'.
#include "examples/example.h"

using namespace tilenest;

int main() {
  constexpr int lanes = 8, rounds = 3;
  auto kernel = tile_kernel("neighbour_exchange", [](TensorView<const i32, 1> x, Out<i32, 1> y) {
    for (auto &nest : parallel(shape(ceil_div(x.extent<0>(), lanes)))) {
      auto cells = memory<i32>(shape(lanes), mem::shared);
      for (auto &lane : nest.parallel(shape(lanes))) {
        auto at = nest.index() * lanes + lane.index();
        auto mine = x(at).load();
        for (auto &round : lane.serial(shape(rounds))) {
          cells(lane.index()).store(mine);
          lane.sync(); // every cell is written
          auto left = cells(mod(lane.index() - 1, lanes)).load(), right = cells(mod(lane.index() + 1, lanes)).load();
          lane.sync(); // every neighbour has been read
          mine = mine + left - 2 * right + cast<i32>(round.index());
        }
        y(at).store(mine);
      }
    }
  });
  const auto executable = example::prepared(kernel.capture(arg("x", tensor_shape("N")), arg("y", tensor_shape("N"))));
  example::Judgement judgement("neighbour_exchange");
  for (int n : {29, 8, 3, 0}) {
    std::vector<i32> x(n), y(n);
    for (int i = 0; i < n; ++i) x[i] = i * 5 % 11 - 3;
    judgement.clean(run(executable, array(x), undefined(array(y))));
    for (int block = 0; block * lanes < n; ++block) {
      int cells[lanes] = {}; // past the end reads zero
      for (int i = 0; i < lanes && block * lanes + i < n; ++i) cells[i] = x[block * lanes + i];
      for (int round = 0; round < rounds; ++round) {
        int next[lanes];
        for (int i = 0; i < lanes; ++i)
          next[i] = cells[i] + cells[(i + lanes - 1) % lanes] - 2 * cells[(i + 1) % lanes] + round;
        std::copy(next, next + lanes, cells);
      }
      for (int i = 0; i < lanes && block * lanes + i < n; ++i) judgement.element(y[block * lanes + i], cells[i], 0);
    }
  }
  return judgement.report();
}
