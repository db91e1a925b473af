// SPDX-License-Identifier: Apache-2.0
// Counting over the elements of arguments.
#include "interp/outputs.h"

namespace tilenest {

namespace {

// Takes off the axes that are one row of elements side by side, and says how long it is.
std::int64_t take_row(Buffer &b, ScalarType elem) {
  std::int64_t row = 1;
  while (!b.shape.empty() && (b.shape.back() == 1 || b.strides.back() == row * element_units(elem))) {
    row *= b.shape.back();
    b.shape.pop_back();
    b.strides.pop_back();
  }
  return row;
}

// f(offset, elements) for such rows, as long as the strides let them be, row-major.
template <class F> void for_rows(Buffer b, ScalarType elem, F &&f) {
  const std::int64_t row = take_row(b, elem);
  if (row > 0) for_elements(b.shape, b.strides, [&](std::int64_t offset) { f(offset, row); });
}

std::size_t defined_in_row(const ObjectStorage &s, ScalarType elem, std::int64_t offset, std::int64_t n) {
  const auto count = static_cast<std::size_t>(n);
  return is_packed(elem) ? s.defined->count_halves(static_cast<std::size_t>(offset - 2 * s.lowest), count)
                         : s.defined->count(static_cast<std::size_t>(offset - s.lowest), count, byte_size(elem));
}

// The elements of a sparse buffer in the parts that were touched.
ElementRanges touched_parts(const ObjectStorage &s, ScalarType elem) {
  ElementRanges out;
  const auto size = static_cast<std::int64_t>(byte_size(elem)); // divides a part
  for (const auto &[first, last] : s.residence->touched()) out.emplace_back(first / size, last / size);
  return out;
}

} // namespace

std::optional<ElementRanges> touched_elements(Buffer b, const ObjectStorage &s, ScalarType elem) {
  if (s.residence) return touched_parts(s, elem);
  if (b.defined || !s.defined || is_packed(elem)) return std::nullopt;
  take_row(b, elem);
  if (!b.shape.empty()) return std::nullopt;
  ElementRanges out;
  const auto size = static_cast<std::int64_t>(byte_size(elem));
  const auto base = static_cast<std::size_t>(-s.lowest);
  s.defined->for_parts(base, s.bytes, [&](std::size_t first, std::size_t last) {
    const std::int64_t from = static_cast<std::int64_t>(first - base) / size;
    const std::int64_t to = (static_cast<std::int64_t>(last - base) + size - 1) / size;
    if (!out.empty() && from <= out.back().second) out.back().second = to;
    else out.emplace_back(from, to);
  });
  return out;
}

std::uint64_t count_undefined(const Buffer &b, const ObjectStorage &s, ScalarType elem) {
  if (!s.defined) return 0;
  const std::int64_t units = element_units(elem);
  std::uint64_t n = 0;
  if (s.residence) {
    n = s.bytes / byte_size(elem);
    for (const auto &[first, last] : touched_parts(s, elem)) n -= defined_in_row(s, elem, first * units, last - first);
    return n;
  }
  for_rows(b, elem, [&](std::int64_t offset, std::int64_t row) { n += static_cast<std::uint64_t>(row) - defined_in_row(s, elem, offset, row); });
  return n;
}

std::optional<std::int64_t> first_undefined(const Buffer &b, const ObjectStorage &s, ScalarType elem) {
  std::optional<std::int64_t> out;
  std::int64_t before = 0;
  for_rows(b, elem, [&](std::int64_t offset, std::int64_t row) {
    if (out) return;
    const auto count = static_cast<std::size_t>(row);
    const std::size_t at = is_packed(elem) ? s.defined->first_missing_half(static_cast<std::size_t>(offset - 2 * s.lowest), count)
                                           : s.defined->first_missing(static_cast<std::size_t>(offset - s.lowest), count, byte_size(elem));
    if (at < count) out = before + static_cast<std::int64_t>(at);
    before += row;
  });
  return out;
}

// rule: COVER
Coverage count_stores(std::size_t argument, const Buffer &b, const ObjectStorage &s, ScalarType elem) {
  Coverage out;
  out.argument = argument;
  std::int64_t i = 0;
  const auto visit = [&](std::int64_t offset) {
    const auto at = static_cast<std::size_t>((is_packed(elem) ? offset : 2 * offset) - 2 * s.low);
    const std::uint32_t n = s.stores->most(at, is_packed(elem) ? 1 : 2 * byte_size(elem));
    ++(n == 0 ? out.never : n == 1 ? out.once : out.more);
    if (n == 0 && !out.first_never) out.first_never = i;
    if (n > 1 && n > out.most) out.first_most = i, out.most = n;
    ++i;
  };
  if (s.residence) { // what was not touched was not stored
    const auto size = static_cast<std::int64_t>(byte_size(elem));
    const auto skip = [&](std::int64_t to) {
      out.never += static_cast<std::uint64_t>(to - i);
      if (to > i && !out.first_never) out.first_never = i;
      i = to;
    };
    for (const auto &[first, last] : touched_parts(s, elem)) {
      skip(first);
      while (i < last) visit(i * size);
    }
    skip(static_cast<std::int64_t>(s.bytes) / size);
  } else {
    for_elements(b.shape, b.strides, visit);
  }
  return out;
}

} // namespace tilenest
