// SPDX-License-Identifier: Apache-2.0
// Choosing and unpacking a member of a .npz file. A deflated member's header is unpacked first; only if its
// array has the size that the directory claims is memory taken for the rest.
#include "arrays/npz.h"
#include "arrays/zip.h"
#include "semantics/diag/codes.h"
#include <sys/stat.h>

namespace tilenest {

namespace {
constexpr std::string_view suffix = ".npy";

std::string_view without_suffix(std::string_view name) {
  return name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : name;
}

Diagnostic damaged(const std::string &file, std::string what) {
  return {Code::P0508, {}, {{"file", file}, {"what", std::move(what)}}};
}

// "its members are `a`, `b`"
std::string listing(const ZipArchive &archive) {
  constexpr std::size_t shown = 20;
  std::string text;
  std::size_t n = 0;
  for (const ZipMember &m : archive.members) {
    if (m.name.ends_with('/')) continue;
    if (++n > shown) continue;
    text += (n > 1 ? ", `" : "`") + printable_excerpt(without_suffix(m.name)) + "`";
  }
  if (n == 0) return {};
  if (n > shown) text += " and " + std::to_string(n - shown) + " more";
  return "its members are " + text;
}

Result<const ZipMember *> choose(const ZipArchive &archive, const std::string &file,
                                 const std::string &name) {
  const ZipMember *chosen = nullptr;
  std::size_t fitting = 0;
  for (const ZipMember &m : archive.members) {
    if (m.name.ends_with('/') || (!name.empty() && m.name != name && without_suffix(m.name) != name))
      continue;
    ++fitting;
    chosen = &m;
  }
  if (fitting == 1) return chosen;
  const std::string members = listing(archive);
  std::string what;
  if (members.empty())
    what = "holds no array";
  else if (!name.empty())
    what = (fitting == 0 ? "has no member `" : "has several members `") + printable_excerpt(name) + "`: " + members;
  else
    what = "holds several arrays: " + members;
  return Diagnostic(Code::P0507, {}, {{"file", file}, {"what", what}},
                    name.empty() && !members.empty() ? "choose one with `" + file + ":NAME`" : std::string());
}

Diagnostics size_fits(const NpyHeader &header, std::uint64_t size, const std::string &file) {
  const auto need =
      static_cast<std::uint64_t>(header.data_offset) + static_cast<std::uint64_t>(header.data_bytes);
  if (size == need) return {};
  return {damaged(file, "the archive claims " + std::to_string(size) + " bytes for it, its array " +
                            describe(header.type, header.shape) + " needs " + std::to_string(need))};
}

Result<Array> unpack(std::span<const std::byte> packed, const ZipMember &member, const std::string &file,
                     std::optional<ScalarType> expected) {
  Inflater inflater(packed);
  const auto clipped = [&](std::int64_t n) {
    return static_cast<std::size_t>(std::min(static_cast<std::uint64_t>(n), member.size));
  };
  std::vector<std::byte> head(clipped(static_cast<std::int64_t>(npy_prefix_bytes)));
  const std::size_t start = inflater.read(head);
  if (start < head.size()) return damaged(file, "it does not unpack");
  const Result<std::int64_t> offset = npy_data_offset(head, file);
  if (!offset) return offset.errors();
  // A header that claims to end before the bytes read is too short for a dict: its parser refuses it.
  head.resize(std::max(start, clipped(*offset)));
  const std::size_t rest = head.size() - start;
  if (inflater.read(std::span(head).subspan(start)) < rest) return damaged(file, "it does not unpack");
  const Result<NpyHeader> header = parse_npy_header(head, file, expected);
  if (!header) return header.errors();
  if (Diagnostics failed = size_fits(*header, member.size, file); !failed.empty()) return failed;
  Result<Array> array = allocate_for(*header);
  if (!array) return array;
  const std::span<std::byte> data(array->data, static_cast<std::size_t>(header->data_bytes));
  if (inflater.read(data) < data.size())
    return damaged(file, "it unpacks to fewer bytes than the archive claims");
  const std::uint32_t crc = inflater.crc();
  if (!inflater.at_end())
    return damaged(file,
                   inflater.damaged() ? "it does not unpack" : "it does not end where the archive claims");
  if (crc != member.crc) return damaged(file, "its checksum does not fit");
  if (Diagnostics failed = finish_elements(*array, *header, file); !failed.empty()) return failed;
  return array;
}

bool is_file(const std::string &path) {
  struct stat s;
  return stat(path.c_str(), &s) == 0 && S_ISREG(s.st_mode);
}
} // namespace

Result<Array> parse_npz(const ByteBlock &block, const std::string &file, const std::string &name,
                        std::optional<ScalarType> expected, MapMode access) {
  if (!looks_like_zip(block.bytes))
    return Diagnostic(Code::P0502, {}, {{"file", file}, {"found", "it is no zip archive"}},
                      "archives are saved with `np.savez(\"a.npz\", a=a)`");
  const Result<ZipArchive> archive = open_zip(block, file);
  if (!archive) return archive.errors();
  const Result<const ZipMember *> chosen = choose(*archive, file, name);
  if (!chosen) return chosen.errors();
  const ZipMember &member = **chosen;
  const std::string place = file + ":" + printable_excerpt(without_suffix(member.name));
  const Result<std::span<const std::byte>> packed = packed_bytes(*archive, member, place);
  if (!packed) return packed.errors();
  if (member.method == static_cast<std::uint16_t>(ZipMethod::deflated))
    return unpack(*packed, member, place, expected);
  const Result<NpyHeader> header = parse_npy_header(*packed, place, expected);
  if (!header) return header.errors();
  if (Diagnostics failed = size_fits(*header, member.size, place); !failed.empty()) return failed;
  if (crc32_of(*packed) != member.crc) return damaged(place, "its checksum does not fit");
  return parse_npy({*packed, block.owner, block.writable}, place, expected, access);
}

Result<Array> read_npz(const std::string &path, const std::string &name, std::optional<ScalarType> expected,
                       MapMode access) {
  const Result<ByteBlock> block = map_file(path, access);
  if (!block) return block.errors();
  return parse_npz(*block, path, name, expected, access);
}

Result<Array> read_array(const std::string &place, std::optional<ScalarType> expected, MapMode access,
                         Diagnostics *warnings) {
  constexpr std::string_view mark = ".npz:";
  if (!is_file(place)) {
    // The first split that names a file, or the first at all for the message.
    std::size_t split = std::string::npos;
    for (std::size_t at = place.find(mark); at != std::string::npos; at = place.find(mark, at + 1)) {
      const std::size_t colon = at + mark.size() - 1;
      const bool found = is_file(place.substr(0, colon));
      if (split == std::string::npos || found) split = colon;
      if (found) break;
    }
    if (split != std::string::npos)
      return read_npz(place.substr(0, split), place.substr(split + 1), expected, access);
  }
  const Result<ByteBlock> block = map_file(place, access);
  if (!block) return block.errors();
  return looks_like_zip(block->bytes) ? parse_npz(*block, place, {}, expected, access)
                                      : parse_npy(*block, place, expected, access, warnings);
}

} // namespace tilenest
