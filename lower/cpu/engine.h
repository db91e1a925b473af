// SPDX-License-Identifier: Apache-2.0
// The CPU engine as its users see it: a plan in, machine code or its text out. The engine itself lies in a module,
// libtilenest_cpu.so, that load.h opens on first use, because LLVM costs a process its start; this header knows no
// LLVM. Every object of the engine may be used by several threads at a time.
#pragma once
#include "lower/arguments.h"
#include "lower/plan.h"
#include "semantics/support/result.h"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace tilenest::cpu {

struct CpuOptions {
  // "host": what this machine has; else a processor that LLVM knows: "x86-64" (SSE2), "x86-64-v3" (AVX2). Code for
  // features that this machine lacks can be printed, not run.
  std::string processor = "host";
  int vector_bits = 0; // 128, 256, 512: no wider instructions; 0: the widest that the processor has
  int opt_level = 1;   // 0 to 3, of LLVM; no result depends on it
  bool no_cache = false; // neither reads nor writes the object cache on disk
  std::string cache_folder;                            // "": $XDG_CACHE_HOME/tilenest, else ~/.cache/tilenest
  std::uint64_t cache_limit = std::uint64_t{256} << 20; // bytes; beyond it the least recently used entries go
};

// As executor_detail::run of interp/executor.h: body(context, begin, end) on disjoint ranges that cover [0, n).
using RangeBody = void (*)(void *context, std::size_t begin, std::size_t end);
using ParallelFor = void (*)(std::size_t n, std::size_t grain, std::size_t threads, RangeBody body,
                             void *context) noexcept;

struct RunOptions {
  std::size_t threads = 1; // 1: instances run one after the other, in order
  ParallelFor parallel_for = nullptr; // nullptr: as one thread
};

class CompiledPlan {
public:
  virtual ~CompiledPlan() = default;
  // Failed asserts are in the outcome. Errors: B1603 the arguments do not fit the plan, L0301 no memory, L0303 a grid
  // too large to count. The code trusts the plan: an access outside of its buffer may do anything.
  virtual Result<plan::Outcome> run(const plan::Arguments &arguments, const RunOptions &options = {}) const = 0;
  // What compilation had to say that is no error: N1503, once a process. Usually empty.
  virtual const Diagnostics &notes() const = 0;
  // Whether the machine code came from the cache on disk.
  virtual bool from_cache() const = 0;
};

class CpuEngine {
public:
  virtual ~CpuEngine() = default;
  // The plan must be well formed (lower/verify.h). Errors: B1501 LLVM refuses what was made of it, L0301, N1502 an
  // option that this machine does not have.
  virtual Result<std::unique_ptr<CompiledPlan>> compile(const plan::Plan &plan, const CpuOptions &options = {}) = 0;
  // The LLVM IR as the plan's printer makes it (before any pass of LLVM's), and the assembly text.
  virtual Result<std::string> emit_llvm(const plan::Plan &plan, const CpuOptions &options = {}) = 0;
  virtual Result<std::string> emit_assembly(const plan::Plan &plan, const CpuOptions &options = {}) = 0;
};

// What the module exports, as `tilenest_cpu_engine`. `interface_version` must be `engine_interface_version`, else it
// returns nullptr. The caller deletes the engine; plans compiled by it live longer if they want.
inline constexpr int engine_interface_version = 1;
using EngineFactory = CpuEngine *(int interface_version);

} // namespace tilenest::cpu
