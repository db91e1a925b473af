// SPDX-License-Identifier: Apache-2.0
// Array: elements of one type, a shape and byte strides over storage that the array shares. Defines sizes
// with overflow checking and allocation; files are read and written in npy.h and npz.h.
#pragma once
#include "semantics/diag/diagnostic.h"
#include "semantics/support/scalar_type.h"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilenest {

// sparse_zeros: may be larger than the machine's memory, and takes memory where it is touched.
enum class Fill : std::uint8_t { zeros, uninitialised, sparse_zeros };
enum class Order : std::uint8_t { row_major, column_major };

// Copies share the storage. `data` is never null in an array that a function of this folder returned, and it
// is aligned to its element size; every element lies inside the storage.
// Of a 4-bit type two elements share a byte along the last axis, the first in its low half, and every row along
// it has whole bytes. Such an array is row-major without gaps, and its strides count half bytes.
struct Array {
  ScalarType type = ScalarType::f32;
  std::vector<std::int64_t> shape;   // elements, outermost first; empty for a scalar
  std::vector<std::int64_t> strides; // bytes (4-bit types: half bytes), one per extent
  std::byte *data = nullptr;         // element (0, ..., 0)
  std::shared_ptr<void> storage;     // heap block or mapping that holds the elements
  bool read_only = false;            // writing through `data` faults
  bool sparse = false;               // larger than the machine's memory

  std::int64_t count() const; // elements
  std::int64_t bytes() const; // of the elements, without gaps
  bool is_contiguous() const; // row-major, no gaps; extents 1 have no say, nor any stride if empty
  bool is_contiguous(Order order) const;
};

// The shape of the array of bytes that holds a 4-bit one: two elements in each along the last axis.
std::vector<std::int64_t> byte_shape(std::span<const std::int64_t> shape);
// The array of that type and shape whose bytes are `bytes`, a contiguous array of byte_shape(shape).
Array packed_array(ScalarType type, std::vector<std::int64_t> shape, Array bytes);

// Bytes of such an array; nullopt for a negative extent, or where element size times the extents that are
// not zero exceeds int64 (so the strides of an empty array fit as well).
std::optional<std::int64_t> checked_bytes(ScalarType type, std::span<const std::int64_t> shape);

// Byte strides without gaps. The shape has checked_bytes.
std::vector<std::int64_t> packed_strides(ScalarType type, std::span<const std::int64_t> shape,
                                         Order order = Order::row_major);

// A writable array without gaps, its pages made on first touch where it is large. L0501: its size cannot be
// addressed; L0502: more than the machine's memory (but for sparse_zeros), or the system refused.
Result<Array> make_array(ScalarType type, std::vector<std::int64_t> shape, Fill fill,
                         Order order = Order::row_major);

// The array itself if it is row-major without gaps, and writable where `writable` asks; else a copy that is.
Result<Array> make_contiguous(const Array &array, bool writable = false);

// "f32[3, 4]", "f32[]" for a scalar; a long shape is cut.
std::string describe(ScalarType type, std::span<const std::int64_t> shape);

// Calls row(pointer, count, stride) over all elements in row-major order, in rows as long as the strides let them
// be: once for an array without gaps. Of a 4-bit type the pointer is to the byte that starts with the first
// element, and the stride counts half bytes.
template <class Row> void for_each_row(const Array &array, Row row) {
  std::vector<std::int64_t> extents, strides;
  for (std::size_t i = 0; i < array.shape.size(); ++i) {
    if (array.shape[i] == 0) return;
    if (array.shape[i] == 1) continue;
    if (!extents.empty() && strides.back() == array.strides[i] * array.shape[i]) {
      extents.back() *= array.shape[i];
      strides.back() = array.strides[i];
    } else {
      extents.push_back(array.shape[i]);
      strides.push_back(array.strides[i]);
    }
  }
  if (extents.empty()) return void(row(array.data, std::int64_t{1}, std::int64_t{0}));
  const std::int64_t length = extents.back(), step = strides.back();
  extents.pop_back();
  strides.pop_back();
  std::vector<std::int64_t> at(extents.size(), 0);
  std::byte *start = array.data;
  for (;;) {
    row(start, length, step);
    std::size_t d = at.size();
    for (; d > 0; --d) {
      const std::int64_t bytes = is_packed(array.type) ? strides[d - 1] / 2 : strides[d - 1];
      start += bytes;
      if (++at[d - 1] < extents[d - 1]) break;
      start -= bytes * extents[d - 1];
      at[d - 1] = 0;
    }
    if (d == 0) return;
  }
}

} // namespace tilenest
