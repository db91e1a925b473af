// SPDX-License-Identifier: Apache-2.0
// Moving elements between strided places. Places may be unaligned (NumPy arrays can be), so elements move by
// memcpy of a constant size, which the compiler turns into plain moves.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tilenest {

template <std::size_t Bytes>
inline void copy_elements(std::byte *to, std::int64_t to_step, const std::byte *from, std::int64_t from_step,
                          std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) std::memcpy(to + i * to_step, from + i * from_step, Bytes);
}

// Copies n elements of `bytes` bytes; steps are in bytes.
inline void copy_row(std::byte *to, std::int64_t to_step, const std::byte *from, std::int64_t from_step,
                     std::int64_t n, std::size_t bytes) {
  const auto size = static_cast<std::int64_t>(bytes);
  if (to_step == size && from_step == size) {
    std::memcpy(to, from, static_cast<std::size_t>(n) * bytes);
    return;
  }
  switch (bytes) {
  case 1: copy_elements<1>(to, to_step, from, from_step, n); break;
  case 2: copy_elements<2>(to, to_step, from, from_step, n); break;
  case 4: copy_elements<4>(to, to_step, from, from_step, n); break;
  case 8: copy_elements<8>(to, to_step, from, from_step, n); break;
  default: // notes and enclosures
    for (std::int64_t i = 0; i < n; ++i) std::memcpy(to + i * to_step, from + i * from_step, bytes);
  }
}

} // namespace tilenest
