// SPDX-License-Identifier: Apache-2.0
// compile(): a kernel as machine code that is called on arrays of the host, from any number of threads at a time. The typed
// face is <tilenest/compile.h>. Machine code reports no violations: run the kernel on the interpreter first.
#pragma once
#include "compile/compiled_plan.h"
#include "interp/host_arrays.h"

namespace tilenest {

enum class Target : std::uint8_t { cpu };

class CompiledKernel {
public:
  const TileProgram &program() const;
  // Warnings and notes of the judgements and of the compiler.
  const Diagnostics &notes() const;
  // One array per argument, in the order of the signature; `extents` gives parameters that no shape does. What comes
  // back: errors of the arguments (as Executable::run; N0001), failed assertions (A0001), L0301, L0303. The first call
  // whose arrays lie in another way (with gaps, or one of them over another that is written) compiles for that.
  Diagnostics run(const std::vector<HostBuffer> &arrays, const std::map<std::string, std::int64_t> &extents = {}) const;
  template <std::same_as<HostBuffer>... A> Diagnostics operator()(const A &...arrays) const { return run({arrays...}); }

private:
  struct State;
  friend Result<CompiledKernel> compile(TileProgram program, Target target, const CompileOptions &options);
  std::shared_ptr<State> state_;
};

// Judges, lowers and compiles for arrays without gaps. Errors: those of the judgements; N0001 what the lowering does not
// support, with its site; N1501 no CPU engine; N1502 an option that this machine does not have; B1501; L0301.
Result<CompiledKernel> compile(TileProgram program, Target target = Target::cpu, const CompileOptions &options = {});

} // namespace tilenest
