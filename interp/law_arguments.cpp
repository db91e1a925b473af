// SPDX-License-Identifier: Apache-2.0
// Filling and shrinking of arguments for trials of laws.
#include "interp/law_arguments.h"
#include "interp/private_copy.h"
#include "semantics/numerics/formats.h"
#include "semantics/numerics/literals.h"
#include "semantics/numerics/scalar_apply.h"
#include "semantics/numerics/target_profile.h"
#include "semantics/space/element_count.h"
#include <algorithm>
#include <cmath>

namespace tilenest {

namespace {

// How the elements of a round are chosen.
enum class Kind : std::uint8_t { zero_one, small, boundary, fraction, any_bits };
constexpr std::uint64_t boundary_count = 13; // a prime: an element meets each value once in so many rounds
constexpr Kind turns[] = {Kind::zero_one, Kind::small, Kind::boundary, Kind::fraction, Kind::any_bits};

std::uint64_t mask(ScalarType type, std::uint64_t bits) {
  const int width = bit_width(type);
  return width == 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}

std::uint64_t integer(ScalarType type, std::int64_t v) {
  if (type == ScalarType::boolean) return v & 1;
  if (is_float(type)) return *literal_bits(static_cast<double>(v), type);
  return mask(type, static_cast<std::uint64_t>(v));
}

// Boundary values of the type: number `turn` of them, counted around.
std::uint64_t boundary(ScalarType type, std::uint64_t turn) {
  if (!is_float(type)) {
    const int width = type == ScalarType::boolean ? 1 : bit_width(type);
    const std::uint64_t top = std::uint64_t{1} << (width - 1);
    const std::uint64_t values[boundary_count] = {0, 1, ~std::uint64_t{0}, top, top - 1, top + 1, 2, 3, 0, 1, ~std::uint64_t{0}, top, top - 1};
    return mask(type, values[turn % boundary_count]) & (width == 1 ? 1 : ~std::uint64_t{0});
  }
  const FloatLayout layout = float_layout(type);
  const double largest = value_as_f64(type, layout.largest()), least_normal = std::ldexp(1.0, 1 - layout.bias());
  const double values[boundary_count] = {0.0, -0.0, 1.0, -1.0, infinity, -infinity, std::nan(""), largest, -largest, least_normal, -least_normal / 2, 2.0, 0.5};
  return *literal_bits(values[turn % boundary_count], type);
}

std::uint64_t element(ScalarType type, Kind kind, std::uint64_t turn, std::int64_t i, SeededChooser &random) {
  const auto pick = [&](std::uint64_t n) { return random.choose(Freedom::grouping, n); };
  switch (kind) {
  case Kind::zero_one: return integer(type, static_cast<std::int64_t>(pick(2)));
  case Kind::small: return integer(type, static_cast<std::int64_t>(pick(7)) - (is_float(type) || is_signed(type) ? 3 : 0));
  case Kind::boundary: {
    SeededChooser of_element(static_cast<std::uint64_t>(i));
    const std::uint64_t step = 1 + of_element.choose(Freedom::grouping, boundary_count - 1);
    return boundary(type, turn * step + of_element.choose(Freedom::grouping, boundary_count));
  }
  case Kind::fraction:
    if (is_float(type)) return *literal_bits(std::ldexp(static_cast<double>(pick(1 << 24)), -23) - 1, type);
    return integer(type, static_cast<std::int64_t>(pick(64)) - (is_signed(type) ? 32 : 0));
  case Kind::any_bits: return type == ScalarType::boolean ? pick(2) : mask(type, pick(~std::uint64_t{0}));
  }
  return 0;
}

// Of round `sweep`, 0 to 255: over all of these rounds element i has every value of a type of 8 bits or fewer once, a
// bool 2^8 combinations of the first eight elements.
std::uint64_t swept(ScalarType type, std::uint64_t sweep, std::int64_t i) {
  if (type == ScalarType::boolean) return sweep >> (i % 8) & 1;
  SeededChooser of_element(static_cast<std::uint64_t>(i));
  const std::uint64_t odd = 2 * of_element.choose(Freedom::grouping, 128) + 1;
  return mask(type, sweep * odd + of_element.choose(Freedom::grouping, 256));
}

// Elements that a counterexample is reduced to, the simplest first.
std::vector<std::uint64_t> simple(ScalarType type) {
  std::vector<std::uint64_t> out;
  for (const std::int64_t v : {0, 1, 2, 3, -1, -2}) {
    if (v < 0 && !is_float(type) && !is_signed(type)) continue;
    if (type == ScalarType::boolean && v > 1) continue;
    out.push_back(integer(type, v));
  }
  return out;
}

} // namespace

std::uint64_t LawArguments::Input::at(std::int64_t i) const {
  if (is_packed(type)) return std::to_integer<std::uint64_t>(bytes[static_cast<std::size_t>(i / 2)]) >> (i % 2 * 4) & 15;
  return load_bits(type, bytes.data() + i * static_cast<std::int64_t>(byte_size(type)));
}

void LawArguments::Input::put(std::int64_t i, std::uint64_t bits) {
  if (!is_packed(type)) return store_bits(type, bytes.data() + i * static_cast<std::int64_t>(byte_size(type)), bits);
  std::byte &b = bytes[static_cast<std::size_t>(i / 2)];
  const unsigned shift = i % 2 * 4;
  b = static_cast<std::byte>((std::to_integer<unsigned>(b) & ~(15u << shift)) | static_cast<unsigned>(bits) << shift);
}

bool LawArguments::has_narrow(const TileProgram &p) {
  return std::any_of(p.arguments.begin(), p.arguments.end(), [&](ObjectId id) {
    return p.objects[id].access != ArgumentAccess::out && (p.objects[id].elem == ScalarType::boolean || bit_width(p.objects[id].elem) <= 8);
  });
}

LawArguments::LawArguments(const BoundProgram &bound, std::uint64_t round, std::optional<std::uint64_t> sweep) {
  SeededChooser random(round);
  const Kind kind = turns[round % std::size(turns)];
  const TileProgram &p = *bound.program;
  for (const ObjectId id : p.arguments) {
    const Object &object = p.objects[id];
    Input in{object.name, object.elem, {}, 1, object.access != ArgumentAccess::out, {}};
    for (const Extent &e : object.shape) in.shape.push_back(bound.extent(e));
    in.count = element_count(in.shape);
    in.bytes.resize(is_packed(in.type) ? static_cast<std::size_t>(in.count + 1) / 2 : static_cast<std::size_t>(in.count) * byte_size(in.type));
    if (in.given)
      for (std::int64_t i = 0; i < in.count; ++i) {
        const bool narrow = in.type == ScalarType::boolean || bit_width(in.type) <= 8;
        in.put(i, sweep && narrow ? swept(in.type, *sweep, i) : element(in.type, kind, round / std::size(turns), i, random));
      }
    inputs_.push_back(std::move(in));
  }
}

std::vector<Buffer> LawArguments::buffers() {
  std::vector<Buffer> out;
  copies_.resize(inputs_.size());
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    const Input &in = inputs_[k];
    copies_[k] = in.bytes;
    Buffer b;
    b.data = copies_[k].data();
    b.shape = in.shape;
    b.strides.resize(in.shape.size());
    std::int64_t step = is_packed(in.type) ? 1 : static_cast<std::int64_t>(byte_size(in.type));
    for (std::size_t d = in.shape.size(); d-- > 0; step *= in.shape[d]) b.strides[d] = step;
    out.push_back(std::move(b));
  }
  return out;
}

void LawArguments::shrink(const std::function<bool()> &holds, std::uint64_t most) {
  std::uint64_t calls = 0;
  // True, and kept, where the property still holds.
  const auto try_put = [&](Input &in, std::int64_t first, std::int64_t count, std::uint64_t bits) {
    std::vector<std::uint64_t> before;
    bool changes = false;
    for (std::int64_t i = first; i < first + count; ++i) {
      before.push_back(in.at(i));
      changes |= before.back() != bits;
      in.put(i, bits);
    }
    if (!changes) return true;
    if (calls < most && (++calls, holds())) return true;
    for (std::int64_t i = first; i < first + count; ++i) in.put(i, before[static_cast<std::size_t>(i - first)]);
    return false;
  };
  for (Input &in : inputs_) {
    if (!in.given) continue;
    for (std::int64_t size = in.count; size > 1; size /= 2)
      for (std::int64_t first = 0; first < in.count; first += size) try_put(in, first, std::min(size, in.count - first), 0);
  }
  for (Input &in : inputs_) {
    if (!in.given) continue;
    const std::vector<std::uint64_t> values = simple(in.type);
    for (std::int64_t i = 0; i < in.count && calls < most; ++i)
      for (const std::uint64_t v : values)
        if (in.at(i) == v || try_put(in, i, 1, v)) break;
  }
}

std::string LawArguments::text() const {
  std::string out;
  std::int64_t total = 0;
  for (const Input &in : inputs_) {
    if (!in.given) continue;
    total += in.count;
    constexpr std::int64_t most = 24;
    if (total > most || is_packed(in.type)) return {};
    out += (out.empty() ? "" : ", ") + in.name + " = ";
    if (!in.shape.empty()) out += "[";
    for (std::int64_t i = 0; i < in.count; ++i) out += (i > 0 ? ", " : "") + scalar_text(in.type, in.at(i));
    if (!in.shape.empty()) out += "]";
  }
  return out;
}

} // namespace tilenest
