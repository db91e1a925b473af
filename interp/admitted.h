// SPDX-License-Identifier: Apache-2.0
// Admitted results (ADM-SET): beside the reference's values a run carries, for each element that a freedom has reached,
// an enclosure of what it may be. Elements without one are the reference's alone. What resolves by itself (one event,
// one value) is seen as such only where the enclosure is a point: enclosures of two uses know nothing of each other.
#pragma once
#include "interp/tile.h"
#include "semantics/numerics/enclosure_algebra.h"
#include "semantics/numerics/term_sum.h"
#include "semantics/program/program.h"
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

namespace tilenest {

struct Machine;
struct Frame;
struct Instr;

// A float state of a tree reduction while its contributions come in: `+` and `mma` sum up terms, `*` multiplies.
struct OpenFold {
  TermSum sum;
  FactorProduct product;
  explicit OpenFold(ScalarType type) : sum(type), product(type) {}
};

// The element `i` of a tile: its enclosure, or the point that its data is.
Enclosure enclosure_of(const Tile &t, ScalarType type, std::int64_t i);

class AdmittedSets {
public:
  AdmittedSets(const TargetProfile &profile, const TileProgram &program);

  const TargetProfile &profile;
  const StepError &add_error(ScalarType type) const { return add_[static_cast<std::size_t>(type)]; }
  const StepError &mul_error(ScalarType type) const { return mul_[static_cast<std::size_t>(type)]; }

  // A freedom has reached something that decides what happens, or is of a kind that has no enclosure here. By the first
  // operation of each text.
  void undecided(OpId op, const std::string &what) { undecided_.try_emplace(what, op); }
  const std::map<std::string, OpId> &undecided() const { return undecided_; }
  void forget_undecided() { undecided_.clear(); }

  // --- elements of storage; `place` counts half bytes of the address space ---
  Enclosure load(std::uint64_t place, ScalarType type, std::uint64_t bits) const;
  void store(std::uint64_t place, ScalarType type, const Enclosure &set);
  // ATOM: equal atomics are unordered. `before`, `after`: the reference's bits.
  void update(std::uint64_t place, ScalarType type, Primitive by, std::uint64_t before, const Enclosure &with);
  bool stores_nothing() const { return cells_.empty(); }

private:
  struct Cell {
    Enclosure set;
    ScalarType type = ScalarType::f32;
    std::optional<TermSum> open; // the sum of atomics so far
  };
  Enclosure value(const Cell &cell) const;

  std::vector<StepError> add_, mul_; // by ScalarType
  std::unordered_map<std::uint64_t, Cell> cells_;
  bool mixed_ = false; // views of several widths
  std::map<std::string, OpId> undecided_;
};

// Operands of an operation that decide what happens: conditions, predicates, coordinates, trip counts.
std::vector<std::uint8_t> deciding_operands(const Op &op);

} // namespace tilenest
