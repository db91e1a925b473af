// SPDX-License-Identifier: Apache-2.0
// Tile values at run time: immutable, reference-counted blocks from a pool, so that copies, carries and layout
// changes share storage and a steady loop allocates nothing. One machine, one pool, one thread; blocks of a frozen
// pool may be read by many.
#pragma once
#include <algorithm>
#include <atomic>
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

// The limit on all that the machines of one run hold. Above it std::bad_alloc is thrown and caught once, at the face
// of the machine (run.cpp).
class Budget {
public:
  explicit Budget(std::size_t limit = SIZE_MAX) : left_(limit) {}
  void take(std::size_t bytes) {
    std::size_t left = left_.load(std::memory_order_relaxed);
    do {
      if (bytes > left) throw std::bad_alloc();
    } while (!left_.compare_exchange_weak(left, left - bytes, std::memory_order_relaxed));
  }
  void give(std::size_t bytes) { left_.fetch_add(bytes, std::memory_order_relaxed); }

private:
  std::atomic<std::size_t> left_;
};

// Free lists by power-of-two size, within a budget.
class TilePool {
public:
  explicit TilePool(Budget &budget) : budget_(budget) {}
  TilePool(const TilePool &) = delete;
  TilePool &operator=(const TilePool &) = delete;
  ~TilePool() {
    for (Block *b : owned_) std::free(b);
    budget_.give(charged_);
  }

  // At least `bytes` bytes, 64-byte aligned, contents arbitrary.
  Block *take(std::size_t bytes) {
    const std::uint32_t size_class =
        bytes <= 64 ? 6 : static_cast<std::uint32_t>(std::bit_width(bytes - 1));
    Block *&head = free_[size_class];
    Block *b = head;
    if (b)
      head = b->next;
    else
      b = fresh(size_class);
    b->refs = 1;
    return b;
  }
  Budget &budget() { return budget_; }
  // Takes the bytes of what is held elsewhere out of the budget.
  void charge(std::size_t bytes) {
    budget_.take(bytes);
    charged_ += bytes;
  }
  void give(Block *b) {
    b->next = free_[b->size_class];
    free_[b->size_class] = b;
  }

  // While frozen, references to the pool's blocks are not counted, so that other threads may make and drop some; all
  // of those are gone before the thaw.
  static constexpr std::uint32_t frozen = std::uint32_t{1} << 31;
  void freeze() {
    for (Block *b : owned_)
      if (b->refs > 0) b->refs |= frozen;
  }
  void thaw() {
    for (Block *b : owned_) b->refs &= ~frozen;
  }

  static constexpr std::size_t size_classes = 64;
  // How many blocks of each size the pool has, in use or free.
  void count_blocks(std::size_t *count) const {
    std::fill_n(count, size_classes, 0);
    for (const Block *b : owned_) ++count[b->size_class];
  }
  // At least so many free blocks of each size.
  void stock(const std::size_t *count) {
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      std::size_t have = 0;
      for (const Block *b = free_[c]; b && have < count[c]; b = b->next) ++have;
      for (; have < count[c]; ++have) give(fresh(c));
    }
  }

private:
  Block *fresh(std::uint32_t size_class) {
    if (size_class >= 56) throw std::bad_alloc();
    const std::size_t size = sizeof(Block) + (std::size_t{1} << size_class);
    charge(size);
    void *raw = std::aligned_alloc(64, size);
    if (!raw) throw std::bad_alloc();
    Block *b = new (raw) Block{this, nullptr, 0, size_class};
    owned_.push_back(b);
    return b;
  }

  Budget &budget_;
  std::size_t charged_ = 0;
  Block *free_[size_classes] = {};
  std::vector<Block *> owned_;
};

class BlockRef {
public:
  BlockRef() = default;
  explicit BlockRef(Block *taken) : block_(taken) {}
  BlockRef(const BlockRef &o) : block_(o.block_) {
    if (block_ && block_->refs < TilePool::frozen) ++block_->refs;
  }
  BlockRef(BlockRef &&o) noexcept : block_(std::exchange(o.block_, nullptr)) {}
  BlockRef &operator=(BlockRef o) noexcept {
    std::swap(block_, o.block_);
    return *this;
  }
  ~BlockRef() { reset(); }
  void reset() {
    if (block_ && block_->refs < TilePool::frozen && --block_->refs == 0) block_->pool->give(block_);
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
  BlockRef spread; // ADM-SET: one Enclosure per element, `open`: one OpenFold; or none: each is what `data` says
  bool open = false;
  std::vector<WrittenSet> written;
  std::uint32_t lanes = 1; // 1: one value for the frame; else one per instance of a row of instances

  void reset() {
    data.reset();
    active.reset();
    notes.reset();
    spread.reset();
    open = false;
    written.clear();
    lanes = 1;
  }
};

} // namespace tilenest
