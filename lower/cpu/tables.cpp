// SPDX-License-Identifier: Apache-2.0
// The numbering of a plan's extents, strides and asserts, in the order of its operations.
#include "lower/cpu/tables.h"
#include <algorithm>

namespace tilenest::cpu {

Tables::Tables(const plan::Plan &plan) {
  for (const plan::Buffer &buffer : plan.buffers) {
    first_stride.push_back(stride_count);
    if (buffer.strided) stride_count += buffer.shape.size();
  }
  for (std::size_t i = 0; i < plan.ops.size(); ++i) {
    const plan::OpIndex index(i);
    const plan::Op &op = plan.ops[index];
    if (op.kind == plan::Kind::assert_) {
      assert_of[index] = asserts.size();
      asserts.push_back(index);
    }
    if (op.kind != plan::Kind::extent) continue;
    const Extent &extent = std::get<ExtentAttr>(op.attr).extent;
    if (extent.constant()) continue;
    const auto at = std::find(extents.begin(), extents.end(), extent);
    extent_of[index] = static_cast<std::size_t>(at - extents.begin());
    if (at == extents.end()) extents.push_back(extent);
  }
}

std::optional<std::int64_t> padded_size(ScalarType elem, std::int64_t elements) {
  constexpr std::int64_t limit = std::int64_t{1} << 58; // elements; with 8 bytes each it stays below 2^62
  if (elements < 0 || elements > limit) return std::nullopt;
  const auto bytes = static_cast<std::int64_t>(storage_size(elem, static_cast<std::size_t>(elements)));
  return (bytes + 63) / 64 * 64;
}

std::optional<std::int64_t> constant_size(const plan::Buffer &buffer) {
  std::int64_t elements = 1;
  for (const Extent &extent : buffer.shape) {
    const std::optional<std::int64_t> n = extent.constant();
    if (!n || *n < 0 || __builtin_mul_overflow(elements, *n, &elements)) return std::nullopt;
  }
  return padded_size(buffer.elem, elements);
}

} // namespace tilenest::cpu
