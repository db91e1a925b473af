// SPDX-License-Identifier: Apache-2.0
// Array files byte by byte, written from NumPy's format description and from zip's, with no code of arrays/.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace tilenest::cli_test {

// `shape` as Python writes it: "(3, 4)", "(5,)", "()".
std::string npy(const std::string &dtype, const std::string &shape, const std::string &data, bool fortran = false);

// A zip archive of stored members; `method` is written as it is, whatever the data.
std::string npz(const std::vector<std::pair<std::string, std::string>> &members, std::uint16_t method = 0);

template <class T> std::string little(const std::vector<T> &values) { // the tests run on little-endian machines
  std::string out(values.size() * sizeof(T), '\0');
  std::memcpy(out.data(), values.data(), out.size());
  return out;
}
template <class T> std::string big(const std::vector<T> &values) {
  std::string out = little(values);
  for (std::size_t i = 0; i < out.size(); i += sizeof(T))
    for (std::size_t j = 0; j < sizeof(T) / 2; ++j) std::swap(out[i + j], out[i + sizeof(T) - 1 - j]);
  return out;
}

// What stands behind the header of a .npy file, and the header's text.
std::string npy_data(const std::string &file);
std::string npy_header(const std::string &file);
template <class T> std::vector<T> values_of(const std::string &file) {
  const std::string data = npy_data(file);
  std::vector<T> out(data.size() / sizeof(T));
  std::memcpy(out.data(), data.data(), out.size() * sizeof(T));
  return out;
}

} // namespace tilenest::cli_test
