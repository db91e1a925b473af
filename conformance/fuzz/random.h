// SPDX-License-Identifier: Apache-2.0
// Pseudo-random numbers, the same on every machine (splitmix64, Steele, Lea and Flood 2014).
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace tilenest::conformance {

class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x1234567) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) >> 1;
  }
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
  bool chance(int percent) { return below(100) < percent; }
  template <class T> auto pick(const T &v) { return v[static_cast<std::size_t>(below(static_cast<int>(std::size(v))))]; }

private:
  std::uint64_t state_;
};

} // namespace tilenest::conformance
