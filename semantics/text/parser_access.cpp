// SPDX-License-Identifier: Apache-2.0
// Accesses of views: origins, windows, bounds policies, loads, stores, atomics, gathers, scatters, and views
// of views.
#include "semantics/diag/codes.h"
#include "semantics/text/parser_state.h"

namespace tilenest::text {

namespace {
constexpr std::string_view atomic_names[] = {"add", "min", "max", "and", "or", "xor"};
} // namespace

std::optional<AtomicKind> Parser::atomic_kind(std::string_view suffix) {
  for (std::size_t i = 0; i < std::size(atomic_names); ++i)
    if (suffix == atomic_names[i]) return static_cast<AtomicKind>(i);
  return std::nullopt;
}

// A policy's word, unless it names something of the program.
bool Parser::at_policy() {
  const Token &t = peek();
  if (t.is("@")) { // whatever is called so
    const Token &word = peek(1);
    return word.is("predicate") || word.is("fallback") || word.is("zero") || word.is("assume");
  }
  if (!t.is_name() || names_.find(std::string(t.text))) return false;
  if (t.is("predicate") || t.is("fallback")) return peek(1).is("(");
  return t.is("zero") || t.is("assume");
}

bool Parser::policy(const std::string &call, Policies &given, Bounds &bounds, std::optional<Operand> &predicate, std::optional<Operand> &fallback) {
  const Mark begin = mark();
  if (accept("@")) count(Production::policy_use);
  const Token t = take();
  const std::string word(t.text);
  const std::string first = t.is("fallback") ? (given.fallback ? word : "") : given.bounds;
  if (t.is("fallback")) given.fallback = true;
  else if (first.empty()) given.bounds = word;
  const auto alone = [&] {
    if (first.empty()) return true;
    second_option(call, t.is("fallback") ? "one `fallback`" : "one bounds policy", first == word ? "`" + word + "` twice" : "`" + word + "` beside `" + first + "`", begin);
    return false;
  };
  if (t.is("zero")) {
    count(Production::bounds_zero);
    bounds = Bounds::zero;
    return alone();
  }
  if (t.is("assume")) {
    count(Production::bounds_assume);
    bounds = Bounds::assume;
    return alone();
  }
  if (!expect("(")) return false;
  const auto o = operand_argument();
  if (!expect(")")) return false;
  if (t.is("predicate")) {
    count(Production::bounds_predicate);
    bounds = Bounds::predicate;
    predicate = o;
  } else {
    count(Production::fallback_argument);
    fallback = o;
  }
  return alone() && o.has_value();
}

// A[origin, window, policies] or A(origin, window, policies).
Expr Parser::access(ViewId view, const Mark &begin, bool brackets) {
  Brackets inside(*this);
  take();
  const std::string_view close = brackets ? "]" : ")";
  auto a = std::make_shared<Access>();
  a->view = view;
  bool usable = true, window = false;
  Policies policies;
  const std::string name = builder_->program().views[view].name;
  while (!panic_ && !at(close)) {
    if (at("[") && !window && !policies.any()) {
      window = true;
      auto w = shape(view);
      if (w) {
        a->window = std::move(w->axes);
        a->active = std::move(w->where);
      } else {
        usable = false;
      }
    } else if (at_policy()) {
      usable &= policy(name, policies, a->bounds, a->predicate, a->fallback);
    } else if (window || policies.any()) {
      unexpected("a bounds policy");
    } else {
      const auto parts = tuple(expression(), view);
      if (parts)
        a->origin.insert(a->origin.end(), parts->begin(), parts->end());
      else
        usable = false;
    }
    if (!accept(",")) break;
  }
  if (!expect(close) || !usable) return {};
  Expr e;
  e.begin = begin;
  if (brackets) {
    count(Production::load_brackets);
    capture_at(begin);
    return made(builder_->load(*a), begin);
  }
  e.kind = Expr::Kind::access;
  e.access = std::move(a);
  return e;
}

Expr Parser::access_member(Expr e, const Token &t) {
  const std::string_view text = t.text;
  Access &a = *e.access;
  const bool is_load = text == "load", is_store = text == "store";
  const auto atomic = text.starts_with("atomic_") ? atomic_kind(text.substr(7)) : std::nullopt;
  if (!is_load && !is_store && !atomic) {
    report(Code::P0014, lexer_.site(t), {{"what", "a reference"}, {"member", std::string(text)}},
           "a reference has `load`, `store` and `atomic_add`, `_min`, `_max`, `_and`, `_or`, `_xor`");
    if (at("(")) panic_ = true;
    return {};
  }
  if (!expect("(")) return {};
  Brackets inside(*this);
  std::optional<Operand> argument;
  const bool given = !at(")");
  if (given) argument = operand_argument();
  if (!expect(")")) return {};
  if (!given && !is_load) return wrong_count(std::string(text), "one value", 0, e.begin);
  if (given && !argument) return {};
  capture_at(e.begin);
  if (is_load) {
    count(given ? Production::load_fallback : Production::load_call);
    if (given && a.fallback) {
      second_option("load", "one fallback", "`fallback` of `" + builder_->program().views[a.view].name + "` beside its own", e.begin);
      return {};
    }
    if (given) a.fallback = argument;
    return made(builder_->load(a), e.begin);
  }
  if (!a.active.empty()) {
    builder_->error(Code::T0405, {{"what", "`where` in a window is for loads; a store takes the active points of its value"}},
                    "`restrict` the value, or give the access a `predicate`");
    return {};
  }
  if (a.fallback) {
    builder_->error(Code::T0405, {{"what", "only a load has a fallback"}});
    return {};
  }
  if (is_store) {
    count(Production::store_call);
    builder_->store(a, *argument);
  } else {
    count(Production::atomic_call);
    builder_->atomic(a, *atomic, *argument);
  }
  e.kind = Expr::Kind::effect;
  return e;
}

// A.gather(i, j, policies), A.scatter(x, i, j, policies), A.scatter_add(...).
Expr Parser::gather(Expr e, const Token &t) {
  const bool is_gather = t.is("gather");
  std::optional<AtomicKind> reducer;
  if (!is_gather && !t.is("scatter")) {
    reducer = atomic_kind(t.text.substr(std::string_view("scatter_").size()));
    if (!reducer) {
      report(Code::P0014, lexer_.site(t), {{"what", "a view"}, {"member", std::string(t.text)}});
      panic_ = true;
      return {};
    }
  }
  if (!expect("(")) return {};
  Brackets inside(*this);
  IndexedAccess a;
  a.view = e.view;
  bool usable = true;
  Policies policies;
  const std::string function(t.text);
  std::vector<Operand> values;
  while (!panic_ && !at(")")) {
    if (at_policy()) {
      usable &= policy(function, policies, a.bounds, a.predicate, a.fallback);
    } else if (policies.any()) {
      unexpected("a bounds policy");
    } else {
      const auto parts = argument(is_gather || !values.empty() ? "index" : "x", function, [&] { return tuple(expression()); });
      if (parts)
        values.insert(values.end(), parts->begin(), parts->end());
      else
        usable = false;
    }
    if (!accept(",")) break;
  }
  if (!expect(")") || !usable) return {};
  if (!is_gather && values.empty()) return wrong_count(std::string(t.text), "a value and one index per axis", 0, e.begin);
  if (!is_gather && a.fallback) {
    capture_at(e.begin);
    builder_->error(Code::T0405, {{"what", "only a load has a fallback"}});
    return {};
  }
  a.index.assign(values.begin() + (is_gather ? 0 : 1), values.end());
  capture_at(e.begin);
  if (is_gather) {
    count(Production::gather_call);
    return made(builder_->gather(a), e.begin);
  }
  count(Production::scatter_call);
  builder_->scatter(a, values[0], reducer);
  e.kind = Expr::Kind::effect;
  return e;
}

Expr Parser::view_member(Expr e, const Token &t) {
  if (t.is("gather") || t.text.starts_with("scatter")) return gather(std::move(e), t);
  if (t.is("extent")) {
    Symbol s;
    s.kind = Symbol::Kind::view;
    s.view = e.view;
    const auto of = extent_of_object(t, s, std::string(e.begin.from));
    if (!of) return {};
    return made(Operand(*of), e.begin);
  }
  const bool retype = t.is("view_as");
  if (!retype && !t.is("with_dims")) {
    report(Code::P0014, lexer_.site(t), {{"what", "a view"}, {"member", std::string(t.text)}},
           "a view has `with_dims`, `view_as`, `gather`, `scatter`, `extent` and `dim`");
    if (at("(")) panic_ = true;
    return {};
  }
  std::optional<ScalarType> type;
  std::optional<std::vector<DimId>> dims;
  if (retype) {
    if (!expect("(")) return {};
    type = type_name();
    if (!expect(")")) return {};
  } else {
    dims = dim_list("(", ")");
    if (panic_ || !dims) return {};
  }
  // The last view of a chain has the name of the binding.
  const bool last = !at(".") || peek(1).is("dim") || peek(1).is("extent");
  const std::string name = last && !view_name_.empty() ? view_name_ : builder_->program().views[e.view].name;
  capture_at(e.begin);
  count(retype ? Production::view_as_call : Production::with_dims_call);
  e.view = retype ? builder_->view_as(e.view, *type, name) : builder_->with_dims(e.view, *dims, name);
  return e;
}

} // namespace tilenest::text
