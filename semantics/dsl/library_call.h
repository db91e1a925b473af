// SPDX-License-Identifier: Apache-2.0
// A call of the library from C++: the arguments by the names of their parameters, then the results. What a
// function expands to stands in library/.
#pragma once
#include "semantics/dsl/functions.h"

namespace tilenest::dsl {

// dsl::LibraryCall(where).tile("x", x).dim("dim", d).one<T>("softmax")
class LibraryCall {
public:
  explicit LibraryCall(std::source_location where) : where_(where) { Capture::at(where); }

  template <Element T> LibraryCall &tile(const char *name, const Tile<T> &x) {
    return add(name, std::vector<ValueId>{x.read()});
  }
  template <Element T> LibraryCall &tiles(const char *name, const std::vector<const Tile<T> *> &list) {
    std::vector<ValueId> values;
    for (const Tile<T> *x : list) values.push_back(x->read());
    return add(name, std::move(values));
  }
  LibraryCall &operand(const char *name, const AnyArg &x);
  LibraryCall &dim(const char *name, DimId d) { return add(name, std::vector<DimId>{d}); }
  LibraryCall &dims(const char *name, std::vector<DimId> list) { return add(name, std::move(list)); }
  LibraryCall &axis(const char *name, const Axis &a);
  LibraryCall &integer(const char *name, std::int64_t n) { return add(name, n); }
  LibraryCall &extents(const char *name, std::vector<Extent> list) { return add(name, std::move(list)); }
  LibraryCall &number(const char *name, double x) { return add(name, x); }
  LibraryCall &flag(const char *name, bool on) { return add(name, on); }
  LibraryCall &word(const char *name, std::string text) { return add(name, std::move(text)); }
  LibraryCall &element(const char *name, ScalarType t) { return add(name, t); }
  LibraryCall &view(const char *name, ViewId v) { return add(name, v); }

  std::vector<ValueId> results(const char *function);
  template <Element T> Tile<T> one(const char *function) { return {Defined{}, results(function)[0]}; }

private:
  template <class V> LibraryCall &add(const char *name, V value) {
    arguments_.push_back({name, std::move(value)});
    return *this;
  }
  std::source_location where_;
  std::vector<CallArgument> arguments_;
};

} // namespace tilenest::dsl
