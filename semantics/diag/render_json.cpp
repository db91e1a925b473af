// SPDX-License-Identifier: Apache-2.0
// The JSON renderer; docs/diagnostics.md documents its schema. Every key is always present.
#include "semantics/diag/excerpt.h"
#include "semantics/diag/render.h"
#include <nlohmann/json.hpp>

namespace tilenest {

namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string &text) { return text.empty() ? Json(nullptr) : Json(text); }
Json number_or_null(std::uint32_t number) { return number == 0 ? Json(nullptr) : Json(number); }

Json site_json(const LabelledSite &s) {
  const Site &site = s.site;
  const auto line = site.file ? source_line(*site.file, site.line) : std::nullopt;
  Json out;
  out["file"] = site.file ? Json(site.file->name) : Json(nullptr);
  out["line"] = number_or_null(site.line);
  out["column"] = number_or_null(line ? character_column(*line, site.column) : site.column);
  out["byte_column"] = number_or_null(site.column);
  out["byte_length"] = number_or_null(site.length);
  out["label"] = text_or_null(s.label);
  return out;
}

Json diagnostic_json(const Diagnostic &d) {
  Json out;
  out["code"] = d.info().code;
  out["class"] = to_string(d.info().diag_class());
  out["severity"] = to_string(d.info().severity);
  out["rule"] = text_or_null(d.info().rule);
  out["message"] = d.message();
  out["arguments"] = Json::object();
  for (const auto &[name, value] : d.args) out["arguments"][name] = value;
  out["sites"] = Json::array();
  for (const LabelledSite &s : d.sites) out["sites"].push_back(site_json(s));
  out["notes"] = d.notes;
  out["help"] = text_or_null(d.help);
  out["replay"] = text_or_null(d.replay);
  out["count"] = d.count;
  return out;
}

} // namespace

std::string to_json(const Diagnostics &diagnostics, int indent) {
  Json out;
  out["schema"] = "tilenest-diagnostics-1";
  out["exit_status"] = exit_status(diagnostics);
  out["diagnostics"] = Json::array();
  for (const Diagnostic &d : diagnostics) out["diagnostics"].push_back(diagnostic_json(d));
  return out.dump(indent, ' ', false, Json::error_handler_t::replace);
}

} // namespace tilenest
