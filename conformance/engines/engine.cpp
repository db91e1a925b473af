// SPDX-License-Identifier: Apache-2.0
// The engines of this library behind one interface.
#include "conformance/engines/engine.h"
#include "compile/launch_plan.h"
#include "interp/executor.h"
#include "lower/cpu/load.h"
#include "lower/interpret.h"

namespace tilenest::conformance {

namespace {

class Reference : public Engine {
public:
  std::string name() const override { return "interp"; }
  Diagnostics run(const BoundProgram &program, const std::vector<Buffer> &buffers, const EngineOptions &options) const override {
    RunOptions run_options;
    run_options.threads = options.threads;
    return tilenest::run(program, buffers, run_options).diagnostics;
  }
};

struct Lowered {
  plan::Plan code;
  plan::Arguments arguments;
};

Result<Lowered> lowered_for(const BoundProgram &program, const std::vector<Buffer> &buffers, const EngineOptions &options, const std::string &engine) {
  Result<LaunchArguments> launch = launch_arguments(program, buffers, engine);
  if (!launch) return launch.errors();
  LowerOptions lowering;
  lowering.strict = options.strict;
  if (options.vector_bits > 0) lowering.vector_bits = options.vector_bits;
  lowering.disjoint = launch->layout.disjoint;
  lowering.strided = launch->layout.strided;
  Result<plan::Plan> code = lower(*program.program, lowering);
  if (!code) return code.errors();
  return Lowered{std::move(*code), std::move(launch->arguments)};
}

class PlanInterpreter : public Engine {
public:
  std::string name() const override { return "plan"; }
  Diagnostics run(const BoundProgram &program, const std::vector<Buffer> &buffers, const EngineOptions &options) const override {
    const Result<Lowered> lowered = lowered_for(program, buffers, options, name());
    if (!lowered) return lowered.errors();
    plan::InterpretOptions interpreting;
    if (options.order > 0) {
      interpreting.order = options.order == 1 ? plan::VisitOrder::backward : plan::VisitOrder::shuffled;
      interpreting.seed = options.order;
    }
    Result<plan::Outcome> outcome = plan::interpret(lowered->code, lowered->arguments, interpreting);
    return outcome ? placed(*program.program, std::move(*outcome)) : placed(*program.program, outcome.errors());
  }
};

class CompiledForCpu : public Engine {
public:
  std::string name() const override { return "cpu"; }
  Diagnostics run(const BoundProgram &program, const std::vector<Buffer> &buffers, const EngineOptions &options) const override {
    const Result<Lowered> lowered = lowered_for(program, buffers, options, name());
    if (!lowered) return lowered.errors();
    const Result<cpu::CpuEngine *> engine = cpu::load_engine();
    if (!engine) return engine.errors();
    cpu::CpuOptions compiling;
    compiling.vector_bits = options.vector_bits;
    compiling.no_cache = options.no_cache;
    const auto compiled = (*engine)->compile(lowered->code, compiling);
    if (!compiled) return compiled.errors();
    const std::size_t wanted = options.threads > 0 ? options.threads : thread_count();
    const std::size_t threads = options.strict && order_shows(*program.program) ? 1 : wanted;
    Result<plan::Outcome> outcome = (*compiled)->run(lowered->arguments, {threads, executor_detail::run});
    if (!outcome) return outcome.errors();
    Diagnostics out = placed(*program.program, std::move(*outcome));
    const Diagnostics &notes = (*compiled)->notes();
    out.insert(out.end(), notes.begin(), notes.end());
    return out;
  }
};

} // namespace

std::vector<std::string> engine_names() { return {"interp", "plan", "cpu"}; }

std::unique_ptr<Engine> find_engine(const std::string &name) {
  if (name == "interp") return std::make_unique<Reference>();
  if (name == "plan") return std::make_unique<PlanInterpreter>();
  if (name == "cpu") return std::make_unique<CompiledForCpu>();
  return nullptr;
}

} // namespace tilenest::conformance
