// SPDX-License-Identifier: Apache-2.0
// Private copies: the bytes that an argument spans, and its elements in C order.
#include "interp/private_copy.h"
#include "semantics/numerics/enclosure.h"
#include "semantics/numerics/formats.h"
#include "semantics/numerics/scalar_apply.h"
#include "semantics/space/element_count.h"

namespace tilenest {

PrivateCopy::PrivateCopy(std::size_t argument, ScalarType type, const Buffer &buffer) : argument_(argument), type_(type), buffer_(buffer) {
  count_ = element_count(buffer.shape);
  if (count_ == 0) return;
  std::int64_t low = 0, high = 0; // offsets of elements, in the units of strides
  for (std::size_t d = 0; d < buffer.shape.size(); ++d) {
    const std::int64_t reach = (buffer.shape[d] - 1) * buffer.strides[d];
    (reach < 0 ? low : high) += reach;
  }
  const std::int64_t unit = is_packed(type) ? 2 : 1;
  first_ = (low - (unit - 1)) / unit;
  const std::int64_t end = is_packed(type) ? high / 2 + 1 : high + static_cast<std::int64_t>(byte_size(type));
  before_.assign(static_cast<const std::byte *>(buffer.data) + first_, static_cast<const std::byte *>(buffer.data) + end);
  now_ = before_;
}

Buffer PrivateCopy::fresh() {
  now_ = before_;
  Buffer b = buffer_;
  if (count_ > 0) b.data = now_.data() - first_;
  return b;
}

std::int64_t PrivateCopy::offset(std::int64_t i) const {
  std::int64_t at = 0;
  for (std::size_t d = buffer_.shape.size(); d-- > 0; i /= buffer_.shape[d]) at += i % buffer_.shape[d] * buffer_.strides[d];
  return at;
}

std::uint64_t PrivateCopy::element(std::int64_t i) const {
  const std::int64_t at = offset(i);
  if (!is_packed(type_)) return load_bits(type_, now_.data() - first_ + at);
  std::uint64_t bits = std::to_integer<std::uint64_t>(now_[static_cast<std::size_t>((at >> 1) - first_)]) >> (at & 1) * 4 & 15;
  if (is_signed(type_) && bits > 7) bits |= 0xf0;
  return bits;
}

std::uint64_t PrivateCopy::place(std::int64_t i) const {
  const auto base = reinterpret_cast<std::uint64_t>(now_.data() - first_);
  return 2 * base + static_cast<std::uint64_t>(is_packed(type_) ? offset(i) : 2 * offset(i));
}

std::vector<PrivateCopy> private_copies(const TileProgram &p, const std::vector<Buffer> &buffers) {
  std::vector<PrivateCopy> out;
  for (std::size_t i = 0; i < p.arguments.size(); ++i) {
    const Object &object = p.objects[p.arguments[i]];
    if (object.access != ArgumentAccess::in) out.emplace_back(i, object.elem, buffers[i]);
  }
  return out;
}

std::vector<Buffer> with_fresh(const std::vector<Buffer> &buffers, std::vector<PrivateCopy> &copies) {
  std::vector<Buffer> out = buffers;
  for (PrivateCopy &c : copies) out[c.argument()] = c.fresh();
  return out;
}

std::uint64_t canonical(ScalarType type, std::uint64_t bits) {
  return is_nan_of(type, bits) ? float_layout(type).nan() : bits;
}

} // namespace tilenest
