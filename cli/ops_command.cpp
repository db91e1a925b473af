// SPDX-License-Identifier: Apache-2.0
// tilenest ops: the op table, or the scalar primitives with what a target declares of them; for people and for
// programs.
#include "cli/commands.h"
#include "arrays/file.h"
#include "cli/report.h"
#include "semantics/numerics/target_profile.h"
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

Result<TargetProfile> load_profile(const std::string &target) {
  if (target == "ieee") return ieee_profile();
  const Result<ByteBlock> file = map_file(target, Access::read_only);
  if (!file) return file.errors();
  return parse_target_profile({reinterpret_cast<const char *>(file->bytes.data()), file->bytes.size()}, target);
}

constexpr ScalarType float_types[] = {ScalarType::f16,      ScalarType::bf16,   ScalarType::f32, ScalarType::f64,
                                      ScalarType::f8e4m3fn, ScalarType::f8e5m2};

// Each type with what it declares; then each primitive that it declares something of, the others being exact.
std::string profile_text(const TargetProfile &profile) {
  std::string text = "profile " + profile.name + "\n";
  for (ScalarType type : float_types) {
    const TypeProfile *declared = profile.find(type);
    text += "\n" + std::string(to_string(type)) + ": " +
            (declared && declared->flushes_subnormals ? "may flush subnormals" : "keeps subnormals") + "\n";
    for (int i = 0; i < primitive_count; ++i) {
      const auto primitive = static_cast<Primitive>(i);
      if (!may_have_error(primitive) || profile.bounds(primitive, type).empty()) continue;
      std::string line = "  " + std::string(to_string(primitive));
      line.resize(std::max<std::size_t>(line.size() + 1, 14), ' ');
      text += line + error_text(profile, primitive, type) + "\n";
    }
    text += "  else          exact\n";
  }
  return text;
}

int show_profile(const OpsArguments &options) {
  const Result<TargetProfile> profile = load_profile(options.target);
  if (options.json) {
    Json body;
    body["profile"] = profile ? Json::parse(print_target_profile(*profile)) : Json(nullptr);
    return report_json("tilenest-target-1", body, profile ? Diagnostics() : profile.errors());
  }
  if (!profile) return report_text(profile.errors());
  print_out(profile_text(*profile));
  return 0;
}

} // namespace

int ops_command(const OpsArguments &options) {
  if (!options.target.empty()) return show_profile(options);
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
