// SPDX-License-Identifier: Apache-2.0
// Calls by name: the rows of ops.def without an operator, full and zeros, reductions, mma; calls of the library are in
// parser_library.cpp.
#include "semantics/diag/codes.h"
#include "semantics/library/function.h"
#include "semantics/text/hints.h"
#include "semantics/text/parser_state.h"
#include <algorithm>
#include <utility>

namespace tilenest::text {

namespace {
constexpr std::string_view reducer_names[] = {"sum", "prod", "reduce_min", "reduce_max", "reduce_minnum",
                                              "reduce_maxnum", "reduce_and", "reduce_or", "reduce_xor"};
constexpr std::string_view index_maps[] = {"broadcast", "reshape", "transpose", "relabel", "take", "insert", "restrict"};
} // namespace

Expr Parser::wrong_count(const std::string &what, const std::string &expected, std::size_t found, const Mark &begin) {
  report(Code::P0010, since(begin), {{"what", what}, {"expected", expected}, {"found", std::to_string(found)}});
  return {};
}

void Parser::second_option(std::string_view call, const std::string &expected, const std::string &found, const Mark &begin) {
  report(Code::P0010, since(begin), {{"what", std::string(call)}, {"expected", expected}, {"found", found}});
}

bool Parser::once(bool &given, std::string_view call, std::string_view option, const Mark &begin) {
  if (given) second_option(call, "each option once", "`" + std::string(option) + "` twice", begin);
  return !std::exchange(given, true);
}

// A report of what was found where the argument begins, or one of its syntax.
void Parser::name_argument(std::string_view parameter, std::string_view function, std::size_t before, const Mark &begin) {
  if (out_.diagnostics.size() != before + 1) return;
  Diagnostic &d = out_.diagnostics.back();
  const bool here = !d.sites.empty() && d.sites[0].site.line == begin.line && d.sites[0].site.column == begin.column;
  const bool whole = here && d.sites[0].site.length == since(begin).length;
  if (whole && (d.code == Code::P0006 || d.code == Code::P0009 || d.code == Code::P0013)) {
    d.args.emplace_back("as", " as `" + std::string(parameter) + "` of `" + std::string(function) + "`");
    return;
  }
  const bool kind = d.code == Code::P0008 && here;
  if (!kind && d.code != Code::P0001) return;
  for (auto &[key, text] : d.args)
    if (key == "expected" && text.find(" as `") == std::string::npos) text += " as `" + std::string(parameter) + "` of `" + std::string(function) + "`";
}

// At the `)` of a call of which an argument was read and another is missing.
Expr Parser::ends_early(std::string_view function, std::string_view last, std::string_view next, const Mark &begin) {
  if (panic_) return {};
  take();
  report(Code::P0010, since(begin), {{"what", std::string(function)}, {"expected", "`" + std::string(next) + "` behind `" + std::string(last) + "`"}, {"found", "none"}});
  return {};
}

bool Parser::one_policy(std::string &given, const std::string &word, std::string_view call, const Mark &begin) {
  if (!given.empty()) second_option(call, "one policy", given == word ? "`" + word + "` twice" : "`" + word + "` beside `" + given + "`", begin);
  return std::exchange(given, word).empty();
}

Expr Parser::call(const Token &t, const Mark &begin) {
  const std::string text(t.text);
  if (t.is("zeros") || t.is("full")) return shaped_call(t, begin);
  if (const auto *r = std::find(std::begin(reducer_names), std::end(reducer_names), t.text); r != std::end(reducer_names))
    return reduction_call(static_cast<Reducer>(r - std::begin(reducer_names)), begin);
  if (std::find(std::begin(index_maps), std::end(index_maps), t.text) != std::end(index_maps))
    return index_map_call(t, begin);
  if (text == "scan") return scan_call(begin);
  if (text == "mma") return mma_call(begin);
  if (text == "map_coord") return map_coord_call(begin);
  if (library::find(text)) return library_call(t, begin);
  Brackets inside(*this);
  if (text == "extent" || text == "ceil_div") {
    std::optional<Extent> e;
    take();
    if (text == "extent") {
      e = extent();
    } else {
      const auto a = extent();
      if (!expect(",")) return {};
      const Mark divisor = mark();
      const auto d = extent();
      if (d && (!d->is_constant() || *d->constant() <= 0))
        report(Code::P0011, since(divisor), {{"why", "the divisor is not a positive number"}});
      else if (a && d)
        e = a->ceil_div(*d->constant());
    }
    if (!expect(")") || !e) return {};
    count(Production::extent_value);
    return made(Operand(*e), begin);
  }
  if (text == "iota") {
    take();
    WindowAxis axis;
    const bool ok = shape_item(axis, false);
    if (!expect(")") || !ok) return {};
    count(Production::iota_call);
    if (!axis.dim.valid()) axis.dim = builder_->positional_dim(0);
    capture_at(begin);
    return made(builder_->iota({axis.dim, axis.extent}), begin);
  }
  if (text == "per") {
    take();
    LevelId level = TileProgram::root();
    bool usable = true;
    if (!accept("root")) {
      const auto n = name("the name of a parallel");
      const Symbol *s = n ? lookup(*n) : nullptr;
      usable = s && s->kind == Symbol::Kind::nest && builder_->program().ops[s->scope.op].kind == OpKind::parallel;
      if (usable) level = s->scope.level;
      else if (s) wrong_kind(*n, *s, "the handle of a parallel");
    }
    if (!expect(",")) return {};
    const auto x = value_argument();
    if (!expect(")") || !x || !usable) return {};
    count(Production::per_call);
    capture_at(begin);
    return made(builder_->per(level, *x), begin);
  }
  const auto kind = find_op(text);
  if (kind == OpKind::cast || kind == OpKind::cast_sat || kind == OpKind::bitcast) {
    take();
    const auto x = operand_argument("x", text);
    if (at(")")) return ends_early(text, "x", "to", begin);
    if (!expect(",")) return {};
    const auto to = argument("to", text, [&] { return type_name(); });
    if (!expect(")") || !x || !to) return {};
    count(Production::cast_call);
    capture_at(begin);
    return made(builder_->cast(*kind, *to, *x), begin);
  }
  if (kind && info(*kind).form == Form::elementwise && info(*kind).spelling[0] == '\0') {
    take();
    std::vector<Expr> operands;
    while (!panic_ && !at(")")) {
      operands.push_back(expression());
      if (!accept(",")) break;
    }
    if (!expect(")")) return {};
    const int arity = info(*kind).arity;
    if (static_cast<int>(operands.size()) != arity)
      return wrong_count(text, std::to_string(arity) + (arity == 1 ? " operand" : " operands"), operands.size(), begin);
    count(Production::elementwise_call);
    return apply(*kind, std::move(operands), begin);
  }
  if (Symbol *s = names_.find(text)) {
    if (s->kind != Symbol::Kind::broken) wrong_kind(t, *s, "a function or a view");
  } else {
    std::vector<std::string> known;
    for (const OpInfo &row : op_table)
      if (row.form != Form::control && row.spelling[0] == '\0') known.emplace_back(row.name);
    for (std::string_view n : reducer_names) known.emplace_back(n);
    for (std::string &n : library::function_names()) known.push_back(std::move(n));
    for (const char *n : {"zeros", "full", "extent", "ceil_div"}) known.emplace_back(n);
    std::string help = call_help(text);
    if (help.empty()) {
      std::string near = nearest_spelling(text, known);
      if (near.empty()) near = names_.nearest(text);
      if (!near.empty()) help = "did you mean `" + near + "`?";
    }
    report(Code::P0006, lexer_.site(t), {{"name", text}}, std::move(help));
  }
  skip_arguments();
  return {};
}

// zeros f32 [m, n]; full(f32 [m, n], x)
Expr Parser::shaped_call(const Token &t, const Mark &begin) {
  const bool zeros = t.is("zeros");
  Brackets inside(*this);
  const bool parenthesis = accept("(");
  if (!zeros && !parenthesis) {
    unexpected("`(`");
    return {};
  }
  const auto type = type_name();
  if (!type) return {};
  auto of = space();
  if (panic_) return {};
  std::optional<Operand> x = Operand(std::int64_t{0});
  if (!zeros) {
    if (!expect(",")) return {};
    x = operand_argument("x", "full");
  }
  if (parenthesis && !expect(")")) return {};
  if (!of || !x) return {};
  count(zeros ? Production::zeros : Production::full);
  capture_at(begin);
  return made(builder_->full(*type, *x, std::move(*of), zeros ? "zeros" : "full"), begin);
}

Expr Parser::index_map_call(const Token &t, const Mark &begin) {
  Brackets inside(*this);
  take();
  if (t.is("broadcast")) {
    const auto x = operand_argument("x", "broadcast");
    if (at(")")) return ends_early("broadcast", "x", "space", begin);
    if (!expect(",")) return {};
    auto to = argument("space", "broadcast", [&] { return space(); });
    if (!expect(")") || !x || !to) return {};
    count(Production::broadcast_call);
    capture_at(begin);
    return made(builder_->broadcast(*x, std::move(*to)), begin);
  }
  const auto x = value_argument("x", t.text);
  if (t.is("take")) {
    std::vector<Operand> index;
    bool usable = x.has_value();
    while (accept(",")) {
      const auto parts = argument("index", "take", [&] { return tuple(expression()); });
      if (panic_) return {};
      if (parts)
        index.insert(index.end(), parts->begin(), parts->end());
      else
        usable = false;
    }
    if (!expect(")") || !usable) return {};
    count(Production::take_call);
    capture_at(begin);
    return made(builder_->take(*x, index), begin);
  }
  if (at(")"))
    return ends_early(t.text, "x", t.is("reshape") ? "space" : t.is("restrict") ? "predicate" : t.is("insert") ? "piece" : "dims", begin);
  if (!expect(",")) return {};
  if (t.is("reshape")) {
    auto to = argument("space", "reshape", [&] { return space(); });
    if (!expect(")") || !x || !to) return {};
    count(Production::reshape_call);
    capture_at(begin);
    return made(builder_->reshape(*x, std::move(*to)), begin);
  }
  if (t.is("transpose") || t.is("relabel")) {
    const auto dims = argument("dims", t.text, [&] { return dim_list("[", "]"); });
    if (!expect(")") || !x || !dims) return {};
    count(t.is("transpose") ? Production::transpose_call : Production::relabel_call);
    capture_at(begin);
    return made(t.is("transpose") ? builder_->transpose(*x, *dims) : builder_->relabel(*x, *dims), begin);
  }
  if (t.is("restrict")) {
    std::optional<Operand> p;
    const std::size_t before = out_.diagnostics.size();
    if (!x || builder_->program().values[*x].poisoned) { // whose dims are not known
      p = operand_argument("predicate", "restrict");
      Diagnostics &told = out_.diagnostics;
      const auto dims_as_values = [](const Diagnostic &d) { return d.code == Code::P0008; };
      told.erase(std::remove_if(told.begin() + static_cast<std::ptrdiff_t>(before), told.end(), dims_as_values), told.end());
      if (!p) return expect(")") && x ? made(*x, begin) : Expr{};
    } else {
      // As in `where`, the tile's dims stand for their coordinates here.
      const Space domain = builder_->type(*x).space;
      where_.push_back(&domain);
      p = operand_argument("predicate", "restrict");
      where_.pop_back();
    }
    if (!expect(")") || !x || !p) return {};
    count(Production::restrict_call);
    capture_at(begin);
    return made(builder_->restrict(*x, *p), begin);
  }
  const auto piece = operand_argument("piece", "insert");
  if (at(")")) return ends_early("insert", "piece", "origin", begin);
  if (!expect(",")) return {};
  const auto origin = argument("origin", "insert", [&] { return tuple(expression()); });
  if (!expect(")") || !x || !piece || !origin) return {};
  count(Production::insert_call);
  capture_at(begin);
  return made(builder_->insert(*x, *piece, *origin), begin);
}

// sum(x, m, n, ordered_tree, wide_accumulation = true); without dims all of x's; `none`: no dim.
Expr Parser::reduction_call(Reducer reducer, const Mark &begin) {
  Brackets inside(*this);
  const std::string_view function = reducer_names[static_cast<int>(reducer)];
  take();
  const auto x = value_argument("x", function);
  std::vector<DimId> dims;
  ReductionPolicy policy = ReductionPolicy::unordered_tree;
  bool wide = false, listed = false, usable = x.has_value();
  bool wide_given = false, none_given = false;
  std::string policy_given;
  while (accept(",")) {
    const Mark option = mark();
    const Token &t = peek();
    const Symbol *s = t.is_name() ? names_.find(std::string(t.text)) : nullptr;
    const bool known = s && (s->kind == Symbol::Kind::dim || peek(1).is(".")); // other names are no dims
    constexpr std::string_view policies[] = {"unordered_tree", "ordered_tree", "fold_left", "fold_right"};
    const auto *found = std::find(std::begin(policies), std::end(policies), t.text);
    if (!known && found != std::end(policies)) {
      take();
      count(Production::reduction_option);
      policy = static_cast<ReductionPolicy>(found - std::begin(policies));
      usable &= one_policy(policy_given, std::string(*found), function, option);
    } else if (!known && t.is("wide_accumulation")) {
      take();
      if (!expect("=")) return {};
      const auto b = argument("wide_accumulation", function, [&] { return boolean(); });
      if (!b) return {};
      count(Production::reduction_option);
      wide = *b;
      usable &= once(wide_given, function, "wide_accumulation", option);
    } else if (!known && t.is("none")) {
      take();
      listed = true;
      usable &= once(none_given, function, "none", option);
    } else if (const auto d = argument("dims", function, [&] { return dim(); })) {
      listed = true;
      dims.push_back(*d);
    } else {
      usable = false;
    }
    if (panic_) return {};
  }
  if (!expect(")") || !usable) return {};
  if (none_given && !dims.empty()) {
    second_option(function, "dims or `none`", "both", begin);
    return {};
  }
  if (!listed)
    for (const Factor &f : builder_->type(*x).space.factors) dims.push_back(f.dim);
  count(Production::reduction_call);
  capture_at(begin);
  return made(builder_->reduce(*x, dims, reducer, policy, wide), begin);
}

// scan(x, m, add, exclusive = true, reverse = true, fold_left)
Expr Parser::scan_call(const Mark &begin) {
  Brackets inside(*this);
  take();
  const auto x = value_argument("x", "scan");
  if (at(")")) return ends_early("scan", "x", "dim", begin);
  if (!expect(",")) return {};
  const auto along = argument("dim", "scan", [&] { return dim(); });
  if (at(")")) return ends_early("scan", "dim", "reducer", begin);
  if (!expect(",")) return {};
  const Token &word = peek();
  const auto kind = word.is_name() ? find_op(word.text) : std::nullopt;
  const auto reducer = kind ? reducer_of(*kind) : std::nullopt;
  if (!reducer) {
    unexpected("a reducer as `reducer` of `scan`", "one of add, mul, min, max, minnum, maxnum, bit_and, bit_or, bit_xor");
    return {};
  }
  take();
  bool exclusive = false, reverse = false, exclusive_given = false, reverse_given = false, usable = true;
  ReductionPolicy policy = ReductionPolicy::ordered_tree;
  std::string policy_given;
  while (accept(",")) {
    const Mark option_begin = mark();
    if (at("ordered_tree") || at("fold_left")) {
      policy = at("fold_left") ? ReductionPolicy::fold_left : ReductionPolicy::ordered_tree;
      const std::string word(take().text);
      usable &= one_policy(policy_given, word, "scan", option_begin);
    } else if (peek().is("exclusive") || peek().is("reverse")) {
      const bool is_exclusive = peek().is("exclusive");
      take();
      if (!expect("=")) return {};
      const auto b = argument(is_exclusive ? "exclusive" : "reverse", "scan", [&] { return boolean(); });
      if (!b) return {};
      (is_exclusive ? exclusive : reverse) = *b;
      usable &= is_exclusive ? once(exclusive_given, "scan", "exclusive", option_begin) : once(reverse_given, "scan", "reverse", option_begin);
    } else {
      unexpected("an option of `scan`", "one of exclusive = true, reverse = true, ordered_tree, fold_left");
      return {};
    }
    count(Production::scan_option);
  }
  if (!expect(")") || !x || !along || !usable) return {};
  count(Production::scan_call);
  capture_at(begin);
  return made(builder_->scan(*x, *along, *reducer, exclusive, reverse, policy), begin);
}

Expr Parser::mma_call(const Mark &begin) {
  Brackets inside(*this);
  take();
  std::vector<ValueId> operands;
  MmaAttr policy;
  bool usable = true, reassociation_given = false, contraction_given = false, wide_given = false;
  std::size_t given = 0;
  while (!panic_ && !at(")")) {
    if (peek().is_name() && peek(1).is("=")) {
      const Mark option_begin = mark();
      const Token option = take();
      take();
      const auto b = argument(option.text, "mma", [&] { return boolean(); });
      if (!b) return {};
      count(Production::mma_option);
      if (option.is("allow_reassociation")) {
        policy.allow_reassociation = *b;
        usable &= once(reassociation_given, "mma", option.text, option_begin);
      } else if (option.is("allow_contraction")) {
        policy.allow_contraction = *b;
        usable &= once(contraction_given, "mma", option.text, option_begin);
      } else if (option.is("wide_accumulation")) {
        policy.wide_accumulation = *b;
        usable &= once(wide_given, "mma", option.text, option_begin);
      } else {
        report(Code::P0006, lexer_.site(option), {{"name", std::string(option.text)}, {"as", " as an option of `mma`"}},
               "`mma` has `allow_reassociation`, `allow_contraction` and `wide_accumulation`");
        usable = false;
      }
    } else {
      constexpr std::string_view names[] = {"a", "b", "acc"};
      if (const auto v = value_argument(names[std::min<std::size_t>(given++, 2)], "mma"))
        operands.push_back(*v);
      else
        usable = false;
    }
    if (!accept(",")) break;
  }
  if (!expect(")")) return {};
  if (given != 3) return wrong_count("mma", "3 tiles", given, begin);
  if (!usable) return {};
  count(Production::mma_call);
  capture_at(begin);
  return made(builder_->mma(operands[0], operands[1], operands[2], policy), begin);
}

// map_coord(0, (i, j) -> (e, f), x, y): one output of a map at given inputs.
Expr Parser::map_coord_call(const Mark &begin) {
  Brackets inside(*this);
  take();
  const auto output = integer(false);
  if (!expect(",")) return {};
  const Space nothing;
  const auto m = map(nothing, false);
  if (panic_) return {};
  std::vector<Operand> inputs;
  bool usable = m.has_value() && output.has_value();
  while (accept(",")) {
    const auto parts = tuple(expression());
    if (panic_) return {};
    if (parts)
      inputs.insert(inputs.end(), parts->begin(), parts->end());
    else
      usable = false;
  }
  if (!expect(")") || !usable) return {};
  if (static_cast<int>(inputs.size()) != m->inputs())
    return wrong_count("this map", std::to_string(m->inputs()) + " inputs", inputs.size(), begin);
  if (*output >= m->outputs()) {
    report(Code::P0010, since(begin), {{"what", "this map"}, {"expected", "an output below " + std::to_string(m->outputs())},
                                       {"found", std::to_string(*output)}});
    return {};
  }
  count(Production::map_coord_call);
  capture_at(begin);
  return made(builder_->map_coord(*m, static_cast<int>(*output), inputs), begin);
}

} // namespace tilenest::text
