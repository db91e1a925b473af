// SPDX-License-Identifier: Apache-2.0
// .npy files in and out (NumPy's format, versions 1.0 to 3.0). Archives of them are in npz.h; the element
// types and the header in npy_header.h.
#pragma once
#include "arrays/array.h"
#include "arrays/file.h"
#include "arrays/npy_header.h"

namespace tilenest {

// Reads a file. `expected` is the element type of the parameter that the array is for: it types raw bytes and
// unsigned integers as bf16 or f8, and any other type is T0901; without it the file says. For i4 and u4 the array
// is the u8 one of the bytes that hold them (see packed_array). With read_only the
// array may stand on a read-only mapping (`read_only` is then set); with copy_on_write it is writable, and
// writing never changes the file. Big-endian data is swapped into a copy; Fortran order becomes strides.
// `warnings` receives P0510 for bytes after the array.
Result<Array> read_npy(const std::string &path, std::optional<ScalarType> expected = std::nullopt,
                       MapMode access = MapMode::read_only, Diagnostics *warnings = nullptr);

// The same from bytes in memory; the array stands on `block` where it can, and owns a copy otherwise.
// `file` is for diagnostics.
Result<Array> parse_npy(const ByteBlock &block, const std::string &file,
                        std::optional<ScalarType> expected = std::nullopt, MapMode access = MapMode::read_only,
                        Diagnostics *warnings = nullptr);

// An array for the header's elements, still to be filled in file order; then finish_elements.
Result<Array> allocate_for(const NpyHeader &header);
// Swaps big-endian elements in place and checks that each bool is 0 or 1 (P0505).
Diagnostics finish_elements(Array &array, const NpyHeader &header, const std::string &file);

// Writes the file whole or not at all; what stood there stays until it is replaced, and on failure (P0509).
// A column-major array is written in Fortran order, any other in C order.
Diagnostics write_npy(const std::string &path, const Array &array);

// The order in which the elements of `array` are written.
Order npy_order(const Array &array);
// Calls sink(span of bytes) for the elements in that order, and stops at the first errors it returns.
template <class Sink> Diagnostics for_each_npy_chunk(const Array &array, Sink sink) {
  constexpr std::int64_t chunk = std::int64_t{1} << 22;
  if (array.is_contiguous(npy_order(array))) {
    const std::int64_t bytes = array.bytes();
    for (std::int64_t at = 0; at < bytes; at += chunk) {
      Diagnostics failed = sink(std::span<const std::byte>(
          array.data + at, static_cast<std::size_t>(at + chunk < bytes ? chunk : bytes - at)));
      if (!failed.empty()) return failed;
    }
    return {};
  }
  Result<Array> packed = make_contiguous(array);
  if (!packed) return packed.errors();
  return for_each_npy_chunk(*packed, sink);
}

} // namespace tilenest
