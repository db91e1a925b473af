// SPDX-License-Identifier: Apache-2.0
// Array files put together by hand: .npy and zip bytes from their formats' descriptions, sharing no code with
// the library, and a directory that goes with the test.
#pragma once
#include "arrays/file.h"
#include "arrays/npz.h"
#include <bit>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace tilenest_test {

inline std::string number(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(i < 8 ? value >> (8 * i) : 0);
  return out;
}

// Elements, little-endian or turned round.
template <class T> std::string elements(const std::vector<T> &values, bool big_endian = false) {
  std::string out;
  for (const T value : values) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    if (big_endian) std::reverse(bytes, bytes + sizeof(T));
    out.append(bytes, sizeof(T));
  }
  return out;
}

// A file with this header text, unpadded, in the given version of the format.
inline std::string npy_with_header(const std::string &header, const std::string &data, int major = 1) {
  std::string out = "\x93NUMPY";
  out += static_cast<char>(major);
  out += '\0';
  return out + number(header.size(), major == 1 ? 2 : 4) + header + data;
}

// shape as Python writes it: "(2, 3)"
inline std::string npy(const std::string &descr, const std::string &shape, const std::string &data,
                       bool fortran = false, int major = 1) {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
                       ", 'shape': " + shape + ", }";
  while ((header.size() + (major == 1 ? 10 : 12) + 1) % 64 != 0) header += ' ';
  return npy_with_header(header + '\n', data, major);
}

inline std::uint32_t crc32_by_bits(const std::string &bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int i = 0; i < 8; ++i) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

// Deflate's stored blocks: valid deflated data without a compressor.
inline std::string deflate_stored(const std::string &bytes) {
  std::string out;
  std::size_t at = 0;
  do {
    const std::size_t n = std::min<std::size_t>(bytes.size() - at, 0xffff);
    out += at + n == bytes.size() ? '\1' : '\0';
    out += number(n, 2) + number(~n, 2) + bytes.substr(at, n);
    at += n;
  } while (at < bytes.size());
  return out;
}

// One member as it goes into an archive; every field can be made to lie.
struct ZipPart {
  std::string name, packed;
  std::uint64_t size = 0;
  std::uint32_t crc = 0;
  int method = 0, flags = 0;
  bool zip64 = false;
  std::uint64_t packed_size = 0;
  std::string local_name;

  static ZipPart stored(const std::string &name, const std::string &bytes) {
    return {name, bytes, bytes.size(), crc32_by_bits(bytes), 0, 0, false, bytes.size(), name};
  }
  static ZipPart deflated(const std::string &name, const std::string &bytes) {
    ZipPart part = stored(name, bytes);
    part.packed = deflate_stored(bytes);
    part.packed_size = part.packed.size();
    part.method = 8;
    return part;
  }
};

inline std::string zip(const std::vector<ZipPart> &parts, const std::string &comment = "",
                       bool zip64_end = false) {
  std::string out, directory;
  for (const ZipPart &p : parts) {
    const std::uint64_t offset = out.size();
    const bool descriptor = (p.flags & 8) != 0;
    const std::string sizes = p.zip64 ? number(0xffffffff, 4) + number(0xffffffff, 4)
                                      : number(p.packed_size, 4) + number(p.size, 4);
    const std::string common =
        number(p.zip64 ? 45 : 20, 2) + number(p.flags, 2) + number(p.method, 2) + number(0, 4);
    const std::string long_sizes = number(p.size, 8) + number(p.packed_size, 8);
    const std::string local_extra = p.zip64 ? number(1, 2) + number(16, 2) + long_sizes : "";
    const std::string extra = p.zip64 ? number(1, 2) + number(24, 2) + long_sizes + number(offset, 8) : "";
    out += "PK\3\4" + common + (descriptor ? number(0, 12) : number(p.crc, 4) + sizes) +
           number(p.local_name.size(), 2) + number(local_extra.size(), 2) + p.local_name + local_extra +
           p.packed;
    if (descriptor) out += "PK\7\10" + number(p.crc, 4) + sizes;
    directory += "PK\1\2" + number(45, 2) + common + number(p.crc, 4) + sizes + number(p.name.size(), 2) +
                 number(extra.size(), 2) + number(0, 10) + number(p.zip64 ? 0xffffffff : offset, 4) + p.name +
                 extra;
  }
  const std::uint64_t start = out.size(), end = start + directory.size();
  out += directory;
  if (zip64_end)
    out += "PK\6\6" + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8) + number(parts.size(), 8) +
           number(parts.size(), 8) + number(directory.size(), 8) + number(start, 8) + "PK\6\7" +
           number(0, 4) + number(end, 8) + number(1, 4);
  out += "PK\5\6" + number(0, 4);
  out += zip64_end ? number(0xffff, 2) + number(0xffff, 2) + number(0xffffffff, 4) + number(0xffffffff, 4)
                   : number(parts.size(), 2) + number(parts.size(), 2) + number(directory.size(), 4) +
                         number(start, 4);
  return out + number(comment.size(), 2) + comment;
}

inline tilenest::ByteBlock block_of(const std::string &bytes) {
  return {std::as_bytes(std::span(bytes)), nullptr, false};
}

class TemporaryDirectory {
public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "tilenest-test-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  std::string file(const std::string &name) const { return (path_ / name).string(); }
  std::string file(const std::string &name, const std::string &contents) const {
    std::ofstream(path_ / name, std::ios::binary) << contents;
    return file(name);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto &entry : std::filesystem::directory_iterator(path_))
      out.push_back(entry.path().filename());
    std::sort(out.begin(), out.end());
    return out;
  }

private:
  std::filesystem::path path_;
};

// A file of six elements, and an archive read from an exact heap copy, so that a sanitizer sees a read behind the end.
inline const std::string plain = npy("<f4", "(2, 3)", elements<float>({0, 1, 2, 3, 4, 5}));
inline tilenest::Result<tilenest::Array> unzipped(const std::string &bytes, const std::string &name = "") {
  const std::vector<char> exact(bytes.begin(), bytes.end());
  return tilenest::parse_npz({std::as_bytes(std::span(exact)), nullptr, false}, "m.npz", name);
}

inline std::string data_file(const std::string &name) { return std::string(TILENEST_SOURCE_DIR) + "/tests/arrays/data/" + name; }

inline std::string contents(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace tilenest_test
