// SPDX-License-Identifier: Apache-2.0
// Permutations of [0, n) that are computed and not stored: for any n, position by position.
#pragma once
#include "lower/interpret.h"
#include <bit>

namespace tilenest::plan {

class Permutation {
public:
  // `n` below 2^63.
  Permutation(VisitOrder order, std::uint64_t n, std::uint64_t seed) : order_(order), n_(n) {
    bits_ = n < 2 ? 1 : static_cast<int>(std::bit_width(n - 1));
    mask_ = (std::uint64_t{1} << bits_) - 1;
    for (std::uint64_t &key : keys_) key = next(seed);
  }

  std::uint64_t operator()(std::uint64_t i) const {
    if (order_ == VisitOrder::forward) return i;
    if (order_ == VisitOrder::backward) return n_ - 1 - i;
    do i = mixed(i); // a permutation of [0, 2^bits): its cycle comes back to [0, n)
    while (i >= n_);
    return i;
  }

private:
  // Each round is a permutation of [0, 2^bits): an odd factor, a sum, a shift to the right under xor.
  std::uint64_t mixed(std::uint64_t x) const {
    for (std::uint64_t key : keys_) {
      x = (x * (key | 1) + (key >> 17)) & mask_;
      x ^= x >> (bits_ + 1) / 2;
    }
    return x;
  }
  static std::uint64_t next(std::uint64_t &state) { // splitmix64
    state += 0x9e3779b97f4a7c15;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  VisitOrder order_;
  std::uint64_t n_, mask_, keys_[4];
  int bits_;
};

} // namespace tilenest::plan
