// SPDX-License-Identifier: Apache-2.0
// One plan and its machine code per way that arguments lie, made when first asked for.
#include "compile/compiled_kernel.h"
#include <mutex>

namespace tilenest {

struct CompiledKernel::State {
  State(Executable e, CompileOptions o) : executable(std::move(e)), options(o) {}
  const Executable executable;
  const CompileOptions options;
  Diagnostics notes;
  std::mutex mutex;
  std::map<ArgumentLayout, std::shared_ptr<cpu::CompiledPlan>> code;

  Result<std::shared_ptr<cpu::CompiledPlan>> code_for(const ArgumentLayout &layout) {
    const std::lock_guard lock(mutex);
    if (const auto known = code.find(layout); known != code.end()) return known->second;
    auto compiled = compile_plan(executable.program(), layout, options);
    if (!compiled) return compiled.errors();
    return code[layout] = std::move(*compiled);
  }
};

const TileProgram &CompiledKernel::program() const { return state_->executable.program(); }
const Diagnostics &CompiledKernel::notes() const { return state_->notes; }

Diagnostics CompiledKernel::run(const std::vector<HostBuffer> &arrays, const std::map<std::string, std::int64_t> &extents) const {
  const Result<BoundArrays> bound = state_->executable.bind(arrays, extents);
  if (!bound) return bound.errors();
  const Result<LaunchArguments> launch = launch_arguments(bound->program, bound->buffers, "cpu");
  if (!launch) return launch.errors();
  const Result<std::shared_ptr<cpu::CompiledPlan>> code = state_->code_for(launch->layout);
  if (!code) return code.errors();
  return call(program(), **code, launch->arguments, state_->options);
}

Result<CompiledKernel> compile(TileProgram program, Target, const CompileOptions &options) {
  Result<Executable> executable = Executable::make(std::move(program));
  if (!executable) return executable.errors();
  CompiledKernel kernel;
  kernel.state_ = std::make_shared<CompiledKernel::State>(std::move(*executable), options);
  const ArgumentLayout dense{std::vector<bool>(kernel.program().arguments.size(), false), true};
  const auto code = kernel.state_->code_for(dense);
  if (!code) return code.errors();
  kernel.state_->notes = kernel.state_->executable.notes();
  kernel.state_->notes.insert(kernel.state_->notes.end(), (*code)->notes().begin(), (*code)->notes().end());
  return kernel;
}

} // namespace tilenest
