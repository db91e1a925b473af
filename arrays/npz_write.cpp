// SPDX-License-Identifier: Apache-2.0
// Writing a .npz file: stored members, each aligned so that its array can be mapped, zip64 where a size or an
// offset needs it. Dates are those of the format's epoch: equal arrays give equal files.
#include "arrays/npz.h"
#include "arrays/zip.h"
#include "semantics/diag/codes.h"
#include <algorithm>

namespace tilenest {

namespace {
constexpr std::uint64_t large = 0xffffffff;
constexpr std::uint16_t utf8_name = 1u << 11, epoch_date = 0x21, alignment_extra = 0xd935;

struct Record {
  std::string bytes;
  Record &put(std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
    return *this;
  }
  Record &u16(std::uint64_t v) { return put(v, 2); }
  Record &u32(std::uint64_t v) { return put(v, 4); }
  Record &u64(std::uint64_t v) { return put(v, 8); }
  std::span<const std::byte> span() const { return std::as_bytes(std::span(bytes)); }
};

struct Entry {
  std::string name;
  std::uint64_t offset = 0, size = 0;
  std::uint32_t crc = 0;
  bool needs_64() const { return size >= large || offset >= large; }
  std::uint16_t flags() const {
    return std::all_of(name.begin(), name.end(), [](char c) { return (c & 0x80) == 0; }) ? 0 : utf8_name;
  }
};

std::uint32_t clipped(std::uint64_t value) { return static_cast<std::uint32_t>(std::min(value, large)); }

// The fields that a local header and a directory entry share, from "version needed" to "extra length".
void put_shared(Record &r, const Entry &e, bool zip64, std::uint64_t extra) {
  r.u16(zip64 ? 45 : 20).u16(e.flags()).u16(0).u16(0).u16(epoch_date).u32(e.crc);
  r.u32(zip64 ? large : e.size).u32(zip64 ? large : e.size).u16(e.name.size()).u16(extra);
}

// The local header, padded so that what follows it starts at a multiple of 64.
Record local_header(const Entry &e) {
  const bool zip64 = e.size >= large;
  const std::uint64_t before = e.offset + 30 + e.name.size() + (zip64 ? 20 : 0) + 6;
  const std::uint64_t padding = (64 - before % 64) % 64;
  Record r;
  r.u32(0x04034b50);
  put_shared(r, e, zip64, (zip64 ? 20 : 0) + 6 + padding);
  r.bytes += e.name;
  if (zip64) r.u16(1).u16(16).u64(e.size).u64(e.size);
  r.u16(alignment_extra).u16(2 + padding).u16(64);
  r.bytes.append(static_cast<std::size_t>(padding), '\0');
  return r;
}

void put_directory_entry(Record &r, const Entry &e) {
  r.u32(0x02014b50).u16(3 << 8 | 45);
  put_shared(r, e, e.needs_64(), e.needs_64() ? 28 : 0);
  r.u16(0).u16(0).u16(0).u32(0644u << 16).u32(e.needs_64() ? large : e.offset);
  r.bytes += e.name;
  if (e.needs_64()) r.u16(1).u16(24).u64(e.size).u64(e.size).u64(e.offset);
}

Record directory(const std::vector<Entry> &entries, std::uint64_t offset) {
  Record r;
  for (const Entry &e : entries) put_directory_entry(r, e);
  const std::uint64_t size = r.bytes.size(), count = entries.size();
  if (offset >= large || size >= large || count >= 0xffff) {
    r.u32(0x06064b50).u64(44).u16(45).u16(45).u32(0).u32(0).u64(count).u64(count).u64(size).u64(offset);
    r.u32(0x07064b50).u32(0).u64(offset + size).u32(1);
  }
  const std::uint64_t short_count = std::min<std::uint64_t>(count, 0xffff);
  r.u32(0x06054b50).u16(0).u16(0).u16(short_count).u16(short_count);
  r.u32(clipped(size)).u32(clipped(offset)).u16(0);
  return r;
}

Diagnostics append_member(ReplacementFile &file, Entry &e, const Array &array) {
  const std::string header = npy_header_bytes(array.type, array.shape, npy_order(array));
  e.offset = file.size();
  e.size = header.size() + static_cast<std::uint64_t>(array.bytes());
  const auto append = [&](std::span<const std::byte> bytes) {
    e.crc = crc32_of(bytes, e.crc);
    return file.append(bytes);
  };
  if (Diagnostics failed = file.append(local_header(e).span()); !failed.empty()) return failed;
  if (Diagnostics failed = append(std::as_bytes(std::span(header))); !failed.empty()) return failed;
  if (Diagnostics failed = for_each_npy_chunk(array, append); !failed.empty()) return failed;
  return file.overwrite(e.offset, local_header(e).span()); // now with the checksum
}
} // namespace

Diagnostics write_npz(const std::string &path, const std::vector<std::pair<std::string, Array>> &arrays) {
  std::vector<Entry> entries;
  const auto refused = [&](std::string why) {
    return Diagnostics{Diagnostic(Code::P0509, {}, {{"file", path}, {"why", std::move(why)}})};
  };
  for (const auto &[name, array] : arrays) {
    Entry e{name + ".npy"};
    if (name.empty() || e.name.size() > 0xffff) return refused("a member's name is empty or too long");
    for (const Entry &other : entries)
      if (other.name == e.name) return refused("two members are named `" + printable_excerpt(name) + "`");
    entries.push_back(std::move(e));
  }
  Result<ReplacementFile> file = ReplacementFile::create(path);
  if (!file) return file.errors();
  for (std::size_t i = 0; i < arrays.size(); ++i)
    if (Diagnostics failed = append_member(*file, entries[i], arrays[i].second); !failed.empty())
      return failed;
  if (Diagnostics failed = file->append(directory(entries, file->size()).span()); !failed.empty())
    return failed;
  return file->commit();
}

} // namespace tilenest
