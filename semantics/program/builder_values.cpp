// SPDX-License-Identifier: Apache-2.0
// Builder: literals and the operations that make values or touch views.
#include "semantics/diag/codes.h"
#include "semantics/program/builder.h"
#include "semantics/program/call_arguments.h"
#include "semantics/program/signature.h"
#include "semantics/support/literal_text.h"

namespace tilenest {

namespace {

bool is_literal(const Operand &o) { return std::holds_alternative<std::int64_t>(o) || std::holds_alternative<double>(o); }

bool fits(std::int64_t v, ScalarType t) {
  if (is_float(t)) return true;
  if (t == ScalarType::boolean) return v == 0 || v == 1;
  const int bits = bit_width(t);
  if (!is_signed(t)) return v >= 0 && (bits == 64 || v < (std::int64_t{1} << bits));
  return bits == 64 || (v >= -(std::int64_t{1} << (bits - 1)) && v < (std::int64_t{1} << (bits - 1)));
}

} // namespace

// rule: NUM-LIT
ValueId Builder::literal(ScalarType type, Operand literal) {
  LiteralAttr attr{type, std::int64_t{0}};
  std::string help;
  if (const auto *i = std::get_if<std::int64_t>(&literal)) {
    attr.literal = *i;
    if (!fits(*i, type)) help = "it does not fit; `cast` a wider value if wrapping is meant";
  } else if (const auto *d = std::get_if<double>(&literal)) {
    attr.literal = *d;
    if (!is_float(type)) help = "a literal with a point is a float; `cast` the other operand, or write an integer";
  }
  if (help.empty()) return value_op(OpKind::constant, {}, attr);
  error(Code::T0103, {{"literal", std::visit([](auto it) { return literal_text(it); }, attr.literal)}, {"type", std::string(to_string(type))}}, help);
  diagnostics_.back().from_arguments(from_arguments(program_, call_, candidate(OpKind::constant, {}, attr)));
  return poison({type, {}, {}});
}

ValueId Builder::value(const Operand &o) {
  if (const auto *v = std::get_if<ValueId>(&o)) return use(*v);
  if (const auto *e = std::get_if<Extent>(&o)) return value_op(OpKind::extent, {}, ExtentAttr{*e});
  return literal(std::holds_alternative<double>(o) ? ScalarType::f64 : ScalarType::i64, o);
}

ValueId Builder::operand(const Operand &o, ScalarType t) { return is_literal(o) ? literal(t, o) : value(o); }

std::vector<ValueId> Builder::integers(std::span<const Operand> operands, const char *as) {
  std::vector<ValueId> out;
  for (const Operand &o : operands) {
    const std::size_t before = diagnostics_.size();
    out.push_back(operand(o, ScalarType::i64));
    if (as && diagnostics_.size() > before && diagnostics_.back().code == Code::T0103) diagnostics_.back().args.emplace_back("as", std::string(" as ") + as);
  }
  return out;
}

ValueId Builder::elementwise(OpKind kind, std::span<const Operand> operands) {
  // The type that literals meet: the first operand that has one; ite's condition is a bool of its own.
  const std::size_t first = kind == OpKind::ite ? 1 : 0;
  ScalarType met = ScalarType::i64;
  bool found = false;
  for (std::size_t i = first; i < operands.size() && !found; ++i)
    if (!is_literal(operands[i])) {
      met = std::holds_alternative<Extent>(operands[i]) ? ScalarType::i64 : type(std::get<ValueId>(operands[i])).elem;
      found = true;
    }
  if (!found)
    for (std::size_t i = first; i < operands.size(); ++i)
      if (std::holds_alternative<double>(operands[i])) met = ScalarType::f64;
  std::vector<ValueId> values;
  for (std::size_t i = 0; i < operands.size(); ++i)
    values.push_back(operand(operands[i], i < first ? ScalarType::boolean : met));
  return value_op(kind, std::move(values), {});
}

ValueId Builder::cast(OpKind kind, ScalarType to, const Operand &o) {
  return value_op(kind, {value(o)}, CastAttr{to});
}

ValueId Builder::broadcast(const Operand &o, Space to) {
  return value_op(OpKind::broadcast, {value(o)}, SpaceAttr{std::move(to)});
}

ValueId Builder::full(ScalarType elem, const Operand &scalar, Space space, const char *written) {
  const ValueId v = operand(scalar, elem);
  if (space.rank() == 0) return v;
  const std::size_t before = diagnostics_.size();
  const ValueId out = value_op(OpKind::broadcast, {v}, SpaceAttr{std::move(space)});
  for (std::size_t i = before; i < diagnostics_.size(); ++i)
    for (auto &[key, text] : diagnostics_[i].args)
      if (const std::size_t at = text.find("broadcast");
          key == "op" ? text == "broadcast" : key == "as" && at != std::string::npos)
        text.replace(at, std::string_view("broadcast").size(), written);
  return out;
}

ValueId Builder::reshape(ValueId x, Space to) { return value_op(OpKind::reshape, {x}, SpaceAttr{std::move(to)}); }

ValueId Builder::transpose(ValueId x, std::span<const DimId> order) {
  Space to;
  const Space &from = type(x).space;
  for (DimId d : order) {
    const int at = from.find(d);
    to.factors.push_back({d, at < 0 ? Extent(0) : from.factors[at].extent});
  }
  return value_op(OpKind::transpose, {x}, SpaceAttr{std::move(to)});
}

ValueId Builder::relabel(ValueId x, std::span<const DimId> dims) {
  Space to = type(x).space;
  if (program_.values[x].poisoned) return poison(type(x)); // its space is not known
  if (dims.size() != to.rank()) {
    error(Code::T0214, {{"what", "`relabel`"}, {"expected", std::to_string(to.rank())},
                        {"found", std::to_string(dims.size())}});
    return poison(type(x));
  }
  for (std::size_t i = 0; i < dims.size(); ++i) to.factors[i].dim = dims[i];
  return value_op(OpKind::relabel, {x}, SpaceAttr{std::move(to)});
}

ValueId Builder::take(ValueId x, std::span<const Operand> index) {
  std::vector<ValueId> operands = integers(index, "an index of `take`");
  operands.insert(operands.begin(), x);
  return value_op(OpKind::take, std::move(operands), {});
}

ValueId Builder::insert(ValueId x, const Operand &piece, std::span<const Operand> origin) {
  std::vector<ValueId> operands = {x, operand(piece, type(x).elem)};
  for (ValueId v : integers(origin, "the origin of `insert`")) operands.push_back(v);
  return value_op(OpKind::insert, std::move(operands), {});
}

ValueId Builder::restrict(ValueId x, const Operand &predicate) {
  return value_op(OpKind::restrict, {x, operand(predicate, ScalarType::boolean)}, {});
}

ValueId Builder::iota(Factor factor) { return value_op(OpKind::iota, {}, IotaAttr{std::move(factor)}); }

ValueId Builder::map_coord(const Map &map, int output, std::span<const Operand> inputs) {
  return value_op(OpKind::map_coord, integers(inputs), MapAttr{program_.layouts.push(map), output});
}

ValueId Builder::reduce(ValueId x, std::span<const DimId> dims, Reducer reducer, ReductionPolicy policy,
                        bool wide_accumulation) {
  return value_op(OpKind::reduce, {x},
                  ReduceAttr{reducer, {dims.begin(), dims.end()}, policy, wide_accumulation});
}

ValueId Builder::scan(ValueId x, DimId dim, Reducer reducer, bool exclusive, bool reverse, ReductionPolicy policy) {
  return value_op(OpKind::scan, {x}, ReduceAttr{reducer, {dim}, policy, false, exclusive, reverse});
}

ValueId Builder::mma(ValueId a, ValueId b, ValueId acc, MmaAttr policy) {
  return value_op(OpKind::mma, {a, b, acc}, policy);
}

bool Builder::access_operands(const Access &access, std::vector<ValueId> &operands, AccessAttr &attr) {
  const View view = program_.views[access.view];
  attr.view = access.view;
  attr.bounds = access.bounds;
  if (access.origin.size() != view.space.rank() ||
      (!access.window.empty() && access.window.size() != view.space.rank())) {
    const bool origin = access.origin.size() != view.space.rank();
    error(Code::T0209, {{"what", (origin ? "`" : "the window of `") + view.name + "`"},
                        {"expected", std::to_string(view.space.rank()) + (origin ? " coordinates" : " entries")},
                        {"found", std::to_string(origin ? access.origin.size() : access.window.size())}},
          origin ? "" : "the window needs one entry per axis of the view, `_` for an axis at a point");
    return false;
  }
  for (ValueId v : integers(access.origin)) operands.push_back(v);
  for (std::size_t i = 0; i < view.space.rank(); ++i) {
    if (access.window.empty() || access.window[i].point) {
      attr.axes.push_back(-1);
      continue;
    }
    const WindowAxis &axis = access.window[i];
    attr.axes.push_back(static_cast<int>(attr.window.rank()));
    attr.window.factors.push_back({axis.dim.valid() ? axis.dim : view.space.factors[i].dim, axis.extent});
  }
  if (access.predicate) {
    attr.has_predicate = true;
    operands.push_back(operand(*access.predicate, ScalarType::boolean));
  }
  if (access.fallback) {
    attr.has_fallback = true;
    operands.push_back(operand(*access.fallback, view.elem));
  }
  return true;
}

// rule: VAL-SNAP
ValueId Builder::load(const Access &access) {
  std::vector<ValueId> operands;
  AccessAttr attr;
  if (!access_operands(access, operands, attr)) return poison({program_.views[access.view].elem, attr.window, {}});
  for (ValueId v : access.active) operands.push_back(v);
  return value_op(OpKind::load, std::move(operands), std::move(attr));
}

void Builder::store(const Access &access, const Operand &stored) {
  std::vector<ValueId> operands = {operand(stored, program_.views[access.view].elem)};
  AccessAttr attr;
  if (!access_operands(access, operands, attr)) return;
  effect_op(OpKind::store, std::move(operands), std::move(attr));
}

void Builder::atomic(const Access &access, AtomicKind kind, const Operand &stored) {
  std::vector<ValueId> operands = {operand(stored, program_.views[access.view].elem)};
  AccessAttr attr;
  if (!access_operands(access, operands, attr)) return;
  attr.atomic = kind;
  effect_op(OpKind::atomic, std::move(operands), std::move(attr));
}

ValueId Builder::gather(const IndexedAccess &access) {
  std::vector<ValueId> operands = integers(access.index, "an index of `gather`");
  IndexedAttr attr{access.view, access.bounds, access.predicate.has_value(), access.fallback.has_value(), {}};
  if (access.predicate) operands.push_back(operand(*access.predicate, ScalarType::boolean));
  if (access.fallback) operands.push_back(operand(*access.fallback, program_.views[access.view].elem));
  return value_op(OpKind::gather, std::move(operands), std::move(attr));
}

void Builder::scatter(const IndexedAccess &access, const Operand &stored, std::optional<AtomicKind> reducer) {
  std::vector<ValueId> operands = {operand(stored, program_.views[access.view].elem)};
  for (ValueId v : integers(access.index, "an index of `scatter`")) operands.push_back(v);
  IndexedAttr attr{access.view, access.bounds, access.predicate.has_value(), access.fallback.has_value(), reducer};
  if (access.predicate) operands.push_back(operand(*access.predicate, ScalarType::boolean));
  if (access.fallback) operands.push_back(operand(*access.fallback, program_.views[access.view].elem));
  effect_op(OpKind::scatter, std::move(operands), std::move(attr));
}

ValueId Builder::per(LevelId nest, ValueId x) {
  if (!encloses(program_, nest, top().level)) {
    error(Code::T0603, {{"nest", program_.levels[nest].name}, {"why", "the nest does not enclose this point"}});
    return use(x);
  }
  return value_op(OpKind::per, {x}, PerAttr{nest});
}

void Builder::assert_(ValueId condition, std::string text) {
  effect_op(OpKind::assert_, {condition}, AssertAttr{std::move(text)});
}

} // namespace tilenest
