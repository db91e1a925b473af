// SPDX-License-Identifier: Apache-2.0
// Calls of the library: arguments by the kinds of their parameters, by position and by name; statements that give
// several names to several results.
#include "semantics/diag/codes.h"
#include "semantics/library/call.h"
#include "semantics/text/parser_state.h"

namespace tilenest::text {

namespace {
using Kind = library::Parameter::Kind;

bool takes_the_rest(Kind k) { return k == Kind::tiles || k == Kind::dims; }
} // namespace

// topk(x, n, k = 5, descending = true)
Expr Parser::library_call(const Token &t, const Mark &begin) {
  const library::Function &f = *library::find(t.text);
  Brackets inside(*this);
  take();
  std::vector<CallArgument> arguments;
  const std::size_t known = f.parameter_count();
  std::size_t next = 0, given = 0;
  bool usable = true, counted = true, names_began = false;
  auto parse_argument = [&](const library::Parameter &p, CallArgument &out) {
    const Mark begin = mark();
    const bool pair = p.kind == Kind::extents && at("[");
    const bool ok = argument(p.name, f.name, [&] { return library_argument(p, out); });
    if (ok && pair && std::get<std::vector<Extent>>(out.value).size() == 1) { // one number stands without brackets
      report(Code::P0010, since(begin), {{"what", f.name}, {"expected", "one number or two in brackets as `" + std::string(p.name) + "`"}, {"found", "one in brackets"}});
      return false;
    }
    if (!ok && p.kind == Kind::extents) // an extent that is known
      for (auto &[key, text] : out_.diagnostics.back().args)
        if (key == "expected" && text.starts_with("an extent as")) text.replace(0, 9, "a number");
    return ok;
  };
  auto already = [&](const library::Parameter &p) {
    for (CallArgument &a : arguments)
      if (a.name == p.name) return &a;
    return static_cast<CallArgument *>(nullptr);
  };
  while (!panic_ && !at(")")) {
    const library::Parameter *parameter = nullptr;
    bool named = peek().is_name() && peek(1).is("=");
    if (named) {
      parameter = f.parameter(peek().text);
      const bool shape_item = !parameter && next < known && f.parameters[next].kind == Kind::axis;
      if (!parameter && !shape_item) {
        const Token option = take();
        report(Code::P0006, lexer_.site(option), {{"name", std::string(option.text)}, {"as", " as an argument of `" + std::string(f.name) + "`"}}, "it is called as `" + f.signature() + "`");
        take();
        (void)expression();
        usable = false;
        if (!accept(",")) break;
        continue;
      }
      named = parameter != nullptr;
    }
    ++given;
    CallArgument argument;
    if (named) {
      count(Production::library_option);
      const Mark at_name = mark();
      take();
      take();
      argument.name = parameter->name;
      if (already(*parameter)) {
        report(Code::P0010, since(at_name), {{"what", f.name}, {"expected", "each argument once"}, {"found", "`" + argument.name + "` twice"}});
        usable = false;
      }
      names_began = true;
      usable &= parse_argument(*parameter, argument);
      if (usable) arguments.push_back(std::move(argument));
    } else if (next >= known) {
      (void)expression();
      counted = false;
    } else {
      parameter = &f.parameters[next];
      const bool bracketed = at("[");
      if (names_began && usable) {
        report(Code::P0010, since(mark()), {{"what", f.name}, {"expected", "arguments by position before those by name"}, {"found", "`" + std::string(peek().text) + "`"}});
        usable = false;
      }
      argument.name = parameter->name;
      const Token first = peek();
      if (!parse_argument(*parameter, argument)) {
        usable = false;
        if (takes_the_rest(parameter->kind)) say_by_name(f, *parameter, first);
      }
      CallArgument *before = already(*parameter);
      if (usable && before) { // one more of several
        if (auto *values = std::get_if<std::vector<ValueId>>(&before->value))
          values->push_back(std::get<std::vector<ValueId>>(argument.value)[0]);
        else if (auto *dims = std::get_if<std::vector<DimId>>(&before->value))
          dims->push_back(std::get<std::vector<DimId>>(argument.value)[0]);
      } else if (usable) {
        arguments.push_back(std::move(argument));
      }
      if (!takes_the_rest(parameter->kind) || bracketed) ++next;
    }
    if (!accept(",")) break;
  }
  if (!expect(")")) return {};
  std::string missing;
  for (std::size_t i = 0; usable && i < known; ++i)
    if (f.parameters[i].required() && !already(f.parameters[i]) && missing.empty()) missing = f.parameters[i].name;
  if (!counted) return wrong_count(f.name, "the arguments of `" + f.signature() + "`", given, begin);
  if (!missing.empty()) {
    report(Code::P0010, since(begin), {{"what", f.name}, {"expected", "the arguments of `" + f.signature() + "`"}, {"found", "no `" + missing + "`"}});
    return {};
  }
  if (!usable) return {};
  count(Production::library_call);
  capture_at(begin);
  const std::vector<ValueId> results = library::call(*builder_, f, std::move(arguments));
  if (results.size() == 1) return made(results[0], begin);
  Expr e;
  e.kind = Expr::Kind::results;
  e.begin = begin;
  e.tuple.assign(results.begin(), results.end());
  return e;
}

// A dim behind several tiles, or a tile behind several dims, by position: what is behind those is given by name.
void Parser::say_by_name(const library::Function &f, const library::Parameter &several, const Token &given) {
  if (out_.diagnostics.empty() || !given.is_name()) return;
  Diagnostic &d = out_.diagnostics.back();
  const Site here = lexer_.site(given);
  if (d.code != Code::P0008 || d.sites[0].site.line != here.line || d.sites[0].site.column != here.column) return;
  const Symbol *s = names_.find(std::string(given.text));
  if (!s) return;
  for (const library::Parameter *p = &several + 1; p->name; ++p) {
    const bool fits = s->kind == Symbol::Kind::dim ? p->kind == Kind::dim
                                                   : s->kind == Symbol::Kind::variable && p->kind == Kind::tile;
    if (!fits) continue;
    d.help = "`" + std::string(p->name) + "` of `" + f.name + "` is given by name: `" + p->name + " = " +
             std::string(given.text) + "`";
    return;
  }
}

bool Parser::library_argument(const library::Parameter &p, CallArgument &out) {
  auto keep = [&](auto value) {
    if (!value) return false;
    out.value = std::move(*value);
    return true;
  };
  switch (p.kind) {
  case Kind::tile:
  case Kind::tiles: {
    const auto v = value_argument();
    if (!v) return false;
    out.value = std::vector<ValueId>{*v};
    return true;
  }
  case Kind::operand: {
    const auto o = operand_argument();
    if (!o) return false;
    if (const auto *v = std::get_if<ValueId>(&*o)) out.value = std::vector<ValueId>{*v};
    if (const auto *i = std::get_if<std::int64_t>(&*o)) out.value = *i;
    if (const auto *d = std::get_if<double>(&*o)) out.value = *d;
    if (const auto *e = std::get_if<Extent>(&*o)) out.value = std::vector<Extent>{*e};
    return true;
  }
  case Kind::dims:
    if (!at("[")) {
      const auto d = dim();
      if (!d) return false;
      out.value = std::vector<DimId>{*d};
      return true;
    }
    return keep(dim_list("[", "]"));
  case Kind::dim_list: return keep(dim_list("[", "]"));
  case Kind::dim: {
    const auto d = dim();
    if (!d) return false;
    out.value = std::vector<DimId>{*d};
    return true;
  }
  case Kind::axis: {
    WindowAxis axis;
    if (!shape_item(axis, false)) return false;
    out.value = Space{{{axis.dim.valid() ? axis.dim : builder_->positional_dim(0), axis.extent}}};
    return true;
  }
  case Kind::shape: return keep(space());
  case Kind::integer: return keep(integer(true));
  case Kind::extent:
  case Kind::extents: {
    std::vector<Extent> list;
    const bool bracketed = p.kind == Kind::extents && accept("[");
    bool usable = true;
    while (!panic_ && !(bracketed && at("]"))) {
      const auto e = extent();
      usable &= e.has_value();
      if (e) list.push_back(*e);
      if (!bracketed || !accept(",")) break;
    }
    if (bracketed && !expect("]")) return false;
    out.value = std::move(list);
    return usable;
  }
  case Kind::number: {
    const Mark begin = mark();
    const bool negative = accept("-");
    if (!peek().is_number() && !at("inf") && !at("nan")) {
      unexpected("a number");
      return false;
    }
    const Expr e = literal(negative, begin);
    if (e.broken()) return false;
    if (const auto *i = std::get_if<std::int64_t>(&e.operand)) out.value = *i;
    if (const auto *d = std::get_if<double>(&e.operand)) out.value = *d;
    return true;
  }
  case Kind::flag: return keep(boolean());
  case Kind::word:
    if (!peek().is_name()) {
      unexpected("a word");
      return false;
    }
    out.value = std::string(take().text);
    return true;
  case Kind::text: return library_text(out);
  case Kind::type: return keep(type_name());
  case Kind::view: {
    const auto t = name("a view");
    const Symbol *s = t ? lookup(*t) : nullptr;
    if (!s) return false;
    if (s->kind != Symbol::Kind::view) {
      wrong_kind(*t, *s, "a view");
      return false;
    }
    out.value = s->view;
    return true;
  }
  case Kind::none: break;
  }
  return false;
}

// A string.
bool Parser::library_text(CallArgument &out) {
  if (peek().kind != Token::Kind::string) {
    unexpected("a string");
    return false;
  }
  const Token t = take();
  const auto contents = string_contents(t.text);
  if (!contents) {
    if (t.text.size() > 1 && t.text.back() == '"')
      report(Code::P0004, lexer_.site(t), {{"what", "an unknown escape; \\\\ \\\" \\n \\t \\xHH are known"}});
    return false;
  }
  out.value = *contents;
  return true;
}

// --- several results ---

// values, %i, _ = topk(x, n, k = 5)
// `first` is a `%` name that was read already.
void Parser::multiple_assignment(const Mark &begin, const Token *first) {
  struct Target {
    Token name;
    enum class Kind : std::uint8_t { variable, value, nothing } kind;
  };
  std::vector<Target> targets;
  if (first) targets.push_back({*first, Target::Kind::value});
  while (targets.empty() || accept(",")) {
    if (at("%")) {
      const auto t = value_name();
      if (!t) return;
      targets.push_back({*t, Target::Kind::value});
    } else if (at("_")) {
      targets.push_back({take(), Target::Kind::nothing});
    } else {
      const auto t = new_name("a name");
      if (!t) return;
      targets.push_back({*t, Target::Kind::variable});
    }
  }
  auto give_up = [&] {
    for (const Target &t : targets)
      if (t.kind == Target::Kind::variable) broken(t.name);
      else if (t.kind == Target::Kind::value) names_.declare("%" + std::string(t.name.text), {});
  };
  if (!expect("=")) return give_up();
  const Expr e = expression();
  if (panic_ || e.broken()) return give_up();
  const std::size_t found = e.kind == Expr::Kind::results ? e.tuple.size() : 1;
  if (found != targets.size()) {
    std::string names;
    for (const Target &t : targets) names += (names.empty() ? "" : ", ") + std::string(t.kind == Target::Kind::value ? "%" : "") + std::string(t.name.text);
    report(Code::P0010, since(begin), {{"what", names + " = ..."}, {"expected", std::to_string(targets.size()) + (targets.size() == 1 ? " value" : " values")},
                                       {"found", std::to_string(found)}});
    return give_up();
  }
  count(Production::multiple_assignment);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Target &t = targets[i];
    if (t.kind == Target::Kind::nothing) continue;
    if (t.kind == Target::Kind::variable) {
      define(t.name, begin, made(e.tuple[i], begin), false);
      continue;
    }
    Symbol s;
    s.kind = Symbol::Kind::value;
    s.value = std::get<ValueId>(e.tuple[i]);
    declare("%" + std::string(t.name.text), lexer_.site(t.name), std::move(s));
  }
  anchor();
}

} // namespace tilenest::text
