// SPDX-License-Identifier: Apache-2.0
// Zeroed arrays that are made when they are touched: of an array beside a huge buffer only what is used takes memory.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <sys/mman.h>
#include <utility>

namespace tilenest {

template <class T> class LazyArray { // of a type that zero bytes are a value of
public:
  explicit LazyArray(std::size_t size) : size_(size) {
    if (size == 0) return;
    if (size > SIZE_MAX / sizeof(T)) throw std::bad_alloc();
    mapped_ = size * sizeof(T) >= std::size_t{1} << 20;
    void *p = mapped_ ? ::mmap(nullptr, size * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                      : std::calloc(size, sizeof(T));
    if (p == MAP_FAILED || p == nullptr) throw std::bad_alloc();
    data_ = static_cast<T *>(p);
  }
  LazyArray(const LazyArray &o) : LazyArray(o.size_) { std::copy_n(o.data_, size_, data_); }
  LazyArray &operator=(LazyArray o) noexcept {
    std::swap(data_, o.data_);
    std::swap(size_, o.size_);
    std::swap(mapped_, o.mapped_);
    return *this;
  }
  ~LazyArray() {
    if (!data_) return;
    if (mapped_) ::munmap(data_, size_ * sizeof(T));
    else std::free(data_);
  }
  T *data() const { return data_; }
  T &operator[](std::size_t i) const { return data_[i]; }
  std::size_t size() const { return size_; }
  void clear() {
    if (!mapped_ || ::madvise(data_, size_ * sizeof(T), MADV_DONTNEED) != 0) std::fill_n(data_, size_, T{});
  }

private:
  T *data_ = nullptr;
  std::size_t size_;
  bool mapped_ = false;
};

} // namespace tilenest
