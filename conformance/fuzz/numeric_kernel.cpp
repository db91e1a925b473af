// SPDX-License-Identifier: Apache-2.0
// The generator: values in scope by type and dims, and one production per kind of statement.
#include "conformance/fuzz/numeric_kernel.h"
#include "conformance/fuzz/random.h"
#include "semantics/program/signature.h"

namespace tilenest::conformance {

namespace {

constexpr ScalarType computing[] = {ScalarType::boolean, ScalarType::i8,   ScalarType::i16,     ScalarType::i32,    ScalarType::i64,
                                    ScalarType::u8,      ScalarType::u16,  ScalarType::u32,     ScalarType::u64,    ScalarType::f8e4m3fn,
                                    ScalarType::f8e5m2,  ScalarType::bf16, ScalarType::f16,     ScalarType::f32,    ScalarType::f64};

class NumericGenerator {
public:
  explicit NumericGenerator(std::uint64_t seed) : random_(seed), file_(std::make_shared<SourceFile>(SourceFile{"random", ""})) {}

  Result<TileProgram> run() {
    line();
    rows_ = 1 + random_.below(4);
    M_ = b_.extent_param("M"), N_ = b_.extent_param("N");
    m_ = b_.dim("m"), n_ = b_.dim("n"), q_ = b_.dim("q");
    // Few types, so that values meet; f32 and i32 most often.
    for (int i = 0; i < 3; ++i) types_.push_back(random_.chance(30) ? (random_.chance(60) ? ScalarType::f32 : ScalarType::i32) : random_.pick(computing));
    for (const char *name : {"A", "B"}) inputs_.push_back(b_.argument(name, type(), {M_, N_}, ArgumentAccess::in));
    row_ = b_.argument("V", type(), {N_}, ArgumentAccess::in);
    index_ = b_.argument("I", ScalarType::i32, {N_}, ArgumentAccess::in);
    outputs_.push_back(b_.argument("X", type(), {M_, N_}, random_.chance(50) ? ArgumentAccess::mut : ArgumentAccess::out));
    outputs_.push_back(b_.argument("Y", type(), {M_, N_}, ArgumentAccess::out));
    sums_ = b_.argument("S", type(), {M_}, ArgumentAccess::out);
    ScalarType counted = type();
    while (counted == ScalarType::boolean) counted = random_.pick(computing);
    counters_ = b_.argument("C", counted, {N_}, ArgumentAccess::mut);
    ParallelSpec spec;
    spec.name = "p";
    block_ = b_.dim("block");
    spec.domain.factors.push_back({block_, M_.ceil_div(rows_)});
    line();
    const Scope scope = b_.begin_parallel(spec);
    first_ = b_.elementwise(OpKind::mul, std::vector<Operand>{scope.coords[0], std::int64_t{rows_}});
    coordinate_ = scope.coords[0];
    for (int i = 0; i < 2; ++i) load();
    statements(4 + random_.below(10));
    store(outputs_[0]);
    if (random_.chance(70)) store(outputs_[1]);
    if (random_.chance(70)) store_sum();
    b_.end();
    return b_.finish();
  }

private:
  struct Value {
    VarId id;
    ScalarType type;
    bool rows, columns; // over m, over n
  };

  void line() { b_.at({file_, ++line_, 0, 0, {}}); }
  ScalarType type() { return types_[static_cast<std::size_t>(random_.below(static_cast<int>(types_.size())))]; }
  Factor m() const { return {m_, Extent(rows_)}; }
  Factor n() const { return {n_, N_}; }
  Space space(bool rows, bool columns) const {
    Space s;
    if (rows) s.factors.push_back(m());
    if (columns) s.factors.push_back(n());
    return s;
  }
  ValueId op(OpKind kind, std::vector<Operand> operands) { return b_.elementwise(kind, operands); }

  void keep(ValueId v) {
    const TileType t = b_.type(v);
    bool rows = false, columns = false;
    for (const Factor &f : t.space.factors) rows |= f.dim == m_, columns |= f.dim == n_;
    values_.push_back({b_.declare("x" + std::to_string(next_++), v), t.elem, rows, columns});
  }

  // A value of that type, cast where there is none.
  ValueId any(ScalarType t) {
    std::vector<std::size_t> fitting;
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (values_[i].type == t) fitting.push_back(i);
    if (!fitting.empty() && random_.chance(90)) return b_.read(values_[fitting[static_cast<std::size_t>(random_.below(static_cast<int>(fitting.size())))]].id);
    return converted(b_.read(values_[static_cast<std::size_t>(random_.below(static_cast<int>(values_.size())))].id), t);
  }
  // Never without a result: saturating where a cast could fail.
  ValueId converted(ValueId v, ScalarType to) {
    const ScalarType from = b_.type(v).elem;
    if (from == to) return v;
    if (from == ScalarType::boolean) return b_.cast(OpKind::cast, to, v);
    if (to == ScalarType::boolean) return op(OpKind::ne, {v, op(OpKind::sub, {v, v})});
    const bool has_a_result = is_float(to) || is_integer(from);
    return b_.cast(has_a_result && random_.chance(50) ? OpKind::cast : OpKind::cast_sat, to, v);
  }

  Access at(ViewId view) {
    Access a;
    a.view = view;
    a.origin = {first_, std::int64_t{0}};
    a.window = {{false, m_, Extent(rows_)}, {false, n_, N_}};
    return a;
  }

  void load() {
    line();
    const int way = random_.below(6);
    if (way == 0) { // a row for all
      Access a;
      a.view = row_;
      a.origin = {random_.chance(70) ? Operand{std::int64_t{0}} : Operand{std::int64_t{random_.below(5) - 2}}};
      a.window = {{false, n_, N_}};
      if (random_.chance(30)) a.fallback = std::int64_t{1};
      return keep(b_.load(a));
    }
    if (way == 1) {
      IndexedAccess a;
      Access from;
      from.view = index_;
      from.origin = {std::int64_t{0}};
      from.window = {{false, n_, N_}};
      a.view = row_;
      a.index = {b_.load(from)};
      return keep(b_.gather(a));
    }
    Access a = at(random_.pick(inputs_));
    if (way == 2) a.origin[1] = std::int64_t{random_.below(7) - 3}; // beside the edge: zeros
    if (way == 3) {
      a.bounds = Bounds::predicate;
      a.predicate = op(OpKind::lt, {op(OpKind::add, {b_.iota(m()), first_}), b_.value(Operand{M_})});
      a.fallback = std::int64_t{1};
    }
    if (way == 4 && random_.chance(50)) { // an index set; filled up again
      const ValueId active = op(OpKind::lt, {b_.iota(n()), std::int64_t{3}});
      a.active = {active};
      const DimId over[] = {n_};
      const ValueId some = b_.load(a);
      return keep(b_.reduce(some, over, reducer(b_.type(some).elem), ReductionPolicy::unordered_tree));
    }
    keep(b_.load(a));
  }

  void elementwise() {
    const ScalarType t = type();
    std::vector<OpKind> kinds;
    for (int k = 0; k < op_count; ++k) {
      const OpKind kind = static_cast<OpKind>(k);
      if (info(kind).form == Form::elementwise && info(kind).result != OpResult::attribute && admits(info(kind).operands, t)) kinds.push_back(kind);
    }
    const OpKind kind = random_.pick(kinds);
    line();
    std::vector<Operand> operands;
    if (kind == OpKind::ite) {
      operands = {any(ScalarType::boolean), any(t), any(t)};
    } else {
      for (int i = 0; i < info(kind).arity; ++i) operands.emplace_back(any(t));
      if (is_integer(t)) { // what has no result is another generator's
        if (kind == OpKind::div || kind == OpKind::rem || kind == OpKind::floordiv || kind == OpKind::mod) operands[1] = std::int64_t{1 + random_.below(7)};
        if (kind == OpKind::shl || kind == OpKind::shr) operands[1] = std::int64_t{random_.below(bit_width(t))};
      } else if (info(kind).arity == 2 && random_.chance(15) && is_float(t)) {
        operands[1] = 0.5 * (random_.below(9) - 4);
      }
    }
    keep(op(kind, operands));
  }

  void convert() {
    line();
    const ValueId v = any(type());
    ScalarType to = type();
    const ScalarType from = b_.type(v).elem;
    if (random_.chance(25) && from != ScalarType::boolean) {
      std::vector<ScalarType> same;
      for (const ScalarType t : computing)
        if (bit_width(t) == bit_width(from) && t != ScalarType::boolean && is_float(t) == is_float(from)) same.push_back(t);
      return keep(b_.cast(OpKind::bitcast, random_.pick(same), v));
    }
    if (random_.chance(30)) to = random_.pick(computing);
    keep(converted(v, to));
  }

  Reducer reducer(ScalarType t) {
    if (t == ScalarType::boolean) return random_.pick(std::vector{Reducer::bit_and, Reducer::bit_or, Reducer::bit_xor});
    if (is_float(t)) return random_.pick(std::vector{Reducer::add, Reducer::add, Reducer::mul, Reducer::min, Reducer::max, Reducer::minnum, Reducer::maxnum});
    return random_.pick(std::vector{Reducer::add, Reducer::mul, Reducer::min, Reducer::max, Reducer::bit_and, Reducer::bit_or, Reducer::bit_xor});
  }
  ReductionPolicy policy() {
    return random_.pick(std::vector{ReductionPolicy::unordered_tree, ReductionPolicy::ordered_tree, ReductionPolicy::fold_left, ReductionPolicy::fold_right});
  }
  std::optional<ValueId> over_columns(ScalarType t) {
    std::vector<VarId> fitting;
    for (const Value &v : values_)
      if (v.columns && (v.type == t || !fitting.empty() || random_.chance(50))) fitting.push_back(v.id);
    if (fitting.empty()) return std::nullopt;
    return converted(b_.read(random_.pick(fitting)), t);
  }

  void fold() {
    line();
    const ScalarType t = type();
    const auto x = over_columns(t);
    if (!x) return elementwise();
    const DimId over[] = {n_};
    if (random_.chance(60)) return keep(b_.reduce(*x, over, reducer(t), policy()));
    keep(b_.scan(*x, n_, reducer(t), random_.chance(40), random_.chance(40), random_.chance(50) ? ReductionPolicy::ordered_tree : ReductionPolicy::fold_left));
  }

  void contraction() { // [m, n] x [q, n], q a relabelled m
    line();
    ScalarType t = type();
    if (t == ScalarType::boolean) t = ScalarType::f32;
    const ScalarType narrow = is_float(t) ? (random_.chance(50) ? t : ScalarType::f16) : t;
    const ValueId a = b_.load(at(inputs_[0])), b = b_.load(at(inputs_[1]));
    const DimId other[] = {q_, n_};
    MmaAttr attr;
    attr.allow_reassociation = random_.chance(70);
    attr.allow_contraction = random_.chance(70);
    attr.wide_accumulation = random_.chance(50);
    Space to;
    to.factors = {m(), {q_, Extent(rows_)}};
    const ScalarType in = converts_exactly(narrow, t) ? narrow : t;
    const ValueId acc = b_.full(t, Operand{std::int64_t{0}}, to);
    const ValueId product = b_.mma(converted(a, in), b_.relabel(converted(b, in), other), acc, attr);
    const DimId over[] = {q_};
    keep(b_.reduce(product, over, random_.chance(50) ? Reducer::max : Reducer::min, ReductionPolicy::unordered_tree));
  }

  void memory() {
    line();
    const ScalarType t = type();
    const ViewId view = b_.memory("T" + std::to_string(next_++), t, space(true, true), {}, "");
    Access a;
    a.view = view;
    a.origin = {std::int64_t{0}, std::int64_t{0}};
    a.window = {{false, m_, Extent(rows_)}, {false, n_, N_}};
    line();
    b_.store(a, whole(t));
    line();
    if (random_.chance(40)) a.origin[1] = std::int64_t{random_.below(3) - 1};
    keep(b_.load(a));
  }

  // Elements elsewhere and back, of tiles that do not have all of them.
  void movement() {
    line();
    const ScalarType t = type();
    ValueId x = whole(t);
    const bool some = random_.chance(50);
    if (some) x = b_.restrict(x, op(random_.chance(50) ? OpKind::lt : OpKind::ge, {b_.iota(n()), std::int64_t{random_.below(6)}}));
    const DimId turned[] = {n_, m_}, straight[] = {m_, n_};
    switch (random_.below(some ? 2 : 4)) {
    case 0: x = b_.transpose(b_.transpose(x, turned), straight); break;
    case 1: x = b_.transpose(op(t == ScalarType::boolean ? OpKind::bit_xor : OpKind::max, {b_.transpose(x, turned), any(t)}), straight); break;
    case 2: { // a piece of one row
      Space piece;
      piece.factors = {{m_, Extent(1)}, {n_, N_}};
      const Operand origin[] = {std::int64_t{random_.below(rows_)}, std::int64_t{0}};
      x = b_.insert(x, b_.full(t, Operand{std::int64_t{1}}, piece), origin);
      break;
    }
    default: {
      const Operand index[] = {op(OpKind::sub, {b_.value(Operand{Extent(rows_ - 1)}), b_.iota(m())}), b_.iota(n())};
      x = b_.take(x, index);
    }
    }
    if (some) {
      const DimId over[] = {n_};
      x = b_.reduce(x, over, reducer(t), policy());
    }
    keep(x);
  }

  // Of that type over m and n.
  ValueId whole(ScalarType t) { return b_.broadcast(any(t), space(true, true)); }

  void loop() {
    line();
    const ScalarType t = type();
    const VarId state = b_.declare("s" + std::to_string(next_++), whole(t));
    LoopSpec spec;
    spec.name = "i" + std::to_string(next_++);
    const bool reduces = random_.chance(40) && t != ScalarType::boolean;
    spec.domain.factors.push_back({b_.dim("d" + std::to_string(next_++)), Extent(random_.below(4))});
    spec.reduction = policy();
    line();
    const std::size_t outside = values_.size();
    const Scope scope = reduces ? b_.begin_reduce(spec) : b_.begin_serial(spec);
    keep(converted(scope.coords[0], t));
    ++depth_;
    statements(1 + random_.below(5));
    --depth_;
    line();
    const ValueId next = op(t == ScalarType::boolean ? OpKind::bit_xor : random_.chance(70) ? OpKind::add : OpKind::max, {b_.read(state), any(t)});
    b_.assign(state, next);
    values_.resize(outside);
    b_.end();
    values_.push_back({state, t, true, true});
  }

  void branch() {
    line();
    const ScalarType t = type();
    const VarId state = b_.declare("c" + std::to_string(next_++), whole(t));
    line();
    const std::size_t outside = values_.size();
    b_.begin_if(op(random_.chance(50) ? OpKind::eq : OpKind::lt, {coordinate_, std::int64_t{1}}));
    ++depth_;
    statements(1 + random_.below(5));
    line();
    b_.assign(state, whole(t));
    values_.resize(outside);
    if (random_.chance(50)) {
      b_.begin_else();
      statements(random_.below(2));
      line();
      b_.assign(state, whole(t));
      values_.resize(outside);
    }
    --depth_;
    b_.end();
    values_.push_back({state, t, true, true});
  }

  void count() { // integers: their order does not show
    const ScalarType t = b_.program().objects[b_.program().views[counters_].object].elem;
    line();
    Access a;
    a.view = counters_;
    a.origin = {std::int64_t{0}};
    a.window = {{false, n_, N_}};
    const DimId over[] = {m_};
    const ValueId x = b_.reduce(whole(t), over, Reducer::max, ReductionPolicy::unordered_tree);
    b_.atomic(a, is_float(t) || random_.chance(60) ? AtomicKind::add : AtomicKind::max, x);
  }

  void store(ViewId view) {
    line();
    const ScalarType t = b_.program().objects[b_.program().views[view].object].elem;
    ValueId x = whole(t);
    if (random_.chance(25)) x = b_.restrict(x, op(OpKind::ne, {b_.iota(n()), std::int64_t{random_.below(4)}}));
    b_.store(at(view), x);
  }
  void store_sum() {
    line();
    const ScalarType t = b_.program().objects[b_.program().views[sums_].object].elem;
    const DimId over[] = {n_};
    Access a;
    a.view = sums_;
    a.origin = {first_};
    a.window = {{false, m_, Extent(rows_)}};
    const ValueId x = b_.reduce(whole(t), over, reducer(t), policy());
    b_.store(a, x);
  }

  void statements(int count_of) {
    for (int i = 0; i < count_of; ++i) {
      switch (random_.below(depth_ < 2 ? 16 : 11)) {
      case 0: load(); break;
      case 1: case 2: fold(); break;
      case 3: convert(); break;
      case 4: contraction(); break;
      case 5: movement(); break;
      case 11: memory(); break;
      case 12: case 13: loop(); break;
      case 14: branch(); break;
      case 15: if (depth_ == 0) { count(); break; } [[fallthrough]];
      default: elementwise();
      }
    }
  }

  Random random_;
  Builder b_{"k"};
  std::shared_ptr<const SourceFile> file_;
  std::uint32_t line_ = 0;
  int rows_ = 1, next_ = 0, depth_ = 0;
  Extent M_, N_;
  DimId m_, n_, q_, block_;
  std::vector<ScalarType> types_;
  std::vector<ViewId> inputs_, outputs_;
  ViewId row_, index_, sums_, counters_;
  ValueId first_, coordinate_;
  std::vector<Value> values_;
};

} // namespace

Result<TileProgram> numeric_kernel(std::uint64_t seed) { return NumericGenerator(seed).run(); }

} // namespace tilenest::conformance
