// SPDX-License-Identifier: Apache-2.0
// The engines of this library behind one interface.
#include "conformance/engines/engine.h"
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

class PlanInterpreter : public Engine {
public:
  std::string name() const override { return "plan"; }
  Diagnostics run(const BoundProgram &program, const std::vector<Buffer> &buffers, const EngineOptions &options) const override {
    const Result<LaunchArguments> launch = launch_arguments(program, buffers, name());
    if (!launch) return launch.errors();
    const Result<plan::Plan> code = lower(*program.program, launch->layout, options);
    if (!code) return code.errors();
    plan::InterpretOptions interpreting;
    if (options.order > 0) {
      interpreting.order = options.order == 1 ? plan::VisitOrder::backward : plan::VisitOrder::shuffled;
      interpreting.seed = options.order;
    }
    Result<plan::Outcome> outcome = plan::interpret(*code, launch->arguments, interpreting);
    return outcome ? placed(*program.program, std::move(*outcome)) : placed(*program.program, outcome.errors());
  }
};

class CompiledForCpu : public Engine {
public:
  std::string name() const override { return "cpu"; }
  Diagnostics run(const BoundProgram &program, const std::vector<Buffer> &buffers, const EngineOptions &options) const override {
    const Result<LaunchArguments> launch = launch_arguments(program, buffers, name());
    if (!launch) return launch.errors();
    const auto code = compile_plan(*program.program, launch->layout, options);
    if (!code) return code.errors();
    Diagnostics out = call(*program.program, **code, launch->arguments, options);
    const Diagnostics &notes = (*code)->notes();
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
