// SPDX-License-Identifier: Apache-2.0
// Extents, dims and axes as the C++ author writes them: `A.extent<0>()`, `ceil_div(M, 32)`, `dims("m", "n")`,
// `axis("m", 32)`. Spaces and domains are made of them in domain.h.
#pragma once
#include "semantics/dsl/element.h"
#include "semantics/space/space.h"
#include <array>
#include <concepts>
#include <initializer_list>
#include <source_location>
#include <string>
#include <type_traits>
#include <vector>

namespace tilenest {

template <Element T> class Tile;

// rule: SPC-EXT -- an Extent on which C++ operators stay extents and comparisons are device values.
class ExtentExpr : public Extent {
public:
  ExtentExpr() = default;
  ExtentExpr(const Extent &e) : Extent(e) {}
  template <std::integral N> ExtentExpr(N number) : Extent(static_cast<std::int64_t>(number)) {}

  friend ExtentExpr operator+(const ExtentExpr &a, const ExtentExpr &b) { return a.plus(b); }
  friend ExtentExpr operator-(const ExtentExpr &a, const ExtentExpr &b) { return a.plus(b.times(-1)); }
  friend ExtentExpr operator-(const ExtentExpr &a) { return a.times(-1); }
  // One side of a product, the divisor of a quotient, must be a number: extents are quasi-affine.
  friend ExtentExpr operator*(const ExtentExpr &a, const ExtentExpr &b);
  friend ExtentExpr operator/(const ExtentExpr &a, const ExtentExpr &divisor); // rounds down
  friend ExtentExpr operator%(const ExtentExpr &a, const ExtentExpr &divisor);

  friend Tile<bool> operator==(const ExtentExpr &a, const ExtentExpr &b);
  friend Tile<bool> operator!=(const ExtentExpr &a, const ExtentExpr &b);
  friend Tile<bool> operator<(const ExtentExpr &a, const ExtentExpr &b);
  friend Tile<bool> operator<=(const ExtentExpr &a, const ExtentExpr &b);
  friend Tile<bool> operator>(const ExtentExpr &a, const ExtentExpr &b);
  friend Tile<bool> operator>=(const ExtentExpr &a, const ExtentExpr &b);

  explicit operator bool() const = delete; // an extent may be open: `number(e)` asks for its number
};

ExtentExpr ceil_div(const ExtentExpr &a, const ExtentExpr &divisor,
                    std::source_location where = std::source_location::current());
ExtentExpr floor_div(const ExtentExpr &a, const ExtentExpr &divisor,
                     std::source_location where = std::source_location::current());
// The number of a closed extent, for host control flow; an open one is an error (T0706) and gives 0.
std::int64_t number(const Extent &e, std::source_location where = std::source_location::current());

// A dim with an extent: one factor of a space.
struct Axis {
  DimId dim;
  ExtentExpr extent;
  operator DimId() const { return dim; }
};

// rule: DIM-ID -- fresh dims; the label is for people.
DimId dim(std::string label = "");
template <class... Labels>
requires(std::convertible_to<Labels, std::string> &&...) std::array<DimId, sizeof...(Labels)> dims(
    const Labels &...labels) {
  return {dim(std::string(labels))...};
}
Axis axis(const ExtentExpr &extent); // a fresh dim
Axis axis(std::string label, const ExtentExpr &extent);
inline Axis axis(DimId dim, const ExtentExpr &extent) { return {dim, extent}; }

// One dim or a braced list of them: `sum(x, k)`, `sum(x, {m, k})`.
struct DimList {
  std::vector<DimId> dims;
  DimList(DimId d) : dims{d} {}
  DimList(const Axis &a) : dims{a.dim} {}
  DimList(std::initializer_list<DimId> list) : dims(list) {}
  DimList(std::vector<DimId> list) : dims(std::move(list)) {}
};

} // namespace tilenest
