// SPDX-License-Identifier: Apache-2.0
// Binding: numbers for the extent parameters (SPC-EXT), from the shapes of the arguments or by name, the
// constraints that the open program left, and the strides of the arguments. Only a bound program runs.
#pragma once
#include "semantics/program/program.h"
#include <map>
#include <memory>

namespace tilenest {

// The shape that the caller offers for one argument.
struct ArgumentShape {
  std::string argument;
  std::vector<std::int64_t> shape;
  bool in_bytes = false; // the last axis counts bytes of two 4-bit elements; one of them may be half used
};

struct BoundProgram {
  std::shared_ptr<const TileProgram> program; // judged: anchors are filled in
  std::vector<std::int64_t> params;           // by ParamId

  // The number of an extent; binding has shown that every extent of the program evaluates and is >= 0.
  std::int64_t extent(const Extent &e) const;
  std::vector<std::int64_t> shape(const Space &s) const;
  std::int64_t count(const Space &s) const; // product; binding has shown that it fits 64 bits
  Extent::Lookup lookup() const;
};

// Parameters come from `named` first, then from the arguments' shapes (every axis whose extent is a lone
// parameter, then by checking the others). An axis in bytes of 4-bit elements has the extent that follows from
// anything else, or else two elements in each byte. Errors: an unbound parameter (names it and how to give it), a
// mismatch (names both arguments and axes), a wrong rank, a negative or overflowing extent, a constraint
// that does not hold, a tile of absurd size. Source: SPC-EXT, BCAST.
Result<BoundProgram> bind(std::shared_ptr<const TileProgram> program,
                          const std::vector<ArgumentShape> &shapes,
                          const std::map<std::string, std::int64_t> &named);

} // namespace tilenest
