// SPDX-License-Identifier: Apache-2.0
// Captured programs and refused ones as tests read them: counts of operations, codes with their lines.
#pragma once
#include <algorithm>
#include <catch2/catch.hpp>
#include <tilenest/dsl.h>

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

// "T0701@12 T0501@14": codes and lines of what was refused, in order of report.
inline std::string refusals(const Result<TileProgram> &r) {
  if (r.ok()) return "nothing";
  std::string out;
  for (const Diagnostic &d : r.errors()) {
    if (!out.empty()) out += ' ';
    out += std::string(d.info().code) + "@" + std::to_string(d.sites.empty() ? 0 : d.sites[0].site.line);
  }
  return out;
}
inline std::string at(const char *code, int line) { return std::string(code) + "@" + std::to_string(line); }

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
