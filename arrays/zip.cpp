// SPDX-License-Identifier: Apache-2.0
// The directory of a zip archive and the local headers of its members (PKWARE's APPNOTE, with zip64).
#include "arrays/zip.h"
#include "arrays/npy_header.h"
#include "semantics/diag/codes.h"
#include <algorithm>
#include <cstring>

namespace tilenest {

namespace {
constexpr std::uint32_t local_signature = 0x04034b50, directory_signature = 0x02014b50,
                        end_signature = 0x06054b50, end64_signature = 0x06064b50,
                        locator64_signature = 0x07064b50;
constexpr std::uint64_t local_bytes = 30, directory_bytes = 46, end_bytes = 22, end64_bytes = 56,
                        locator64_bytes = 20;
constexpr std::uint16_t encrypted = 1u << 0, masked = 1u << 13;

Diagnostic malformed_zip(const std::string &file, std::string what) {
  return {Code::P0506, {}, {{"file", file}, {"what", std::move(what)}}};
}
Diagnostic unsupported(const std::string &file, std::string what, std::string help) {
  return {Code::N0501, {}, {{"file", file}, {"what", std::move(what)}}, std::move(help)};
}

// Little-endian numbers of a span that is long enough.
struct Fields {
  std::span<const std::byte> bytes;
  std::uint64_t number(std::uint64_t at, int size) const {
    std::uint64_t value = 0;
    for (int i = 0; i < size; ++i)
      value |= static_cast<std::uint64_t>(bytes[static_cast<std::size_t>(at) + static_cast<std::size_t>(i)])
               << (8 * i);
    return value;
  }
  std::uint16_t u16(std::uint64_t at) const { return static_cast<std::uint16_t>(number(at, 2)); }
  std::uint32_t u32(std::uint64_t at) const { return static_cast<std::uint32_t>(number(at, 4)); }
  std::uint64_t u64(std::uint64_t at) const { return number(at, 8); }
};

struct DirectoryPlace {
  std::uint64_t offset = 0, size = 0, entries = 0;
  std::uint64_t end = 0; // where the records behind the directory start
};

// Whether [offset, offset + size) lies below `limit`.
bool inside(std::uint64_t offset, std::uint64_t size, std::uint64_t limit) {
  return offset <= limit && size <= limit - offset;
}

Result<DirectoryPlace> find_directory(std::span<const std::byte> bytes, const std::string &file) {
  const Fields f{bytes};
  const std::uint64_t size = bytes.size();
  if (size < end_bytes) return malformed_zip(file, "it is cut off");
  // The end record stands last, before a comment of at most 65535 bytes whose length it states.
  const std::uint64_t furthest = size > end_bytes + 0xffff ? size - end_bytes - 0xffff : 0;
  std::uint64_t end = size - end_bytes + 1;
  bool found = false;
  while (!found && end > furthest) {
    --end;
    found = f.u32(end) == end_signature && end + end_bytes + f.u16(end + 20) == size;
  }
  if (!found) return malformed_zip(file, "it has no end record and may be cut off");
  DirectoryPlace place{f.u32(end + 16), f.u32(end + 12), f.u16(end + 10), end};
  std::uint64_t disks = f.u16(end + 4) | f.u16(end + 6);
  if (end >= locator64_bytes && f.u32(end - locator64_bytes) == locator64_signature) {
    const std::uint64_t record = f.u64(end - locator64_bytes + 8);
    if (!inside(record, end64_bytes, end - locator64_bytes) || f.u32(record) != end64_signature)
      return malformed_zip(file, "its zip64 end record is not where it says");
    place = {f.u64(record + 48), f.u64(record + 40), f.u64(record + 32), record};
    disks = f.u32(record + 16) | f.u32(record + 20);
  }
  if (disks != 0) return unsupported(file, "an archive in several parts", "pack it as one file");
  if (!inside(place.offset, place.size, place.end) || place.offset + place.size != place.end)
    return malformed_zip(file, "its directory is not where it says");
  if (place.entries > place.size / directory_bytes)
    return malformed_zip(file, "it counts more members than its directory holds");
  return place;
}

// The 64-bit values of the zip64 extra field, which stand for the 32-bit ones that are all ones, in order.
bool read_zip64(std::span<const std::byte> extra, std::initializer_list<std::uint64_t *> wanted) {
  const Fields f{extra};
  std::uint64_t at = 0;
  while (inside(at, 4, extra.size())) {
    const std::uint64_t size = f.u16(at + 2);
    if (!inside(at + 4, size, extra.size())) return false;
    if (f.u16(at) != 1) {
      at += 4 + size;
      continue;
    }
    std::uint64_t field = at + 4;
    for (std::uint64_t *value : wanted) {
      if (*value != 0xffffffff) continue;
      if (!inside(field, 8, at + 4 + size)) return false;
      *value = f.u64(field);
      field += 8;
    }
    return true;
  }
  return false;
}
} // namespace

bool looks_like_zip(std::span<const std::byte> bytes) {
  if (bytes.size() < 4) return false;
  const std::uint32_t signature = Fields{bytes}.u32(0);
  return signature == local_signature || signature == end_signature || signature == end64_signature;
}

Result<ZipArchive> open_zip(const ByteBlock &block, const std::string &file) {
  const Result<DirectoryPlace> place = find_directory(block.bytes, file);
  if (!place) return place.errors();
  ZipArchive archive{block, {}, place->offset};
  archive.members.reserve(static_cast<std::size_t>(place->entries));
  const Fields f{block.bytes};
  std::uint64_t at = place->offset;
  for (std::uint64_t i = 0; i < place->entries; ++i) {
    if (!inside(at, directory_bytes, place->end) || f.u32(at) != directory_signature)
      return malformed_zip(file, "its directory is damaged");
    const std::uint64_t name = f.u16(at + 28), extra = f.u16(at + 30), comment = f.u16(at + 32);
    if (!inside(at + directory_bytes, name + extra + comment, place->end))
      return malformed_zip(file, "its directory is damaged");
    ZipMember m;
    m.name = {reinterpret_cast<const char *>(block.bytes.data() + at + directory_bytes),
              static_cast<std::size_t>(name)};
    m.flags = f.u16(at + 8);
    m.method = f.u16(at + 10);
    m.crc = f.u32(at + 16);
    m.packed_size = f.u32(at + 20);
    m.size = f.u32(at + 24);
    m.header_offset = f.u32(at + 42);
    if ((m.packed_size == 0xffffffff || m.size == 0xffffffff || m.header_offset == 0xffffffff) &&
        !read_zip64(block.bytes.subspan(static_cast<std::size_t>(at + directory_bytes + name),
                                        static_cast<std::size_t>(extra)),
                    {&m.size, &m.packed_size, &m.header_offset}))
      return malformed_zip(file, "the member `" + printable_excerpt(m.name) + "` lacks its 64-bit sizes");
    archive.members.push_back(m);
    at += directory_bytes + name + extra + comment;
  }
  if (at != place->end) return malformed_zip(file, "its directory is longer than its members");
  return archive;
}

Result<std::span<const std::byte>> packed_bytes(const ZipArchive &archive, const ZipMember &member,
                                                const std::string &file) {
  const Fields f{archive.block.bytes};
  const std::uint64_t at = member.header_offset, limit = archive.directory_offset;
  if ((member.flags & (encrypted | masked)) != 0)
    return unsupported(file, "encryption", "pack it without a password");
  if (member.method != static_cast<std::uint16_t>(ZipMethod::stored) &&
      member.method != static_cast<std::uint16_t>(ZipMethod::deflated))
    return unsupported(file, "the zip method " + std::to_string(member.method),
                       "save it with `np.savez` or `np.savez_compressed`");
  if (!inside(at, local_bytes, limit) || f.u32(at) != local_signature)
    return malformed_zip(file, "the member is not where the directory says");
  const std::uint64_t name = f.u16(at + 26), extra = f.u16(at + 28);
  const std::uint64_t data = at + local_bytes + name + extra;
  if (!inside(data, member.packed_size, limit))
    return malformed_zip(file, "the member reaches over the directory");
  if (f.u16(at + 8) != member.method || name != member.name.size() ||
      std::memcmp(archive.block.bytes.data() + at + local_bytes, member.name.data(), member.name.size()) != 0)
    return malformed_zip(file, "the member's own header contradicts the directory");
  // Deflate packs at most 1032 to 1; a stored member is as long as it is.
  const bool stored = member.method == static_cast<std::uint16_t>(ZipMethod::stored);
  if (stored ? member.size != member.packed_size : member.size / 1032 > member.packed_size)
    return Diagnostic(Code::P0508, {},
                      {{"file", file},
                       {"what", "its " + std::to_string(member.packed_size) + " bytes cannot unpack to the " +
                                    std::to_string(member.size) + " that the directory claims"}});
  return archive.block.bytes.subspan(static_cast<std::size_t>(data),
                                     static_cast<std::size_t>(member.packed_size));
}

} // namespace tilenest
