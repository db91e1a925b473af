// SPDX-License-Identifier: Apache-2.0
// Arguments of the surface as the library takes them.
#include "semantics/dsl/library_call.h"
#include "semantics/library/call.h"

namespace tilenest::dsl {

LibraryCall &LibraryCall::operand(const char *name, const AnyArg &x) {
  if (const auto *v = std::get_if<ValueId>(&x.operand)) return add(name, std::vector<ValueId>{*v});
  if (const auto *i = std::get_if<std::int64_t>(&x.operand)) return add(name, *i);
  if (const auto *d = std::get_if<double>(&x.operand)) return add(name, *d);
  return add(name, std::vector<Extent>{std::get<Extent>(x.operand)});
}

LibraryCall &LibraryCall::axis(const char *name, const Axis &a) {
  return add(name, shape(a).space(Capture::at(where_)));
}

std::vector<ValueId> LibraryCall::results(const char *function) {
  Builder &b = Capture::at(where_).builder();
  return library::call(b, *library::find(function), std::move(arguments_));
}

} // namespace tilenest::dsl
