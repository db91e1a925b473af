// SPDX-License-Identifier: Apache-2.0
// Tile values at run time: immutable, reference-counted blocks from a pool, so that copies, carries and layout
// changes share storage and a steady loop allocates nothing. One machine, one pool, one thread.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

namespace tilenest {

class TilePool;

struct alignas(64) Block {
  TilePool *pool;
  Block *next;
  std::uint32_t refs;
  std::uint32_t size_class;
  std::byte *data() { return reinterpret_cast<std::byte *>(this + 1); }
};
static_assert(sizeof(Block) == 64);

// Free lists by power-of-two size, within a limit on all that the machine holds. Above it std::bad_alloc is thrown
// and caught once, at the face of the machine (run.cpp).
class TilePool {
public:
  explicit TilePool(std::size_t limit = SIZE_MAX) : left_(limit) {}
  TilePool(const TilePool &) = delete;
  TilePool &operator=(const TilePool &) = delete;
  ~TilePool() {
    for (Block *b : owned_) std::free(b);
  }

  // At least `bytes` bytes, 64-byte aligned, contents arbitrary.
  Block *take(std::size_t bytes) {
    const std::uint32_t size_class =
        bytes <= 64 ? 6 : static_cast<std::uint32_t>(std::bit_width(bytes - 1));
    Block *&head = free_[size_class];
    Block *b = head;
    if (b) {
      head = b->next;
    } else {
      if (size_class >= 56) throw std::bad_alloc();
      const std::size_t size = sizeof(Block) + (std::size_t{1} << size_class);
      charge(size);
      void *raw = std::aligned_alloc(64, size);
      if (!raw) throw std::bad_alloc();
      b = new (raw) Block{this, nullptr, 0, size_class};
      owned_.push_back(b);
    }
    b->refs = 1;
    return b;
  }
  // Takes the bytes of what is held elsewhere out of the limit.
  void charge(std::size_t bytes) {
    if (bytes > left_) throw std::bad_alloc();
    left_ -= bytes;
  }
  void give(Block *b) {
    b->next = free_[b->size_class];
    free_[b->size_class] = b;
  }

private:
  std::size_t left_;
  Block *free_[64] = {};
  std::vector<Block *> owned_;
};

class BlockRef {
public:
  BlockRef() = default;
  explicit BlockRef(Block *taken) : block_(taken) {}
  BlockRef(const BlockRef &o) : block_(o.block_) {
    if (block_) ++block_->refs;
  }
  BlockRef(BlockRef &&o) noexcept : block_(std::exchange(o.block_, nullptr)) {}
  BlockRef &operator=(BlockRef o) noexcept {
    std::swap(block_, o.block_);
    return *this;
  }
  ~BlockRef() { reset(); }
  void reset() {
    if (block_ && --block_->refs == 0) block_->pool->give(block_);
    block_ = nullptr;
  }
  explicit operator bool() const { return block_ != nullptr; }
  bool unique() const { return block_ && block_->refs == 1; }
  template <class T = std::byte> T *as() const {
    return block_ ? reinterpret_cast<T *>(block_->data()) : nullptr;
  }

private:
  Block *block_ = nullptr;
};

// A note on an element: 0 none, else an entry of the machine's NoteTable (a mark or a wrapped integer).
using Note = std::uint32_t;

// UPD-JOIN: which elements of an ancestor's variable the instance at `depth` has written, and by which
// operation: its id + 1, or 0. A value carries one set per level between the variable's owner and its own anchor.
struct WrittenSet {
  int depth;
  std::uint32_t whole = 0; // all elements, by this operation
  BlockRef elements;       // else one std::uint32_t per element

  bool any() const { return whole != 0 || elements; }
  std::uint32_t writer(std::size_t e) const { return elements ? elements.as<std::uint32_t>()[e] : whole; }
};

struct Tile {
  BlockRef data;   // row-major elements, `lanes` copies one after the other
  BlockRef active; // one byte per element, or none: all active
  BlockRef notes;  // one Note per element, or none: no notes
  std::vector<WrittenSet> written;
  std::uint32_t lanes = 1; // 1: one value for the frame; else one per instance of a row of instances

  void reset() {
    data.reset();
    active.reset();
    notes.reset();
    written.clear();
    lanes = 1;
  }
};

} // namespace tilenest
