// SPDX-License-Identifier: Apache-2.0
// What a run left in its arguments: which elements hold no value, which may have changed, how often each was stored.
// All go by words where elements lie side by side, and by what was touched where a buffer is sparse.
#pragma once
#include "interp/run.h"
#include "interp/storage.h"
#include "semantics/space/element_count.h"
#include "semantics/support/scalar_type.h"

namespace tilenest {

// Steps of an offset in one element: bytes, or half bytes.
inline std::int64_t element_units(ScalarType elem) { return is_packed(elem) ? 1 : static_cast<std::int64_t>(byte_size(elem)); }

// f(offset from the base) for every element, row-major.
template <class F> void for_elements(const std::vector<std::int64_t> &shape, const std::vector<std::int64_t> &strides, F &&f) {
  const std::int64_t total = element_count(shape);
  std::vector<std::int64_t> at(shape.size(), 0);
  for (std::int64_t i = 0; i < total; ++i) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < at.size(); ++d) offset += at[d] * strides[d];
    f(offset);
    for (std::size_t d = at.size(); d-- > 0;) {
      if (++at[d] < shape[d]) break;
      at[d] = 0;
    }
  }
}

// f(offset) for the elements that hold no value.
template <class F> void for_undefined(const Buffer &b, const ObjectStorage &s, ScalarType elem, F &&f) {
  if (!s.defined) return;
  for_elements(b.shape, b.strides, [&](std::int64_t offset) {
    if (is_packed(elem) ? !s.is_half_defined(offset) : !s.is_defined(offset, byte_size(elem))) f(offset);
  });
}

std::uint64_t count_undefined(const Buffer &b, const ObjectStorage &s, ScalarType elem);
// The first of those, row-major.
std::optional<std::int64_t> first_undefined(const Buffer &b, const ObjectStorage &s, ScalarType elem);
// RunResult::touched.
std::optional<ElementRanges> touched_elements(Buffer b, const ObjectStorage &s, ScalarType elem);
// rule: COVER
Coverage count_stores(std::size_t argument, const Buffer &b, const ObjectStorage &s, ScalarType elem);

} // namespace tilenest
