// SPDX-License-Identifier: Apache-2.0
// The canonical form of extents and its arithmetic.
#include "semantics/space/extent.h"
#include <algorithm>

namespace tilenest {

namespace {
std::int64_t floor_div_i64(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
} // namespace

Extent Extent::parameter(ParamId id) {
  Extent e;
  e.terms_.push_back({1, Atom{id, nullptr, 1}});
  return e;
}

std::optional<std::int64_t> Extent::constant() const {
  if (!is_constant()) return std::nullopt;
  return constant_;
}

int Extent::compare_atoms(const Atom &a, const Atom &b) {
  const bool a_div = a.numerator != nullptr, b_div = b.numerator != nullptr;
  if (a_div != b_div) return a_div ? 1 : -1;
  if (!a_div) return a.param == b.param ? 0 : a.param < b.param ? -1 : 1;
  if (a.divisor != b.divisor) return a.divisor < b.divisor ? -1 : 1;
  return compare(*a.numerator, *b.numerator);
}

int Extent::compare(const Extent &a, const Extent &b) {
  if (a.overflowed_ != b.overflowed_) return a.overflowed_ ? 1 : -1;
  if (a.terms_.size() != b.terms_.size()) return a.terms_.size() < b.terms_.size() ? -1 : 1;
  for (std::size_t i = 0; i < a.terms_.size(); ++i) {
    if (int c = compare_atoms(a.terms_[i].atom, b.terms_[i].atom)) return c;
    if (a.terms_[i].coefficient != b.terms_[i].coefficient)
      return a.terms_[i].coefficient < b.terms_[i].coefficient ? -1 : 1;
  }
  return a.constant_ == b.constant_ ? 0 : a.constant_ < b.constant_ ? -1 : 1;
}

void Extent::add_term(std::int64_t coefficient, const Atom &atom) {
  auto at = std::lower_bound(terms_.begin(), terms_.end(), atom,
                             [](const Term &t, const Atom &a) { return compare_atoms(t.atom, a) < 0; });
  if (at != terms_.end() && compare_atoms(at->atom, atom) == 0) {
    overflowed_ |= __builtin_add_overflow(at->coefficient, coefficient, &at->coefficient);
    if (at->coefficient == 0) terms_.erase(at);
  } else if (coefficient != 0) {
    terms_.insert(at, {coefficient, atom});
  }
}

Extent Extent::plus(const Extent &other) const {
  Extent r = *this;
  r.overflowed_ |= other.overflowed_;
  r.overflowed_ |= __builtin_add_overflow(r.constant_, other.constant_, &r.constant_);
  for (const Term &t : other.terms_) r.add_term(t.coefficient, t.atom);
  return r;
}

Extent Extent::times(std::int64_t factor) const {
  if (factor == 0) return Extent(0);
  Extent r = *this;
  r.overflowed_ |= __builtin_mul_overflow(r.constant_, factor, &r.constant_);
  for (Term &t : r.terms_) r.overflowed_ |= __builtin_mul_overflow(t.coefficient, factor, &t.coefficient);
  return r;
}

Extent Extent::floor_div(std::int64_t divisor) const {
  if (divisor == 1) return *this;
  // Terms that the divisor divides leave the floor; the rest, if any, is one atom.
  Extent whole, rest;
  whole.overflowed_ = rest.overflowed_ = overflowed_;
  for (const Term &t : terms_)
    if (t.coefficient % divisor == 0)
      whole.add_term(t.coefficient / divisor, t.atom);
    else
      rest.add_term(t.coefficient, t.atom);
  const std::int64_t quotient = floor_div_i64(constant_, divisor);
  whole.constant_ = quotient;
  rest.constant_ = constant_ - quotient * divisor;
  if (!rest.terms_.empty()) whole.add_term(1, Atom{{}, std::make_shared<const Extent>(rest), divisor});
  return whole;
}

Extent Extent::ceil_div(std::int64_t divisor) const { return plus(divisor - 1).floor_div(divisor); }
Extent Extent::mod(std::int64_t divisor) const { return plus(floor_div(divisor).times(-divisor)); }

std::optional<std::int64_t> Extent::evaluate(const Lookup &lookup) const {
  if (overflowed_) return std::nullopt;
  std::int64_t sum = constant_;
  for (const Term &t : terms_) {
    std::optional<std::int64_t> v =
        t.atom.numerator ? t.atom.numerator->evaluate(lookup) : lookup(t.atom.param);
    if (!v) return std::nullopt;
    if (t.atom.numerator) v = floor_div_i64(*v, t.atom.divisor);
    std::int64_t product;
    if (__builtin_mul_overflow(t.coefficient, *v, &product) || __builtin_add_overflow(sum, product, &sum))
      return std::nullopt;
  }
  return sum;
}

void Extent::collect_params(std::vector<ParamId> &out) const {
  for (const Term &t : terms_)
    if (t.atom.numerator)
      t.atom.numerator->collect_params(out);
    else
      out.push_back(t.atom.param);
}

std::string Extent::to_string(const std::function<std::string(ParamId)> &name) const {
  std::string out;
  auto append = [&](std::int64_t coefficient, const std::string &what) {
    const bool negative = coefficient < 0;
    if (!out.empty())
      out += negative ? " - " : " + ";
    else if (negative)
      out += "-";
    const std::uint64_t magnitude =
        negative ? 0 - static_cast<std::uint64_t>(coefficient) : static_cast<std::uint64_t>(coefficient);
    if (what.empty())
      out += std::to_string(magnitude);
    else
      out += magnitude == 1 ? what : std::to_string(magnitude) + " * " + what;
  };
  for (const Term &t : terms_) {
    if (!t.atom.numerator) {
      append(t.coefficient, name(t.atom.param));
      continue;
    }
    Extent n = *t.atom.numerator;
    const std::string d = std::to_string(t.atom.divisor);
    // constant part divisor-1 is what ceil_div leaves behind
    if (n.constant_ == t.atom.divisor - 1)
      append(t.coefficient, "ceil_div(" + n.plus(1 - t.atom.divisor).to_string(name) + ", " + d + ")");
    else
      append(t.coefficient, "floordiv(" + n.to_string(name) + ", " + d + ")");
  }
  if (constant_ != 0 || out.empty()) append(constant_, "");
  return out;
}

// rule: SPC-EXT
Judged judge_equal(const Extent &a, const Extent &b) {
  const Extent difference = a - b;
  if (difference.overflowed()) return Judged::unknown;
  if (!difference.is_constant()) return Judged::unknown;
  return *difference.constant() == 0 ? Judged::yes : Judged::no;
}

} // namespace tilenest
