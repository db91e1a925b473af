// SPDX-License-Identifier: Apache-2.0
// One plan and its machine code per way that arguments lie, made when first asked for.
#include "compile/compiled_kernel.h"
#include "compile/launch_plan.h"
#include "interp/executor.h"
#include "lower/cpu/load.h"
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
    LowerOptions lowering;
    lowering.strict = options.strict;
    if (options.vector_bits > 0) lowering.vector_bits = options.vector_bits;
    lowering.disjoint = layout.disjoint;
    lowering.strided = layout.strided;
    const Result<plan::Plan> plan = lower(executable.program(), lowering);
    if (!plan) return plan.errors();
    const Result<cpu::CpuEngine *> engine = cpu::load_engine();
    if (!engine) return engine.errors();
    cpu::CpuOptions compiling;
    compiling.vector_bits = options.vector_bits;
    compiling.no_cache = options.no_cache;
    auto compiled = (*engine)->compile(*plan, compiling);
    if (!compiled) return compiled.errors();
    return code[layout] = std::shared_ptr<cpu::CompiledPlan>(std::move(*compiled));
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
  const std::size_t wanted = state_->options.threads > 0 ? state_->options.threads : thread_count();
  const std::size_t threads = state_->options.strict && order_shows(program()) ? 1 : wanted;
  Result<plan::Outcome> outcome = (*code)->run(launch->arguments, {threads, executor_detail::run});
  return outcome ? placed(program(), std::move(*outcome)) : outcome.errors();
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
