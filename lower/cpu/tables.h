// SPDX-License-Identifier: Apache-2.0
// What the machine code of a plan and the C++ that runs it agree on: the frame that a run hands to the code, and the
// numbering of extents, strides and asserts in it. Both sides derive it from the plan, so nothing of it is stored.
#pragma once
#include "lower/plan.h"
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace tilenest::cpu {

// The one argument of the code's entry point. Its fields are pointers, in this order (emit_function.cpp reads them by
// number).
struct Frame {
  void *const *buffers;         // by BufferId: arguments and scratch; null for shared and instance
  const std::int64_t *extents;  // by Tables::extents
  const std::int64_t *strides;  // by Tables::stride_of
  const std::int64_t *sizes;    // by BufferId: bytes, a multiple of 64
  void *run;                    // runtime.h: Run
};

struct Tables {
  explicit Tables(const plan::Plan &plan);

  std::vector<Extent> extents; // of `extent` operations, without repeats and constants
  std::map<plan::OpIndex, std::size_t> extent_of;
  std::vector<std::size_t> first_stride; // by BufferId: strided arguments have one slot per axis
  std::size_t stride_count = 0;
  std::vector<plan::OpIndex> asserts;
  std::map<plan::OpIndex, std::size_t> assert_of;

  std::size_t stride_of(const plan::StrideAttr &attr) const {
    return first_stride[attr.buffer.index] + static_cast<std::size_t>(attr.axis);
  }

private:
  void number(const plan::Plan &plan, plan::BlockId block);
};

// Bytes of a buffer whose extents are constant, rounded up to 64.
std::optional<std::int64_t> constant_size(const plan::Buffer &buffer);
// Bytes for this many elements, rounded up to 64; nothing above 2^62.
std::optional<std::int64_t> padded_size(ScalarType elem, std::int64_t elements);

} // namespace tilenest::cpu
