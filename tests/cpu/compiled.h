// SPDX-License-Identifier: Apache-2.0
// Plans through the CPU engine: the engine of the test program, buffers of bytes as arguments, and a run.
#pragma once
#include "interp/executor.h"
#include "lower/builder.h"
#include "lower/cpu/load.h"
#include <catch2/catch.hpp>
#include <cstring>
#include <random>

namespace tilenest::cpu_test {

using plan::Builder;
using plan::Reg;
using plan::Regs;

// The module that this build made.
cpu::CpuEngine &engine();

// Options that read and write no cache.
cpu::CpuOptions uncached(std::string processor = "host", int vector_bits = 0);

std::unique_ptr<cpu::CompiledPlan> compiled(const plan::Plan &plan, const cpu::CpuOptions &options = uncached());

// The messages of diagnostics, one a line.
std::string messages(const Diagnostics &diagnostics);

// Elements of a type in storage, at most 8 bytes past the end.
struct Elements {
  ScalarType type = ScalarType::u8;
  std::vector<std::uint8_t> bytes;
  std::size_t count = 0;
  Elements(ScalarType t, std::size_t n) : type(t), bytes(storage_size(t, n)), count(n) {}
  std::uint64_t get(std::size_t i) const;
  void set(std::size_t i, std::uint64_t bits);
  plan::Argument argument() { return {bytes.data(), {}, {static_cast<std::int64_t>(count)}}; }
};

template <class T> Elements elements(ScalarType type, const std::vector<T> &values) {
  Elements out(type, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &values[i], sizeof(T));
    out.set(i, bits);
  }
  return out;
}

cpu::RunOptions on_threads(std::size_t threads);

// Runs on the arrays in the order of the signature; errors fail the test.
plan::Outcome run(const cpu::CompiledPlan &code, std::vector<Elements *> arrays, std::size_t threads = 1,
                  std::vector<std::int64_t> params = {});

} // namespace tilenest::cpu_test
