// SPDX-License-Identifier: Apache-2.0
// tilenest ops --target: the scalar primitives with the errors that a target's profile declares (NUM-TGT).
#include "arrays/file.h"
#include "cli/target_profile_text.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "lower/lower.h"
#include "semantics/numerics/target_profile.h"
#include <nlohmann/json.hpp>

namespace tilenest::cli {

Result<TargetProfile> load_profile(const std::string &target) {
  if (target == "ieee") return ieee_profile();
  if (target == "cpu") return cpu_profile();
  const Result<ByteBlock> file = map_file(target, MapMode::read_only);
  if (!file) return file.errors();
  return parse_target_profile({reinterpret_cast<const char *>(file->bytes.data()), file->bytes.size()}, target);
}

namespace {

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

} // namespace

int show_target_profile(const OpsArguments &options) {
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

} // namespace tilenest::cli
