// SPDX-License-Identifier: Apache-2.0
// The contract of a reduce: `reduce(k, welford(n, mean, m2))`, or one of the program's own:
// `reduction::contract(m, l).identity(-inf, 0).merge([](auto ma, auto la, auto mb, auto lb) { return std::tuple(...); })`.
#pragma once
#include "semantics/dsl/tile.h"
#include <functional>
#include <tuple>

namespace tilenest::reduction {

// What a reduce is told before its body is captured: it declares itself on the builder.
struct Contract {
  std::function<void(Builder &)> declare;
};

template <Element... T> class ContractOf {
public:
  explicit ContractOf(std::vector<VarId> states) : states_(std::move(states)) {}

  // One value per state: a number, or a scalar, fills the state's space.
  ContractOf identity(Arg<T>... values) && {
    identity_ = {values.operand...};
    return std::move(*this);
  }
  // `f(left..., right...)` takes the states of both operands and gives a tuple of the merged ones.
  template <class F> ContractOf merge(F f) && {
    merge_ = [f](std::span<const ValueId> args) {
      return [&]<std::size_t... I>(std::index_sequence<I...>) {
        // In the order of the arguments: each tile is captured where it is named.
        std::tuple<Tile<T>..., Tile<T>...> tiles{Tile<T>(dsl::Defined{}, args[I])..., Tile<T>(dsl::Defined{}, args[I + sizeof...(T)])...};
        std::tuple<Tile<T>...> merged = std::apply(f, tiles);
        return std::vector<Operand>{Operand(std::get<I>(merged).read())...};
      }(std::index_sequence_for<T...>{});
    };
    return std::move(*this);
  }
  // The merge does not commute: `ordered_tree` is the strongest policy.
  ContractOf associative() && {
    commutative_ = false;
    return std::move(*this);
  }

  operator Contract() const {
    return {[*this](Builder &b) {
      b.begin_contract("", states_, commutative_);
      b.give(identity_);
      const std::vector<ValueId> args = b.begin_merge();
      const std::vector<Operand> merged = merge_ ? merge_(args) : std::vector<Operand>{};
      b.give(merged);
    }};
  }

private:
  std::vector<VarId> states_;
  std::vector<Operand> identity_;
  std::function<std::vector<Operand>(std::span<const ValueId>)> merge_;
  bool commutative_ = true;
};

template <Element... T> ContractOf<T...> contract(const Tile<T> &...states) {
  return ContractOf<T...>({states.variable()...});
}

// A contract of the library (library/contracts.h).
Contract named(const char *name, std::vector<VarId> states);

} // namespace tilenest::reduction

namespace tilenest {

// Count, mean and sum of squared deviations; maximum and sum of exponentials relative to it; a value and its index; the k greatest values and
// their indices.
template <Element T> reduction::Contract welford(const Tile<T> &n, const Tile<T> &mean, const Tile<T> &m2) {
  return reduction::named("welford", {n.variable(), mean.variable(), m2.variable()});
}
template <Element T> reduction::Contract logsumexp(const Tile<T> &m, const Tile<T> &l) {
  return reduction::named("logsumexp", {m.variable(), l.variable()});
}
template <Element T, Element I> reduction::Contract argmax(const Tile<T> &value, const Tile<I> &index) {
  return reduction::named("argmax", {value.variable(), index.variable()});
}
template <Element T, Element I> reduction::Contract argmin(const Tile<T> &value, const Tile<I> &index) {
  return reduction::named("argmin", {value.variable(), index.variable()});
}
template <Element T, Element I> reduction::Contract topk(const Tile<T> &values, const Tile<I> &indices) {
  return reduction::named("topk", {values.variable(), indices.variable()});
}

} // namespace tilenest
