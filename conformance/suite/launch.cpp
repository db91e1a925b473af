// SPDX-License-Identifier: Apache-2.0
// Fronts and guarded arrays.
#include "conformance/suite/launch.h"
#include "arrays/array.h"
#include "semantics/judge.h"
#include "semantics/numerics/scalar_apply.h"
#include "semantics/text/parser.h"
#include <algorithm>

namespace tilenest::conformance {

namespace {

constexpr std::size_t guard_bytes = 256;
constexpr std::byte guard{0x5c}, undefined{0xa5};

void append(Diagnostics &to, const Diagnostics &from) { to.insert(to.end(), from.begin(), from.end()); }

std::size_t bytes_of(ScalarType type, const std::vector<std::int64_t> &shape) { return static_cast<std::size_t>(checked_bytes(type, shape).value_or(0)); }

// Calls f(byte, shift) for each 4-bit element: rows along the last axis have whole bytes.
template <class F> void for_each_nibble(const std::vector<std::int64_t> &shape, F f) {
  std::size_t n = 1;
  for (const std::int64_t e : shape) n *= static_cast<std::size_t>(e);
  const std::size_t row = shape.empty() ? 1 : static_cast<std::size_t>(shape.back());
  for (std::size_t i = 0; i < n; ++i) f(i, i / row * ((row + 1) / 2) + i % row / 2, static_cast<int>(i % row % 2 * 4));
}

} // namespace

void store_elements(const Elements &elements, std::span<std::byte> bytes) {
  if (is_packed(elements.type)) {
    for_each_nibble(elements.shape, [&](std::size_t i, std::size_t byte, int shift) {
      bytes[byte] = (bytes[byte] & ~(std::byte{15} << shift)) | static_cast<std::byte>((elements.bits[i] & 15) << shift);
    });
    return;
  }
  const std::size_t size = byte_size(elements.type);
  for (std::size_t i = 0; i < elements.bits.size(); ++i) store_bits(elements.type, &bytes[i * size], elements.bits[i]);
}

std::vector<std::uint64_t> load_elements(ScalarType type, const std::vector<std::int64_t> &shape, std::span<const std::byte> bytes) {
  std::vector<std::uint64_t> out;
  if (is_packed(type)) {
    for_each_nibble(shape, [&](std::size_t, std::size_t byte, int shift) { out.push_back(std::to_integer<std::uint64_t>(bytes[byte] >> shift) & 15); });
    return out;
  }
  const std::size_t size = byte_size(type);
  for (std::size_t at = 0; at + size <= bytes.size(); at += size) out.push_back(load_bits(type, &bytes[at]));
  return out;
}

Front front_of(const Case &c) {
  Front out;
  ParsedFile file = parse_text("case.tile", c.program);
  out.diagnostics = std::move(file.diagnostics);
  if (has_error(out.diagnostics)) return out;
  const auto chosen = std::find_if(file.kernels.begin(), file.kernels.end(), [&](const TileProgram &p) { return c.kernel.empty() || p.name == c.kernel; });
  if (chosen == file.kernels.end()) return out;
  append(out.diagnostics, tilenest::judge(*chosen));
  if (has_error(out.diagnostics)) return out;
  const auto program = std::make_shared<const TileProgram>(std::move(*chosen));
  std::vector<ArgumentShape> shapes;
  for (const auto &[name, input] : c.inputs) shapes.push_back({name, input.elements.shape});
  Result<BoundProgram> bound = tilenest::bind(program, shapes, c.extents);
  if (!bound) {
    append(out.diagnostics, bound.errors());
    return out;
  }
  out.program = program;
  out.bound = std::move(*bound);
  return out;
}

std::string Arrays::misfit(const Case &c, const TileProgram &program) {
  for (const ObjectId id : program.arguments) {
    const Object &object = program.objects[id];
    const auto input = c.inputs.find(object.name);
    if (input == c.inputs.end()) {
      if (object.access == ArgumentAccess::in) return "the case gives nothing to the input `" + object.name + "`";
    } else if (input->second.elements.type != object.elem) {
      return "the case gives `" + object.name + "` elements of " + std::string(to_string(input->second.elements.type)) + ", the program has " + std::string(to_string(object.elem));
    }
  }
  return {};
}

Arrays::Arrays(const Case &c, const BoundProgram &bound) {
  const TileProgram &p = *bound.program;
  std::map<std::string, std::size_t> by_name;
  storage_.resize(p.arguments.size());
  for (std::size_t i = 0; i < p.arguments.size(); ++i) {
    const Object &object = p.objects[p.arguments[i]];
    Argument a;
    a.described.type = object.elem;
    for (const Extent &e : object.shape) a.described.shape.push_back(bound.extent(e));
    a.strides = packed_strides(object.elem, a.described.shape);
    a.size = bytes_of(object.elem, a.described.shape);
    a.home = i;
    by_name[object.name] = i;
    const auto input = c.inputs.find(object.name);
    a.defined = input != c.inputs.end();
    if (!a.defined || input->second.alias_of.empty()) {
      // The elements begin at a multiple of 64 bytes, between two stretches of guard bytes.
      storage_[i].assign(a.size + 2 * guard_bytes + 64, guard);
      const auto base = reinterpret_cast<std::uintptr_t>(storage_[i].data()) + guard_bytes;
      a.data = storage_[i].data() + guard_bytes + (64 - base % 64) % 64;
      std::fill_n(a.data, a.size, object.elem == ScalarType::boolean ? std::byte{1} : undefined);
      if (a.defined) store_elements(input->second.elements, {a.data, a.size});
    }
    arguments_.push_back(std::move(a));
  }
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const auto input = c.inputs.find(p.objects[p.arguments[i]].name);
    if (input == c.inputs.end() || input->second.alias_of.empty()) continue;
    const auto home = by_name.find(input->second.alias_of);
    if (home == by_name.end()) continue;
    shares_ = true;
    arguments_[i].home = home->second;
    arguments_[i].data = arguments_[home->second].data + input->second.alias_offset;
  }
  for (std::size_t i = 0; i < arguments_.size(); ++i)
    if (!shares_ && p.objects[p.arguments[i]].access == ArgumentAccess::in) arguments_[i].before.assign(arguments_[i].data, arguments_[i].data + arguments_[i].size);
}

std::vector<Buffer> Arrays::buffers() const {
  std::vector<Buffer> out;
  for (const Argument &a : arguments_) out.push_back({a.data, a.described.shape, a.strides, a.defined});
  return out;
}

std::string Arrays::damage(const TileProgram &program) const {
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const Argument &a = arguments_[i];
    const std::string name = "`" + program.objects[program.arguments[i]].name + "`";
    if (a.home == i && a.data != nullptr) {
      const std::byte *first = storage_[i].data(), *last = first + storage_[i].size();
      const auto clean = [](std::byte b) { return b == guard; };
      if (!std::all_of(first, static_cast<const std::byte *>(a.data), clean)) return "wrote in front of " + name;
      if (!std::all_of(static_cast<const std::byte *>(a.data) + a.size, last, clean)) return "wrote behind " + name;
    }
    if (!a.before.empty() && !std::equal(a.before.begin(), a.before.end(), a.data)) return "wrote the input " + name;
  }
  return {};
}

std::span<std::byte> Arrays::bytes(std::size_t argument) const { return {arguments_[argument].data, arguments_[argument].size}; }

std::vector<std::uint64_t> Arrays::elements(std::size_t argument) const {
  return load_elements(arguments_[argument].described.type, arguments_[argument].described.shape, bytes(argument));
}

} // namespace tilenest::conformance
