// SPDX-License-Identifier: Apache-2.0
// The labelled corpus: every base (bases/*.tile) as it is, and changed once by each operator that applies to one of its
// marks. The label follows from the operator (operators.h); nothing here runs a kernel.
#pragma once
#include "semantics/program/program.h"
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tilenest::conformance {

struct LabelledKernel {
  std::string base, mutation; // the operator's name; "" for the base itself
  // A .tile file of its own. `//! bind N 8` gives a parameter its number, `//! fill A ...` says what an argument holds, and
  // `//! U0301` ends each line at which the planted violation is reported.
  std::string text;
  bool indexed_by_data = false; // innocent, and where it stores depends on the data
  // Of the planted violation: its codes (several where one statement shows it as several), and its one or two lines.
  std::set<std::string> codes;
  std::set<std::uint32_t> lines;
  std::map<std::string, std::int64_t> extents;

  bool planted() const { return !codes.empty(); }
  std::string name() const { return base + (mutation.empty() ? "" : "/" + mutation); }
};

// In a fixed order. Directory: conformance/corpus/bases. Throws std::runtime_error if a base cannot be read or an operator
// contradicts its own table.
std::vector<LabelledKernel> read_corpus(const std::string &directory);
std::set<std::string> operator_names();

// Bases changed by two to four operators one after the other, wherever their marks still stand. A mark may no longer say the
// truth then, so these have no label, and some are no programs: they are for two engines that must say the same.
std::vector<LabelledKernel> mixed_kernels(const std::string &directory, std::uint64_t seed, std::size_t count);

// What an argument holds at the beginning: as its `fill` line says, or else 1, 2, ... 7 and again.
//   iota             0, 1, 2, ...
//   modulo K         0 .. K-1 and again
//   ones A B ...     1 at these elements, 0 elsewhere
//   permutation K    the first K elements a permutation that is not the identity, the others iota
//   repeated K       the same, but the last of the K is what the first is
std::vector<std::uint8_t> initial_bytes(const LabelledKernel &kernel, const Object &argument, std::int64_t elements);

} // namespace tilenest::conformance
