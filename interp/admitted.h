// SPDX-License-Identifier: Apache-2.0
// Admitted results (ADM-SET): beside the reference's values a run carries, for each element that a freedom has reached,
// an enclosure of what it may be. Elements without one are the reference's alone. What resolves by itself (one event,
// one value) is seen as such only where the enclosure is a point: enclosures of two uses know nothing of each other.
#pragma once
#include "interp/tile.h"
#include "semantics/numerics/enclosure_algebra.h"
#include "semantics/numerics/term_sum.h"
#include "semantics/program/program.h"
#include <array>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace tilenest {

struct Machine;
struct Frame;
struct Instr;

// A float state of a tree reduction while its contributions come in: `+` and `mma` sum up terms, `*` multiplies.
struct OpenFold {
  TermSum sum;
  FactorProduct product;
  // The chain of each contribution from the identity, as long as there are few and each is known: the leaves of trees.
  static constexpr std::size_t most_leaves = 10;
  std::array<std::uint64_t, most_leaves> leaves{};
  std::uint64_t seed = 0, chain = 0; // `chain`: of the contribution under way
  std::uint8_t count = 0;
  bool known = true;
  explicit OpenFold(ScalarType type) : sum(type), product(type) {}
};

// One reduction of one element along a tree policy, whose grouping is free: the choices that resolve it are those from
// `first_choice` on.
struct ReductionEvent {
  std::uint64_t first_choice = 0;
  bool unordered = true;
  Primitive primitive = Primitive::add;
  ScalarType type = ScalarType::f32;
  std::uint64_t seed = 0;
  std::vector<std::uint64_t> leaves; // empty: too many, or not known
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

  // A reduction of `contributions` chooses its grouping: the number of its first choice, of the reference's.
  std::uint64_t next_choices(std::size_t contributions, bool unordered) {
    const std::uint64_t first = choices_;
    choices_ += contributions + (unordered && contributions > 1 ? contributions - 1 : 0);
    return first;
  }
  // Choices of other kinds that a run along the reference makes.
  void skip_choices(std::size_t n) { choices_ += n; }
  // The origin of the event's results; `many` where its contributions have one.
  std::uint32_t event(ReductionEvent e, std::uint32_t contributions) {
    if (contributions != 0) return Enclosure::many;
    events_.push_back(std::move(e));
    return static_cast<std::uint32_t>(events_.size());
  }
  const ReductionEvent &event(std::uint32_t origin) const { return events_[origin - 1]; }

  // --- elements of storage; `place` counts half bytes of the address space ---
  Enclosure load(std::uint64_t place, ScalarType type, std::uint64_t bits) const;
  void store(std::uint64_t place, ScalarType type, const Enclosure &set);
  // ATOM: equal atomics are unordered. `before`, `after`: the reference's bits.
  void update(std::uint64_t place, ScalarType type, Primitive by, std::uint64_t before, const Enclosure &with);
  // Elements of arguments that the run never stored and that held nothing before.
  void leave_unwritten(std::uint64_t place) { unwritten_.insert(place); }
  bool is_unwritten(std::uint64_t place) const { return unwritten_.contains(place); }

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
  std::unordered_set<std::uint64_t> unwritten_;
  std::map<std::string, OpId> undecided_;
  std::uint64_t choices_ = 0;
  std::vector<ReductionEvent> events_;
};

// Operands of an operation that decide what happens: conditions, predicates, coordinates, trip counts.
std::vector<std::uint8_t> deciding_operands(const Op &op);

} // namespace tilenest
