// SPDX-License-Identifier: Apache-2.0
// What the machine code calls, by name: launches, room for an instance's buffers, failed asserts, stores of half
// bytes, elementary functions. Knows no LLVM. None of these throws or ends the process.
#pragma once
#include "lower/cpu/engine.h"
#include "lower/cpu/tables.h"
#include "semantics/numerics/primitives.h"
#include <atomic>
#include <span>

namespace tilenest::cpu {

// One run: what the code finds behind Frame::run.
struct Run {
  RunOptions options;
  std::vector<std::atomic<std::uint64_t>> failed; // by assert
  std::atomic<bool> no_memory{false};
  std::atomic<bool> grid_too_large{false};
  explicit Run(const RunOptions &o, std::size_t asserts) : options(o), failed(asserts) {}
};

// The instances [begin, end) of a launch, numbered in row-major order of its grid.
using Instances = void (*)(const Frame *frame, const void *captured, const std::int64_t *extents, std::int64_t begin,
                           std::int64_t end);

inline constexpr char runtime_launch[] = "tilenest_launch";
inline constexpr char runtime_arena[] = "tilenest_arena";
inline constexpr char runtime_assert[] = "tilenest_assert_failed";
inline constexpr char runtime_store_halves[] = "tilenest_store_halves";
inline constexpr char runtime_rows[] = "tilenest_rows";

// Names the elementary function in a call of runtime_rows.
constexpr std::uint32_t row_code(Primitive p, ScalarType t) {
  return static_cast<std::uint32_t>(p) << 8 | static_cast<std::uint32_t>(t);
}

struct RuntimeSymbol {
  const char *name;
  void *address;
};
// The functions above, and those of the C library that LLVM makes calls of.
std::span<const RuntimeSymbol> runtime_symbols();

} // namespace tilenest::cpu
