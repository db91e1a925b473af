// SPDX-License-Identifier: Apache-2.0
// Bytes of .npy and .npz files.
#include "tests/cli/npy_bytes.h"

namespace tilenest::cli_test {

namespace {

std::string u16(std::uint32_t x) { return {static_cast<char>(x & 255), static_cast<char>(x >> 8 & 255)}; }
std::string u32(std::uint32_t x) { return u16(x & 0xffff) + u16(x >> 16); }

std::uint32_t crc32(const std::string &bytes) {
  std::uint32_t crc = ~0u;
  for (unsigned char c : bytes) {
    crc ^= c;
    for (int i = 0; i < 8; ++i) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

} // namespace

std::string npy(const std::string &dtype, const std::string &shape, const std::string &data, bool fortran) {
  std::string header = "{'descr': '" + dtype + "', 'fortran_order': " + (fortran ? "True" : "False") +
                       ", 'shape': " + shape + ", }";
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + u16(static_cast<std::uint32_t>(header.size())) + header + data;
}

std::string npz(const std::vector<std::pair<std::string, std::string>> &members, std::uint16_t method) {
  std::string out, directory;
  for (const auto &[name, data] : members) {
    const std::uint32_t size = static_cast<std::uint32_t>(data.size()), crc = crc32(data);
    const std::uint32_t offset = static_cast<std::uint32_t>(out.size());
    const std::string same = u16(20) + u16(0) + u16(method) + u16(0) + u16(0x21) + u32(crc) + u32(size) + u32(size) +
                             u16(static_cast<std::uint32_t>(name.size())) + u16(0);
    out += "PK\x03\x04" + same + name + data;
    directory += "PK\x01\x02" + u16(20) + same + u16(0) + u16(0) + u16(0) + u32(0) + u32(offset) + name;
  }
  const std::uint32_t start = static_cast<std::uint32_t>(out.size()), count = static_cast<std::uint32_t>(members.size());
  return out + directory + "PK\x05\x06" + u16(0) + u16(0) + u16(count) + u16(count) +
         u32(static_cast<std::uint32_t>(directory.size())) + u32(start) + u16(0);
}

std::string npy_header(const std::string &file) {
  if (file.size() < 10) return {};
  const std::size_t length = static_cast<unsigned char>(file[8]) + 256u * static_cast<unsigned char>(file[9]);
  return file.substr(10, length);
}

std::string npy_data(const std::string &file) {
  const std::size_t start = 10 + npy_header(file).size();
  return file.size() < start ? std::string() : file.substr(start);
}

} // namespace tilenest::cli_test
