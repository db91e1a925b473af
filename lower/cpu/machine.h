// SPDX-License-Identifier: Apache-2.0
// The processor that code is made for, and LLVM's passes over a module: to its text, to assembly, to an object. Strict
// arithmetic throughout: nothing is contracted, reassociated or vectorised by LLVM.
#pragma once
#include "lower/cpu/engine.h"
#include "lower/cpu/values.h"
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Target/TargetMachine.h>

namespace tilenest::cpu {

// What the options come to on this machine.
struct Processor {
  std::string name;     // LLVM's
  std::string features; // "+avx2,-avx512f,..."
  int vector_bits = 128;
  Features has;
  bool runs_here = true;
};

// N1502 for a processor that LLVM does not know or a vector width that the processor does not have.
Result<Processor> find_processor(const CpuOptions &options);

struct Machine {
  Processor processor;
  std::unique_ptr<llvm::TargetMachine> target;
};
Result<Machine> make_machine(const CpuOptions &options);

// The plan as LLVM IR for the machine, verified: B1501 where LLVM finds it malformed, with the IR in a file.
Result<std::unique_ptr<llvm::Module>> emit_module(const plan::Plan &plan, Machine &machine, llvm::LLVMContext &context);

enum class Output { object, assembly };
Result<std::unique_ptr<llvm::MemoryBuffer>> generate(llvm::Module &module, Machine &machine, int opt_level,
                                                     Output output);
std::string text_of(const llvm::Module &module);

// B1501 with the IR written to a file.
Diagnostic malformed(const llvm::Module &module, std::string what);

} // namespace tilenest::cpu
