// SPDX-License-Identifier: Apache-2.0
// The names are those of docs/admitted.md, "Trees of welford". Sums of what is exact are kept in pairs of f64; the
// bounds are f64, enlarged by more than their own roundings.
#include "semantics/numerics/sample_set.h"
#include "semantics/numerics/formats.h"
#include "semantics/numerics/literals.h"
#include "semantics/numerics/target_profile.h"
#include <algorithm>
#include <cmath>

namespace tilenest {

namespace {

constexpr double more = 1 + 0x1p-30;

bool finite_ends(ScalarType type, const Enclosure &e) {
  return e.number && !e.nan && std::isfinite(value_as_f64(type, e.low)) && std::isfinite(value_as_f64(type, e.high));
}

// From `low` to `high`, a zero at an end of either sign.
Enclosure elements_between(ScalarType type, Pair low, Pair high) {
  std::uint64_t a = element_beside(type, low.high, low.low, true), b = element_beside(type, high.high, high.low, false);
  if (value_as_f64(type, a) == 0) a = *literal_bits(-0.0, type);
  if (value_as_f64(type, b) == 0) b = *literal_bits(0.0, type);
  return Enclosure::between(type, a, b);
}

} // namespace

void SampleSet::add(const Enclosure &count, const Enclosure &mean, const Enclosure &squares) {
  const double c = count.number ? value_as_f64(type_, count.low) : 0;
  const bool first = samples_++ == 0;
  if (!count.is_point() || !(c >= 1) || c != std::floor(c)) return whole_ = false, void();
  total_ += c;
  least_ = first ? c : std::min(least_, c);
  most_ = std::max(most_, c);
  spread_counts_ += c * std::log2(c);
  if (!squares.number) {
    nan_squares_ = true;
  } else if (!finite_ends(type_, squares)) {
    open_squares_ = true;
  } else {
    const double low = value_as_f64(type_, squares.low), high = value_as_f64(type_, squares.high);
    low_squares_ = low_squares_ + low;
    high_squares_ = high_squares_ + high;
    negative_ |= low < 0;
    magnitudes_ += std::max(std::fabs(low), std::fabs(high));
  }
  if (!mean.number) return nan_mean_ = true, void();
  if (!finite_ends(type_, mean)) return open_mean_ = true, void();
  const double low = value_as_f64(type_, mean.low), high = value_as_f64(type_, mean.high);
  const double middle = low == high ? low : low / 2 + high / 2;
  const double half = low == high ? 0 : std::max(high - middle, middle - low) * more;
  points_ &= low == high;
  if (first) low_ = low, high_ = high, centre_ = middle;
  low_ = std::min(low_, low);
  high_ = std::max(high_, high);
  low_sum_ = low_sum_ + exact_product(c, low);
  high_sum_ = high_sum_ + exact_product(c, high);
  const Pair e = exact_sum(middle, -centre_);
  deviations_ = deviations_ + e * c;
  deviations_squared_ = deviations_squared_ + e * e * c;
  widths_squared_ += c * half * half;
}

bool SampleSet::counted() const { return whole_ && total_ <= std::ldexp(1.0, float_layout(type_).precision()); }

Enclosure SampleSet::mean_within(double error) const {
  return elements_between(type_, low_sum_ / Pair{total_, 0} + -error, high_sum_ / Pair{total_, 0} + error);
}

// rule: ADM-SET
SampleSet::Bounds SampleSet::close(bool residual) const {
  const FloatLayout layout = float_layout(type_);
  const double u = std::ldexp(1.0, -layout.precision()), eta = std::ldexp(1.0, layout.least_exponent());
  const double largest = std::min(value_as_f64(type_, layout.largest()), 0x1p400); // of pairs
  const auto gamma = [&](double roundings) { return std::expm1(roundings * std::log1p(u)); };
  const auto samples = static_cast<double>(samples_), merges = samples - 1, n = total_;
  Bounds out{Enclosure::of(type_, *literal_bits(n, type_)), Enclosure::everything(type_), Enclosure::everything(type_)};
  if (nan_squares_) out.squares = Enclosure::not_a_number();
  if (nan_mean_) out.mean = out.squares = Enclosure::not_a_number();
  if (nan_mean_ || open_mean_) return out;

  // The mean: E = g r, r = a + b E the error of one merge.
  const double A = std::max(std::fabs(low_), std::fabs(high_)), R = high_ - low_;
  const bool alike = points_ && R == 0;
  const double ratio = most_ / least_, below = std::floor(samples / ratio);
  const double g = below < 2 ? merges : std::min(merges, ratio / samples * (below * (below + 1) / 2 - 1) + samples - below);
  const double a = ((1 + u) * (gamma(3) * R + eta / 2) + u * A) * more, b = (2 * (1 + u) * gamma(3) + u) * more;
  double E = alike ? 0 : g * a / (1 - g * b) * more;
  if (!(g * b < 0.5)) return out;
  const double D = R + 2 * E;
  if (!(2 * (A + D + E) < largest)) return out;
  const double pairs = (samples + 8) * 0x1p-96 * A + (type_ == ScalarType::f64 ? samples * 0x1p-1060 : 0);
  out.mean = alike ? elements_between(type_, {low_, 0}, {low_, 0}) : mean_within(E + pairs);

  // The sum of squared deviations.
  if (nan_squares_ || open_squares_) return out;
  const double reach = std::max(1.0, D * D) * n * (1 + gamma(6)) * more;
  if (!(reach < largest) || (!residual && !(A * A * more < largest))) return out;
  const Pair exact = deviations_squared_ - deviations_ * deviations_ / Pair{n, 0};
  const double lost = (samples + 8) * 0x1p-96 * n * R * R + (R < 0x1p-400 ? exact.high * 0x1p-40 + samples * n * 0x1p-1000 : 0);
  const double h = std::sqrt(widths_squared_) * more;
  const double least_root = std::max(0.0, std::sqrt(std::max(0.0, exact.high * (1 - 0x1p-50) - lost)) - h);
  const double root = std::sqrt(std::max(0.0, exact.high) * (1 + 0x1p-50) + lost) + h;
  const double least_V = least_root * least_root * (1 - 0x1p-50), V = alike ? 0 : root * root * (1 + 0x1p-50);
  const double entropy = std::min(std::log2(samples), std::log2(n) - spread_counts_ / n) + 1e-9;
  const double S = n / 4 * entropy * more;
  const double lambda = residual ? std::max(4.0, 2 + ratio) : 4, kappa = residual ? std::max(4.0, 1 + ratio) : 4;
  const double theta = gamma(6), underflow = alike ? 0 : 1.5 * eta * reach;
  const double increments = theta * V + (1 + theta) * (lambda * E * std::sqrt(V * S) + kappa * E * E * S) + merges * underflow;
  const double sums = merges * gamma(2);
  if (!(sums < 0.5)) return out;
  const double T = magnitudes_ + V, F = (sums * T + increments) / (1 - sums) * more;
  if (!(T + F < largest)) return out;
  Pair low = low_squares_ + least_V + -F, high = high_squares_ + V + F;
  if (!negative_ && low.high < 0) low = {0, 0}; // what is added is a product of two of one sign
  out.squares = elements_between(type_, low, high);
  return out;
}

} // namespace tilenest
