// SPDX-License-Identifier: Apache-2.0
// The names are those of docs/admitted.md, "Trees of logsumexp". The exponentials here are f64, whose errors are added.
#include "semantics/numerics/scaled_sum.h"
#include "semantics/numerics/formats.h"
#include "semantics/numerics/literals.h"
#include <algorithm>
#include <cmath>

namespace tilenest {

// A distance rounds once: 2^-53 at most, which 1 + u does not show in f64.
static double step_of_distances(ScalarType type) { return std::max(std::ldexp(1.0, -float_layout(type).precision()), 0x1p-52); }

ScaledSum::ScaledSum(ScalarType type) : type_(type), low_{1 + step_of_distances(type)}, high_{1 - step_of_distances(type)} {}

void ScaledSum::Relative::add(double at, double weight, double greatest) {
  if (any && greatest > top) sum *= std::exp(stretch * (top - greatest));
  top = any ? std::max(top, greatest) : greatest;
  sum += weight * std::exp(stretch * (at - top));
  any = true;
}

void ScaledSum::add(const Enclosure &top, const Enclosure &weight) {
  ++leaves_, ++terms_;
  const double least = weight.number && !weight.nan ? value_as_f64(type_, weight.low) : -1;
  put(top, least, weight.number ? value_as_f64(type_, weight.high) : -1);
  whole_ &= weight.is_point() && least == std::floor(least);
}

void ScaledSum::add_block(std::span<const Enclosure> x) {
  ++leaves_;
  terms_ += static_cast<std::int64_t>(x.size());
  largest_block_ = std::max(largest_block_, static_cast<std::int64_t>(x.size()));
  const auto is_nowhere = [&](const Enclosure &e) { return e.is_point() && e.number && value_as_f64(type_, e.low) == -infinity; };
  // Beside a greater one a term of -inf is 0; alone, what it is the exponential of is NaN.
  const bool nowhere = std::all_of(x.begin(), x.end(), is_nowhere);
  if (nowhere) put(Enclosure::of(type_, *literal_bits(-infinity, type_)), 1, 1);
  for (const Enclosure &e : x)
    if (!is_nowhere(e)) put(e, 1, 1);
    else equal_ = false;
}

// A term of a weight between these.
void ScaledSum::put(const Enclosure &top, double least, double most) {
  nan_ |= !top.number;
  if (!top.number) return;
  const bool first = !top_.number;
  const double low = value_as_f64(type_, top.low), high = value_as_f64(type_, top.high);
  if (first) first_top_ = low;
  if (!top_.number || order_key(type_, top.low) > order_key(type_, top_.low)) top_.low = top.low;
  if (!top_.number || order_key(type_, top.high) > order_key(type_, top_.high)) top_.high = top.high;
  top_.number = true;
  top_.nan |= top.nan;
  equal_ &= top.is_point() && low == first_top_;
  if (!(least >= 0) || !std::isfinite(most) || top.nan) return open_ = true, void();
  weights_ += most;
  if (std::isinf(low) || std::isinf(high)) {
    if (low != high) return open_ = true, void();
    Range &sums = low < 0 ? nowhere_ : infinite_;
    sums = {sums.low + least, sums.high + most, true};
    return;
  }
  low_.add(low, least, value_as_f64(type_, top_.high));
  high_.add(high, most, value_as_f64(type_, top_.low));
}

// rule: ADM-SET
ScaledSum::Bounds ScaledSum::close(const StepError &exp, bool guarded) const {
  Bounds out{top_, Enclosure::everything(type_)};
  if (nan_) {
    out.top = out.sum = Enclosure::not_a_number();
    return out;
  }
  const FloatLayout layout = float_layout(type_);
  const double u = std::ldexp(1.0, -layout.precision()), eta = std::ldexp(1.0, layout.least_exponent());
  const double largest = value_as_f64(type_, layout.largest());
  if (open_ || !exp.bounded || !(exp.relative < 0.5) || ((nowhere_.any || infinite_.any) && !guarded)) return out;
  const auto terms = static_cast<double>(terms_), merges = static_cast<double>(leaves_) - 1, exponentials = merges + (guarded ? 0 : 1);
  const double sums_of = 2 * merges + static_cast<double>(largest_block_); // roundings of products and sums on the way
  const bool exact = guarded || (exp.relative == u && exp.absolute == eta / 2);
  if (equal_ && whole_ && exact && weights_ <= std::ldexp(1.0, layout.precision())) {
    out.sum = Enclosure::of(type_, *literal_bits(weights_, type_));
    return out;
  }
  Range sums{low_.sum, high_.sum, true};
  if (infinite_.any) sums = infinite_;
  else if (!low_.any) sums = nowhere_;
  const double growth = std::exp(exponentials * std::log1p(exp.relative + exp.absolute) + sums_of * std::log1p(u));
  const double shrinking = std::exp(exponentials * std::log1p(-exp.relative) + sums_of * std::log1p(-u));
  const double each = 2 * (terms + merges + 1) * growth;
  if (!(each * exp.absolute < 0.25)) return out;
  const double lost = each * (exp.absolute * growth * weights_ + eta) * 2;
  const double relative = (3 * terms + 8) * 0x1p-52, absolute = weights_ * 0x1p-51; // of the f64 sums here
  const double low = sums.low * shrinking * (1 - relative) - lost - absolute;
  const double high = sums.high * growth * (1 + relative) + lost + absolute;
  if (!(2 * (growth * weights_ + lost) < largest)) return out;
  std::uint64_t a = element_beside(type_, std::max(low, 0.0), 0, true), b = element_beside(type_, high, 0, false);
  if (value_as_f64(type_, a) == 0) a = *literal_bits(-0.0, type_);
  out.sum = Enclosure::between(type_, a, b);
  return out;
}

} // namespace tilenest
