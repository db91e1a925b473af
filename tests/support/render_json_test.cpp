// SPDX-License-Identifier: Apache-2.0
// The JSON renderer against the schema of docs/diagnostics.md.
#include "semantics/diag/codes.h"
#include "semantics/diag/render.h"
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace tilenest;
using Json = nlohmann::ordered_json;

namespace {

std::vector<std::string> keys(const Json &object) {
  std::vector<std::string> out;
  for (const auto &[key, value] : object.items()) out.push_back(key);
  return out;
}

} // namespace

TEST_CASE("no diagnostics: an empty list and status 0") {
  CHECK(Json::parse(to_json({})) ==
        Json::parse(R"({"schema": "tilenest-diagnostics-1", "exit_status": 0, "diagnostics": []})"));
}

TEST_CASE("a diagnostic with everything") {
  const auto file = std::make_shared<const SourceFile>(SourceFile{"a.tile", "x\n\xC3\xA9y]\n"});
  Diagnostic d(Code::P0001, {file, 2, 4, 1}, {{"found", "`]`"}, {"expected", "`)`"}}, "close it");
  d.also({file, 1, 1, 1}, "opened here");
  d.note("a note");
  d.replay = "tilenest run a.tile";
  d.count = 2;
  CHECK(Json::parse(to_json({d})) == Json::parse(R"({
    "schema": "tilenest-diagnostics-1",
    "exit_status": 2,
    "diagnostics": [{
      "code": "P0001", "class": "text", "severity": "error", "rule": null,
      "message": "unexpected `]`, expected `)`",
      "arguments": {"found": "`]`", "expected": "`)`"},
      "sites": [
        {"file": "a.tile", "line": 2, "column": 3, "byte_column": 4, "byte_length": 1, "label": null},
        {"file": "a.tile", "line": 1, "column": 1, "byte_column": 1, "byte_length": 1, "label": "opened here"}
      ],
      "notes": ["a note"], "help": "close it", "replay": "tilenest run a.tile", "count": 2
    }]
  })"));
}

TEST_CASE("unknown parts are null and every key is present") {
  Diagnostic d(Code::B0001, {std::make_shared<const SourceFile>(SourceFile{"k.cpp", ""}), 7});
  const Json out = Json::parse(to_json({d}));
  const Json &only = out["diagnostics"][0];
  CHECK(keys(only) == std::vector<std::string>{"code", "class", "severity", "rule", "message", "arguments",
                                               "sites", "notes", "help", "replay", "count"});
  CHECK(keys(only["sites"][0]) ==
        std::vector<std::string>{"file", "line", "column", "byte_column", "byte_length", "label"});
  CHECK(only["sites"][0]["line"] == 7);
  CHECK(only["sites"][0]["column"].is_null());
  CHECK(only["help"].is_null());
  CHECK(out["exit_status"] == 70);
}

TEST_CASE("invalid UTF-8 does not stop the renderer") {
  const Json out = Json::parse(to_json({Diagnostic(Code::B0001, {}, {{"what", "\xFF"}})}));
  CHECK(out["diagnostics"][0]["message"] == "internal error: \xEF\xBF\xBD");
}

TEST_CASE("one line on request") { CHECK(to_json({}, -1).find('\n') == std::string::npos); }

TEST_CASE("every class has its own word") {
  std::vector<std::string> words;
  for (char c : std::string("PTUANLB")) words.push_back(to_string(static_cast<DiagClass>(c)));
  CHECK(words == std::vector<std::string>{"text", "typing", "violation", "assertion", "unsupported", "limit",
                                          "bug"});
}
