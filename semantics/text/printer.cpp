// SPDX-License-Identifier: Apache-2.0
// Kernels, regions and statements as text.
#include "semantics/text/printer_state.h"
#include "semantics/text/words.h"
#include <algorithm>

namespace tilenest::text {

namespace {
constexpr std::size_t line_width = 100;
} // namespace

Printer::Printer(const TileProgram &program, const PrintOptions &options)
    : shown_(program.calls.empty() ? std::nullopt : std::optional(with_calls(program, !options.expand && !options.anchors))),
      p_(shown_ ? *shown_ : program), options_(options), names_(p_) {
  find_uses();
}

void Printer::line(std::string text) {
  out_.append(static_cast<std::size_t>(indent_) * 2, ' ');
  out_ += text;
  out_ += '\n';
}

std::string Printer::anchor(OpId id) const {
  const Op &op = p_.ops[id];
  if (!op.anchor.valid() || !(op.pinned || options_.anchors)) return {};
  return " @anchor(" + names_.level(op.anchor) + ")";
}

std::string Printer::token(const std::string &t) const {
  const bool name = !t.empty() && t.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == std::string::npos &&
                    !(t[0] >= '0' && t[0] <= '9');
  return name ? t : quoted(t);
}

void Printer::header() {
  std::vector<std::string> parameters;
  std::vector<ParamId> seen;
  for (ObjectId id : p_.arguments) {
    const Object &o = p_.objects[id];
    std::string s = names_.object(id) + ": ";
    if (o.access != ArgumentAccess::in) s += o.access == ArgumentAccess::mut ? "mut " : "out ";
    s += std::string(to_string(o.elem)) + "[";
    for (std::size_t i = 0; i < o.shape.size(); ++i) {
      s += (i ? ", " : "") + names_.extent(o.shape[i]);
      o.shape[i].collect_params(seen);
    }
    parameters.push_back(s + "]");
  }
  for (std::size_t i = 0; i < p_.params.size(); ++i)
    if (std::find(seen.begin(), seen.end(), ParamId(i)) == seen.end())
      parameters.push_back(names_.param(ParamId(i)) + ": extent");
  std::size_t width = names_.kernel().size() + 12;
  for (const std::string &s : parameters) width += s.size() + 2;
  std::string out = "kernel " + names_.kernel() + "(";
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (width > line_width)
      out += "\n    ";
    else if (i)
      out += " ";
    out += parameters[i] + (i + 1 < parameters.size() ? "," : "");
  }
  line(out + ") {");
  ++indent_;
  // Extents and identities of dims first: everything after may mention them.
  for (const bool axes : {true, false}) {
    std::string declared;
    for (const PrintNames::DeclaredDim &d : names_.dims()) {
      if (d.extent.has_value() != axes) continue;
      std::string item = axes ? d.name + " = " + names_.extent(*d.extent) : d.name;
      if (!declared.empty() && declared.size() + item.size() > line_width) {
        line(declared);
        declared.clear();
      }
      declared += declared.empty() ? (axes ? "axis " : "dims ") + item : ", " + item;
    }
    if (!declared.empty()) line(declared);
  }
  for (ObjectId id : p_.arguments) views_of(id);
}

void Printer::views_of(ObjectId id) {
  const View &base = p_.views[names_.first_view(id)];
  for (ViewId v : names_.other_views(id)) {
    const View &view = p_.views[v];
    std::string s = names_.view(v) + " = " + names_.object(id);
    if (view.elem != base.elem) s += ".view_as(" + std::string(to_string(view.elem)) + ")";
    std::vector<DimId> own, from;
    for (const Factor &f : view.space.factors) own.push_back(f.dim);
    for (const Factor &f : base.space.factors) from.push_back(f.dim);
    if (own != from || view.elem == base.elem) s += ".with_dims(" + dims(own) + ")";
    line(std::move(s));
  }
}

// A definition that is mentioned after it stopped being the current one gets a name of its own.
void Printer::bind_stale(ValueId v, bool always) {
  if (!stale_values_.count(v) && !always) return;
  names_.name_value(v);
  line(names_.value(v) + " = " + names_.variable(*defined_variable(v)));
}

void Printer::bind_arguments(RegionId id, std::size_t first) {
  const Region &r = p_.regions[id];
  const Op &op = p_.ops[r.op];
  for (std::size_t i = first; i < r.args.size(); ++i)
    bind_stale(r.args[i], op.kind == OpKind::reduce_region && read_unseen(id, op.carries[i - first]));
}

// What a contribution reads before it writes is a state (RED-LAW), even if nothing uses what it read: its first
// assignment then has a definition before it, and the reading is printed.
bool Printer::read_unseen(RegionId contribution, VarId var) const {
  enum { none, seen, unseen } reading = none;
  auto mentions = [&](ValueId v, OpId id, std::size_t i) { return variable_of_[v.index] == var && !is_stale(id, i); };
  for_each_op(p_, contribution, [&](const Op &op, OpId id) {
    if (reading != none) return;
    const bool assign = op.kind == OpKind::assign;
    for (std::size_t i = 0; i < (assign ? 1 : op.control_operand_count()); ++i)
      if (mentions(op.operands[i], id, i)) reading = seen;
    if (op.kind == OpKind::while_ && mentions(p_.regions[op.regions[0]].yields[0], id, yield_operand)) reading = seen;
    if (reading == none && assign && std::get<AssignAttr>(op.attr).var == var)
      reading = op.operands.size() > 1 ? unseen : seen;
  });
  return reading == unseen;
}

// The statements of a region as trees; the last operations may belong to the expression that it yields.
std::unique_ptr<Tree> Printer::region_trees(RegionId id, ValueId yield, std::vector<std::unique_ptr<Tree>> &out) {
  const std::vector<OpId> &ops = p_.regions[id].ops;
  std::unique_ptr<Tree> yielded;
  auto cursor = static_cast<std::ptrdiff_t>(ops.size()) - 1;
  if (yield.valid() && cursor >= 0 && inlinable(yield, ops.back())) yielded = build(ops, cursor, cursor, 0);
  while (cursor >= 0) out.push_back(build(ops, cursor, cursor, 0));
  std::reverse(out.begin(), out.end());
  return yielded;
}

void Printer::region(RegionId id) {
  std::vector<std::unique_ptr<Tree>> trees;
  region_trees(id, {}, trees);
  statements(trees);
}

// True if the call at `at` is followed by assignments of its results, in order and of nothing else.
bool Printer::names_results(const std::vector<std::unique_ptr<Tree>> &trees, std::size_t at) const {
  const Op &op = p_.ops[trees[at]->op];
  const std::size_t n = op.results.size();
  if (!op.call.valid() || n < 2 || at + n >= trees.size() || op.pinned) return false;
  for (std::size_t i = 0; i < n; ++i) {
    const Op &assign = p_.ops[trees[at + 1 + i]->op];
    if (assign.kind != OpKind::assign || assign.operands[0] != op.results[i] || use_count_[op.results[i].index] != 1 ||
        (assign.pinned && i + 1 < n))
      return false;
  }
  return true;
}

void Printer::statements(const std::vector<std::unique_ptr<Tree>> &trees) {
  for (std::size_t at = 0; at < trees.size(); ++at) {
    if (!names_results(trees, at)) {
      statement(*trees[at]);
      continue;
    }
    const std::size_t n = p_.ops[trees[at]->op].results.size();
    const std::string right = expression(*trees[at]).text;
    std::string left;
    for (std::size_t i = 1; i <= n; ++i)
      left += (i > 1 ? ", " : "") + names_.variable(std::get<AssignAttr>(p_.ops[trees[at + i]->op].attr).var);
    line(left + " = " + right + anchor(trees[at + n]->op));
    for (std::size_t i = 1; i <= n; ++i) bind_stale(p_.ops[trees[at + i]->op].results[0]);
    at += n;
  }
}

void Printer::block(RegionId id) {
  ++indent_;
  const Region &r = p_.regions[id];
  const Op &op = p_.ops[r.op];
  if (op.kind != OpKind::if_ && op.kind != OpKind::switch_)
    bind_arguments(id, static_cast<std::size_t>(coordinate_count(op)));
  region(id);
  --indent_;
}

void Printer::statement(const Tree &t) {
  const Op &op = p_.ops[t.op];
  switch (op.kind) {
  case OpKind::assign:
    line(names_.variable(std::get<AssignAttr>(op.attr).var) + " = " + text(t, 0) + anchor(t.op));
    bind_stale(op.results[0]);
    return;
  case OpKind::memory: {
    const ObjectId id = std::get<MemoryAttr>(op.attr).object;
    const Object &o = p_.objects[id];
    std::string s = names_.object(id) + " = memory " + typed_space(o.elem, p_.views[names_.first_view(id)].space);
    if (!o.resource.empty()) s += " in " + token(o.resource);
    if (o.layout.valid()) s += " layout " + map(p_.layouts[o.layout]);
    line(s + anchor(t.op));
    views_of(id);
    return;
  }
  case OpKind::sync:
    line("sync " + names_.level(std::get<ParallelAttr>(op.attr).level) + anchor(t.op));
    return;
  case OpKind::stage: {
    const std::string &label = std::get<StageAttr>(op.attr).label;
    line("stage" + (label.empty() ? "" : " " + quoted(label)) + anchor(t.op));
    region(op.regions[0]);
    return;
  }
  case OpKind::if_:
    arms(t, "if " + text(t, 0));
    break;
  case OpKind::switch_: {
    line("switch " + text(t, 0) + anchor(t.op) + " {");
    const auto &cases = std::get<SwitchAttr>(op.attr).cases;
    for (std::size_t i = 0; i < op.regions.size(); ++i) {
      const bool is_default = i == cases.size();
      if (is_default && p_.regions[op.regions[i]].ops.empty()) continue;
      line((is_default ? "default" : "case " + std::to_string(cases[i])) + " {");
      block(op.regions[i]);
      line("}");
    }
    line("}");
    break;
  }
  case OpKind::while_: while_statement(t); break;
  case OpKind::parallel:
  case OpKind::serial:
  case OpKind::pipeline:
  case OpKind::reduce_region: region_statement(t); break;
  case OpKind::store:
  case OpKind::atomic:
  case OpKind::scatter:
  case OpKind::assert_: line(expression(t).text + anchor(t.op)); return;
  default:
    for (ValueId v : op.results) names_.name_value(v);
    const std::string right = expression(t).text;
    std::string left;
    for (ValueId v : op.results) left += (left.empty() ? "" : ", ") + names_.value(v);
    line(left + " = " + right + anchor(t.op));
    return;
  }
  for (ValueId v : op.results) bind_stale(v);
}

void Printer::arms(const Tree &t, std::string head) {
  const Op &op = p_.ops[t.op];
  line(head + anchor(t.op) + " {");
  block(op.regions[0]);
  const RegionId other = op.regions[1];
  if (p_.regions[other].ops.empty()) return line("}");
  std::vector<std::unique_ptr<Tree>> trees;
  region_trees(other, {}, trees);
  bool chain = trees.size() == 1 && p_.ops[trees[0]->op].kind == OpKind::if_;
  if (chain)
    for (ValueId v : p_.ops[trees[0]->op].results) chain &= !stale_values_.count(v);
  if (chain) return arms(*trees[0], "} else if " + text(*trees[0], 0));
  line("} else {");
  ++indent_;
  statements(trees);
  --indent_;
  line("}");
}

void Printer::while_statement(const Tree &t) {
  const Op &op = p_.ops[t.op];
  const Region &condition = p_.regions[op.regions[0]];
  std::vector<std::unique_ptr<Tree>> trees;
  const ValueId yield = condition.yields[0];
  const auto yielded = region_trees(op.regions[0], yield, trees);
  auto yield_text = [&] { return yielded ? expression(*yielded).text : mention(yield, t.op, yield_operand).text; };
  bool block_form = !trees.empty();
  for (ValueId v : condition.args) block_form |= stale_values_.count(v) > 0;
  if (!block_form) {
    line("while " + yield_text() + anchor(t.op) + " {");
  } else {
    line("while {");
    ++indent_;
    bind_arguments(op.regions[0], 0);
    statements(trees);
    line("test " + yield_text());
    --indent_;
    line("}" + anchor(t.op) + " {");
  }
  ++indent_;
  region(op.regions[1]);
  --indent_;
  line("}");
}

void Printer::region_statement(const Tree &t) {
  const Op &op = p_.ops[t.op];
  std::string s;
  const bool predicate = op.control_operand_count() > 0;
  if (op.kind == OpKind::parallel) {
    const Level &l = p_.levels[std::get<ParallelAttr>(op.attr).level];
    s = "parallel " + names_.level(std::get<ParallelAttr>(op.attr).level) + " in " + (l.inferred ? "infer" : space(l.domain));
    if (predicate) s += " where " + in_where(t, 0, l.domain);
    if (l.scope) s += " at " + token(*l.scope);
    if (l.map.valid()) s += " layout " + map(p_.layouts[l.map]);
  } else {
    const auto &a = std::get<LoopAttr>(op.attr);
    s = op.kind == OpKind::serial ? "serial " : op.kind == OpKind::pipeline ? "pipeline " : "reduce ";
    s += names_.loop(t.op) + " in " + space(a.domain);
    if (predicate) s += " where " + in_where(t, 0, a.domain);
    if (a.order.valid()) s += " order " + map(p_.layouts[a.order]);
    if (a.algebra.valid() && p_.algebras[a.algebra].policy != ReductionPolicy::unordered_tree)
      s += " " + std::string(to_string(p_.algebras[a.algebra].policy));
    if (a.pipeline.valid()) {
      const PipelinePolicy &pi = p_.policies[a.pipeline];
      const char *separator = " with ";
      auto option = [&](const char *name, std::int64_t n) {
        if (n != 0) s += separator + std::string(name) + " = " + std::to_string(n), separator = ", ";
      };
      option("stages", pi.stages);
      option("ii", pi.initiation_interval);
      option("max_in_flight", pi.max_in_flight);
    }
  }
  if (op.kind != OpKind::reduce_region || op.regions.size() == 1) {
    line(s + anchor(t.op) + " {");
  } else {
    line(s);
    for (std::size_t i = 0; 2 * i + 1 < op.regions.size(); ++i) contract(t, i);
    out_.pop_back(); // the end of the header follows the last contract on its line
    out_ += anchor(t.op) + " {\n";
  }
  block(op.regions[0]);
  line("}");
}

std::string Printer::run() {
  header();
  region(p_.body);
  --indent_;
  line("}");
  return std::move(out_);
}

std::string quoted(std::string_view contents) {
  constexpr char hex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : contents) {
    const auto b = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (b < 0x20 || b >= 0x7f) {
      out += "\\x";
      out += hex[b >> 4];
      out += hex[b & 15];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

} // namespace tilenest::text

namespace tilenest {

std::string print(const TileProgram &program, const PrintOptions &options) {
  return text::Printer(program, options).run();
}

} // namespace tilenest
