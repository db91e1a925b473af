// SPDX-License-Identifier: Apache-2.0
// The .npy format as NumPy documents it: magic, version, length of the header, a dictionary as text, the data.
#include "examples/oracle/npy_f32.h"
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

namespace oracle {

namespace {
constexpr char magic[] = "\x93NUMPY\x01\x00";
constexpr std::size_t magic_size = 8, prefix_size = 10;
} // namespace

bool write_npy(const std::string &path, const Array &array) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  for (std::size_t extent : array.shape) header += std::to_string(extent) + ", ";
  header += "), }";
  header.resize((prefix_size + header.size() + 1 + 63) / 64 * 64 - prefix_size - 1, ' ');
  header += '\n';
  std::ofstream out(path, std::ios::binary);
  out.write(magic, magic_size);
  out.put(static_cast<char>(header.size() & 0xFF)).put(static_cast<char>(header.size() >> 8));
  out << header;
  out.write(reinterpret_cast<const char *>(array.values.data()),
            static_cast<std::streamsize>(array.values.size() * sizeof(float)));
  return out.good();
}

std::optional<Array> read_npy(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  char prefix[prefix_size] = {};
  in.read(prefix, prefix_size);
  std::string header(static_cast<unsigned char>(prefix[8]) + 256u * static_cast<unsigned char>(prefix[9]), '\0');
  in.read(header.data(), static_cast<std::streamsize>(header.size()));
  const std::string word = "'shape': (";
  const std::size_t shape = header.find(word);
  bool understood = in && std::memcmp(prefix, magic, 7) == 0 &&
                    header.find("'descr': '<f4'") != std::string::npos &&
                    header.find("'fortran_order': False") != std::string::npos && shape != std::string::npos;
  Array array;
  std::size_t count = 1;
  if (understood) {
    std::istringstream extents(header.substr(shape + word.size()));
    for (std::size_t extent; extents >> extent; extents.ignore(1, ',')) {
      array.shape.push_back(extent);
      count *= extent;
    }
    array.values.resize(count);
    in.read(reinterpret_cast<char *>(array.values.data()), static_cast<std::streamsize>(count * sizeof(float)));
    understood = in && in.peek() == std::ifstream::traits_type::eof();
  }
  if (understood) return array;
  std::fprintf(stderr, "%s is not an array of f32 in C order\n", path.c_str());
  return std::nullopt;
}

} // namespace oracle
