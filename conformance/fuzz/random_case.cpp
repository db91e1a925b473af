// SPDX-License-Identifier: Apache-2.0
// Inputs for random kernels.
#include "conformance/fuzz/random_case.h"
#include "conformance/fuzz/concurrent_kernel.h"
#include "conformance/fuzz/numeric_kernel.h"
#include "conformance/fuzz/random.h"
#include "semantics/diag/render.h"
#include "semantics/numerics/literals.h"
#include "semantics/numerics/scalar_apply.h"
#include "semantics/text/printer.h"
#include <limits>
#include <stdexcept>

namespace tilenest::conformance {

namespace {

[[noreturn]] void refused(std::uint64_t seed, const Diagnostics &why) { // by the builder: a fault of the generator
  throw std::logic_error("the kernel of seed " + std::to_string(seed) + " is no program: " + render_text(why));
}

Case about_concurrency(std::uint64_t seed) {
  Case c;
  const ConcurrentKernel kernel = concurrent_kernel(seed);
  if (!kernel.program) refused(seed, kernel.program.errors());
  c.program = print(*kernel.program);
  for (const ObjectId id : kernel.program->arguments) {
    const Object &object = kernel.program->objects[id];
    if (object.access == ArgumentAccess::out) continue;
    CaseInput input;
    input.elements.type = object.elem;
    std::int64_t n = 1;
    for (const Extent &e : object.shape) {
      input.elements.shape.push_back(*e.constant());
      n *= *e.constant();
    }
    const auto bytes = concurrent_argument(seed, kernel, object, n);
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
      input.elements.bits.push_back(load_bits(object.elem, bytes.data() + i * byte_size(object.elem)));
    c.inputs[object.name] = std::move(input);
  }
  return c;
}

// Small numbers mostly, so that sums stay in their type; of floats some that are not, and some special ones.
std::uint64_t random_element(Random &random, ScalarType type) {
  if (type == ScalarType::boolean) return static_cast<std::uint64_t>(random.below(2));
  if (is_integer(type)) {
    if (random.chance(10)) return random.next() & (bit_width(type) == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bit_width(type)) - 1);
    return literal_bits(std::int64_t{random.below(is_signed(type) ? 15 : 12)} - (is_signed(type) ? 7 : 0), type).value();
  }
  if (random.chance(4)) {
    constexpr double special[] = {0.0, -0.0, 1e-30, -3e-41, 1e30, 65504, 448, -1};
    if (const auto bits = literal_bits(random.pick(special), type)) return *bits;
  }
  if (random.chance(2)) return literal_bits(std::numeric_limits<double>::quiet_NaN(), type).value();
  return literal_bits((random.below(2001) - 1000) / 256.0, type).value();
}

Case about_numbers(std::uint64_t seed) {
  Case c;
  const Result<TileProgram> program = numeric_kernel(seed);
  if (!program) refused(seed, program.errors());
  c.program = print(*program);
  Random random(~seed);
  constexpr int rows[] = {0, 1, 2, 3, 4, 5, 7, 8, 9}, columns[] = {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33};
  const std::int64_t M = random.pick(rows), N = random.pick(columns);
  c.extents = {{"M", M}, {"N", N}};
  for (const ObjectId id : program->arguments) {
    const Object &object = program->objects[id];
    if (object.access == ArgumentAccess::out) continue;
    CaseInput input;
    input.elements.type = object.elem;
    std::int64_t n = 1;
    for (const Extent &e : object.shape) {
      const std::int64_t extent = *e.evaluate([&](ParamId id) { return std::optional(program->params[id].name == "M" ? M : N); });
      input.elements.shape.push_back(extent);
      n *= extent;
    }
    for (std::int64_t i = 0; i < n; ++i)
      input.elements.bits.push_back(object.name == "I" ? static_cast<std::uint64_t>(random.below(static_cast<int>(N))) : random_element(random, object.elem));
    c.inputs[object.name] = std::move(input);
  }
  return c;
}

} // namespace

Case random_case(std::uint64_t seed) {
  Case c = seed % 2 == 0 ? about_concurrency(seed / 2) : about_numbers(seed / 2);
  c.name = "fuzz/" + std::to_string(seed);
  c.chapter = "fuzz";
  c.derived = "oracle: the reference";
  c.expect.admitted = true;
  return c;
}

} // namespace tilenest::conformance
