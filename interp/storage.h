// SPDX-License-Identifier: Apache-2.0
// Storage of views: where an object's bytes are, how a coordinate finds them, and which bytes hold a value
// (MEM-INIT). Definedness is kept as one bit per byte and only where something can be undefined.
#pragma once
#include "interp/tile.h"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tilenest {

// One bit per byte of a flat range. An offset is in bytes from the object's lowest byte.
class DefinedBytes {
public:
  explicit DefinedBytes(std::size_t bytes) : words_((bytes + 63) / 64, 0) {}
  void clear() { std::fill(words_.begin(), words_.end(), 0); }

  void set(std::size_t at, std::size_t n) {
    while (n > 0) {
      const std::size_t bit = at & 63, take = std::min<std::size_t>(n, 64 - bit);
      words_[at >> 6] |= mask(bit, take);
      at += take;
      n -= take;
    }
  }
  bool all(std::size_t at, std::size_t n) const {
    while (n > 0) {
      const std::size_t bit = at & 63, take = std::min<std::size_t>(n, 64 - bit);
      const std::uint64_t m = mask(bit, take);
      if ((words_[at >> 6] & m) != m) return false;
      at += take;
      n -= take;
    }
    return true;
  }

private:
  static std::uint64_t mask(std::size_t bit, std::size_t n) {
    return (n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1) << bit;
  }
  std::vector<std::uint64_t> words_;
};

// One object: an argument or one allocation of a memory.
struct ObjectStorage {
  std::byte *base = nullptr;                     // the element at coordinate 0
  std::int64_t lowest = 0;                       // byte offset from base of what the first bit of `defined` is for
  std::shared_ptr<DefinedBytes> defined;         // none: every byte holds a value; overlapping arguments share it
  BlockRef owned;                                // memories

  bool is_defined(std::int64_t offset, std::size_t bytes) const {
    return !defined || defined->all(static_cast<std::size_t>(offset - lowest), bytes);
  }
  void define(std::int64_t offset, std::size_t bytes) {
    if (defined) defined->set(static_cast<std::size_t>(offset - lowest), bytes);
  }
};

// How one view finds an element: byte strides per axis, or a table of byte offsets by linear coordinate.
struct ViewAddress {
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> strides;             // bytes, unless `table`
  std::shared_ptr<const std::vector<std::int64_t>> table;
  std::size_t element_bytes = 0;

  std::int64_t offset(const std::int64_t *coordinate) const {
    if (table) {
      std::int64_t linear = 0;
      for (std::size_t i = 0; i < extents.size(); ++i) linear = linear * extents[i] + coordinate[i];
      return (*table)[static_cast<std::size_t>(linear)];
    }
    std::int64_t at = 0;
    for (std::size_t i = 0; i < extents.size(); ++i) at += coordinate[i] * strides[i];
    return at;
  }
};

} // namespace tilenest
