// SPDX-License-Identifier: Apache-2.0
// The laws of one contract, tried on the states that chains of the body reached. Two sides of a law differ where the
// enclosures of what real arithmetic gives for them have nothing in common; the identity is held bit for bit.
#include "interp/machine.h"
#include "semantics/numerics/literals.h"
#include "semantics/numerics/scalar_apply.h"
#include <algorithm>
#include <numeric>

namespace tilenest {

// The laws of one contract of one reduce, on the states that its chains reached.
class LawTrials {
public:
  LawTrials(Machine &m, Frame &f, const Instr &in, Probing &r, std::size_t contract)
      : m_(m), f_(f), in_(in), r_(r), plan_(static_cast<const DomainPlan &>(*in.plan)), id_{in.op, contract},
        contract_(m.p.algebras[std::get<LoopAttr>(in.source->attr).algebra].contracts[contract]), merge_(plan_.merges[contract]) {
    for (std::size_t s : merge_.states) {
      Component c;
      c.name = m.p.variables[in.source->carries[s]].name;
      c.type = m.p.variables[in.source->carries[s]].type.elem;
      c.shape = plan_.carried_shapes[s];
      c.count = std::accumulate(c.shape.begin(), c.shape.end(), std::int64_t{1}, std::multiplies<>());
      components_.push_back(std::move(c));
    }
  }

  // `share` of the run's work for each law.
  void run(std::uint64_t share) {
    const auto begin = [&] { work_end_ = probe().work + share, first_ = true; };
    begin(), neutral();
    begin(), body();
    begin(), associative();
    begin();
    if (contract_.commutative) commutative();
  }

private:
  using Chain = Probing::Chain;
  struct Component { // one state of the contract
    std::string name;
    ScalarType type;
    std::vector<std::int64_t> shape;
    std::int64_t count;
  };
  struct Value {
    std::vector<Tile> tiles; // in the contract's order
    bool usable = true;
  };
  struct Difference {
    std::size_t component;
    std::int64_t element;
  };

  LawProbe &probe() const { return *m_.options.laws; }
  LawTally &tally(ContractLaw law) const { return probe().tallies.at(id_)[static_cast<std::size_t>(law)]; }
  bool tries(ContractLaw law) const { return !m_.stop && (first_ || probe().work < work_end_) && probe().tries(id_, law); }

  Value value(const Chain &chain) const {
    const Probing::State &s = r_.states.at(chain);
    Value out{{}, s.usable};
    for (std::size_t k : merge_.states) out.tiles.push_back(s.tiles[k]);
    return out;
  }

  Value merge(const Value &a, const Value &b) {
    Value out;
    out.usable = a.usable && b.usable;
    if (!out.usable) return out;
    const Body &body = *in_.bodies[merge_.merge];
    const std::size_t n = components_.size();
    for (std::size_t k = 0; k < n; ++k) {
      f_.slots[body.args[k]] = a.tiles[k];
      f_.slots[body.args[n + k]] = b.tiles[k];
    }
    m_.options.sets->forget_undecided();
    m_.run_pure(f_, in_, body);
    out.usable = m_.options.sets->undecided().empty() && !m_.stop;
    for (std::size_t k = 0; k < n; ++k) out.tiles.push_back(m_.get(f_, body.yields[k]));
    return out;
  }

  // Elements that are the same bits, any NaN being one value: what RED-SEED asks of the identity.
  bool same_bits(const Component &c, const Tile &a, const Tile &b, std::int64_t i) const {
    const std::uint64_t x = bits(c, a, i), y = bits(c, b, i);
    return x == y || (is_nan_of(c.type, x) && is_nan_of(c.type, y));
  }
  // Elements that may be one real number, or one special value.
  bool may_agree(const Component &c, const Tile &a, const Tile &b, std::int64_t i) const {
    const Enclosure x = enclosure_of(a, c.type, i), y = enclosure_of(b, c.type, i);
    if (x.nan && y.nan) return true;
    if (!x.number || !y.number) return false;
    // Zeros are one number.
    const auto key = [&](std::uint64_t bits, bool up) {
      const bool zero = is_float(c.type) && value_as_f64(c.type, bits) == 0;
      return order_key(c.type, zero ? *literal_bits(up ? 0.0 : -0.0, c.type) : bits);
    };
    return key(x.low, false) <= key(y.high, true) && key(y.low, false) <= key(x.high, true);
  }

  std::optional<Difference> difference(const Value &a, const Value &b, bool bit_for_bit) const {
    for (std::size_t k = 0; k < components_.size(); ++k) {
      const Component &c = components_[k];
      const std::uint8_t *active = a.tiles[k].active.as<std::uint8_t>();
      for (std::int64_t i = 0; i < c.count; ++i) {
        if (active && !active[i]) continue;
        const bool mark = marked(a.tiles[k], i), other = marked(b.tiles[k], i);
        if (mark && other) continue;
        if (mark != other || !(bit_for_bit ? same_bits(c, a.tiles[k], b.tiles[k], i) : may_agree(c, a.tiles[k], b.tiles[k], i)))
          return Difference{k, i};
      }
    }
    return std::nullopt;
  }

  std::uint64_t bits(const Component &c, const Tile &t, std::int64_t i) const {
    return load_bits(c.type, t.data.as<>() + i * static_cast<std::int64_t>(byte_size(c.type)));
  }
  bool marked(const Tile &t, std::int64_t i) const { return t.notes && m_.notes.is_mark(t.notes.as<Note>()[i]); }

  // --- what is reported ---

  std::string element_name(std::size_t k, std::int64_t i) const {
    return components_[k].name + (components_[k].shape.empty() ? "" : Machine::element_text(components_[k].shape, i));
  }
  std::string text(const Value &v, const Difference &at) const {
    std::string out;
    constexpr std::int64_t most = 8; // elements of a tile that are shown
    for (std::size_t k = 0; k < components_.size(); ++k) {
      const Component &c = components_[k];
      const auto one = [&](std::int64_t i) { return marked(v.tiles[k], i) ? std::string("no value") : scalar_text(c.type, bits(c, v.tiles[k], i)); };
      out += (k > 0 ? ", " : "");
      if (c.shape.empty()) {
        out += c.name + " = " + one(0);
      } else if (c.count <= most) {
        out += c.name + " = [";
        for (std::int64_t i = 0; i < c.count; ++i) out += (i > 0 ? ", " : "") + one(i);
        out += "]";
      } else {
        const std::int64_t i = at.element < c.count ? at.element : 0;
        out += element_name(k, i) + " = " + one(i);
      }
    }
    return out;
  }
  std::string origin(const Chain &chain) const {
    if (chain.over.empty()) return chain.from_seed ? "the incoming states" : "the identity";
    std::string out = "the body from the " + std::string(chain.from_seed ? "incoming states" : "identity") + " over ";
    for (std::size_t i = 0; i < chain.over.size(); ++i)
      out += (i > 0 ? ", " : "") + point(chain.over[i]);
    return out;
  }
  std::string point(std::uint8_t position) const { return Machine::element_text(plan_.shape, r_.points[position]); }
  LawFailure::Operand operand(const char *name, const Chain &chain, const Difference &at) const {
    return {name, text(value(chain), at), origin(chain)};
  }

  // Holds one instance of a law against its sides; true where they differ.
  void hold(ContractLaw law, const Value &left, const Value &right, std::vector<std::pair<const char *, Chain>> operands,
            std::string left_text, std::string right_text) {
    first_ = false;
    if (m_.stop) return; // in the middle of it
    LawTally &t = tally(law);
    ++t.tried;
    if (!left.usable || !right.usable) {
      ++t.undecided;
      return;
    }
    const bool bit_for_bit = law == ContractLaw::left_identity || law == ContractLaw::right_identity;
    const auto at = difference(left, right, bit_for_bit);
    if (!at) return;
    LawFailure failure;
    for (const auto &[name, chain] : operands) failure.operands.push_back(operand(name, chain, *at));
    failure.left = std::move(left_text), failure.right = std::move(right_text);
    failure.left_value = text(left, *at), failure.right_value = text(right, *at);
    failure.element = element_name(at->component, at->element);
    const Component &c = components_[at->component];
    const Enclosure x = enclosure_of(left.tiles[at->component], c.type, at->element), y = enclosure_of(right.tiles[at->component], c.type, at->element);
    if (!bit_for_bit && !(x.is_point() && y.is_point())) failure.exact = enclosure_text(c.type, x) + " on the left, " + enclosure_text(c.type, y) + " on the right";
    t.failure = std::move(failure);
  }
  static std::string enclosure_text(ScalarType type, const Enclosure &e) {
    if (!e.number) return "nan";
    if (e.is_point()) return scalar_text(type, e.low);
    return "in [" + scalar_text(type, e.low) + ", " + scalar_text(type, e.high) + "]" + (e.nan ? " or nan" : "");
  }

  // --- the laws ---

  // rule: RED-SEED -- the identity is neutral bit for bit.
  void neutral() {
    const Chain none{false, {}};
    for (const auto &[chain, state] : r_.states) {
      if (tries(ContractLaw::left_identity)) hold(ContractLaw::left_identity, merge(value(none), value(chain)), value(chain), {{"a", chain}, {"identity", none}}, "merge(identity, a)", "a");
      if (tries(ContractLaw::right_identity)) hold(ContractLaw::right_identity, merge(value(chain), value(none)), value(chain), {{"a", chain}, {"identity", none}}, "merge(a, identity)", "a");
    }
  }

  // rule: RED-LAW -- body(s, x) = merge(s, lift(x)), lift(x) the body from the identity.
  void body() {
    for (const auto &[chain, state] : r_.states) {
      if (chain.over.empty() || !tries(ContractLaw::body) || !r_.states.contains({false, {chain.over.back()}})) continue;
      Chain before = chain;
      before.over.pop_back();
      const Chain lift{false, {chain.over.back()}};
      hold(ContractLaw::body, value(chain), merge(value(before), value(lift)), {{"s", before}, {"lift(x)", lift}}, "body(s, x)", "merge(s, lift(x))");
    }
  }

  // Calls f for every way to cut a sequence, with or without the seed in front, into `parts` blocks.
  template <class F> void for_blocks(std::size_t parts, ContractLaw law, F &&f) {
    for (const std::vector<std::uint8_t> &whole : r_.sequences) {
      if (whole.size() < parts) continue;
      std::vector<std::size_t> cuts(parts + 1);
      std::iota(cuts.begin(), cuts.end(), std::size_t{0});
      cuts[parts] = whole.size();
      for (;;) {
        for (const bool seeded : {false, true}) {
          std::vector<Chain> blocks;
          for (std::size_t i = 0; i < parts; ++i)
            blocks.push_back({seeded && i == 0, {whole.begin() + static_cast<std::ptrdiff_t>(cuts[i]), whole.begin() + static_cast<std::ptrdiff_t>(cuts[i + 1])}});
          if (std::any_of(blocks.begin(), blocks.end(), [&](const Chain &c) { return !r_.states.contains(c); })) continue;
          if (!tries(law)) return;
          f(blocks);
        }
        std::size_t i = parts; // the next choice of cuts
        while (--i > 0 && cuts[i] + 1 == cuts[i + 1]) {}
        if (i == 0) break;
        for (++cuts[i]; ++i < parts;) cuts[i] = cuts[i - 1] + 1;
      }
    }
  }

  void associative() {
    for_blocks(3, ContractLaw::associative, [&](const std::vector<Chain> &b) {
      const Value x = value(b[0]), y = value(b[1]), z = value(b[2]);
      hold(ContractLaw::associative, merge(merge(x, y), z), merge(x, merge(y, z)), {{"a", b[0]}, {"b", b[1]}, {"c", b[2]}}, "merge(merge(a, b), c)", "merge(a, merge(b, c))");
    });
  }

  void commutative() {
    for_blocks(2, ContractLaw::commutative, [&](const std::vector<Chain> &b) {
      hold(ContractLaw::commutative, merge(value(b[0]), value(b[1])), merge(value(b[1]), value(b[0])), {{"a", b[0]}, {"b", b[1]}}, "merge(a, b)", "merge(b, a)");
    });
  }

  Machine &m_;
  Frame &f_;
  const Instr &in_;
  Probing &r_;
  const DomainPlan &plan_;
  LawProbe::Contract id_;
  const ReductionAlgebra::Contract &contract_;
  const DomainPlan::Merge &merge_;
  std::vector<Component> components_;
  std::uint64_t work_end_ = 0; // of the law that is tried
  bool first_ = true;          // its first trial is to come
};

void Machine::try_laws(Frame &f, const Instr &in, Probing &r) {
  const ReductionAlgebra &algebra = p.algebras[std::get<LoopAttr>(in.source->attr).algebra];
  const LawProbe &probe = *options.laws;
  const std::uint64_t share = (probe.work_limit - std::min(probe.work, probe.work_limit)) / (contract_law_count * algebra.contracts.size());
  for (std::size_t i = 0; i < algebra.contracts.size(); ++i)
    if (probe.tallies.contains({in.op, i})) LawTrials(*this, f, in, r, i).run(share);
}

} // namespace tilenest
