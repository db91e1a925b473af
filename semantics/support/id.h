// SPDX-License-Identifier: Apache-2.0
// Typed indices: an Id<Tag> names an element of one table of the program and nothing else.
#pragma once
#include <compare>
#include <cstdint>
#include <functional>
#include <vector>

namespace tilenest {

template <class Tag> struct Id {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint32_t index = none;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t i) : index(static_cast<std::uint32_t>(i)) {}
  constexpr bool valid() const { return index != none; }
  constexpr explicit operator bool() const { return valid(); }
  friend constexpr auto operator<=>(Id, Id) = default;
};

// A vector that only its own kind of id indexes.
template <class IdType, class T> class IdVector {
public:
  T &operator[](IdType id) { return items_[id.index]; }
  const T &operator[](IdType id) const { return items_[id.index]; }
  IdType push(T item) {
    items_.push_back(std::move(item));
    return IdType(items_.size() - 1);
  }
  void pop() { items_.pop_back(); }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  void resize(std::size_t n) { items_.resize(n); }
  void resize(std::size_t n, const T &value) { items_.resize(n, value); }
  IdType end_id() const { return IdType(items_.size()); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

private:
  std::vector<T> items_;
};

} // namespace tilenest

template <class Tag> struct std::hash<tilenest::Id<Tag>> {
  std::size_t operator()(tilenest::Id<Tag> id) const noexcept { return std::hash<std::uint32_t>{}(id.index); }
};
