// SPDX-License-Identifier: Apache-2.0
// Storage of views: where an object's bytes are, how a coordinate finds them, and which of them hold a value
// (MEM-INIT). Definedness is kept as one bit per byte, per half byte in programs that have views of 4-bit
// elements, and only where something can be undefined. Places are counted in bytes, through a view of 4-bit
// elements in half bytes, the low half first.
#pragma once
#include "interp/lazy_array.h"
#include "interp/residence.h"
#include "interp/tile.h"
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tilenest {

// One bit per byte, or half byte, of a flat range from the object's lowest byte.
class DefinedBytes {
public:
  explicit DefinedBytes(std::size_t bytes, bool halves = false)
      : halves_(halves), words_(((bytes << int{halves}) + 63) / 64) {}
  void clear() { words_.clear(); }
  // While shared, several threads may set bits, each its own, and ask for bits that no other sets.
  void share(bool on) { shared_ = on; }

  void set(std::size_t at, std::size_t n) { set_bits(at << int{halves_}, n << int{halves_}); }
  bool all(std::size_t at, std::size_t n) const { return all_bits(at << int{halves_}, n << int{halves_}); }
  void set_half(std::size_t at) { set_bits(at, 1); }
  bool has_half(std::size_t at) const { return all_bits(at, 1); }

  // Of n elements of `size` bytes that lie side by side from byte `at` on, how many are defined, and the first that is
  // not (n if there is none); of elements of half a byte the same from half byte `at` on.
  std::size_t count(std::size_t at, std::size_t n, std::size_t size) const { return count_bits(at << int{halves_}, n, size << int{halves_}); }
  std::size_t count_halves(std::size_t at, std::size_t n) const { return count_bits(at, n, 1); }
  std::size_t first_missing(std::size_t at, std::size_t n, std::size_t size) const { return first_gap(at << int{halves_}, n, size << int{halves_}); }
  std::size_t first_missing_half(std::size_t at, std::size_t n) const { return first_gap(at, n, 1); }
  // f(first, last) for the parts of bytes [at, at + n) with what is defined in them, in order.
  template <class F> void for_parts(std::size_t at, std::size_t n, F &&f) const {
    constexpr std::size_t step = 64; // words
    const std::size_t bytes = (step * 64) >> int{halves_}, end = at + n;
    for (std::size_t first = at / bytes * bytes; first < end; first += bytes) {
      const std::uint64_t *from = words_.data() + ((first << int{halves_}) >> 6);
      const std::uint64_t *to = std::min<const std::uint64_t *>(from + step, words_.data() + words_.size());
      if (std::any_of(from, to, [](std::uint64_t w) { return w != 0; })) f(std::max(first, at), std::min(first + bytes, end));
    }
  }

private:
  std::size_t count_bits(std::size_t bit, std::size_t n, std::size_t size) const {
    std::size_t out = 0;
    if (bit % size != 0 || 64 % size != 0) {
      for (std::size_t i = 0; i < n; ++i) out += all_bits(bit + i * size, size);
      return out;
    }
    std::uint64_t lowest = 1; // of each element's bits
    for (std::size_t k = size; k < 64; k *= 2) lowest |= lowest << k;
    for (std::size_t end = bit + n * size; bit < end;) {
      const std::size_t in_word = bit & 63, take = std::min<std::size_t>(end - bit, 64 - in_word);
      std::uint64_t w = words_[bit >> 6] & mask(in_word, take);
      for (std::size_t k = 1; k < size; k *= 2) w &= w >> k;
      out += static_cast<std::size_t>(std::popcount(w & lowest));
      bit += take;
    }
    return out;
  }
  std::size_t first_gap(std::size_t bit, std::size_t n, std::size_t size) const {
    const std::size_t begin = bit, end = bit + n * size;
    while (bit < end) {
      const std::size_t in_word = bit & 63, take = std::min<std::size_t>(end - bit, 64 - in_word);
      const std::uint64_t missing = ~words_[bit >> 6] & mask(in_word, take);
      if (missing != 0) return (bit - in_word + static_cast<std::size_t>(std::countr_zero(missing)) - begin) / size;
      bit += take;
    }
    return n;
  }
  void set_bits(std::size_t at, std::size_t n) {
    while (n > 0) {
      const std::size_t bit = at & 63, take = std::min<std::size_t>(n, 64 - bit);
      const std::uint64_t m = mask(bit, take);
      if (shared_)
        std::atomic_ref(words_[at >> 6]).fetch_or(m, std::memory_order_relaxed);
      else
        words_[at >> 6] |= m;
      at += take;
      n -= take;
    }
  }
  bool all_bits(std::size_t at, std::size_t n) const {
    while (n > 0) {
      const std::size_t bit = at & 63, take = std::min<std::size_t>(n, 64 - bit);
      const std::uint64_t m = mask(bit, take);
      const std::uint64_t word =
          shared_ ? std::atomic_ref(words_[at >> 6]).load(std::memory_order_relaxed)
                  : words_[at >> 6];
      if ((word & m) != m) return false;
      at += take;
      n -= take;
    }
    return true;
  }

  static std::uint64_t mask(std::size_t bit, std::size_t n) {
    return (n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1) << bit;
  }
  bool halves_;
  LazyArray<std::uint64_t> words_;
  bool shared_ = false;
};

// A 4-bit element in its byte, `at` in half bytes from `base`. A store leaves the byte's other half to whoever
// stores it, perhaps at the same time.
inline std::uint8_t load_half(const std::byte *base, std::int64_t at) {
  const auto byte = static_cast<std::uint8_t>(base[at >> 1]);
  return at & 1 ? byte >> 4 : byte & 15;
}
inline void store_half(std::byte *base, std::int64_t at, std::uint8_t value) {
  auto *byte = reinterpret_cast<std::uint8_t *>(base + (at >> 1));
  const int shift = at & 1 ? 4 : 0;
  std::uint8_t before = __atomic_load_n(byte, __ATOMIC_RELAXED), after;
  do after = static_cast<std::uint8_t>((before & (0xf0 >> shift)) | ((value & 15) << shift));
  while (!__atomic_compare_exchange_n(byte, &before, after, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

// The access states of one storage (shadow.h), one per unit of 2^shift half bytes or bytes.
struct CellRange {
  std::uint32_t *cells = nullptr; // none: nothing to watch
  std::int64_t first = 0;         // of cell 0, from the object's base, in half bytes or bytes
  std::uint8_t shift = 0;
  bool halves = false;
  bool paired = false;            // units of half bytes: two stand in one number (Shadow::pair)
  std::uint32_t live_from = 0;    // states before this one are ordered before everything to come

  // The cell of an offset through a view, and how many cells an element has.
  std::int64_t cell(std::int64_t offset, bool packed) const { return (((packed || !halves) ? offset : offset * 2) - first) >> shift; }
  std::int64_t width(std::size_t bytes, bool packed) const {
    const std::int64_t units = packed ? 1 : static_cast<std::int64_t>(bytes) << int{halves};
    return units >> shift > 0 ? units >> shift : 1;
  }
  static bool in_pairs(bool halves, int shift) { return halves && shift == 0; }
  // How many numbers this many bytes have: four bytes each, never more than one per byte.
  static std::size_t numbers(std::size_t bytes, bool halves, int shift) {
    return (in_pairs(halves, shift) ? bytes : (bytes << int{halves}) >> shift) + 1;
  }
};

// COVER: how often each half byte of an argument was stored.
class StoreCounts {
public:
  explicit StoreCounts(std::size_t bytes) : counts_(2 * bytes) {}
  void add(std::size_t at, std::size_t n) { // in half bytes
    for (std::size_t i = at; i < at + n; ++i) counts_[i] += counts_[i] != UINT32_MAX;
  }
  std::uint32_t most(std::size_t at, std::size_t n) const { return *std::max_element(counts_.data() + at, counts_.data() + at + n); }

private:
  LazyArray<std::uint32_t> counts_;
};

// One object: an argument or one allocation of a memory.
struct ObjectStorage {
  std::byte *base = nullptr;                     // the element at coordinate 0
  std::int64_t lowest = 0;                       // byte offset from base of what the first bit of `defined` is for
  std::int64_t low = 0;                          // byte offset from base of the lowest byte, and how many bytes
  std::size_t bytes = 0;
  std::shared_ptr<DefinedBytes> defined;         // none: every byte holds a value; overlapping arguments share it
  std::shared_ptr<StoreCounts> stores;           // arguments, where they are counted (COVER)
  std::shared_ptr<Residence> residence;          // arguments larger than the memory
  BlockRef owned;                                // memories
  CellRange shadow;
  BlockRef shadow_owned;                         // memories

  std::size_t shadow_cells() const { return CellRange::numbers(bytes, shadow.halves, shadow.shift); }

  bool is_defined(std::int64_t offset, std::size_t bytes) const {
    return !defined || defined->all(static_cast<std::size_t>(offset - lowest), bytes);
  }
  void define(std::int64_t offset, std::size_t bytes) {
    if (defined) defined->set(static_cast<std::size_t>(offset - lowest), bytes);
  }
  bool is_half_defined(std::int64_t at) const {
    return !defined || defined->has_half(static_cast<std::size_t>(at - 2 * lowest));
  }
  void define_half(std::int64_t at) {
    if (defined) defined->set_half(static_cast<std::size_t>(at - 2 * lowest));
  }
};

// How one view finds an element: strides per axis, or a table of offsets by linear coordinate.
struct ViewAddress {
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> strides;             // bytes, or half bytes; unless `table`
  std::shared_ptr<const std::vector<std::int64_t>> table;

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
