// SPDX-License-Identifier: Apache-2.0
// Arrays of f32 as .npy files (format 1.0, little-endian, C order): just enough for the oracles of the
// examples. It shares no code with arrays/, so that a fault there does not hide itself.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace oracle {

struct Array {
  std::vector<std::size_t> shape;
  std::vector<float> values; // row-major

  template <class... Index> float at(Index... index) const {
    std::size_t offset = 0, axis = 0;
    ((offset = offset * shape[axis++] + index), ...);
    return values[offset];
  }
};

// False when the file could not be written.
bool write_npy(const std::string &path, const Array &array);
// Nothing, and a line on stderr, when the file is not such an array.
std::optional<Array> read_npy(const std::string &path);

} // namespace oracle
