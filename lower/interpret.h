// SPDX-License-Identifier: Apache-2.0
// The plan interpreter: what it does is what a plan means (docs/plan.md). Primitives are the row kernels of
// semantics/numerics; every access is checked against its buffer. One thread, one instance after the other.
#pragma once
#include "lower/arguments.h"
#include "lower/plan.h"

namespace tilenest::plan {

// The order of a launch's instances (lexicographic, its reverse, or some other one) and of the iterations of a
// participants' loop, which is chosen anew for each launch and loop.
enum class VisitOrder : std::uint8_t { forward, backward, shuffled };

struct InterpretOptions {
  VisitOrder order = VisitOrder::forward;
  std::uint64_t seed = 0;                              // shuffled
  std::size_t memory_limit = std::size_t{1} << 32;     // bytes of registers and of buffers that are no arguments
};

// What a byte of scratch, shared and instance memory holds before it is written: each instance starts with it.
constexpr unsigned char unwritten_byte = 0xcd;

// Errors: a malformed plan (B1601), an access outside of its buffer (B1602; what was stored before stays), arguments
// that do not fit the plan (B1603), no memory (L0301).
Result<Outcome> interpret(const Plan &plan, const Arguments &arguments, const InterpretOptions &options = {});

} // namespace tilenest::plan
