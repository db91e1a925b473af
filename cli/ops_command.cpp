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
  Json operations = Json::array(), functions = Json::array(), contracts = Json::array();
  for (int i = 0; i < op_count; ++i) {
    const OpInfo &op = op_table[i];
    const OpKind kind = static_cast<OpKind>(i);
    operations.push_back({{"name", op.name},
                          {"form", to_string(op.form)},
                          {"spelling", op.spelling},
                          {"arity", op.form == Form::elementwise ? Json(op.arity) : Json(nullptr)},
                          {"types", operand_types(kind)},
                          {"rounding", rounding_class(kind)},
                          {"summary", op.summary},
                          {"example", example_of(kind)}});
  }
  for (const library::Family &family : library::families())
    for (const library::Function &f : family.functions)
      functions.push_back({{"name", f.name},
                           {"family", family.name},
                           {"signature", f.signature()},
                           {"results", f.results},
                           {"shapes", f.shapes},
                           {"rounding", f.rounding},
                           {"summary", f.summary},
                           {"example", f.example}});
  for (const library::Contract &c : library::contracts())
    contracts.push_back({{"name", c.name}, {"states", c.states}, {"types", c.types}, {"summary", c.summary}, {"example", c.example}});
  return Json{{"schema", "tilenest-ops-1"}, {"operations", operations}, {"functions", functions}, {"contracts", contracts}}.dump(2) + "\n";
}

std::string table_text() {
  auto padded = [](std::string text, std::size_t width) {
    text.resize(std::max(text.size() + 1, width), ' ');
    return text;
  };
  std::string out;
  const Form *form = nullptr;
  for (int i = 0; i < op_count; ++i) {
    const OpInfo &op = op_table[i];
    if (!form || *form != op.form) out += std::string(form ? "\n" : "") + to_string(op.form) + ":\n";
    form = &op.form;
    out += padded(padded("  " + std::string(op.name), 18) + op.spelling, 22) + op.summary + " [" + operand_types(static_cast<OpKind>(i)) + "; " + rounding_class(static_cast<OpKind>(i)) + "]\n";
  }
  for (const library::Family &family : library::families()) {
    out += "\n" + std::string(family.title) + " (library):\n";
    for (const library::Function &f : family.functions) out += padded("  " + f.signature(), 22) + f.summary + " [" + f.rounding + "]\n";
  }
  out += "\nContracts of `reduce` regions (library):\n";
  for (const library::Contract &c : library::contracts())
    out += padded("  " + std::string(c.name) + "(" + c.states + ")", 26) + c.summary + "\n";
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
