// SPDX-License-Identifier: Apache-2.0
// Fuzz target of the array readers: any bytes give an array or one or more errors with a documented status.
// An array's elements can all be read, and what is written for it reads back equal.
#include "arrays/npz.h"
#include "arrays/zip.h"
#include <cstdlib>
#include <cstring>

using namespace tilenest;

namespace {
void must(bool condition) {
  if (!condition) std::abort();
}

std::string packed_elements(const Array &array) {
  std::string out;
  for_each_row(array, [&](const std::byte *p, std::int64_t n, std::int64_t step) {
    for (std::int64_t i = 0; i < n; ++i, p += step)
      out.append(reinterpret_cast<const char *>(p), byte_size(array.type));
  });
  return out;
}

void check_errors(const Diagnostics &errors) {
  must(has_error(errors));
  const int status = exit_status(errors);
  must(status == 2 || status == 5 || status == 6);
}

void check_array(const Array &array) {
  must(array.data != nullptr && array.shape.size() == array.strides.size());
  must(checked_bytes(array.type, array.shape) == array.bytes());
  const std::string elements = packed_elements(array);
  must(static_cast<std::int64_t>(elements.size()) == array.bytes());
  if (array.type == ScalarType::boolean)
    for (const char c : elements) must(c == 0 || c == 1);
  std::string file = npy_header_bytes(array.type, array.shape, npy_order(array));
  const Diagnostics written = for_each_npy_chunk(array, [&](std::span<const std::byte> bytes) {
    file.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    return Diagnostics{};
  });
  must(written.empty());
  const Result<Array> back =
      parse_npy({std::as_bytes(std::span(file)), nullptr, false}, "written", array.type);
  must(back.ok() && back->shape == array.shape && packed_elements(*back) == elements);
}

void check(const Result<Array> &result) {
  if (result)
    check_array(*result);
  else
    check_errors(result.errors());
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  // In an aligned heap block, so that arrays stand on it as they do on a file.
  Array bytes =
      std::move(*make_array(ScalarType::u8, {static_cast<std::int64_t>(size)}, Fill::uninitialised));
  if (size > 0) std::memcpy(bytes.data, data, size);
  const ByteBlock block{{bytes.data, size}, bytes.storage, true};
  const std::optional<ScalarType> expected[] = {std::nullopt, ScalarType::boolean, ScalarType::bf16,
                                                ScalarType::f8e4m3fn, ScalarType::f32};
  for (const std::optional<ScalarType> type : expected) {
    if (!looks_like_zip(block.bytes)) {
      Diagnostics warnings;
      check(parse_npy({block.bytes, nullptr, false}, "in", type));
      check(parse_npy(block, "in", type, MapMode::copy_on_write, &warnings));
      continue;
    }
    check(parse_npz(block, "in", "", type));
    const Result<ZipArchive> archive = open_zip(block, "in");
    if (!archive) return 0;
    for (std::size_t i = 0; i < archive->members.size() && i < 4; ++i)
      check(parse_npz(block, "in", std::string(archive->members[i].name), type));
  }
  return 0;
}
