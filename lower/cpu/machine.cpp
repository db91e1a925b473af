// SPDX-License-Identifier: Apache-2.0
// LLVM's verifier, passes and code generator over the module of a plan.
#include "lower/cpu/machine.h"
#include "lower/cpu/emitter.h"
#include "semantics/diag/codes.h"
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

namespace tilenest::cpu {

std::string text_of(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out, nullptr);
  return text;
}

Diagnostic malformed(const llvm::Module &module, std::string what) {
  llvm::SmallString<128> path;
  int descriptor = -1;
  if (!llvm::sys::fs::createTemporaryFile("tilenest-" + module.getName().str(), "ll", descriptor, path)) {
    llvm::raw_fd_ostream file(descriptor, true);
    module.print(file, nullptr);
  }
  return {Code::B1501, {}, {{"plan", module.getName().str()}, {"what", std::move(what)}, {"file", path.str().str()}}};
}

Result<std::unique_ptr<llvm::Module>> emit_module(const plan::Plan &plan, Machine &machine, llvm::LLVMContext &context) {
  auto module = std::make_unique<llvm::Module>(plan.name, context);
  module->setTargetTriple(machine.target->getTargetTriple().str());
  module->setDataLayout(machine.target->createDataLayout());
  const Tables tables(plan);
  Emitter(plan, tables, *module, machine.processor.has).emit();
  for (llvm::Function &function : *module) {
    if (function.isDeclaration()) continue;
    function.setDoesNotThrow();
    function.addFnAttr("target-cpu", machine.processor.name);
    function.addFnAttr("target-features", machine.processor.features);
    function.addFnAttr("prefer-vector-width", std::to_string(machine.processor.vector_bits));
  }
  std::string why;
  llvm::raw_string_ostream out(why);
  if (llvm::verifyModule(*module, &out)) return malformed(*module, why.substr(0, why.find('\n')));
  return module;
}

namespace {

// LLVM's simplification of single functions at the level, without the inliner, the vectorisers and the late unrolling
// of the whole pipeline, which cost as much again: what a loop or a vector is, the plan has decided.
void optimise(llvm::Module &module, llvm::TargetMachine &target, int opt_level) {
  llvm::PassBuilder builder(&target);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  const llvm::OptimizationLevel level = opt_level == 1   ? llvm::OptimizationLevel::O1
                                        : opt_level == 2 ? llvm::OptimizationLevel::O2
                                                         : llvm::OptimizationLevel::O3;
  llvm::ModulePassManager passes;
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(
      builder.buildFunctionSimplificationPipeline(level, llvm::ThinOrFullLTOPhase::None)));
  passes.run(module, modules);
}

} // namespace

Result<std::unique_ptr<llvm::MemoryBuffer>> generate(llvm::Module &module, Machine &machine, int opt_level,
                                                     Output output) {
  if (opt_level > 0) optimise(module, *machine.target, opt_level);
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  const auto kind = output == Output::object ? llvm::CodeGenFileType::ObjectFile : llvm::CodeGenFileType::AssemblyFile;
  if (machine.target->addPassesToEmitFile(passes, stream, nullptr, kind))
    return malformed(module, "the target emits no such file");
  passes.run(module);
  return std::unique_ptr<llvm::MemoryBuffer>(new llvm::SmallVectorMemoryBuffer(std::move(bytes), false));
}

} // namespace tilenest::cpu
