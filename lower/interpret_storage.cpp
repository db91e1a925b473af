// SPDX-License-Identifier: Apache-2.0
// Where the buffers of a run lie: the caller's arguments, held against the plan, and memory of the interpreter's own.
#include "lower/interpreter.h"
#include "semantics/diag/codes.h"

namespace tilenest::plan {

namespace {
using i128 = __int128;
constexpr i128 most_bits = i128{1} << 62; // of any buffer: offsets in elements and in bits fit an i64
} // namespace

bool Interpreter::unfit(std::string why) {
  errors.emplace_back(Code::B1603, Site{},
                      std::vector<std::pair<std::string, std::string>>{{"plan", p.name}, {"why", std::move(why)}});
  return false;
}

bool Interpreter::allocate(std::size_t bytes, std::unique_ptr<std::byte[]> &out, const std::string &what) {
  if (bytes <= options.memory_limit && memory_used <= options.memory_limit - bytes)
    out.reset(new (std::nothrow) std::byte[std::max<std::size_t>(bytes, 1)]);
  if (!out) {
    errors.emplace_back(Code::L0301, Site{}, std::vector<std::pair<std::string, std::string>>{{"what", what}});
    return false;
  }
  memory_used += bytes;
  std::memset(out.get(), unwritten_byte, bytes);
  return true;
}

std::optional<std::int64_t> Interpreter::value_of(const Extent &e) const {
  return e.evaluate([&](ParamId id) { return std::optional(arguments.params[id.index]); });
}

bool Interpreter::shape_of(const Buffer &b, std::vector<std::int64_t> &shape) {
  for (const Extent &e : b.shape) {
    const auto n = value_of(e);
    if (!n || *n < 0) return unfit("an extent of `" + b.name + "` has no value, or a negative one");
    shape.push_back(*n);
  }
  return true;
}

std::vector<std::int64_t> Interpreter::strides_of(const Buffer &b) const {
  const Argument &a = arguments.arguments[static_cast<std::size_t>(b.argument)];
  if (!a.strides.empty()) return a.strides;
  std::vector<std::int64_t> strides(a.shape.size());
  std::uint64_t next = 1; // wraps only where the argument is empty, and its strides are not used
  for (std::size_t i = strides.size(); i-- > 0;) {
    strides[i] = static_cast<std::int64_t>(next);
    next *= static_cast<std::uint64_t>(a.shape[i]);
  }
  return strides;
}

bool Interpreter::place_argument(const Buffer &b, Place &place) {
  const std::string what = "argument `" + b.name + "`";
  if (static_cast<std::size_t>(b.argument) >= arguments.arguments.size()) return unfit(what + " is missing");
  const Argument &a = arguments.arguments[static_cast<std::size_t>(b.argument)];
  std::vector<std::int64_t> shape;
  if (!shape_of(b, shape)) return false;
  if (a.shape.size() != shape.size())
    return unfit(what + " has rank " + std::to_string(a.shape.size()) + ", not " + std::to_string(shape.size()));
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (a.shape[i] != shape[i])
      return unfit("axis " + std::to_string(i) + " of " + what + " has " + std::to_string(a.shape[i]) +
                   " elements, not " + std::to_string(shape[i]));
  if (!a.strides.empty() && a.strides.size() != shape.size()) return unfit(what + " has strides of another rank");
  place.base = static_cast<std::byte *>(a.data);
  for (std::int64_t n : shape)
    if (n == 0) return true; // nothing exists
  const std::vector<std::int64_t> strides = strides_of(b);
  i128 first = 0, last = 0, gapless = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (!b.strided && shape[i] > 1 && strides[i] != gapless) return unfit(what + " is not row-major without gaps");
    const i128 reach = i128{shape[i] - 1} * strides[i];
    (reach < 0 ? first : last) += reach;
    gapless *= shape[i];
    if (gapless > most_bits || first < -most_bits || last > most_bits)
      return unfit(what + " is larger than an address can say");
  }
  first *= bit_width(b.elem);
  last = (last + 1) * bit_width(b.elem);
  if (first < -most_bits || last > most_bits) return unfit(what + " is larger than an address can say");
  if (!place.base) return unfit(what + " has no data");
  place.first_bit = static_cast<std::int64_t>(first);
  place.end_bit = static_cast<std::int64_t>(last);
  return true;
}

bool Interpreter::place_memory(const Buffer &b, Place &place) {
  std::vector<std::int64_t> shape;
  if (!shape_of(b, shape)) return false;
  i128 bits = bit_width(b.elem);
  for (std::int64_t n : shape)
    if (n == 0) bits = 0;
  for (std::int64_t n : shape)
    if ((bits *= n) > most_bits) {
      bits = most_bits; // more than any memory
      break;
    }
  place.bytes = static_cast<std::size_t>((bits + 7) / 8);
  place.end_bit = static_cast<std::int64_t>(bits);
  if (!allocate(place.bytes, place.owned, "buffer `" + b.name + "` of the plan `" + p.name + "`")) return false;
  place.base = place.owned.get();
  return true;
}

bool Interpreter::place_buffers() {
  if (arguments.params.size() != p.params.size())
    return unfit("it has " + std::to_string(p.params.size()) + " parameters, of which " +
                 std::to_string(arguments.params.size()) + " are given");
  places.resize(0);
  for (const Buffer &b : p.buffers) {
    Place place;
    if (!(b.space == AddressSpace::argument ? place_argument(b, place) : place_memory(b, place))) return false;
    places.push(std::move(place));
  }
  return true;
}

} // namespace tilenest::plan
