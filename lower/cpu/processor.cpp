// SPDX-License-Identifier: Apache-2.0
// Which processor code is made for: the host's, as LLVM detects it, or a named one, narrowed to the vector width that
// was asked for.
#include "lower/cpu/machine.h"
#include "semantics/diag/codes.h"
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>

namespace tilenest::cpu {

namespace {

Diagnostic unsupported(std::string what) { return {Code::N1502, {}, {{"what", std::move(what)}}}; }

const llvm::Target *host_target(std::string &error) {
  static const bool ready = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)ready;
  return llvm::TargetRegistry::lookupTarget(llvm::sys::getDefaultTargetTriple(), error);
}

} // namespace

Result<Processor> find_processor(const CpuOptions &options) {
  std::string error;
  const llvm::Target *target = host_target(error);
  if (target == nullptr) return Diagnostic(Code::B0001, {}, {{"what", "LLVM has no target for this machine: " + error}});
  const std::string triple = llvm::sys::getDefaultTargetTriple();
  Processor out;
  llvm::SubtargetFeatures features;
  const llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  if (options.processor == "host") {
    out.name = llvm::sys::getHostCPUName().str();
    for (const auto &feature : host) features.AddFeature(feature.getKey(), feature.getValue());
  } else {
    out.name = options.processor;
    const std::unique_ptr<llvm::MCSubtargetInfo> generic(target->createMCSubtargetInfo(triple, "", ""));
    if (!generic->isCPUStringValid(out.name)) return unsupported("the processor `" + out.name + "`");
  }
  // Without AVX there are no 256-bit instructions, and with it LLVM makes them of 256-bit vectors.
  if (options.vector_bits == 128) features.AddFeature("avx", false);
  if (options.vector_bits == 256) features.AddFeature("avx512f", false);
  out.features = features.getString();

  const std::unique_ptr<llvm::MCSubtargetInfo> chosen(target->createMCSubtargetInfo(triple, out.name, out.features));
  const auto has = [&](const char *feature) { return chosen->checkFeatures(std::string("+") + feature); };
  const int widest = has("avx512f") ? 512 : has("avx2") ? 256 : 128;
  out.vector_bits = options.vector_bits == 0 ? widest : options.vector_bits;
  if (out.vector_bits != 128 && out.vector_bits != 256 && out.vector_bits != 512)
    return unsupported("a vector width of " + std::to_string(out.vector_bits) + " bits");
  if (out.vector_bits > widest)
    return unsupported("a vector width of " + std::to_string(out.vector_bits) + " bits on `" + out.name + "`");
  out.has = {has("f16c"), has("fma"), has("sse4.1"), has("avx"), has("avx512bw") && has("avx512vl")};
  for (const char *feature : {"sse2", "sse4.1", "sse4.2", "popcnt", "avx", "avx2", "fma", "f16c", "bmi", "bmi2", "lzcnt",
                              "movbe", "avx512f", "avx512bw", "avx512vl", "avx512dq", "avx512cd"})
    if (has(feature) && !host.lookup(feature)) out.runs_here = false;
  return out;
}

Result<Machine> make_machine(const CpuOptions &options) {
  Result<Processor> processor = find_processor(options);
  if (!processor) return processor.errors();
  std::string error;
  const llvm::Target *target = host_target(error);
  llvm::TargetOptions strict;
  strict.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  const auto level = options.opt_level <= 0   ? llvm::CodeGenOptLevel::None
                     : options.opt_level == 1 ? llvm::CodeGenOptLevel::Less
                     : options.opt_level == 2 ? llvm::CodeGenOptLevel::Default
                                              : llvm::CodeGenOptLevel::Aggressive;
  Machine machine{std::move(*processor), nullptr};
  machine.target.reset(target->createTargetMachine(llvm::sys::getDefaultTargetTriple(), machine.processor.name,
                                                   machine.processor.features, strict, llvm::Reloc::PIC_,
                                                   llvm::CodeModel::Small, level, true));
  if (machine.target == nullptr) return Diagnostic(Code::B0001, {}, {{"what", "LLVM makes no code for this machine"}});
  return machine;
}

} // namespace tilenest::cpu
