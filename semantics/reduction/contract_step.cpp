// SPDX-License-Identifier: Apache-2.0
// The body's definitions of the states, read backwards from its end through the forms of contract_step.h.
#include "semantics/reduction/contract_step.h"
#include "semantics/reduction/states.h"
#include <algorithm>

namespace tilenest {

namespace {

using reduction_detail::State;
using reduction_detail::states_of;
using reduction_detail::Uses;

class StepReader {
public:
  StepReader(const TileProgram &p, const Op &reduce, const ReductionAlgebra::Contract &contract)
      : p_(p), states_(states_of(p, Uses(p), reduce)) {
    const Region &body = p.regions[reduce.regions[0]];
    const std::size_t first = body.args.size() - reduce.carries.size();
    for (const VarId s : contract.states) {
      const auto at = static_cast<std::size_t>(std::find(reduce.carries.begin(), reduce.carries.end(), s) - reduce.carries.begin());
      before_.push_back(body.args[first + at]);
      after_.push_back(plain(body.yields[at]));
    }
  }

  std::optional<SampleStep> sample();
  std::optional<ScaledStep> scaled();

private:
  // The value without the assignments that it went through.
  ValueId plain(ValueId v) const {
    while (p_.values[v].op.valid() && p_.ops[p_.values[v].op].kind == OpKind::assign) v = p_.ops[p_.values[v].op].operands[0];
    return v;
  }
  // The operands of the operation of this kind that defines it; empty: it is no such operation.
  std::vector<ValueId> operands(ValueId v, OpKind kind) const {
    std::vector<ValueId> out;
    const OpId def = p_.values[plain(v)].op;
    if (!def.valid() || p_.ops[def].kind != kind) return out;
    for (const ValueId x : p_.ops[def].operands) out.push_back(plain(x));
    return out;
  }
  bool free(ValueId v) const {
    return std::none_of(states_.begin(), states_.end(), [&](const State &s) { return s.reached.contains(v); });
  }
  bool is_one(ValueId v) const {
    const OpId def = p_.values[v].op;
    if (!def.valid() || p_.ops[def].kind != OpKind::constant) return false;
    const auto &literal = std::get<LiteralAttr>(p_.ops[def].attr).literal;
    return std::visit([](auto x) { return x == 1; }, literal);
  }
  // One of two operands is `known`: the other one.
  std::optional<ValueId> beside(const std::vector<ValueId> &pair, ValueId known) const {
    if (pair.size() != 2) return std::nullopt;
    if (pair[0] == known) return pair[1];
    if (pair[1] == known) return pair[0];
    return std::nullopt;
  }
  // Operands of nested operations of one kind that compute from a state, left to right.
  void flatten(ValueId v, OpKind kind, std::vector<ValueId> &out) const {
    const auto pair = operands(v, kind);
    if (pair.empty() || free(v)) return out.push_back(plain(v));
    for (const ValueId x : pair) flatten(x, kind, out);
  }

  // --- welford ---
  bool is_count(ValueId v) const { return v == count_ || (is_one(v) && is_one(count_)); }
  bool is_total(ValueId v) const { // n + count
    const auto c = beside(operands(v, OpKind::add), before_[0]);
    return v == after_[0] || (c && is_count(*c));
  }
  bool is_share(ValueId v) const {
    const auto x = operands(v, OpKind::div);
    return x.size() == 2 && is_count(x[0]) && is_total(x[1]);
  }
  bool is_difference(ValueId v) { // mean_of - mean, which is where mean_of is met first
    const auto x = operands(v, OpKind::sub);
    if (x.size() != 2 || x[1] != before_[1] || !free(x[0])) return false;
    if (!mean_.valid()) mean_ = x[0];
    return x[0] == mean_;
  }
  bool is_divided(ValueId v) { // d / n'
    const auto x = operands(v, OpKind::div);
    return x.size() == 2 && is_total(x[1]) && is_difference(x[0]) && is_one(count_);
  }
  bool is_increment(ValueId v) {
    if (is_divided(v)) return true;
    const auto x = operands(v, OpKind::mul);
    return x.size() == 2 && ((is_difference(x[0]) && is_share(x[1])) || (is_share(x[0]) && is_difference(x[1])));
  }
  bool is_residual(ValueId v) const { // mean_of - mean'
    const auto x = operands(v, OpKind::sub);
    return x.size() == 2 && x[0] == mean_ && x[1] == after_[1];
  }
  std::optional<bool> growth(ValueId v); // of m2; whether by a residual

  // --- logsumexp ---
  bool is_exponential(ValueId v, ValueId of) const {
    const auto x = operands(v, OpKind::exp);
    if (x.empty()) return false;
    const auto d = operands(x[0], OpKind::sub);
    return d.size() == 2 && d[0] == of && d[1] == after_[0];
  }
  bool is_factor(ValueId v, ValueId of, bool &guarded) const; // F(of)
  // What `v` folds by this reducer over the dims that a state lacks; invalid: it is no such fold.
  ValueId folded(ValueId v, Reducer by) const {
    const OpId def = p_.values[v].op;
    if (!def.valid() || p_.ops[def].kind != OpKind::reduce || std::get<ReduceAttr>(p_.ops[def].attr).reducer != by) return {};
    const ValueId x = plain(p_.ops[def].operands[0]);
    const Space &space = p_.values[x].type.space;
    std::size_t kept = 0;
    for (const Factor &f : space.factors) kept += p_.values[before_[0]].type.space.find(f.dim) >= 0;
    return space.rank() == kept + std::get<ReduceAttr>(p_.ops[def].attr).dims.size() ? x : ValueId();
  }

  const TileProgram &p_;
  std::vector<State> states_;
  std::vector<ValueId> before_, after_; // of the contract's states
  ValueId count_, mean_;
};

std::optional<bool> StepReader::growth(ValueId v) {
  std::vector<ValueId> factors;
  flatten(v, OpKind::mul, factors);
  std::size_t differences = 0, shares = 0, counts_before = 0, divided = 0, residuals = 0, counts = 0;
  for (const ValueId f : factors) {
    if (is_difference(f)) ++differences;
    else if (is_share(f)) ++shares;
    else if (f == before_[0]) ++counts_before;
    else if (is_divided(f)) ++divided;
    else if (is_residual(f)) ++residuals;
    else if (is_count(f)) ++counts;
    else return std::nullopt;
  }
  const auto are = [&](std::size_t d, std::size_t s, std::size_t n, std::size_t t, std::size_t g) {
    return differences == d && shares == s && counts_before == n && divided == t && residuals == g;
  };
  if (counts == 0 && (are(2, 1, 1, 0, 0) || are(1, 0, 1, 1, 0))) return false;
  if (are(1, 0, 0, 0, 1) && (counts == 1 || (counts == 0 && is_one(count_)))) return true;
  return std::nullopt;
}

std::optional<SampleStep> StepReader::sample() {
  const auto count = beside(operands(after_[0], OpKind::add), before_[0]);
  if (!count || !free(*count)) return std::nullopt;
  count_ = *count;
  const auto increment = beside(operands(after_[1], OpKind::add), before_[1]);
  if (!increment || !is_increment(*increment)) return std::nullopt;
  std::vector<ValueId> terms;
  flatten(after_[2], OpKind::add, terms);
  if (terms.size() > 3 || std::count(terms.begin(), terms.end(), before_[2]) != 1) return std::nullopt;
  std::erase(terms, before_[2]);
  SampleStep out{count_, mean_, {}, false};
  bool grows = false;
  for (const ValueId t : terms) {
    if (free(t)) {
      if (out.squares.valid()) return std::nullopt;
      out.squares = t;
    } else {
      const auto by = growth(t);
      if (!by || grows) return std::nullopt;
      grows = true;
      out.residual = *by;
    }
  }
  if (!grows) return std::nullopt;
  return out;
}

bool StepReader::is_factor(ValueId v, ValueId of, bool &guarded) const {
  if (is_exponential(v, of)) {
    guarded = false;
    return true;
  }
  const auto choice = operands(v, OpKind::ite);
  if (choice.size() != 3 || !is_one(choice[1]) || !is_exponential(choice[2], of)) return false;
  const auto other = beside(operands(choice[0], OpKind::eq), of);
  return other && *other == after_[0];
}

std::optional<ScaledStep> StepReader::scaled() {
  const auto top = beside(operands(after_[0], OpKind::max), before_[0]);
  if (!top || !free(*top)) return std::nullopt;
  ScaledStep out{*top, {}, {}, true};
  const auto terms = operands(after_[1], OpKind::add);
  if (terms.size() != 2) return std::nullopt;
  for (const std::size_t old : {0, 1}) {
    const auto factor = beside(operands(terms[old], OpKind::mul), before_[1]);
    if (!factor || !is_factor(*factor, before_[0], out.guarded)) continue;
    const ValueId added = terms[1 - old];
    if (is_factor(added, *top, out.guarded)) return out;
    const ValueId terms_of = folded(*top, Reducer::max), exponentials = folded(added, Reducer::add);
    if (terms_of.valid() && exponentials.valid() && free(terms_of) && is_exponential(exponentials, terms_of)) {
      out.terms = terms_of;
      out.guarded = false;
      return out;
    }
    const auto product = operands(added, OpKind::mul);
    for (const std::size_t w : {0, 1})
      if (product.size() == 2 && free(product[w]) && is_factor(product[1 - w], *top, out.guarded)) {
        out.weight = product[w];
        return out;
      }
  }
  return std::nullopt;
}

} // namespace

std::optional<SampleStep> sample_step(const TileProgram &p, const Op &reduce, const ReductionAlgebra::Contract &contract) {
  return StepReader(p, reduce, contract).sample();
}

std::optional<ScaledStep> scaled_step(const TileProgram &p, const Op &reduce, const ReductionAlgebra::Contract &contract) {
  return StepReader(p, reduce, contract).scaled();
}

} // namespace tilenest
