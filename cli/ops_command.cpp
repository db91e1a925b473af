// SPDX-License-Identifier: Apache-2.0
// tilenest ops: the table of operations and the library, for people and for programs; one entry by its name.
#include "cli/commands.h"
#include "cli/operation_page.h"
#include "cli/report.h"
#include "semantics/library/contracts.h"
#include "semantics/library/function.h"
#include "semantics/op_facts.h"
#include "semantics/text/scope.h"
#include <nlohmann/json.hpp>

namespace tilenest::cli {

namespace {

int unknown(const std::string &name) {
  std::vector<std::string> known = library::function_names();
  for (const OpInfo &op : op_table) known.emplace_back(op.name);
  for (const library::Contract &c : library::contracts()) known.emplace_back(c.name);
  const std::string near = text::nearest_spelling(name, known);
  return usage_error("there is no operation and no function `" + name + "`",
                     near.empty() ? "`tilenest ops` lists them" : "did you mean `" + near + "`?");
}

std::string json_text() {
  Json out;
  out["schema"] = "tilenest-ops-1";
  out["operations"] = Json::array();
  for (int i = 0; i < op_count; ++i) {
    const OpInfo &op = op_table[i];
    const OpKind kind = static_cast<OpKind>(i);
    Json row;
    row["name"] = op.name;
    row["form"] = to_string(op.form);
    row["spelling"] = op.spelling;
    row["arity"] = op.form == Form::elementwise ? Json(op.arity) : Json(nullptr);
    row["types"] = operand_types(kind);
    row["rounding"] = rounding_class(kind);
    row["summary"] = op.summary;
    row["example"] = example_of(kind);
    out["operations"].push_back(std::move(row));
  }
  out["functions"] = Json::array();
  for (const library::Family &family : library::families())
    for (const library::Function &f : family.functions) {
      Json row;
      row["name"] = f.name;
      row["family"] = family.name;
      row["signature"] = f.signature();
      row["results"] = f.results;
      row["shapes"] = f.shapes;
      row["rounding"] = f.rounding;
      row["summary"] = f.summary;
      row["example"] = f.example;
      out["functions"].push_back(std::move(row));
    }
  out["contracts"] = Json::array();
  for (const library::Contract &c : library::contracts()) {
    Json row;
    row["name"] = c.name;
    row["states"] = c.states;
    row["types"] = c.types;
    row["summary"] = c.summary;
    row["example"] = c.example;
    out["contracts"].push_back(std::move(row));
  }
  return out.dump(2) + "\n";
}

std::string table_text() {
  std::string out;
  const Form *form = nullptr;
  auto column = [](std::string &line, std::size_t width) { line.resize(std::max(line.size() + 1, width), ' '); };
  for (int i = 0; i < op_count; ++i) {
    const OpInfo &op = op_table[i];
    if (!form || *form != op.form) out += std::string(form ? "\n" : "") + to_string(op.form) + ":\n";
    form = &op.form;
    std::string line = "  " + std::string(op.name);
    column(line, 18);
    line += op.spelling;
    column(line, 22);
    line += op.summary;
    out += line + " [" + operand_types(static_cast<OpKind>(i)) + "; " + rounding_class(static_cast<OpKind>(i)) + "]\n";
  }
  for (const library::Family &family : library::families()) {
    out += "\n" + std::string(family.title) + " (library):\n";
    for (const library::Function &f : family.functions) {
      std::string line = "  " + f.signature();
      column(line, 22);
      out += line + f.summary + " [" + f.rounding + "]\n";
    }
  }
  out += "\nContracts of `reduce` regions (library):\n";
  for (const library::Contract &c : library::contracts()) {
    std::string line = "  " + std::string(c.name) + "(" + c.states + ")";
    column(line, 26);
    out += line + c.summary + "\n";
  }
  return out;
}

} // namespace

int ops_command(const OpsArguments &options) {
  if (!options.target.empty()) return show_target_profile(options);
  if (options.markdown) {
    const auto page = operation_page(options.name);
    if (!page) return unknown(options.name);
    print_out(*page);
  } else if (!options.name.empty()) {
    const auto text = operation_text(options.name);
    if (!text) return unknown(options.name);
    print_out(*text);
  } else {
    print_out(options.json ? json_text() : table_text());
  }
  return 0;
}

} // namespace tilenest::cli
