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
  number(plan, plan.body);
}

void Tables::number(const plan::Plan &plan, plan::BlockId block) {
  for (plan::OpIndex index : plan.blocks[block].ops) {
    const plan::Op &op = plan.ops[index];
    if (op.kind == plan::Kind::assert_) {
      assert_of[index] = asserts.size();
      asserts.push_back(index);
    }
    if (op.kind == plan::Kind::extent && !std::get<ExtentAttr>(op.attr).extent.constant()) {
      const Extent &extent = std::get<ExtentAttr>(op.attr).extent;
      const auto at = std::find(extents.begin(), extents.end(), extent);
      extent_of[index] = static_cast<std::size_t>(at - extents.begin());
      if (at == extents.end()) extents.push_back(extent);
    }
    for (plan::BlockId inner : op.blocks) number(plan, inner);
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
