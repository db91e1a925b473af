// SPDX-License-Identifier: Apache-2.0
// Zip archives as far as .npz files use them: the directory (with zip64), and the bytes of one member, stored
// or deflated. Every offset and size is checked against the file before it is used.
#pragma once
#include "arrays/file.h"
#include <string_view>
#include <vector>

struct z_stream_s;

namespace tilenest {

enum class ZipMethod : std::uint16_t { stored = 0, deflated = 8 };

struct ZipMember {
  std::string_view name; // stands in the archive's bytes
  std::uint16_t method = 0;
  std::uint16_t flags = 0;
  std::uint32_t crc = 0;
  std::uint64_t packed_size = 0; // in the archive
  std::uint64_t size = 0;        // unpacked, as the directory says
  std::uint64_t header_offset = 0;
};

struct ZipArchive {
  ByteBlock block;
  std::vector<ZipMember> members;
  std::uint64_t directory_offset = 0;
};

bool looks_like_zip(std::span<const std::byte> bytes);

// The directory. `file` is for diagnostics: P0506, N0501. `block` outlives the archive's use.
Result<ZipArchive> open_zip(const ByteBlock &block, const std::string &file);

// Where the member's packed bytes stand in the archive. Its local header is checked against the directory:
// N0501 for a method other than stored and deflated and for encryption, P0506, P0508.
Result<std::span<const std::byte>> packed_bytes(const ZipArchive &archive, const ZipMember &member,
                                                const std::string &file);

std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t before = 0);

// A raw deflate stream, unpacked in pieces; never writes more than it is asked for.
class Inflater {
public:
  explicit Inflater(std::span<const std::byte> packed);
  ~Inflater();
  Inflater(const Inflater &) = delete;
  Inflater &operator=(const Inflater &) = delete;

  // Fills `out` or returns how many bytes there were before the stream ended or was found damaged.
  std::size_t read(std::span<std::byte> out);
  // The stream has ended, with all packed bytes used.
  bool at_end();
  bool damaged() const { return damaged_; }
  std::uint32_t crc() const { return crc_; } // of all bytes read

private:
  std::unique_ptr<z_stream_s> stream_;
  std::span<const std::byte> packed_;
  bool ended_ = false, damaged_ = false;
  std::uint32_t crc_ = 0;
};

} // namespace tilenest
