// SPDX-License-Identifier: Apache-2.0
// Arguments with their defaults, the checks that follow from a function's parameters, refusals.
#include "semantics/diag/codes.h"
#include "semantics/library/call.h"
#include "semantics/program/signature.h"
#include <algorithm>
#include <cstdlib>

namespace tilenest::library {

namespace {

const char *wanted(OpOperands types) {
  switch (types) {
  case OpOperands::integer: return "a tile of an integer type";
  case OpOperands::floating: return "a tile of a float type";
  case OpOperands::signed_numeric: return "a tile of a signed type";
  case OpOperands::bool_or_int: return "a tile of bool or an integer type";
  case OpOperands::numeric:
  case OpOperands::stored_numeric: return "a tile of numbers";
  case OpOperands::boolean: return "a tile of bool";
  default: return "a tile";
  }
}

// Element types, and that dims are the first tile's. False after a report; nothing is reported about a tile
// that was refused already.
bool arguments_ok(Call &c, const std::vector<CallArgument> &arguments) {
  bool ok = true;
  std::optional<ValueId> first;
  for (const CallArgument &a : arguments) {
    const auto *values = std::get_if<std::vector<ValueId>>(&a.value);
    if (!values) continue;
    for (ValueId v : *values)
      if (c.b.program().values[v].poisoned) return false;
    if (!first && !values->empty()) first = values->front();
  }
  for (std::size_t i = 0; i < c.f.parameter_count(); ++i) {
    const Parameter &p = c.f.parameters[i];
    const auto a = std::find_if(arguments.begin(), arguments.end(), [&](const CallArgument &x) { return x.name == p.name; });
    if (a == arguments.end()) continue;
    const bool value = p.kind == Parameter::Kind::operand && std::holds_alternative<std::vector<ValueId>>(a->value);
    if (p.kind == Parameter::Kind::tile || p.kind == Parameter::Kind::tiles || value) {
      for (ValueId v : c.tiles(p.name)) {
        if (ok && is_packed(c.elem(v)) && p.types != OpOperands::any && p.types != OpOperands::stored_numeric) {
          c.b.error(Code::T0108, {{"what", "`" + std::string(p.name) + "` of `" + c.f.name + "`"}, {"type", std::string(to_string(c.elem(v)))}},
                    cast_to_compute(c.elem(v)));
          ok = false;
        }
        if (ok && !admits(p.types, c.elem(v))) ok = c.refuse_tile(p.name, wanted(p.types), v);
      }
    } else if (first && (p.kind == Parameter::Kind::dim || p.kind == Parameter::Kind::dims)) {
      const std::vector<DimId> &dims = c.dims(p.name);
      for (DimId d : dims)
        if (std::count(dims.begin(), dims.end(), d) > 1) {
          ok = c.refuse_option(p.name, "`" + c.b.program().dim_text(d) + "` twice", "a dim is reduced once");
          break;
        } else if (c.space(*first).find(d) < 0) {
          c.b.error(Code::T0216, {{"dim", c.b.program().dim_text(d)}, {"argument", p.name}, {"function", c.f.name},
                                  {"space", c.b.program().space_text(c.space(*first))}});
          ok = false;
        }
    } else if (p.kind == Parameter::Kind::word && !is_choice(p, c.word(p.name))) {
      std::string choices = p.choices;
      for (std::size_t at = 0; (at = choices.find('|', at)) != std::string::npos;) choices.replace(at, 1, ", ");
      ok = c.refuse_option(p.name, "`" + c.word(p.name) + "`", "it is one of " + choices);
    }
  }
  return ok;
}

// An axis that the result gets has no negative extent.
bool axes_ok(Call &c) {
  for (const Parameter *p = c.f.parameters; p->name; ++p)
    if (p->kind == Parameter::Kind::axis && !c.need_count(p->name, c.axis(p->name).extent, 0)) return false;
  return true;
}

} // namespace

std::vector<ValueId> call(Builder &b, const Function &f, std::vector<CallArgument> arguments) {
  Call c(b, f, arguments);
  std::vector<ValueId> results;
  if (arguments_ok(c, arguments)) {
    b.begin_call(f.name, arguments);
    Diagnostics &told = b.diagnostics();
    const std::size_t before = told.size();
    if (axes_ok(c)) results = f.build(c);
    // What else an expansion is refused for follows from the first refusal.
    if (told.size() > before + 1) told.erase(told.begin() + static_cast<std::ptrdiff_t>(before) + 1, told.end());
    if (results.size() == f.result_count()) {
      b.end_call(results);
      return results;
    }
    b.end_call({});
  }
  results.clear();
  for (std::size_t i = 0; i < f.result_count(); ++i) results.push_back(b.refused(ScalarType::f32));
  return results;
}

// --- arguments ---

const CallArgument *Call::find(std::string_view name) const {
  for (const CallArgument &a : arguments_)
    if (a.name == name) return &a;
  return nullptr;
}

const char *Call::otherwise(std::string_view name) const { return f.parameter(name)->otherwise; }

const std::vector<ValueId> &Call::tiles(std::string_view name) const { return std::get<std::vector<ValueId>>(find(name)->value); }

Operand Call::operand(std::string_view name) const {
  const CallArgument &a = *find(name);
  if (const auto *i = std::get_if<std::int64_t>(&a.value)) return *i;
  if (const auto *d = std::get_if<double>(&a.value)) return *d;
  if (const auto *e = std::get_if<std::vector<Extent>>(&a.value)) return e->front();
  return tiles(name)[0];
}

const std::vector<DimId> &Call::dims(std::string_view name) const { return std::get<std::vector<DimId>>(find(name)->value); }

std::vector<DimId> Call::dims_or_all(std::string_view name, ValueId x) const {
  if (has(name)) return dims(name);
  std::vector<DimId> all;
  for (const Factor &factor : space(x).factors) all.push_back(factor.dim);
  return all;
}

const Space &Call::shape(std::string_view name) const { return std::get<Space>(find(name)->value); }

std::int64_t Call::integer(std::string_view name) const {
  const CallArgument *a = find(name);
  return a ? std::get<std::int64_t>(a->value) : std::strtoll(otherwise(name), nullptr, 10);
}

const std::vector<Extent> &Call::extents(std::string_view name) const { return std::get<std::vector<Extent>>(find(name)->value); }

double Call::number(std::string_view name) const {
  const CallArgument *a = find(name);
  if (!a) return std::strtod(otherwise(name), nullptr);
  if (const auto *i = std::get_if<std::int64_t>(&a->value)) return static_cast<double>(*i);
  return std::get<double>(a->value);
}

bool Call::flag(std::string_view name) const {
  const CallArgument *a = find(name);
  return a ? std::get<bool>(a->value) : std::string_view(otherwise(name)) == "true";
}

std::string Call::word(std::string_view name) const {
  const CallArgument *a = find(name);
  return a ? std::get<std::string>(a->value) : otherwise(name);
}

ScalarType Call::element(std::string_view name) const {
  const CallArgument *a = find(name);
  return a ? std::get<ScalarType>(a->value) : *find_scalar_type(otherwise(name));
}

ViewId Call::view(std::string_view name) const { return std::get<ViewId>(find(name)->value); }

Factor Call::factor(ValueId x, DimId d) const { return space(x).factors[static_cast<std::size_t>(space(x).find(d))]; }

// --- refusals ---

namespace {
// The message names the function: the note on its expansion would say it again.
bool refused(Builder &b) {
  b.diagnostics().back().notes.clear();
  return false;
}
} // namespace

bool Call::refuse_tile(std::string_view argument, const std::string &expected, ValueId found) {
  b.error(Code::T0217, {{"function", f.name}, {"expected", expected}, {"argument", std::string(argument)},
                        {"found", b.program().type_text(type(found.valid() ? found : tile(argument)))}});
  return refused(b);
}

bool Call::refuse_option(std::string_view argument, const std::string &value, const std::string &why) {
  b.error(Code::T0218, {{"argument", std::string(argument)}, {"function", f.name}, {"value", value}, {"why", why}});
  return refused(b);
}

bool Call::refuse_ragged(std::string_view argument) {
  if (type(tile(argument)).active.empty()) return true;
  b.error(Code::T0211, {{"op", f.name}}, "give the other points a value first: `ite(p, x, fallback)` of a full tile");
  refused(b);
  b.diagnostics().back().note("as `" + std::string(argument) + "`");
  return false;
}

bool Call::need_rank(std::string_view argument, std::size_t rank) {
  return space(tile(argument)).rank() == rank || refuse_tile(argument, "a tile of rank " + std::to_string(rank));
}

void Call::demand(Code code, std::string_view argument, ExtentEquation equation, bool at_most, std::string why) {
  Constraint open;
  open.equation = std::move(equation);
  open.code = code;
  open.subject = f.name;
  open.at_most = at_most;
  open.argument = argument;
  open.why = std::move(why);
  b.demand(std::move(open));
}

bool Call::need_elements(std::string_view argument, const Factor &along, const Extent &least, std::string_view counts) {
  const Extent missing = least - along.extent;
  const std::string named = counts.empty() ? "" : "`" + std::string(counts) + "` = ";
  if (!missing.is_constant()) return demand(Code::T0219, argument, {least, along.extent, along.dim}, true, named), true;
  if (*missing.constant() <= 0) return true;
  b.error(Code::T0219, {{"function", f.name}, {"argument", std::string(argument)}, {"left", named + b.program().extent_text(least)},
                        {"dim", b.program().dim_text(along.dim)}, {"right", b.program().extent_text(along.extent)}});
  return refused(b);
}

bool Call::need_extent(std::string_view argument, ValueId x, DimId along, const Extent &wanted, std::string which) {
  const Extent found = factor(x, along).extent;
  const Judged judged = judge_equal(found, wanted);
  if (judged == Judged::no)
    return refuse_tile(argument, "a tile with " + b.program().extent_text(wanted) + " elements along `" + b.program().dim_text(along) + "`", x);
  if (judged == Judged::unknown) demand(Code::T0217, argument, {found, wanted, along}, false, std::move(which));
  return true;
}

bool Call::need_inside(std::string_view argument, ValueId value, std::string_view of) {
  const Space &outer = space(tile(of));
  for (const Factor &factor : space(value).factors) {
    const int at = outer.find(factor.dim);
    if (at < 0) {
      const bool scalar_too = f.parameter(argument)->kind == Parameter::Kind::operand;
      return refuse_tile(argument, (scalar_too ? "a scalar or a tile over dims of `" : "a tile over dims of `") + std::string(of) + "`", value);
    }
    const Extent &wanted = outer.factors[static_cast<std::size_t>(at)].extent;
    if (factor.extent.constant() == 1 || judge_equal(factor.extent, wanted) == Judged::yes) continue;
    if (factor.extent.is_constant() && wanted.is_constant())
      return refuse_tile(argument, "a tile with " + b.program().extent_text(wanted) + " elements along `" + b.program().dim_text(factor.dim) + "`", value);
    demand(Code::T0217, argument, {factor.extent, wanted, factor.dim, true}, false);
  }
  return true;
}

bool Call::need_divisor(std::string_view option, std::int64_t divisor, const Extent &of, const std::string &what) {
  if (!of.is_constant()) {
    if (divisor > 1) demand(Code::T0218, option, {of.mod(divisor) + Extent(divisor), Extent(divisor), {}}, false, "it does not divide the " + what);
    return true;
  }
  return *of.constant() % divisor == 0 || refuse_option(option, std::to_string(divisor), "it does not divide the " + std::to_string(*of.constant()) + " " + what);
}

bool Call::need_count(std::string_view argument, const Extent &count, std::int64_t least) {
  const std::string why = "it counts elements, " + std::to_string(least) + " or more";
  if (!count.is_constant()) return demand(Code::T0218, argument, {Extent(least), count, {}}, true, why), true;
  return *count.constant() >= least || refuse_option(argument, b.program().extent_text(count), why);
}

// --- capture ---

ValueId Call::op(OpKind kind, std::initializer_list<Operand> operands) {
  return b.elementwise(kind, std::span<const Operand>(operands.begin(), operands.size()));
}

ValueId Call::at_along(ValueId x, DimId along, const Operand &coordinates) {
  std::vector<Operand> index;
  for (const Factor &factor : space(x).factors) index.push_back(factor.dim == along ? coordinates : Operand(b.iota(factor)));
  return b.take(x, index);
}

ValueId Call::fold(ValueId x, std::span<const DimId> dims, Reducer reducer) {
  return b.reduce(x, dims, reducer, ReductionPolicy::unordered_tree);
}

} // namespace tilenest::library
