// SPDX-License-Identifier: Apache-2.0
// Writing one array as a .npy file, whole or not at all.
#include "arrays/npy.h"

namespace tilenest {

Order npy_order(const Array &array) {
  return !array.is_contiguous() && array.is_contiguous(Order::column_major) ? Order::column_major
                                                                            : Order::row_major;
}

Diagnostics write_npy(const std::string &path, const Array &array) {
  Result<ReplacementFile> file = ReplacementFile::create(path);
  if (!file) return file.errors();
  const std::string header = npy_header_bytes(array.type, array.shape, npy_order(array));
  if (Diagnostics failed = file->append(std::as_bytes(std::span(header))); !failed.empty()) return failed;
  Diagnostics failed =
      for_each_npy_chunk(array, [&](std::span<const std::byte> bytes) { return file->append(bytes); });
  if (!failed.empty()) return failed;
  return file->commit();
}

} // namespace tilenest
