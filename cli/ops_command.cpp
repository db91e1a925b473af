// SPDX-License-Identifier: Apache-2.0
// tilenest ops: the op table, for people and for programs.
#include "cli/commands.h"
#include "cli/report.h"
#include "semantics/op_table.h"
#include <nlohmann/json.hpp>

namespace tilenest::cli {

namespace {

const char *to_string(Form form) {
  switch (form) {
  case Form::elementwise: return "elementwise";
  case Form::index_map: return "index map";
  case Form::generate: return "generate";
  case Form::reduce: return "reduce";
  case Form::contract: return "contract";
  case Form::memory: return "memory";
  case Form::control: return "control";
  case Form::meta: return "meta";
  }
  return "";
}

} // namespace

int ops_command(const OpsArguments &options) {
  if (options.json) {
    Json out;
    out["schema"] = "tilenest-ops-1";
    out["operations"] = Json::array();
    for (const OpInfo &op : op_table) {
      Json row;
      row["name"] = op.name;
      row["form"] = to_string(op.form);
      row["spelling"] = op.spelling;
      row["arity"] = op.form == Form::elementwise ? Json(op.arity) : Json(nullptr);
      row["summary"] = op.summary;
      out["operations"].push_back(std::move(row));
    }
    print_out(out.dump(2) + "\n");
    return 0;
  }
  std::string text;
  const Form *form = nullptr;
  for (const OpInfo &op : op_table) {
    if (!form || *form != op.form) text += std::string(form ? "\n" : "") + to_string(op.form) + ":\n";
    form = &op.form;
    std::string line = "  " + std::string(op.name);
    line.resize(std::max<std::size_t>(line.size() + 1, 18), ' ');
    line += op.spelling;
    line.resize(std::max<std::size_t>(line.size() + 1, 22), ' ');
    text += line + op.summary + "\n";
  }
  print_out(text);
  return 0;
}

} // namespace tilenest::cli
