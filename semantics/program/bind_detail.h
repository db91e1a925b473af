// SPDX-License-Identifier: Apache-2.0
// What the steps of binding share: the program, the numbers so far, where each came from, the reports.
// Private to program/.
#pragma once
#include "semantics/program/bind.h"
#include <optional>
#include <span>

namespace tilenest::bind_detail {

// Where a parameter got its number: by name, or from one axis of one argument.
struct Source {
  ObjectId argument; // invalid: by name
  std::size_t axis = 0;
};

struct Binding {
  const TileProgram &p;
  const std::vector<ArgumentShape> &shapes;
  Diagnostics errors;
  std::vector<std::optional<std::int64_t>> params; // by ParamId
  std::vector<Source> sources;                     // by ParamId, where params has a number
  std::vector<const ArgumentShape *> given;        // by position in p.arguments; null where no shape is given

  std::optional<std::int64_t> evaluate(const Extent &e) const;
  // "64", or "M + 1 = 64" for an extent that is no constant.
  std::string value_text(const Extent &e) const;
  std::string shape_text(const Space &s) const; // "[m=64, k=K=16]" with numbers
  Diagnostic &error(Code code, SiteId site, std::vector<std::pair<std::string, std::string>> args,
                    std::string help = {});
  bool full() const; // enough is reported
};

// The steps, in order. Each reports into `errors`; a later step runs only where the earlier ones reported none.
void take_named(Binding &b, const std::map<std::string, std::int64_t> &named);
void match_arguments(Binding &b); // names and ranks
void solve_params(Binding &b);    // lone-parameter axes, then affine axes with one unknown, then all bound
void check_axes(Binding &b);      // every given axis against its extent
void check_constraints(Binding &b);
void check_extents(Binding &b);   // evaluable, >= 0, sane element counts
void check_maps(Binding &b);      // layouts of memories
void check_orders(Binding &b);    // orders of `serial`
void check_promises(Binding &b);  // windows into memories, `assume`

} // namespace tilenest::bind_detail
