// SPDX-License-Identifier: Apache-2.0
// One call while it is built: its arguments by name, defaults filled in, the refusals that name function and
// argument, and short ways to capture. A family's build functions see nothing else.
#pragma once
#include "semantics/library/function.h"
#include "semantics/support/literal_text.h"
#include <unordered_map>

namespace tilenest::library {

// Checks the arguments, captures the expansion and records the call. As many values as the function has
// results; after a refusal they stand for results that report nothing more. The arguments have the kinds of
// their parameters, as both front ends make sure; required ones are there.
std::vector<ValueId> call(Builder &b, const Function &f, std::vector<CallArgument> arguments);

class Call {
public:
  Call(Builder &builder, const Function &function, const std::vector<CallArgument> &arguments)
      : b(builder), f(function), arguments_(arguments) {}

  Builder &b;
  const Function &f;

  // --- arguments by the names of their parameters ---
  bool has(std::string_view name) const { return find(name) != nullptr; }
  ValueId tile(std::string_view name) const { return tiles(name)[0]; }
  const std::vector<ValueId> &tiles(std::string_view name) const;
  Operand operand(std::string_view name) const;
  DimId dim(std::string_view name = "dim") const { return dims(name)[0]; }
  const std::vector<DimId> &dims(std::string_view name) const;
  // The named dims of x, all of x's where none are given.
  std::vector<DimId> dims_or_all(std::string_view name, ValueId x) const;
  const Space &shape(std::string_view name) const;
  Factor axis(std::string_view name) const { return shape(name).factors[0]; }
  std::int64_t integer(std::string_view name) const;
  const std::vector<Extent> &extents(std::string_view name) const;
  double number(std::string_view name) const;
  bool flag(std::string_view name) const;
  std::string word(std::string_view name) const; // also texts
  ScalarType element(std::string_view name) const;
  ViewId view(std::string_view name) const;

  // --- facts ---
  // Good as long as the call, whatever is captured meanwhile (the program's tables move).
  const TileType &type(ValueId v) const { return types_.try_emplace(v, b.type(v)).first->second; }
  const Space &space(ValueId v) const { return type(v).space; }
  ScalarType elem(ValueId v) const { return b.type(v).elem; }
  Factor factor(ValueId x, DimId d) const; // x has the dim

  // --- refusals; each returns false so that a check reads `return c.refuse(...)` ---
  // T0217; `found`: which of several tiles, the first unless said.
  bool refuse_tile(std::string_view argument, const std::string &expected, ValueId found = {});
  bool refuse_option(std::string_view argument, const std::string &value, const std::string &why); // T0218
  bool refuse_ragged(std::string_view argument);                                             // T0211
  bool need_rank(std::string_view argument, std::size_t rank);                               // T0217
  // What follows is decided now, or where extents are open, by binding.
  // At least so many elements of the argument along the dim (T0219).
  // `counts`: the argument that says how many.
  bool need_elements(std::string_view argument, const Factor &along, const Extent &least, std::string_view counts = {});
  // As many elements of x, the argument's tile, along the dim as wanted (T0217); `which`: of several tiles, " (operand 2)".
  bool need_extent(std::string_view argument, ValueId x, DimId along, const Extent &wanted, std::string which = {});
  // The value, that argument, has dims of the tile `of` alone, each with the extent there or 1: it makes no larger
  // result of that tile (T0217).
  bool need_inside(std::string_view argument, ValueId value, std::string_view of);
  // An option divides an extent (T0218).
  bool need_divisor(std::string_view option, std::int64_t divisor, const Extent &of, const std::string &what);
  // An argument that counts elements is `least` or more (T0218).
  bool need_count(std::string_view argument, const Extent &count, std::int64_t least);

  // --- capture ---
  ValueId op(OpKind kind, std::initializer_list<Operand> operands);
  ValueId fold(ValueId x, std::span<const DimId> dims, Reducer reducer);
  // x at these coordinates along the dim, at every one along its other dims.
  ValueId at_along(ValueId x, DimId along, const Operand &coordinates);

private:
  const CallArgument *find(std::string_view name) const;
  const char *otherwise(std::string_view name) const;
  void demand(Code code, std::string_view argument, ExtentEquation equation, bool at_most, std::string why = {});

  const std::vector<CallArgument> &arguments_;
  mutable std::unordered_map<ValueId, TileType> types_;
};

} // namespace tilenest::library
