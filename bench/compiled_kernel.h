// SPDX-License-Identifier: Apache-2.0
// What the benchmarks of the CPU engine share: a kernel compiled on arrays of its own, and two sides in turns.
#pragma once
#include "lower/cpu/engine.h"
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tilenest_bench {

std::string example(const std::string &name);

// The first kernel of the text on row-major f32 arrays of values in [-1, 1). Errors end the program.
class CompiledKernel {
public:
  CompiledKernel(const std::string &text, const std::map<std::string, std::int64_t> &extents);
  void run(std::size_t threads) const;
  std::vector<std::vector<float>> data; // by argument
  double compile_ms = 0;                // lowering and LLVM

private:
  tilenest::plan::Arguments arguments_;
  std::unique_ptr<tilenest::cpu::CompiledPlan> code_;
};

// The least seconds of each side in so many rounds, one after the other in each.
std::vector<double> in_turns(int rounds, const std::vector<std::function<void()>> &sides);
double largest_difference(const std::vector<float> &a, const std::vector<float> &b);

} // namespace tilenest_bench
