// SPDX-License-Identifier: Apache-2.0
// Case files from JSON.
#include "conformance/suite/read_cases.h"
#include "conformance/suite/read_elements.h"
#include "semantics/diag/codes.h"
#include "semantics/support/rule.h"
#include <charconv>
#include <regex>
#include <set>

namespace tilenest::conformance {

namespace {

constexpr std::string_view case_schema = "tilenest-conformance-1";

// What a file says once for all of its cases.
struct CaseDefaults {
  std::string chapter, derived;
  std::vector<std::string> rules;
  std::map<std::string, std::string> programs;
};

// Lines as an array of strings, or one string.
std::optional<std::string> read_lines(const CaseJson &j, const std::string &pointer, Faults &faults) {
  if (j.is_string()) return j.get<std::string>();
  if (!j.is_array() || j.empty()) return faults.refuse(pointer, "is no text: an array of lines"), std::nullopt;
  std::string out;
  for (std::size_t i = 0; i < j.size(); ++i) {
    if (!j[i].is_string()) return faults.refuse(pointer + "/" + std::to_string(i), "is no string"), std::nullopt;
    out += j[i].get<std::string>() + "\n";
  }
  return out;
}

// `$NAME` by the word for it; every `$` needs one, and every word is used.
std::optional<std::string> replaced(const std::string &text, const std::map<std::string, std::string> &words, const std::string &pointer, Faults &faults) {
  std::string out;
  std::set<std::string> used;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '$') {
      out += text[at++];
      continue;
    }
    std::size_t end = at + 1;
    while (end < text.size() && (std::isupper(static_cast<unsigned char>(text[end])) || std::isdigit(static_cast<unsigned char>(text[end])))) ++end;
    const std::string name = text.substr(at + 1, end - at - 1);
    const auto found = words.find(name);
    if (found == words.end()) return faults.refuse(pointer, "gives nothing for `$" + name + "` of the program"), std::nullopt;
    used.insert(name);
    out += found->second;
    at = end;
  }
  for (const auto &[name, by] : words)
    if (!used.count(name)) return faults.refuse(pointer + "/with/" + name, "is used nowhere in the program"), std::nullopt;
  return out;
}

// The program: lines of its own, or the name of one of the file's, with words for its `$NAME`s.
std::optional<std::string> read_program(const CaseJson &j, const std::string &pointer, const CaseDefaults &defaults, Faults &faults) {
  if (!j.contains("program")) return faults.refuse(pointer, "has no `program`"), std::nullopt;
  std::map<std::string, std::string> words;
  if (j.contains("with")) {
    if (!j["with"].is_object()) return faults.refuse(pointer + "/with", "is no object"), std::nullopt;
    for (const auto &[name, by] : j["with"].items()) {
      if (!by.is_string()) return faults.refuse(pointer + "/with/" + name, "is no string"), std::nullopt;
      words[name] = by.get<std::string>();
    }
  }
  if (!j["program"].is_string()) {
    const auto text = read_lines(j["program"], pointer + "/program", faults);
    return text ? replaced(*text, words, pointer, faults) : std::nullopt;
  }
  const auto found = defaults.programs.find(j["program"].get<std::string>());
  if (found == defaults.programs.end()) return faults.refuse(pointer + "/program", "names none of `programs`"), std::nullopt;
  return replaced(found->second, words, pointer, faults);
}

std::vector<std::string> read_rules(const CaseJson &j, const std::string &pointer, Faults &faults) {
  std::vector<std::string> out;
  if (!j.contains("rules")) return out;
  if (!j["rules"].is_array()) return faults.refuse(pointer + "/rules", "is no array of rule ids"), out;
  for (const CaseJson &id : j["rules"]) {
    if (!id.is_string() || !find_rule(id.get<std::string>())) return faults.refuse(pointer + "/rules", "`" + id.dump() + "` is no rule id"), out;
    out.push_back(id.get<std::string>());
  }
  return out;
}

std::string read_derivation(const CaseJson &j, const std::string &pointer, Faults &faults) {
  const auto text = faults.text(j, "derived", pointer);
  if (!text) return {};
  for (const std::string_view from : {"by hand: ", "oracle: "})
    if (text->starts_with(from) && text->size() > from.size()) return *text;
  faults.refuse(pointer + "/derived", "begins with neither `by hand: ` nor `oracle: `, or says no more");
  return {};
}

// "U0201@4 x3"
std::optional<ExpectedReport> read_report(const CaseJson &j, const std::string &pointer, Faults &faults) {
  static const std::regex form(R"(([A-Z][0-9]{4})(@([0-9]{1,9}))?( x([0-9]{1,9}))?)");
  std::smatch parts;
  const std::string text = j.is_string() ? j.get<std::string>() : "";
  if (!std::regex_match(text, parts, form)) return faults.refuse(pointer, "is no report like `U0201@4` or `U0201@4 x3`"), std::nullopt;
  if (!find_code(parts[1].str())) return faults.refuse(pointer, "`" + parts[1].str() + "` is no code"), std::nullopt;
  ExpectedReport out{parts[1].str()};
  if (parts[3].matched) out.line = static_cast<std::uint32_t>(std::stoul(parts[3]));
  if (parts[5].matched) out.count = std::stoull(parts[5]);
  return out;
}

Results read_results(const CaseJson &j, const std::string &pointer, Faults &faults) {
  Results out;
  if (!j.is_object() || j.empty()) return faults.refuse(pointer, "is no object of arguments"), out;
  for (const auto &[name, elements] : j.items())
    if (auto read = read_elements(elements, pointer + "/" + name, true, faults)) out.emplace(name, std::move(*read));
  return out;
}

void read_between(const CaseJson &j, const std::string &pointer, Expectation &out, Faults &faults) {
  if (!j.is_object() || j.empty()) return faults.refuse(pointer, "is no object of arguments");
  for (const auto &[name, b] : j.items()) {
    const std::string at = pointer + "/" + name;
    if (!faults.object(b, at, {"type", "shape", "low", "high", "may_be_nan"})) continue;
    const auto outer = read_type_and_shape(b, at, faults);
    if (!outer) continue;
    if (!b.contains("low") || !b.contains("high")) {
      faults.refuse(at, "needs `low` and `high`");
      continue;
    }
    auto low = read_elements(b["low"], at + "/low", true, faults, &*outer), high = read_elements(b["high"], at + "/high", true, faults, &*outer);
    if (low && high) out.between.emplace(name, Between{std::move(*low), std::move(*high), faults.flag(b, "may_be_nan", at)});
  }
}

void read_counts(const CaseJson &j, const std::string &pointer, Expectation &out, Faults &faults) {
  if (j.contains("coverage") && j["coverage"].is_object())
    for (const auto &[name, c] : j["coverage"].items()) {
      const std::string at = pointer + "/coverage/" + name;
      if (!faults.object(c, at, {"never", "once", "more"})) continue;
      const auto number = [&](const char *key) { return static_cast<std::uint64_t>(faults.whole(c, key, at, 0).value_or(0)); };
      out.coverage[name] = {number("never"), number("once"), number("more")};
    }
  if (j.contains("sensitive") && j["sensitive"].is_object())
    for (const auto &[name, n] : j["sensitive"].items())
      out.sensitive[name] = static_cast<std::uint64_t>(faults.whole(j["sensitive"], name.c_str(), pointer + "/sensitive", 0).value_or(0));
  for (const char *key : {"coverage", "sensitive"})
    if (j.contains(key) && (!j[key].is_object() || j[key].empty())) faults.refuse(pointer + "/" + key, "is no object of arguments");
}

void read_judged(const CaseJson &j, const std::string &pointer, Expectation &out, Faults &faults) {
  if (!j.is_array() || j.empty()) return faults.refuse(pointer, "is no array of results and verdicts");
  for (std::size_t i = 0; i < j.size(); ++i) {
    const std::string at = pointer + "/" + std::to_string(i);
    if (!faults.object(j[i], at, {"outputs", "verdict", "target"})) continue;
    ExpectedJudgement judged;
    if (j[i].contains("outputs")) judged.results = read_results(j[i]["outputs"], at + "/outputs", faults);
    judged.verdict = faults.text(j[i], "verdict", at).value_or("");
    if (judged.results.empty()) faults.refuse(at, "has no `outputs`");
    static const std::set<std::string> verdicts = {"equal", "member", "within", "undecided", "outside"};
    if (!verdicts.count(judged.verdict)) faults.refuse(at, "has no `verdict`: equal, member, within, undecided or outside");
    if (j[i].contains("target")) judged.target = j[i]["target"].dump();
    out.judged.push_back(std::move(judged));
  }
}

void read_expectation(const CaseJson &j, const std::string &pointer, Expectation &out, Faults &faults) {
  if (!faults.object(j, pointer, {"reports", "outputs", "any", "between", "admitted", "coverage", "sensitive", "judged"})) return;
  if (j.contains("reports")) {
    if (!j["reports"].is_array()) faults.refuse(pointer + "/reports", "is no array");
    else
      for (std::size_t i = 0; i < j["reports"].size(); ++i)
        if (auto report = read_report(j["reports"][i], pointer + "/reports/" + std::to_string(i), faults)) out.reports.push_back(std::move(*report));
  }
  if (j.contains("outputs")) out.any_of.push_back(read_results(j["outputs"], pointer + "/outputs", faults));
  if (j.contains("any")) {
    if (j.contains("outputs") || !j["any"].is_array() || j["any"].size() < 2) faults.refuse(pointer + "/any", "is no array of two or more, or stands beside `outputs`");
    else
      for (std::size_t i = 0; i < j["any"].size(); ++i) out.any_of.push_back(read_results(j["any"][i], pointer + "/any/" + std::to_string(i), faults));
  }
  if (j.contains("between")) read_between(j["between"], pointer + "/between", out, faults);
  out.admitted = faults.flag(j, "admitted", pointer);
  read_counts(j, pointer, out, faults);
  if (j.contains("judged")) read_judged(j["judged"], pointer + "/judged", out, faults);
  if (!out.names_results() && !out.asks_reference() && !j.contains("reports")) faults.refuse(pointer, "expects nothing");
}

void read_inputs(const CaseJson &j, const std::string &pointer, Case &out, Faults &faults) {
  if (!j.is_object()) return faults.refuse(pointer, "is no object of arguments");
  for (const auto &[name, input] : j.items()) {
    const std::string at = pointer + "/" + name;
    CaseInput read;
    if (input.is_object() && input.contains("alias")) {
      if (!faults.object(input, at, {"type", "shape", "alias", "offset"})) continue;
      auto elements = read_type_and_shape(input, at, faults);
      const auto of = faults.text(input, "alias", at);
      if (!elements || !of) continue;
      read = {std::move(*elements), *of, faults.whole(input, "offset", at, 0).value_or(0)};
    } else if (auto elements = read_elements(input, at, false, faults)) {
      read.elements = std::move(*elements);
    } else {
      continue;
    }
    out.inputs.emplace(name, std::move(read));
  }
  for (const auto &[name, input] : out.inputs) // inside the other's bytes
    if (!input.alias_of.empty()) {
      const auto other = out.inputs.find(input.alias_of);
      std::size_t n = 1;
      for (const std::int64_t e : input.elements.shape) n *= static_cast<std::size_t>(e);
      if (other == out.inputs.end() || !other->second.alias_of.empty() ||
          static_cast<std::size_t>(input.alias_offset) + storage_size(input.elements.type, n) > storage_size(other->second.elements.type, other->second.elements.bits.size()))
        faults.refuse(pointer + "/" + name, "does not lie inside another input");
    }
}

void read_case(const CaseJson &j, const std::string &pointer, const CaseDefaults &defaults, std::vector<Case> &out, Faults &faults) {
  faults.about(j.is_object() && j.contains("name") && j["name"].is_string() ? j["name"].get<std::string>() : "");
  if (!faults.object(j, pointer, {"name", "rules", "program", "with", "kernel", "extents", "inputs", "orders", "contained", "laws", "expect", "derived"})) return;
  Case c;
  const auto name = faults.text(j, "name", pointer);
  static const std::regex words("[a-z0-9_]+(/[a-z0-9_]+)*");
  if (!name || !std::regex_match(*name, words)) return faults.refuse(pointer, "has no `name` of the form `words/of_small_letters`");
  c.name = defaults.chapter + "/" + *name;
  c.chapter = defaults.chapter;
  c.rules = read_rules(j, pointer, faults);
  if (!j.contains("rules")) c.rules = defaults.rules;
  if (c.rules.empty()) faults.refuse(pointer, "names no rule, and neither does the file");
  c.derived = j.contains("derived") ? read_derivation(j, pointer, faults) : defaults.derived;
  if (c.derived.empty() && !faults.any()) faults.refuse(pointer, "does not say how its expectation was `derived`, and neither does the file");
  if (auto text = read_program(j, pointer, defaults, faults)) c.program = std::move(*text);
  c.kernel = faults.text(j, "kernel", pointer).value_or("");
  if (j.contains("extents")) {
    if (!j["extents"].is_object()) faults.refuse(pointer + "/extents", "is no object");
    else
      for (const auto &[parameter, value] : j["extents"].items()) c.extents[parameter] = faults.whole(j["extents"], parameter.c_str(), pointer + "/extents", INT64_MIN).value_or(0);
  }
  if (j.contains("inputs")) read_inputs(j["inputs"], pointer + "/inputs", c, faults);
  c.orders = static_cast<unsigned>(std::min<std::int64_t>(faults.whole(j, "orders", pointer, 0).value_or(0), 100));
  c.contained = faults.flag(j, "contained", pointer);
  c.laws = faults.flag(j, "laws", pointer);
  if (j.contains("expect")) read_expectation(j["expect"], pointer + "/expect", c.expect, faults);
  else faults.refuse(pointer, "has no `expect`");
  for (const Case &other : out)
    if (other.name == c.name) faults.refuse(pointer + "/name", "is the name of another case, too");
  out.push_back(std::move(c));
}

// The document, no key of an object twice.
std::optional<CaseJson> parse_document(std::string_view json, Faults &faults) {
  std::vector<std::set<std::string>> keys;
  std::string twice;
  const auto watch = [&](int, CaseJson::parse_event_t event, CaseJson &value) {
    using Event = CaseJson::parse_event_t;
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key && !keys.back().insert(value.get<std::string>()).second && twice.empty()) twice = value.get<std::string>();
    return true;
  };
  try {
    CaseJson out = CaseJson::parse(json, watch);
    if (!twice.empty()) return faults.refuse("", "has an object with the key `" + twice + "` twice"), std::nullopt;
    return out;
  } catch (const CaseJson::parse_error &e) {
    const std::string_view before = json.substr(0, std::min(e.byte, json.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t begin = before.rfind('\n');
    faults.refuse("", "is no JSON: line " + std::to_string(line) + ", column " + std::to_string(before.size() - (begin == std::string_view::npos ? 0 : begin + 1)));
    return std::nullopt;
  }
}

CaseDefaults read_defaults(const CaseJson &j, Faults &faults) {
  CaseDefaults out;
  if (faults.text(j, "schema", "") != std::string(case_schema)) faults.refuse("/schema", "is not `" + std::string(case_schema) + "`");
  static const std::regex word("[a-z0-9_]+");
  out.chapter = faults.text(j, "chapter", "").value_or("");
  if (!std::regex_match(out.chapter, word)) faults.refuse("/chapter", "is no word of small letters");
  if (!faults.text(j, "about", "")) faults.refuse("/about", "is missing");
  out.rules = read_rules(j, "", faults);
  out.derived = read_derivation(j, "", faults);
  if (j.contains("programs")) {
    if (!j["programs"].is_object()) faults.refuse("/programs", "is no object");
    else
      for (const auto &[name, lines] : j["programs"].items())
        if (auto text = read_lines(lines, "/programs/" + name, faults)) out.programs.emplace(name, std::move(*text));
  }
  return out;
}

} // namespace

bool Case::refused() const {
  for (const ExpectedReport &r : expect.reports)
    if (info(*find_code(r.code)).severity == Severity::error) return true;
  return false;
}

Result<std::vector<Case>> read_cases(std::string_view json, const std::string &file) {
  Faults faults(file);
  std::vector<Case> out;
  const std::optional<CaseJson> j = parse_document(json, faults);
  if (j && faults.object(*j, "", {"$schema", "schema", "chapter", "about", "rules", "derived", "programs", "cases"})) {
    const CaseDefaults defaults = read_defaults(*j, faults);
    if (!j->contains("cases") || !(*j)["cases"].is_array()) faults.refuse("/cases", "is no array");
    else
      for (std::size_t i = 0; i < (*j)["cases"].size(); ++i) read_case((*j)["cases"][i], "/cases/" + std::to_string(i), defaults, out, faults);
  }
  if (faults.any()) return faults.errors;
  return out;
}

Result<std::vector<ExpectedFailure>> read_expected_failures(std::string_view text, const std::string &file) {
  static const std::regex form(R"(\s*(interp|plan|cpu|exec)\s+([a-z0-9_/]+)\s*:\s*(\S.*))");
  std::vector<ExpectedFailure> out;
  Diagnostics errors;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line(text.substr(at, end - at));
    at = end + 1;
    ++number;
    if (const std::size_t comment = line.find('#'); comment != std::string::npos) line.resize(comment);
    line.resize(line.find_last_not_of(" \t\r") + 1);
    if (line.empty()) continue;
    std::smatch parts;
    if (std::regex_match(line, parts, form)) out.push_back({parts[1], parts[2], parts[3]});
    else errors.emplace_back(Code::P1402, Site{}, std::vector<std::pair<std::string, std::string>>{{"file", file}, {"line", std::to_string(number)}});
  }
  if (!errors.empty()) return errors;
  return out;
}

} // namespace tilenest::conformance
