// SPDX-License-Identifier: Apache-2.0
// The .npy format as NumPy documents it: magic, version, length of the header, a dictionary as text, the data.
#include "examples/oracle/npy_f32.h"
#include <cstdio>
#include <cstring>
#include <fstream>

namespace oracle {

namespace {
constexpr char magic[] = "\x93NUMPY\x01\x00";
constexpr std::size_t magic_size = 8, prefix_size = 10;
} // namespace

bool write_npy(const std::string &path, const Matrix &matrix) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(matrix.rows) + ", " +
                       std::to_string(matrix.columns) + "), }";
  header.resize((prefix_size + header.size() + 1 + 63) / 64 * 64 - prefix_size - 1, ' ');
  header += '\n';
  std::ofstream out(path, std::ios::binary);
  out.write(magic, magic_size);
  out.put(static_cast<char>(header.size() & 0xFF)).put(static_cast<char>(header.size() >> 8));
  out << header;
  out.write(reinterpret_cast<const char *>(matrix.values.data()),
            static_cast<std::streamsize>(matrix.values.size() * sizeof(float)));
  return out.good();
}

std::optional<Matrix> read_npy(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  char prefix[prefix_size] = {};
  in.read(prefix, prefix_size);
  std::string header(static_cast<unsigned char>(prefix[8]) + 256u * static_cast<unsigned char>(prefix[9]), '\0');
  in.read(header.data(), static_cast<std::streamsize>(header.size()));
  Matrix m;
  const std::size_t shape = header.find("'shape': (");
  const bool understood =
      in && std::memcmp(prefix, magic, 7) == 0 && header.find("'descr': '<f4'") != std::string::npos &&
      header.find("'fortran_order': False") != std::string::npos && shape != std::string::npos &&
      std::sscanf(header.c_str() + shape, "'shape': (%zu, %zu)", &m.rows, &m.columns) == 2;
  if (understood) {
    m.values.resize(m.rows * m.columns);
    in.read(reinterpret_cast<char *>(m.values.data()), static_cast<std::streamsize>(m.values.size() * sizeof(float)));
  }
  if (!understood || !in || in.peek() != std::ifstream::traits_type::eof()) {
    std::fprintf(stderr, "%s is not a matrix of f32 in C order\n", path.c_str());
    return std::nullopt;
  }
  return m;
}

} // namespace oracle
