// SPDX-License-Identifier: Apache-2.0
#include "compile/compiled_plan.h"
#include "interp/executor.h"

namespace tilenest {

Result<plan::Plan> lower(const TileProgram &program, const ArgumentLayout &layout, const CompileOptions &options) {
  LowerOptions lowering;
  lowering.strict = options.strict;
  if (options.vector_bits > 0) lowering.vector_bits = options.vector_bits;
  lowering.disjoint = layout.disjoint;
  lowering.strided = layout.strided;
  return lower(program, lowering);
}

Result<std::shared_ptr<cpu::CompiledPlan>> compile_plan(const TileProgram &program, const ArgumentLayout &layout,
                                                        const CompileOptions &options) {
  const Result<plan::Plan> plan = lower(program, layout, options);
  if (!plan) return plan.errors();
  const Result<cpu::CpuEngine *> engine = cpu::load_engine();
  if (!engine) return engine.errors();
  cpu::CpuOptions compiling;
  compiling.vector_bits = options.vector_bits;
  compiling.no_cache = options.no_cache;
  auto compiled = (*engine)->compile(*plan, compiling);
  if (!compiled) return compiled.errors();
  return std::shared_ptr<cpu::CompiledPlan>(std::move(*compiled));
}

Diagnostics call(const TileProgram &program, const cpu::CompiledPlan &code, const plan::Arguments &arguments,
                 const CompileOptions &options) {
  const std::size_t wanted = options.threads > 0 ? options.threads : thread_count();
  const std::size_t threads = options.strict && order_shows(program) ? 1 : wanted;
  Result<plan::Outcome> outcome = code.run(arguments, {threads, executor_detail::run});
  return outcome ? placed(program, std::move(*outcome)) : placed(program, outcome.errors());
}

} // namespace tilenest
