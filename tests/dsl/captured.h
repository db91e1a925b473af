// SPDX-License-Identifier: Apache-2.0
// Captured programs and refused ones as tests read them: counts of operations, codes with their lines.
#pragma once
#include <tilenest/dsl.h>
#include <algorithm>
#include <catch2/catch.hpp>

namespace tilenest {

inline std::string listing(const Diagnostics &diagnostics) {
  std::string out;
  for (const Diagnostic &d : diagnostics) {
    out += std::string(d.info().code) + " ";
    if (!d.sites.empty() && d.sites[0].site.file)
      out += d.sites[0].site.file->name + ":" + std::to_string(d.sites[0].site.line) + " ";
    out += d.message() + "\n";
  }
  return out;
}

inline TileProgram captured(Result<TileProgram> r) {
  if (!r.ok()) FAIL(listing(r.errors()));
  return std::move(*r);
}

inline int count(const TileProgram &p, OpKind kind) {
  int n = 0;
  for_each_op(p, p.body, [&](const Op &op, OpId) { n += op.kind == kind; });
  return n;
}

inline const Op &first(const TileProgram &p, OpKind kind) {
  const Op *found = nullptr;
  for_each_op(p, p.body, [&](const Op &op, OpId) {
    if (!found && op.kind == kind) found = &op;
  });
  REQUIRE(found);
  return *found;
}

} // namespace tilenest
