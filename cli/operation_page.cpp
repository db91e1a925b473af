// SPDX-License-Identifier: Apache-2.0
// One entry is a heading, the call, facts line by line, a kernel.
#include "cli/operation_page.h"
#include "semantics/library/contracts.h"
#include "semantics/library/function.h"
#include "semantics/op_facts.h"

namespace tilenest::cli {

namespace {

struct Entry {
  std::string name, call, summary, shapes, types, result, rounding, example;
};

std::string types_of(const library::Parameter &p) {
  using Kind = library::Parameter::Kind;
  const bool several = p.kind == Kind::tiles;
  switch (p.kind) {
  case Kind::tile:
  case Kind::tiles:
  case Kind::operand: {
    const char *of = p.types == OpOperands::numeric ? "of integers or floats" : p.types == OpOperands::integer ? "of integers"
                     : p.types == OpOperands::floating ? "of floats" : p.types == OpOperands::signed_numeric ? "of signed integers or floats"
                     : p.types == OpOperands::bool_or_int ? "of bools or integers"
                     : p.types == OpOperands::boolean ? "of bools" : p.types == OpOperands::computed ? "of any type but i4 and u4"
                     : p.types == OpOperands::stored_numeric ? "of integers, also i4 and u4, or floats" : "of any type";
    return std::string(several ? "tiles " : "a tile ") + of + (p.kind == Kind::operand ? ", a literal or an extent" : "");
  }
  case Kind::dim: return "a dim";
  case Kind::dims: return "dims, all where none is named";
  case Kind::dim_list: return "dims in brackets";
  case Kind::axis: return "a dim with an extent";
  case Kind::shape: return "a shape";
  case Kind::integer: return "an integer";
  case Kind::extent: return "an extent";
  case Kind::extents: return "a number, or two in brackets";
  case Kind::number: return "a number";
  case Kind::flag: return "true or false";
  case Kind::word: {
    std::string out;
    for (const char *c = p.choices; *c; ++c) out += *c == '|' ? std::string(", ") : std::string(1, *c);
    return "one of " + out;
  }
  case Kind::text: return "a string";
  case Kind::type: return "an element type";
  case Kind::view: return "a view";
  case Kind::none: break;
  }
  return {};
}

Entry entry_of(OpKind kind) {
  const OpInfo &row = info(kind);
  Entry e{row.name, "", row.summary, "", operand_types(kind), result_type(kind), rounding_class(kind), example_of(kind)};
  if (row.form != Form::elementwise) return e;
  e.call = row.spelling[0] == '\0'
               ? std::string(row.name) + (row.result == OpResult::attribute ? "(x, type)" : row.arity == 1 ? "(x)" : row.arity == 2 ? "(x, y)" : "(x, y, z)")
               : row.arity == 1 ? row.spelling + std::string("x") : std::string("x ") + row.spelling + " y";
  return e;
}

Entry entry_of(const library::Function &f) {
  Entry e{f.name, f.result_count() > 1 ? std::string(f.results) + " = " + f.signature() : f.signature(), f.summary, f.shapes, "", "", f.rounding, f.example};
  for (const library::Parameter *p = f.parameters; p->name; ++p)
    e.types += (e.types.empty() ? "" : "; ") + std::string(p->name) + " " + types_of(*p) +
               (!p->required() && p->kind == library::Parameter::Kind::tile ? ", or none" : "");
  return e;
}

Entry entry_of(const library::Contract &c) {
  return {c.name, std::string("reduce r in [k] with ") + c.name + "(" + c.states + ")", c.summary, "", c.types, "", "composition: each step of a merge correctly rounded", c.example};
}

std::string text_of(const Entry &e, const char *heading) {
  std::string out = std::string(heading) + e.name + "\n\n";
  if (!e.call.empty()) out += "`" + e.call + "`: ";
  out += e.summary + ".\n\n- types: " + e.types + "\n";
  if (!e.result.empty()) out += "- result: " + e.result + "\n";
  if (!e.shapes.empty()) out += "- shapes: " + e.shapes + "\n";
  return out + "- rounding: " + e.rounding + "\n\n```tile\n" + e.example + "\n```\n";
}

constexpr Form forms[] = {Form::elementwise, Form::index_map, Form::generate, Form::reduce,
                          Form::contract,    Form::memory,    Form::control,  Form::meta};
constexpr const char *generated = "<!-- written by scripts/operation_pages.sh from the tables of the code -->\n";

// A family may have the name of a form: its page is then `library_NAME`.
std::string page_of(const library::Family &family) {
  for (Form form : forms)
    if (std::string_view(tilenest::page_of(form)) == family.name) return std::string("library_") + family.name;
  return family.name;
}

std::string index() {
  std::string out =
      "# Operations and library functions\n\n" + std::string(generated) +
      "\nThe same, name by name: `tilenest ops NAME`. Operations are core; functions are compositions of them, which\n"
      "`tilenest print --expand` shows. In a call of a function `[x]` need not be given, `x...` takes all arguments\n"
      "by position from there on, and what stands behind it is given by name: `concat(a, b, dim = n)`.\n\n"
      "| page | holds |\n|---|---|\n";
  for (Form form : forms) {
    out += "| [" + std::string(tilenest::page_of(form)) + "](" + tilenest::page_of(form) + ".md) | ";
    std::string names;
    for (const OpInfo &row : op_table)
      if (row.form == form) names += (names.empty() ? "" : ", ") + std::string(row.name);
    out += names + " |\n";
  }
  for (const library::Family &family : library::families()) {
    std::string names;
    for (const library::Function &f : family.functions) names += (names.empty() ? "" : ", ") + std::string(f.name);
    out += "| [" + page_of(family) + "](" + page_of(family) + ".md) | " + names + " |\n";
  }
  std::string names;
  for (const library::Contract &c : library::contracts()) names += (names.empty() ? "" : ", ") + std::string(c.name);
  return out + "| [contracts](contracts.md) | of `reduce` regions: " + names + " |\n";
}

} // namespace

std::optional<std::string> operation_text(const std::string &name) {
  std::string out; // a function and a contract may share a name
  auto add = [&](const Entry &e) { out += (out.empty() ? "" : "\n") + text_of(e, "# "); };
  if (const library::Function *f = library::find(name)) add(entry_of(*f));
  if (const auto kind = find_op(name)) add(entry_of(*kind));
  if (const library::Contract *c = library::find_contract(name)) add(entry_of(*c));
  if (!out.empty()) return out;
  if (name.empty()) return std::nullopt;
  return operation_page(name);
}

std::optional<std::string> operation_page(const std::string &page) {
  if (page.empty()) return index();
  for (Form form : forms)
    if (page == tilenest::page_of(form)) {
      std::string out = "# Operations of the form " + std::string(to_string(form)) + "\n\n" + generated;
      for (int i = 0; i < op_count; ++i)
        if (op_table[i].form == form) out += "\n" + text_of(entry_of(static_cast<OpKind>(i)), "## ");
      return out;
    }
  if (page == "contracts") {
    std::string out = "# Contracts of reduce regions\n\n" + std::string(generated);
    for (const library::Contract &c : library::contracts()) out += "\n" + text_of(entry_of(c), "## ");
    return out;
  }
  for (const library::Family &family : library::families())
    if (page == page_of(family)) {
      std::string out = "# " + std::string(family.title) + "\n\n" + generated;
      for (const library::Function &f : family.functions) out += "\n" + text_of(entry_of(f), "## ");
      return out;
    }
  return std::nullopt;
}

} // namespace tilenest::cli
