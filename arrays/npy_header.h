// SPDX-License-Identifier: Apache-2.0
// The header of a .npy file: magic, version, and a Python dict literal with element type, order and shape.
// Element types: which NumPy type is which ScalarType. The data behind the header is npy.h's.
#pragma once
#include "arrays/array.h"
#include <string_view>

namespace tilenest {

struct NpyHeader {
  ScalarType type = ScalarType::f32;
  bool swapped = false; // big-endian elements
  Order order = Order::row_major;
  std::vector<std::int64_t> shape; // has checked_bytes
  std::int64_t data_offset = 0;    // bytes from the start of the file
  std::int64_t data_bytes = 0;
};

constexpr std::size_t npy_prefix_bytes = 12; // enough for npy_data_offset
constexpr std::int64_t npy_header_limit = std::int64_t{1} << 20;

// Where the data starts, from the first npy_prefix_bytes of the file (fewer if it has no more).
Result<std::int64_t> npy_data_offset(std::span<const std::byte> start, const std::string &file);

// The header, from bytes that hold it whole, or as much of it as the file has. `expected` is the parameter's
// type: it gives raw bytes their meaning, and a file of another type is T0901. `file` is for diagnostics.
Result<NpyHeader> parse_npy_header(std::span<const std::byte> bytes, const std::string &file,
                                   std::optional<ScalarType> expected);

struct FileType {
  ScalarType type;
  bool swapped;
};
// The meaning of a type string such as "<f4" or "|V2".
Result<FileType> resolve_dtype(std::string_view descr, const std::string &file,
                               std::optional<ScalarType> expected);

// What write_npy writes for a type: NumPy's little-endian spelling; bf16 "<V2", f8e4m3fn "|V1", f8e5m2 "|V1", i4
// and u4 "|u1" with two elements a byte.
const char *npy_dtype(ScalarType type);

// The whole header of a file, padded so that the data starts at a multiple of 64.
std::string npy_header_bytes(ScalarType type, std::span<const std::int64_t> shape, Order order);

// Text from an untrusted file as it may stand in a message: escaped, and cut after 60 bytes.
std::string printable_excerpt(std::string_view text);

} // namespace tilenest
