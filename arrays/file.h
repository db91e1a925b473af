// SPDX-License-Identifier: Apache-2.0
// Files as byte blocks: a whole regular file mapped for reading, and a file that appears under its name whole
// or not at all. Knows nothing of what the bytes mean.
#pragma once
#include "semantics/diag/diagnostic.h"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace tilenest {

// Bytes and what keeps them. An array may stand on them as long as it holds `owner`; without an owner the
// bytes outlive only the call they are passed to.
struct ByteBlock {
  std::span<const std::byte> bytes;
  std::shared_ptr<void> owner;
  bool writable = false; // a private mapping or heap block: writing changes no file
};

enum class MapMode : std::uint8_t { read_only, copy_on_write };

// The whole file, mapped privately (small files are read into the heap). P0501 if it cannot be opened or is
// no regular file. A file that another process cuts short while it is mapped faults on access.
Result<ByteBlock> map_file(const std::string &path, MapMode access);

// A new file beside `path` that takes its place in commit(). Until then, and on any failure, nothing at
// `path` changes and no file is left behind. A symbolic link is followed. Errors are P0509.
class ReplacementFile {
public:
  // `allow_unnamed` false forces a named temporary file, as on file systems without O_TMPFILE.
  static Result<ReplacementFile> create(const std::string &path, bool allow_unnamed = true);
  ReplacementFile(ReplacementFile &&other) noexcept;
  ReplacementFile &operator=(ReplacementFile &&) = delete;
  ~ReplacementFile();

  Diagnostics append(std::span<const std::byte> bytes);
  Diagnostics overwrite(std::uint64_t offset, std::span<const std::byte> bytes);
  std::uint64_t size() const { return size_; }
  // Makes the contents durable and gives them the name. Called once, last.
  Diagnostics commit();

private:
  ReplacementFile() = default;
  Diagnostics failure(int error) const;

  std::string path_, target_, temporary_; // as given; links resolved; empty while the file has no name
  int fd_ = -1;
  std::uint64_t size_ = 0;
};

} // namespace tilenest
