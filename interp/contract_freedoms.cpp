// SPDX-License-Identifier: Apache-2.0
// What the policy of an `mma` leaves open: its enclosures, and one of its results by the chooser.
#include "interp/contract_plan.h"
#include "semantics/numerics/literals.h"
#include "semantics/numerics/scalar_apply.h"
#include <cmath>

namespace tilenest {

// rule: ADM-SET -- any grouping of the products, contracted or not, in a wider format or not, as far as the policy lets.
void enclose_contract(Machine &m, const Instr &in, const ContractPlan &plan, const Tile &ta, const Tile &tb, const Tile &before, Tile &out) {
  AdmittedSets &sets = *m.options.sets;
  const auto &policy = std::get<MmaAttr>(in.source->attr);
  const bool free = is_float(plan.type) && (policy.allow_reassociation || policy.allow_contraction || policy.wide_accumulation);
  const bool reached = ta.spread || tb.spread || before.spread;
  if (!free && !reached && !(is_float(plan.type) && (declares(sets.profile, Primitive::mul, plan.type) || declares(sets.profile, Primitive::add, plan.type)))) return;
  const ScalarType types[] = {m.p.values[in.source->operands[0]].type.elem, m.p.values[in.source->operands[1]].type.elem};
  const ContractFreedoms freedoms = freedoms_of(*in.source, plan.type);
  if (freedoms.widens) sets.skip_choices(1);
  bool undefined = false;
  // The inputs in the accumulator's type.
  const auto inputs = [&](const Tile &t, ScalarType type, std::int64_t count) {
    std::vector<Enclosure> sets_of;
    for (std::int64_t i = 0; i < count; ++i) {
      const Enclosure e[] = {enclosure_of(t, type, i)};
      sets_of.push_back(type == plan.type ? e[0] : enclose(sets.profile, Primitive::cast, type, plan.type, e, undefined));
    }
    return sets_of;
  };
  const std::vector<Enclosure> a = inputs(ta, types[0], plan.a.count), b = inputs(tb, types[1], plan.b.count);
  const auto finite_points = [&](const std::vector<Enclosure> &v, std::vector<double> &values) {
    for (const Enclosure &e : v) {
      if (!e.is_point() || !e.number || !is_float(plan.type)) return false;
      values.push_back(value_as_f64(plan.type, e.low));
      if (!std::isfinite(values.back())) return false;
    }
    return true;
  };
  std::vector<double> a_values, b_values;
  const bool plain = finite_points(a, a_values) && finite_points(b, b_values);
  const auto count = static_cast<std::size_t>(plan.count);
  out.open = before.open;
  out.spread = out.open ? m.block(count * sizeof(OpenFold)) : m.spread_block(count);
  bool any = false;
  const auto ai = offsets(plan.a, 0, plan.a_outer), ak = offsets(plan.a, plan.a_outer, plan.a.extents.size() - plan.a_outer);
  const auto bk = offsets(plan.b, 0, plan.b_outer), bj = offsets(plan.b, plan.b_outer, plan.b.extents.size() - plan.b_outer);
  const auto ci = offsets(plan.acc, 0, plan.acc_outer), cj = offsets(plan.acc, plan.acc_outer, plan.acc.extents.size() - plan.acc_outer);
  const std::uint8_t *active_a = ta.active.as<std::uint8_t>(), *active_b = tb.active.as<std::uint8_t>();
  for (std::int64_t batch = 0; batch < plan.batch; ++batch)
    for (std::size_t i = 0; i < ai.size(); ++i)
      for (std::size_t j = 0; j < bj.size(); ++j) {
        const std::int64_t at = plan.batch_acc[batch] + ci[i] + cj[j];
        OpenFold fold(plan.type);
        Enclosure chain = before.open ? Enclosure{} : enclosure_of(before, plan.type, at);
        if (before.open) fold = before.spread.as<OpenFold>()[at];
        else if (free) fold.sum.add(chain);
        std::size_t contributions = 0;
        for (std::size_t k = 0; k < ak.size(); ++k) {
          const std::int64_t xa = plan.batch_a[batch] + ai[i] + ak[k], xb = plan.batch_b[batch] + bk[k] + bj[j];
          if ((active_a && !active_a[xa]) || (active_b && !active_b[xb])) continue;
          ++contributions;
          if (plain && (free || before.open)) {
            fold.sum.add_product(a_values[xa], b_values[xb]);
          } else if (free || before.open) {
            fold.sum.add_product(a[xa], b[xb]);
          } else {
            const Enclosure factors[] = {a[xa], b[xb]};
            const Enclosure terms[] = {chain, enclose(sets.profile, Primitive::mul, plan.type, plan.type, factors, undefined)};
            chain = enclose(sets.profile, Primitive::add, plan.type, plan.type, terms, undefined);
          }
        }
        if (freedoms.regroups) sets.next_choices(contributions, true);
        if (freedoms.contracts) sets.skip_choices(contributions);
        if (out.open) {
          fold.known = false; // its products have freedoms of their own
          out.spread.as<OpenFold>()[at] = fold;
          continue;
        }
        Enclosure &e = out.spread.as<Enclosure>()[at];
        e = free ? fold.sum.close(sets.add_error(plan.type), sets.mul_error(plan.type)) : chain;
        if (free && !e.is_point()) e.origin = Enclosure::many;
        any |= !e.is_point();
      }
  if (!out.open && !any) out.spread.reset();
}

ContractFreedoms freedoms_of(const Op &mma, ScalarType type) {
  if (!is_float(type)) return {};
  const auto &policy = std::get<MmaAttr>(mma.attr);
  return {policy.allow_reassociation, policy.allow_contraction, policy.wide_accumulation && type != ScalarType::f64};
}

namespace {

// Sums of products of one element, as the chooser says.
class ChosenSum {
public:
  ChosenSum(Chooser &chooser, ScalarType type, bool contracts, bool wide) : chooser_(chooser), type_(type), contracts_(contracts), wide_(wide) {}

  // A partial result; a product that is not rounded yet, because the sum that takes it may be an fma.
  struct Partial {
    std::uint64_t sum = 0, x = 0, y = 0;
    double wide = 0;
    bool product = false;
  };
  Partial of(std::uint64_t sum) const { return {sum, 0, 0, wide_ ? value_as_f64(type_, sum) : 0, false}; }
  Partial product(std::uint64_t x, std::uint64_t y) const {
    return {0, x, y, wide_ ? value_as_f64(type_, x) * value_as_f64(type_, y) : 0, true};
  }
  // NUM-ACC: in f64 products of narrower types are exact, and the sums round to f64.
  Partial add(const Partial &l, const Partial &r) {
    if (wide_) return {0, 0, 0, l.wide + r.wide, false};
    std::uint64_t fused = 0; // 1: the first product that there is, 2: the second one
    if (contracts_ && (l.product || r.product)) fused = chooser_.choose(Freedom::grouping, l.product && r.product ? 3 : 2);
    if (fused == 0) return {apply(Primitive::add, {value(l), value(r)}), 0, 0, 0, false};
    const bool left = fused == 1 && l.product;
    const Partial &p = left ? l : r;
    return {apply(Primitive::fma, {p.x, p.y, value(left ? r : l)}), 0, 0, 0, false};
  }
  std::uint64_t value(const Partial &p) const {
    if (wide_) return *literal_bits(p.wide, type_);
    return p.product ? apply(Primitive::mul, {p.x, p.y}) : p.sum;
  }

private:
  std::uint64_t apply(Primitive by, std::initializer_list<std::uint64_t> x) const {
    return apply_scalar(by, type_, type_, std::span(x.begin(), x.size())).bits;
  }
  Chooser &chooser_;
  ScalarType type_;
  bool contracts_, wide_;
};

} // namespace

// rule: MMA -- a tree over the products and the accumulator where the policy lets it, else the chain of ascending k; each
// product rounded or not where an fma is allowed; all of it in the type or, NUM-ACC, in f64.
void choose_contract(Machine &m, const Instr &in, const ContractPlan &plan, const Tile &ta, const Tile &tb, const BlockRef &a, const BlockRef &b, const Tile &before, Tile &out) {
  const ContractFreedoms freedoms = freedoms_of(*in.source, plan.type);
  Chooser &chooser = *m.options.chooser;
  const bool wide = freedoms.widens && chooser.choose(Freedom::grouping, 2) == 1;
  ChosenSum sums(chooser, plan.type, freedoms.contracts && !wide, wide);
  const auto ai = offsets(plan.a, 0, plan.a_outer), ak = offsets(plan.a, plan.a_outer, plan.a.extents.size() - plan.a_outer);
  const auto bk = offsets(plan.b, 0, plan.b_outer), bj = offsets(plan.b, plan.b_outer, plan.b.extents.size() - plan.b_outer);
  const auto ci = offsets(plan.acc, 0, plan.acc_outer), cj = offsets(plan.acc, plan.acc_outer, plan.acc.extents.size() - plan.acc_outer);
  const std::uint8_t *active_a = ta.active.as<std::uint8_t>(), *active_b = tb.active.as<std::uint8_t>();
  const auto size = static_cast<std::int64_t>(plan.bytes);
  for (std::int64_t batch = 0; batch < plan.batch; ++batch)
    for (std::size_t i = 0; i < ai.size(); ++i)
      for (std::size_t j = 0; j < bj.size(); ++j) {
        const std::int64_t at = plan.batch_acc[batch] + ci[i] + cj[j], row = plan.batch_a[batch] + ai[i], col = plan.batch_b[batch] + bj[j];
        std::vector<std::int64_t> contributions;
        for (std::size_t k = 0; k < ak.size(); ++k)
          if ((!active_a || active_a[row + ak[k]]) && (!active_b || active_b[col + bk[k]])) contributions.push_back(static_cast<std::int64_t>(k));
        Grouping g{{{true, contributions}}, {0}};
        if (freedoms.regroups) g = choose_grouping(chooser, std::move(contributions), ReductionPolicy::unordered_tree);
        std::vector<ChosenSum::Partial> parts;
        for (std::size_t leaf = 0; leaf < g.leaves.size(); ++leaf) {
          bool begun = g.leaves[leaf].seed;
          parts.push_back(begun ? sums.of(load_bits(plan.type, before.data.as<>() + at * size)) : ChosenSum::Partial{});
          for (const std::int64_t k : g.leaves[leaf].contributions) {
            const auto product = sums.product(load_bits(plan.type, a.as<>() + (row + ak[static_cast<std::size_t>(k)]) * size),
                                              load_bits(plan.type, b.as<>() + (col + bk[static_cast<std::size_t>(k)]) * size));
            parts.back() = begun ? sums.add(parts.back(), product) : product; // the identity of + says nothing
            begun = true;
          }
          for (std::size_t n = g.merges[leaf]; n > 0; --n) {
            const ChosenSum::Partial right = parts.back();
            parts.pop_back();
            parts.back() = sums.add(parts.back(), right);
          }
        }
        store_bits(plan.type, out.data.as<>() + at * size, sums.value(parts[0]));
      }
}

} // namespace tilenest
