// SPDX-License-Identifier: Apache-2.0
// Matrices of f32 as .npy files (format 1.0, little-endian, C order): just enough for the oracles of the
// examples. It shares no code with arrays/, so that a fault there does not hide itself.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace oracle {

struct Matrix {
  std::size_t rows = 0, columns = 0;
  std::vector<float> values;
  float at(std::size_t i, std::size_t j) const { return values[i * columns + j]; }
};

// False when the file could not be written.
bool write_npy(const std::string &path, const Matrix &matrix);
// Nothing, and a line on stderr, when the file is not such a matrix.
std::optional<Matrix> read_npy(const std::string &path);

} // namespace oracle
