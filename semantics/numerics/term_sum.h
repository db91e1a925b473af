// SPDX-License-Identifier: Apache-2.0
// All results that a sum of terms, or a product of factors, may have over every grouping and order, products contracted or rounded, partial
// results wide or of the type (ADM-SET, ADM-CHECK). Terms are enclosures; nothing is tried, the bound is one formula:
// a sum of n terms in any tree is within (n-1) u sum|x| of the exact one (Jeannerod and Rump, "Improved error bounds
// for inner products in floating-point arithmetic", SIAM J. Matrix Anal. Appl. 34, 2013), u half a unit of 1.
#pragma once
#include "semantics/numerics/enclosure.h"
#include "semantics/numerics/target_profile.h"
#include <cstdint>

namespace tilenest {

// What one addition or multiplication of a type may err by, relative and absolute: correctly rounded, or as declared.
struct StepError {
  double relative = 0, absolute = 0;
  bool bounded = true; // false: the declaration has no such form
  bool exact_where_possible = false; // a result that the type holds exactly has no error
  bool invalid_gives_anything = false; // TargetProfile
};
StepError step_error(const TargetProfile &profile, Primitive primitive, ScalarType type);

// Trivially copyable: tiles of these are copied as bytes.
class TermSum {
public:
  explicit TermSum(ScalarType type) : type_(type) {}

  // -0, the identity of +, and terms that are zero round nothing.
  void add(const Enclosure &x);
  void add_product(const Enclosure &a, const Enclosure &b);
  // Points that are finite, as f64.
  void add_value(double x);
  void add_product(double a, double b);

  // Without a term: -0.
  Enclosure close(const StepError &add, const StepError &mul) const;

private:
  Enclosure bounds(const StepError &add, const StepError &mul) const;
  void owe(const Enclosure &x);
  struct Wide { // high + low: `low` sums what the additions to `high` lost
    double high = 0, low = 0;
    void add(double x) {
      const double s = high + x, part = s - high;
      low += (high - (s - part)) + (x - part);
      high = s;
    }
  };
  void add_range(double low, double high, bool product);
  void add_special(bool plus, bool minus, bool nan);

  ScalarType type_;
  std::uint32_t origin_ = 0; // of the terms
  bool exact_ = true;       // every term is a point
  bool all_minus_zero_ = true;
  bool nan_ = false, plus_infinity_ = false, minus_infinity_ = false, infinite_bounds_ = false;
  int unit_ = 2000;         // the largest power of two that divides every term is 2^unit_
  std::int64_t terms_ = 0, products_ = 0; // that are not surely zero
  Wide points_, low_, high_; // the sum of the points; of the low ends and of the high ends of the others
  double magnitude_ = 0, product_magnitude_ = 0; // sum of |x|, of |ab| among them
};

// The same for a product of factors, in any order: rounded partial products, none of which may leave the normal range.
class FactorProduct {
public:
  explicit FactorProduct(ScalarType type);
  void multiply(const Enclosure &x);
  Enclosure close(const StepError &mul) const;

private:
  ScalarType type_;
  Enclosure chain_;           // the product in the order of the calls
  std::int64_t factors_ = 0;
  bool nan_ = false, zero_ = false, infinity_ = false; // some factor is surely one
  int bits_ = 0;              // of the factors' odd parts: as many as an exact product needs
  double up_ = 0, down_ = 0;  // log2 of how far partial products may grow and shrink
};

} // namespace tilenest
