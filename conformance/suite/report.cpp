// SPDX-License-Identifier: Apache-2.0
// The three renderings.
#include "conformance/suite/report.h"
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

namespace tilenest::conformance {

namespace {

constexpr Outcome all_outcomes[] = {Outcome::pass, Outcome::fail, Outcome::not_applicable, Outcome::unsupported, Outcome::expected_failure, Outcome::unexpected_pass};

std::string seconds_text(double s) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", s);
  return text;
}

std::vector<std::string> chapters_of(const SuiteResult &r) {
  std::vector<std::string> out;
  for (const Case *c : r.cases)
    if (std::find(out.begin(), out.end(), c->chapter) == out.end()) out.push_back(c->chapter);
  return out;
}

// "40", "38 - 2 failed, 4 n/a": passes, then what else there is.
std::string cell(const SuiteResult &r, std::size_t engine, const std::string &chapter) {
  std::string out = std::to_string(r.count(engine, Outcome::pass, chapter)), rest;
  const auto add = [&](Outcome outcome, const char *word) {
    if (const std::size_t n = r.count(engine, outcome, chapter); n > 0) rest += (rest.empty() ? " (" : ", ") + std::to_string(n) + " " + word;
  };
  add(Outcome::fail, "FAILED");
  add(Outcome::unexpected_pass, "UNEXPECTED");
  add(Outcome::expected_failure, "known");
  add(Outcome::unsupported, "unsupported");
  add(Outcome::not_applicable, "n/a");
  return out + rest + (rest.empty() ? "" : ")");
}

std::string xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '"') out += "&quot;";
    else out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out;
}

} // namespace

std::string suite_text(const SuiteResult &r) {
  std::string out;
  for (const EngineResults &e : r.engines)
    for (std::size_t i = 0; i < r.cases.size(); ++i) {
      const CaseVerdict &v = e.verdicts[i];
      if (v.outcome != Outcome::fail && v.outcome != Outcome::unexpected_pass) continue;
      out += std::string(v.outcome == Outcome::fail ? "FAILED " : "UNEXPECTED PASS ") + r.cases[i]->name + " on " + e.engine + ": " + v.why + "\n";
      std::string rules;
      for (const std::string &id : r.cases[i]->rules) rules += (rules.empty() ? "" : ", ") + id;
      out += "  rules " + rules + "; " + r.cases[i]->derived + "\n";
    }
  for (const std::string &name : r.stale) out += "STALE " + name + "\n";
  if (!out.empty()) out += "\n";

  const std::vector<std::string> chapters = chapters_of(r);
  std::vector<std::vector<std::string>> rows{{"chapter", "cases"}};
  for (const EngineResults &e : r.engines) rows[0].push_back(e.engine.size() > 40 ? e.engine.substr(0, 37) + "..." : e.engine);
  for (std::size_t k = 0; k <= chapters.size(); ++k) {
    const std::string chapter = k < chapters.size() ? chapters[k] : "";
    std::size_t n = 0;
    for (const Case *c : r.cases) n += chapter.empty() || c->chapter == chapter;
    rows.push_back({chapter.empty() ? "all" : chapter, std::to_string(n)});
    for (std::size_t e = 0; e < r.engines.size(); ++e) rows.back().push_back(cell(r, e, chapter));
  }
  rows.push_back({"time", ""});
  for (const EngineResults &e : r.engines) rows.back().push_back(seconds_text(e.seconds));
  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const auto &row : rows)
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
  for (const auto &row : rows) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k) line += (k == 0 ? "" : "  ") + row[k] + std::string(widths[k] - row[k].size(), ' ');
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

nlohmann::ordered_json suite_json(const SuiteResult &r) {
  using Json = nlohmann::ordered_json;
  Json out;
  out["conforms"] = r.conforms();
  out["stale"] = r.stale;
  out["engines"] = Json::array();
  for (std::size_t e = 0; e < r.engines.size(); ++e) {
    const EngineResults &results = r.engines[e];
    Json engine = {{"name", results.engine}, {"seconds", results.seconds}};
    const auto counts = [&](const std::string &chapter) {
      Json c = Json::object();
      for (const Outcome o : all_outcomes) c[std::string(to_string(o))] = r.count(e, o, chapter);
      return c;
    };
    engine["outcomes"] = counts("");
    engine["chapters"] = Json::object();
    for (const std::string &chapter : chapters_of(r)) engine["chapters"][chapter] = counts(chapter);
    engine["cases"] = Json::array();
    for (std::size_t i = 0; i < r.cases.size(); ++i) {
      const CaseVerdict &v = results.verdicts[i];
      engine["cases"].push_back({{"name", r.cases[i]->name}, {"rules", r.cases[i]->rules}, {"outcome", std::string(to_string(v.outcome))}, {"why", v.why.empty() ? Json(nullptr) : Json(v.why)}});
    }
    out["engines"].push_back(std::move(engine));
  }
  return out;
}

std::string suite_junit(const SuiteResult &r) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tilenest conform\">\n";
  for (std::size_t e = 0; e < r.engines.size(); ++e) {
    const EngineResults &results = r.engines[e];
    const std::size_t failures = r.count(e, Outcome::fail) + r.count(e, Outcome::unexpected_pass);
    const std::size_t skipped = r.count(e, Outcome::not_applicable) + r.count(e, Outcome::unsupported) + r.count(e, Outcome::expected_failure);
    char time[32];
    std::snprintf(time, sizeof time, "%.3f", results.seconds);
    std::ostringstream head;
    head << "  <testsuite name=\"" << xml(results.engine) << "\" tests=\"" << r.cases.size() << "\" failures=\"" << failures << "\" skipped=\"" << skipped << "\" time=\"" << time << "\">\n";
    out += head.str();
    for (std::size_t i = 0; i < r.cases.size(); ++i) {
      const CaseVerdict &v = results.verdicts[i];
      out += "    <testcase classname=\"" + xml(results.engine + "." + r.cases[i]->chapter) + "\" name=\"" + xml(r.cases[i]->name) + "\"";
      if (v.outcome == Outcome::pass) {
        out += "/>\n";
        continue;
      }
      const bool failure = v.outcome == Outcome::fail || v.outcome == Outcome::unexpected_pass;
      out += std::string(">\n      <") + (failure ? "failure" : "skipped") + " message=\"" + xml(std::string(to_string(v.outcome)) + ": " + v.why) + "\"/>\n    </testcase>\n";
    }
    out += "  </testsuite>\n";
  }
  return out + "</testsuites>\n";
}

} // namespace tilenest::conformance
