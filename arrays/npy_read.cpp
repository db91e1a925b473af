// SPDX-License-Identifier: Apache-2.0
// From the bytes of a .npy file to an array: in place on a mapping where alignment and byte order let it be.
#include "arrays/npy.h"
#include "semantics/diag/codes.h"
#include <cstring>

namespace tilenest {

namespace {
template <class Bits, Bits (*swap)(Bits)> void swap_all(std::byte *data, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, data + i * static_cast<std::int64_t>(sizeof bits), sizeof bits);
    bits = swap(bits);
    std::memcpy(data + i * static_cast<std::int64_t>(sizeof bits), &bits, sizeof bits);
  }
}
std::uint16_t swap16(std::uint16_t v) { return __builtin_bswap16(v); }
std::uint32_t swap32(std::uint32_t v) { return __builtin_bswap32(v); }
std::uint64_t swap64(std::uint64_t v) { return __builtin_bswap64(v); }

// "[2, 7]" for the element that is the n-th in file order.
std::string coordinate(const NpyHeader &header, std::int64_t n) {
  const std::size_t rank = header.shape.size();
  std::vector<std::int64_t> at(rank, 0);
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t d = header.order == Order::row_major ? rank - 1 - i : i;
    at[d] = n % header.shape[d];
    n /= header.shape[d];
  }
  std::string text = "[";
  for (std::size_t d = 0; d < rank; ++d) text += (d > 0 ? ", " : "") + std::to_string(at[d]);
  return text + "]";
}
} // namespace

Result<Array> allocate_for(const NpyHeader &header) {
  return make_array(header.type, header.shape, Fill::uninitialised, header.order);
}

Diagnostics finish_elements(Array &array, const NpyHeader &header, const std::string &file) {
  if (header.swapped) switch (byte_size(header.type)) {
    case 2: swap_all<std::uint16_t, swap16>(array.data, array.count()); break;
    case 4: swap_all<std::uint32_t, swap32>(array.data, array.count()); break;
    case 8: swap_all<std::uint64_t, swap64>(array.data, array.count()); break;
    default: break;
    }
  if (header.type != ScalarType::boolean) return {};
  for (std::int64_t i = 0; i < header.data_bytes; ++i)
    if (std::to_integer<unsigned>(array.data[i]) > 1)
      return {Diagnostic(Code::P0505, {},
                         {{"file", file},
                          {"value", std::to_string(std::to_integer<unsigned>(array.data[i]))},
                          {"element", coordinate(header, i)}},
                         "convert it with `a != 0`")};
  return {};
}

Result<Array> parse_npy(const ByteBlock &block, const std::string &file, std::optional<ScalarType> expected,
                        MapMode access, Diagnostics *warnings) {
  const Result<NpyHeader> header = parse_npy_header(block.bytes, file, expected);
  if (!header) return header.errors();
  const std::span<const std::byte> data = block.bytes.subspan(static_cast<std::size_t>(header->data_offset));
  const auto have = static_cast<std::int64_t>(data.size());
  if (have < header->data_bytes)
    return Diagnostic(Code::P0504, {},
                      {{"file", file},
                       {"have", std::to_string(have)},
                       {"array", describe(header->type, header->shape)},
                       {"need", std::to_string(header->data_bytes)}},
                      "the file may be cut off: copy or save it again");
  if (have > header->data_bytes && warnings != nullptr)
    warnings->push_back(Diagnostic(Code::P0510, {},
                                   {{"file", file},
                                    {"bytes", std::to_string(have - header->data_bytes)},
                                    {"array", describe(header->type, header->shape)}}));
  const bool aligned = reinterpret_cast<std::uintptr_t>(data.data()) % byte_size(header->type) == 0;
  Array array;
  if (block.owner && aligned && !header->swapped && (access == MapMode::read_only || block.writable)) {
    array.type = header->type;
    array.shape = header->shape;
    array.strides = packed_strides(header->type, header->shape, header->order);
    array.data = const_cast<std::byte *>(data.data());
    array.storage = block.owner;
    array.read_only = !block.writable;
  } else {
    Result<Array> copy = allocate_for(*header);
    if (!copy) return copy;
    if (header->data_bytes > 0)
      std::memcpy(copy->data, data.data(), static_cast<std::size_t>(header->data_bytes));
    array = std::move(*copy);
  }
  if (Diagnostics failed = finish_elements(array, *header, file); !failed.empty()) return failed;
  return array;
}

Result<Array> read_npy(const std::string &path, std::optional<ScalarType> expected, MapMode access,
                       Diagnostics *warnings) {
  const Result<ByteBlock> block = map_file(path, access);
  if (!block) return block.errors();
  return parse_npy(*block, path, expected, access, warnings);
}

} // namespace tilenest
