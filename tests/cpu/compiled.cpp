// SPDX-License-Identifier: Apache-2.0
// Plans through the CPU engine.
#include "tests/cpu/compiled.h"
#include <cstdlib>

namespace tilenest::cpu_test {

cpu::CpuEngine &engine() {
  setenv("TILENEST_CPU_MODULE", TILENEST_CPU_MODULE_BUILT, 0);
  const Result<cpu::CpuEngine *> loaded = cpu::load_engine();
  if (!loaded) throw std::runtime_error(messages(loaded.errors()));
  return **loaded;
}

cpu::CpuOptions uncached(std::string processor, int vector_bits) {
  cpu::CpuOptions options;
  options.processor = std::move(processor);
  options.vector_bits = vector_bits;
  options.no_cache = true;
  return options;
}

std::unique_ptr<cpu::CompiledPlan> compiled(const plan::Plan &plan, const cpu::CpuOptions &options) {
  Result<std::unique_ptr<cpu::CompiledPlan>> code = engine().compile(plan, options);
  if (!code) throw std::runtime_error(messages(code.errors()));
  return std::move(*code);
}

std::string messages(const Diagnostics &diagnostics) {
  std::string out;
  for (const Diagnostic &d : diagnostics) out += std::string(d.info().code) + ": " + d.message() + "\n";
  return out;
}

std::uint64_t Elements::get(std::size_t i) const {
  if (is_packed(type)) return static_cast<std::uint64_t>(bytes[i / 2] >> (i % 2 * 4)) & 15;
  std::uint64_t bits = 0;
  std::memcpy(&bits, &bytes[i * byte_size(type)], byte_size(type));
  return bits;
}

void Elements::set(std::size_t i, std::uint64_t bits) {
  if (!is_packed(type)) {
    std::memcpy(&bytes[i * byte_size(type)], &bits, byte_size(type));
    return;
  }
  const int shift = i % 2 != 0 ? 4 : 0;
  bytes[i / 2] = static_cast<std::uint8_t>((bytes[i / 2] & ~(15 << shift)) | (static_cast<int>(bits) & 15) << shift);
}

cpu::RunOptions on_threads(std::size_t threads) { return {threads, executor_detail::run}; }

plan::Outcome run(const cpu::CompiledPlan &code, std::vector<Elements *> arrays, std::size_t threads,
                  std::vector<std::int64_t> params) {
  plan::Arguments arguments{std::move(params), {}};
  for (Elements *array : arrays) arguments.arguments.push_back(array->argument());
  Result<plan::Outcome> outcome = code.run(arguments, on_threads(threads));
  if (!outcome) throw std::runtime_error(messages(outcome.errors()));
  return std::move(*outcome);
}

} // namespace tilenest::cpu_test
