// SPDX-License-Identifier: Apache-2.0
// Tiles as variables of the Builder, and extents on the host.
#include "semantics/diag/codes.h"
#include "semantics/dsl/functions.h"

namespace tilenest {

TileIdentity::TileIdentity(ValueId definition) {
  Capture &c = Capture::here();
  element_ = c.builder().type(definition).elem;
  var_ = c.builder().declare("", definition);
  generation_ = c.generation();
  c.born(var_);
}

TileIdentity::~TileIdentity() {
  Capture *c = Capture::current();
  if (c && c->generation() == generation_) c->died(var_);
}

ValueId TileIdentity::read() const {
  Capture &c = Capture::here();
  if (!c.owns(generation_, "a tile")) return c.builder().refused(element_);
  return c.builder().read(var_);
}

void TileIdentity::assign(ValueId definition, std::source_location where) {
  Capture &c = Capture::at(where);
  if (c.owns(generation_, "a tile")) c.builder().assign(var_, definition);
}

std::size_t TileIdentity::rank() const { return Capture::here().builder().type(read()).space.rank(); }

DimId TileIdentity::dim(std::size_t axis) const {
  Builder &b = Capture::here().builder();
  const Space &s = b.type(read()).space;
  if (axis < s.rank()) return s.factors[axis].dim;
  b.error(Code::T0703, {{"what", "the tile"}, {"dim", std::to_string(axis)}});
  return b.dim("");
}

ExtentExpr TileIdentity::extent_of_axis(std::size_t axis) const {
  Builder &b = Capture::here().builder();
  const Space &s = b.type(read()).space;
  if (axis < s.rank()) return s.factors[axis].extent;
  b.error(Code::T0703, {{"what", "the tile"}, {"dim", std::to_string(axis)}});
  return {};
}

namespace dsl {

ValueId elementwise(OpKind kind, std::source_location where, std::initializer_list<Operand> operands) {
  return Capture::at(where).builder().elementwise(
      kind, std::span<const Operand>(operands.begin(), operands.size()));
}

ValueId scalar(ScalarType type, const Operand &operand, std::source_location where) {
  Builder &b = Capture::at(where).builder();
  const bool literal =
      std::holds_alternative<std::int64_t>(operand) || std::holds_alternative<double>(operand);
  return literal ? b.literal(type, operand) : b.value(operand);
}

TileIdentity copied(const TileIdentity &other, std::source_location where) {
  Capture::at(where);
  if (rule_broken(Rule::val_own) || rule_broken(Rule::val_snap)) return other;
  return TileIdentity(other.read());
}

} // namespace dsl

// --- extents ---

namespace {

// A positive number, or 1 after a report.
std::int64_t divisor_of(const Extent &e, Capture &c) {
  const auto n = e.constant();
  if (n && *n > 0) return *n;
  c.builder().error(Code::T0204, {{"extent", c.builder().program().extent_text(e)},
                                  {"what", "a divisor"},
                                  {"why", "it must be a positive number"}});
  return 1;
}

Tile<bool> compare(OpKind kind, const ExtentExpr &a, const ExtentExpr &b) {
  const Operand operands[] = {static_cast<const Extent &>(a), static_cast<const Extent &>(b)};
  return {dsl::Defined{}, Capture::here().builder().elementwise(kind, operands)};
}

} // namespace

ExtentExpr operator*(const ExtentExpr &a, const ExtentExpr &b) {
  if (const auto n = b.constant()) return a.times(*n);
  if (const auto n = a.constant()) return b.times(*n);
  Builder &builder = Capture::here().builder();
  builder.error(Code::T0204, {{"extent", builder.program().extent_text(b)},
                              {"what", "a factor"},
                              {"why", "a product of open extents is not quasi-affine"}});
  return a;
}
ExtentExpr operator/(const ExtentExpr &a, const ExtentExpr &divisor) {
  return a.floor_div(divisor_of(divisor, Capture::here()));
}
ExtentExpr operator%(const ExtentExpr &a, const ExtentExpr &divisor) {
  return a.mod(divisor_of(divisor, Capture::here()));
}

Tile<bool> operator==(const ExtentExpr &a, const ExtentExpr &b) { return compare(OpKind::eq, a, b); }
Tile<bool> operator!=(const ExtentExpr &a, const ExtentExpr &b) { return compare(OpKind::ne, a, b); }
Tile<bool> operator<(const ExtentExpr &a, const ExtentExpr &b) { return compare(OpKind::lt, a, b); }
Tile<bool> operator<=(const ExtentExpr &a, const ExtentExpr &b) { return compare(OpKind::le, a, b); }
Tile<bool> operator>(const ExtentExpr &a, const ExtentExpr &b) { return compare(OpKind::gt, a, b); }
Tile<bool> operator>=(const ExtentExpr &a, const ExtentExpr &b) { return compare(OpKind::ge, a, b); }

ExtentExpr ceil_div(const ExtentExpr &a, const ExtentExpr &divisor, std::source_location where) {
  return a.ceil_div(divisor_of(divisor, Capture::at(where)));
}
ExtentExpr floor_div(const ExtentExpr &a, const ExtentExpr &divisor, std::source_location where) {
  return a.floor_div(divisor_of(divisor, Capture::at(where)));
}

// rule: SPC-EXT
std::int64_t number(const Extent &e, std::source_location where) {
  if (const auto n = e.constant()) return *n;
  Builder &b = Capture::at(where).builder();
  b.error(Code::T0706, {{"extent", b.program().extent_text(e)}},
          "close it with a number in `tensor_shape`, or decide on the device with `if_`");
  return 0;
}

DimId dim(std::string label) { return Capture::here().builder().dim(std::move(label)); }
Axis axis(const ExtentExpr &extent) { return {dim(), extent}; }
Axis axis(std::string label, const ExtentExpr &extent) { return {dim(std::move(label)), extent}; }

} // namespace tilenest
