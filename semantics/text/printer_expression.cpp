// SPDX-License-Identifier: Apache-2.0
// Trees as text.
#include "semantics/text/printer_state.h"
#include <algorithm>

namespace tilenest::text {

namespace {

struct PrintedInfix {
  OpKind kind;
  int precedence;
};
constexpr PrintedInfix printed_infix[] = {{OpKind::bit_or, 1}, {OpKind::bit_xor, 2}, {OpKind::bit_and, 3}, {OpKind::eq, 4},
                           {OpKind::ne, 4},     {OpKind::lt, 5},      {OpKind::le, 5},      {OpKind::gt, 5},
                           {OpKind::ge, 5},     {OpKind::shl, 6},     {OpKind::shr, 6},     {OpKind::add, 7},
                           {OpKind::sub, 7},    {OpKind::mul, 8},     {OpKind::div, 8},     {OpKind::rem, 8}};
constexpr const char *atomic_suffix[] = {"add", "min", "max", "and", "or", "xor"};
constexpr const char *reducer_name[] = {"sum", "prod", "reduce_min", "reduce_max", "reduce_minnum",
                                        "reduce_maxnum", "reduce_and", "reduce_or", "reduce_xor"};

Text primary(std::string text) { return {std::move(text), 10}; }
std::string wrapped(Text t, int least) { return t.precedence < least ? "(" + t.text + ")" : std::move(t.text); }

} // namespace

// --- words that an argument's name may hide ---

std::string Printer::function(std::string_view name) const {
  return (names_.hides_function(std::string(name)) ? "@" : "") + std::string(name);
}

std::string Printer::policy(std::string_view name) const {
  return (names_.hides_policy(std::string(name)) ? "@" : "") + std::string(name);
}

// --- mentions ---

Text Printer::coordinate(ValueId v) {
  const Value &value = p_.values[v];
  const OpId id = p_.regions[value.region].op;
  const Op &op = p_.ops[id];
  const bool level = op.kind == OpKind::parallel;
  const std::string &handle = level ? names_.level(std::get<ParallelAttr>(op.attr).level) : names_.loop(id);
  const Space &domain = level ? p_.levels[std::get<ParallelAttr>(op.attr).level].domain : std::get<LoopAttr>(op.attr).domain;
  const DimId d = domain.factors[static_cast<std::size_t>(value.index)].dim;
  if (names_.has_simple_name(d)) return primary(handle + "." + names_.dim(d));
  if (domain.rank() == 1) return primary(handle + ".index");
  return primary(handle + ".index(" + names_.dim(d) + ")");
}

Text Printer::mention(ValueId v, OpId op, std::size_t operand) {
  const Value &value = p_.values[v];
  if (const auto var = defined_variable(v)) {
    if (!is_stale(op, operand)) return primary(names_.variable(*var));
  } else if (!value.op.valid() && value.region == p_.ops[p_.regions[value.region].op].regions[0]) {
    return coordinate(v); // else an operand of a contract's merge
  }
  names_.name_value(v);
  return primary(names_.value(v));
}

Text Printer::operand(const Tree &t, std::size_t i) {
  const Tree *part = i < t.parts.size() ? t.parts[i].get() : nullptr;
  if (!part) return mention(p_.ops[t.op].operands[i], t.op, i);
  const Op &op = p_.ops[part->op];
  if (op.kind == OpKind::constant) return constant(std::get<LiteralAttr>(op.attr), t.bare[i]);
  return expression(*part);
}

std::string Printer::text(const Tree &t, std::size_t i, int least) { return wrapped(operand(t, i), least); }

std::string Printer::list(const Tree &t, std::size_t first, std::size_t end) {
  std::string out;
  for (std::size_t i = first; i < end; ++i) out += (i > first ? ", " : "") + text(t, i);
  return out;
}

Text Printer::constant(const LiteralAttr &a, bool bare) const {
  if (a.type == ScalarType::boolean && !bare) return primary(std::get<std::int64_t>(a.literal) ? "true" : "false");
  const std::string literal = std::visit([](auto v) { return literal_text(v); }, a.literal);
  if (bare) return {literal, literal[0] == '-' ? 9 : 10};
  return primary(std::string(to_string(a.type)) + "(" + literal + ")");
}

std::string Printer::extent_value(const Extent &e, bool may_be_hidden) const {
  const bool lone = e.constant_part() == 0 && e.terms().size() == 1 && e.terms()[0].coefficient == 1 && !e.terms()[0].atom.numerator;
  return lone ? names_.extent(e) : (may_be_hidden ? function("extent") : "extent") + "(" + names_.extent(e) + ")";
}

// --- shapes and maps ---

std::string Printer::factor(const Factor &f, int from_right) const {
  const std::string e = names_.extent(f.extent);
  if (p_.dims[f.dim].position >= 0 && p_.dims[f.dim].position == from_right) return e;
  if (names_.declared_extent(f.dim) == f.extent) return names_.dim(f.dim);
  return names_.dim(f.dim) + " = " + e;
}

std::string Printer::space(const Space &s) const {
  std::string out = "[";
  for (std::size_t i = 0; i < s.rank(); ++i)
    out += (i ? ", " : "") + factor(s.factors[i], static_cast<int>(s.rank() - 1 - i));
  return out + "]";
}

std::string Printer::typed_space(ScalarType elem, const Space &s) const {
  return std::string(to_string(elem)) + " " + space(s);
}

std::string Printer::dims(const std::vector<DimId> &list) const {
  std::string out;
  for (DimId d : list) out += (out.empty() ? "" : ", ") + names_.dim(d);
  return out;
}

std::string Printer::index(const IndexExpr &e, const std::vector<std::string> &inputs, int least) const {
  using Kind = IndexNode::Kind;
  auto infix_text = [&](const char *sign, int precedence) {
    const std::string s = index(e->left, inputs, precedence) + sign + index(e->right, inputs, precedence + 1);
    return precedence < least ? "(" + s + ")" : s;
  };
  auto call = [&](const char *name) {
    return std::string(name) + "(" + index(e->left, inputs, 0) + ", " + index(e->right, inputs, 0) + ")";
  };
  switch (e->kind) {
  case Kind::input: return inputs[static_cast<std::size_t>(e->input)];
  case Kind::extent: return e->extent.is_constant() ? std::to_string(*e->extent.constant()) : extent_value(e->extent, false);
  case Kind::add: return infix_text(" + ", 1);
  case Kind::sub: return infix_text(" - ", 1);
  case Kind::mul: return infix_text(" * ", 2);
  case Kind::floordiv: return call("floordiv");
  case Kind::mod: return call("mod");
  case Kind::min: return call("min");
  case Kind::max: return call("max");
  case Kind::bit_xor: return call("xor");
  }
  return {};
}

std::string Printer::map(const Map &m) const {
  std::string out;
  if (m.kind() == Map::Kind::strided) {
    out = "strides (";
    for (std::size_t i = 0; i < m.strides().size(); ++i) out += (i ? ", " : "") + names_.extent(m.strides()[i]);
    out += ")";
    if (m.offset().constant() != 0) out += " offset " + names_.extent(m.offset());
    return out;
  }
  std::vector<std::string> inputs;
  for (int i = 0; i < m.inputs(); ++i) {
    std::string name = "c" + std::to_string(i);
    for (std::size_t k = 0; k < p_.params.size(); ++k)
      while (names_.param(ParamId(k)) == name) name += "_", k = 0;
    inputs.push_back(std::move(name));
  }
  out = "(";
  for (std::size_t i = 0; i < inputs.size(); ++i) out += (i ? ", " : "") + inputs[i];
  out += ") -> (";
  for (std::size_t i = 0; i < m.output_expressions().size(); ++i)
    out += (i ? ", " : "") + index(m.output_expressions()[i], inputs, 0);
  return out + ")";
}

// --- accesses ---

std::string Printer::in_where(const Tree &t, std::size_t i, const Space &domain) {
  const Space *outer = std::exchange(where_, &domain);
  std::string out = text(t, i);
  where_ = outer;
  return out;
}

std::string Printer::window(const Tree &t, const AccessAttr &a, std::size_t first_active) {
  const View &view = p_.views[a.view];
  std::string out = "[";
  for (std::size_t i = 0; i < a.axes.size(); ++i) {
    if (i) out += ", ";
    if (a.axes[i] < 0) {
      out += "_";
      continue;
    }
    const Factor &f = a.window.factors[static_cast<std::size_t>(a.axes[i])];
    if (names_.declared_extent(f.dim) == f.extent)
      out += names_.dim(f.dim);
    else if (f.dim == view.space.factors[i].dim)
      out += names_.extent(f.extent);
    else
      out += names_.dim(f.dim) + " = " + names_.extent(f.extent);
  }
  const std::size_t n = p_.ops[t.op].operands.size();
  for (std::size_t i = first_active; i < n && p_.ops[t.op].kind == OpKind::load; ++i)
    out += " where " + in_where(t, i, a.window);
  return out + "]";
}

std::string Printer::origin(const Tree &t, std::size_t first, std::size_t end) {
  // The coordinates of an inferred domain are one whole index().
  const Op &op = p_.ops[t.op];
  if (end > first) {
    const Value &v = p_.values[op.operands[first]];
    if (!v.op.valid() && v.region.valid() && v.index == 0) {
      const Op &holder = p_.ops[p_.regions[v.region].op];
      if (holder.kind == OpKind::parallel && p_.levels[std::get<ParallelAttr>(holder.attr).level].inferred)
        return names_.level(std::get<ParallelAttr>(holder.attr).level) + ".index";
    }
  }
  return list(t, first, end);
}

std::string Printer::access(const Tree &t, const AccessAttr &a, std::size_t first, char open) {
  const std::size_t rank = a.axes.size();
  std::size_t at = first + rank;
  std::string at_origin = origin(t, first, first + rank);
  std::string policies;
  const std::size_t predicate = at;
  if (a.has_predicate) ++at;
  if (a.has_fallback) ++at;
  std::string out = names_.view(a.view) + open;
  const bool windowed = a.window.rank() > 0 || (p_.ops[t.op].kind == OpKind::load && at < p_.ops[t.op].operands.size());
  if (windowed)
    out += (rank == 1 ? at_origin : "(" + at_origin + ")") + ", " + window(t, a, at);
  else
    out += at_origin;
  const std::string separator = rank == 0 && !windowed ? "" : ", ";
  if (a.bounds == Bounds::assume) out += separator + policy("assume");
  if (a.has_predicate) out += separator + policy("predicate") + "(" + text(t, predicate) + ")";
  return out + (open == '[' ? ']' : ')');
}

std::string Printer::indexed(const Tree &t, const IndexedAttr &a, std::size_t first, std::string leading) {
  std::size_t end = p_.ops[t.op].operands.size();
  const std::size_t fallback = a.has_fallback ? --end : 0;
  const std::size_t predicate = a.has_predicate ? --end : 0;
  std::string out = std::move(leading);
  auto add = [&](const std::string &s) { out += (out.empty() ? "" : ", ") + s; };
  for (std::size_t i = first; i < end; ++i) add(text(t, i));
  if (a.bounds == Bounds::assume) add(policy("assume"));
  if (a.has_predicate) add(policy("predicate") + "(" + text(t, predicate) + ")");
  if (a.has_fallback) add(policy("fallback") + "(" + text(t, fallback) + ")");
  return out;
}

// --- expressions ---

Text Printer::expression(const Tree &t) {
  const Op &op = p_.ops[t.op];
  const OpInfo &row = info(op.kind);
  const std::size_t n = op.operands.size();
  if (op.call.valid()) return primary(call(t));
  if (row.form == Form::elementwise) {
    if (op.kind == OpKind::cast || op.kind == OpKind::cast_sat || op.kind == OpKind::bitcast)
      return primary(function(row.name) + "(" + text(t, 0) + ", " + std::string(to_string(std::get<CastAttr>(op.attr).to)) + ")");
    if (row.spelling[0] == '\0') return primary(function(row.name) + "(" + list(t, 0, n) + ")");
    if (n == 1) return {row.spelling + text(t, 0, 9), 9};
    const int precedence = std::find_if(std::begin(printed_infix), std::end(printed_infix), [&](const PrintedInfix &i) { return i.kind == op.kind; })->precedence;
    return {text(t, 0, precedence) + " " + row.spelling + " " + text(t, 1, precedence + 1), precedence};
  }
  switch (op.kind) {
  case OpKind::constant: return constant(std::get<LiteralAttr>(op.attr), natural_literal(op));
  case OpKind::extent: return primary(extent_value(std::get<ExtentAttr>(op.attr).extent));
  case OpKind::iota: {
    const Factor &f = std::get<IotaAttr>(op.attr).factor;
    const bool named = names_.has_simple_name(f.dim) || p_.dims[f.dim].position >= 0;
    if (where_ && named)
      if (const int at = where_->find(f.dim); at >= 0 && where_->factors[static_cast<std::size_t>(at)] == f)
        return primary(names_.dim(f.dim));
    return primary(function("iota") + "(" + factor(f, 0) + ")");
  }
  case OpKind::map_coord: {
    const auto &a = std::get<MapAttr>(op.attr);
    return primary(function("map_coord") + "(" + std::to_string(a.output) + ", " + map(p_.layouts[a.map]) + (n ? ", " : "") + list(t, 0, n) + ")");
  }
  case OpKind::broadcast: {
    const Space &s = std::get<SpaceAttr>(op.attr).space;
    if (const Tree *part = t.parts.empty() ? nullptr : t.parts[0].get(); part && s.rank() > 0) {
      const Op &of = p_.ops[part->op];
      if (of.kind == OpKind::constant) {
        const auto &a = std::get<LiteralAttr>(of.attr);
        const auto *integer = std::get_if<std::int64_t>(&a.literal);
        if (integer && *integer == 0 && t.bare[0]) return primary("zeros " + typed_space(a.type, s));
        return primary(function("full") + "(" + typed_space(a.type, s) + ", " + text(t, 0) + ")");
      }
    }
    return primary(function("broadcast") + "(" + text(t, 0) + ", " + space(s) + ")");
  }
  case OpKind::reshape: return primary(function("reshape") + "(" + text(t, 0) + ", " + space(std::get<SpaceAttr>(op.attr).space) + ")");
  case OpKind::transpose:
  case OpKind::relabel: {
    std::vector<DimId> to;
    for (const Factor &f : std::get<SpaceAttr>(op.attr).space.factors) to.push_back(f.dim);
    return primary(function(row.name) + "(" + text(t, 0) + ", [" + dims(to) + "])");
  }
  case OpKind::take: {
    const Text x = operand(t, 0);
    if (x.precedence == 10 && n > 1 && x.text.starts_with("zeros") == false) return primary(x.text + "[" + list(t, 1, n) + "]");
    return primary(function("take") + "(" + x.text + (n > 1 ? ", " : "") + list(t, 1, n) + ")");
  }
  case OpKind::insert: {
    const std::string x = text(t, 0), piece = text(t, 1);
    return primary(function("insert") + "(" + x + ", " + piece + ", (" + list(t, 2, n) + "))");
  }
  case OpKind::restrict: {
    const std::string x = text(t, 0);
    return primary(function("restrict") + "(" + x + ", " + in_where(t, 1, p_.values[op.operands[0]].type.space) + ")");
  }
  case OpKind::reduce: {
    const auto &a = std::get<ReduceAttr>(op.attr);
    std::string out = function(reducer_name[static_cast<int>(a.reducer)]) + "(" + text(t, 0);
    if (a.dims.empty() && p_.values[op.operands[0]].type.space.rank() > 0) out += ", none";
    if (!a.dims.empty()) out += ", " + dims(a.dims);
    if (a.policy != ReductionPolicy::unordered_tree) out += ", " + std::string(to_string(a.policy));
    if (a.wide_accumulation) out += ", wide_accumulation = true";
    return primary(out + ")");
  }
  case OpKind::scan: {
    const auto &a = std::get<ReduceAttr>(op.attr);
    std::string out = function("scan") + "(" + text(t, 0) + ", " + dims(a.dims) + ", " + info(folding_op(a.reducer)).name;
    if (a.exclusive) out += ", exclusive = true";
    if (a.reverse) out += ", reverse = true";
    if (a.policy != ReductionPolicy::ordered_tree) out += ", " + std::string(to_string(a.policy));
    return primary(out + ")");
  }
  case OpKind::mma: {
    const auto &a = std::get<MmaAttr>(op.attr);
    std::string out = function("mma") + "(" + list(t, 0, 3);
    if (!a.allow_reassociation) out += ", allow_reassociation = false";
    if (!a.allow_contraction) out += ", allow_contraction = false";
    if (!a.wide_accumulation) out += ", wide_accumulation = false";
    return primary(out + ")");
  }
  case OpKind::load: {
    const auto &a = std::get<AccessAttr>(op.attr);
    if (!a.has_fallback) return primary(access(t, a, 0, '['));
    const std::size_t fallback = a.axes.size() + (a.has_predicate ? 1 : 0);
    std::string out = access(t, a, 0, '(');
    return primary(out + ".load(" + text(t, fallback) + ")");
  }
  case OpKind::store: {
    std::string out = access(t, std::get<AccessAttr>(op.attr), 1, '(');
    return primary(out + ".store(" + text(t, 0) + ")");
  }
  case OpKind::atomic: {
    const auto &a = std::get<AccessAttr>(op.attr);
    std::string out = access(t, a, 1, '(');
    return primary(out + ".atomic_" + atomic_suffix[static_cast<int>(a.atomic)] + "(" + text(t, 0) + ")");
  }
  case OpKind::gather: {
    const auto &a = std::get<IndexedAttr>(op.attr);
    return primary(names_.view(a.view) + ".gather(" + indexed(t, a, 0, "") + ")");
  }
  case OpKind::scatter: {
    const auto &a = std::get<IndexedAttr>(op.attr);
    const std::string suffix = a.reducer ? std::string("_") + atomic_suffix[static_cast<int>(*a.reducer)] : "";
    return primary(names_.view(a.view) + ".scatter" + suffix + "(" + indexed(t, a, 1, text(t, 0)) + ")");
  }
  case OpKind::per: return primary(function("per") + "(" + names_.level(std::get<PerAttr>(op.attr).level) + ", " + text(t, 0) + ")");
  case OpKind::assert_: return primary("assert(" + text(t, 0) + ", " + quoted(std::get<AssertAttr>(op.attr).text) + ")");
  default: return primary("?");
  }
}

} // namespace tilenest::text
