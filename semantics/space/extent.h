// SPDX-License-Identifier: Apache-2.0
// Extent: a quasi-affine expression over named extent parameters (SPC-EXT), kept in one canonical form:
// constant + sum of coefficient * atom, an atom being a parameter or floor(extent / positive constant).
// Equal canonical forms are equal for all parameter values; evaluation happens at binding.
#pragma once
#include "semantics/support/id.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilenest {

struct ParamTag;
using ParamId = Id<ParamTag>;

class Extent {
public:
  // floor(numerator / divisor) when `numerator` is set, else the parameter.
  struct Atom {
    ParamId param;
    std::shared_ptr<const Extent> numerator;
    std::int64_t divisor = 1;
  };
  struct Term {
    std::int64_t coefficient;
    Atom atom;
  };

  Extent() = default;
  Extent(std::int64_t constant) : constant_(constant) {}
  static Extent parameter(ParamId id);

  std::optional<std::int64_t> constant() const;
  bool is_constant() const { return terms_.empty() && !overflowed_; }
  std::int64_t constant_part() const { return constant_; }
  const std::vector<Term> &terms() const { return terms_; }
  // A coefficient left 64 bits while the expression was built; such an extent is refused at use.
  bool overflowed() const { return overflowed_; }

  Extent plus(const Extent &other) const;
  Extent times(std::int64_t factor) const;
  // `divisor` must be positive.
  Extent floor_div(std::int64_t divisor) const;
  Extent ceil_div(std::int64_t divisor) const;
  Extent mod(std::int64_t divisor) const;
  friend Extent operator+(const Extent &a, const Extent &b) { return a.plus(b); }
  friend Extent operator-(const Extent &a, const Extent &b) { return a.plus(b.times(-1)); }

  // The value under a binding, or nothing if a parameter is unbound or 64 bits do not hold it.
  using Lookup = std::function<std::optional<std::int64_t>(ParamId)>;
  std::optional<std::int64_t> evaluate(const Lookup &lookup) const;
  void collect_params(std::vector<ParamId> &out) const;

  // Canonical equality: true means equal for all parameters.
  friend bool operator==(const Extent &a, const Extent &b) { return compare(a, b) == 0; }
  static int compare(const Extent &a, const Extent &b);

  // Text that the .tile grammar reads back: `M + 2 * ceil_div(N, 32) - 1`.
  std::string to_string(const std::function<std::string(ParamId)> &name) const;

private:
  static int compare_atoms(const Atom &a, const Atom &b);
  void add_term(std::int64_t coefficient, const Atom &atom);

  std::int64_t constant_ = 0;
  std::vector<Term> terms_; // sorted by atom, no zero coefficient
  bool overflowed_ = false;
};

// What can be said of two extents before binding.
enum class Judged : std::uint8_t { yes, no, unknown };
Judged judge_equal(const Extent &a, const Extent &b);

} // namespace tilenest
