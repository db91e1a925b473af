// SPDX-License-Identifier: Apache-2.0
// Random kernels about concurrency, captured through Builder from a seed: small nests of parallel instances,
// lifted and collective events, windows of ancestors' tiles, memories, views of other element types, syncs,
// atomics, scatters, reductions with effects. About half of them interfere. (tests/text/random_program.h
// makes programs that reach every operation and cannot run; these run in milliseconds and stay in exact
// numbers.)
#pragma once
#include "semantics/program/builder.h"
#include <cstdint>

namespace tilenest::conformance {

struct ConcurrentKernel {
  Result<TileProgram> program; // or what the builder refused, a fault of the generator
  bool careful = false;        // made so that instances mostly keep to their own elements
};
ConcurrentKernel concurrent_kernel(std::uint64_t seed);

// The bytes of an argument of that kernel.
std::vector<std::uint8_t> concurrent_argument(std::uint64_t seed, const ConcurrentKernel &kernel,
                                          const Object &object, std::int64_t elements);

} // namespace tilenest::conformance
