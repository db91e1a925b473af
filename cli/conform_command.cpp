// SPDX-License-Identifier: Apache-2.0
// tilenest conform: the conformance suite on engines, its own cases or those of a folder.
#include "cli/report.h"
#include "conformance/suite/embedded_cases.h"
#include "conformance/suite/report.h"
#include "cli/commands.h"
#include "cli/target_profile_text.h"
#include "lower/cpu/load.h"
#include "semantics/diag/codes.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <unistd.h>

namespace tilenest::cli {

namespace {

using namespace conformance;

Result<std::string> file_text(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (!file || !(text << file.rdbuf())) return Diagnostic(Code::P0501, {}, {{"file", path}, {"why", std::strerror(errno == 0 ? EIO : errno)}});
  return text.str();
}

Result<std::vector<std::pair<std::string, std::string>>> case_texts(const std::string &folder) {
  std::vector<std::pair<std::string, std::string>> out;
  if (folder.empty()) {
    for (std::size_t i = 0; i < embedded_case_file_count; ++i) out.emplace_back(embedded_case_files[i].name, embedded_case_files[i].text);
    return out;
  }
  std::error_code error;
  std::vector<std::string> paths;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == ".json") paths.push_back(it->path().string());
  if (error) return Diagnostic(Code::P0501, {}, {{"file", folder}, {"why", error.message()}});
  if (paths.empty()) return Diagnostic(Code::P0501, {}, {{"file", folder}, {"why", "it holds no `.json` file"}});
  std::sort(paths.begin(), paths.end());
  for (const std::string &path : paths) {
    Result<std::string> text = file_text(path);
    if (!text) return text.errors();
    out.emplace_back(path, std::move(*text));
  }
  return out;
}

Result<std::vector<Case>> load_cases(const std::string &folder) {
  const auto texts = case_texts(folder);
  if (!texts) return texts.errors();
  std::vector<Case> out;
  Diagnostics errors;
  for (const auto &[file, text] : *texts) {
    Result<std::vector<Case>> cases = read_cases(text, file);
    if (!cases) {
      errors.insert(errors.end(), cases.errors().begin(), cases.errors().end());
      continue;
    }
    for (Case &c : *cases) {
      for (const Case &other : out)
        if (other.name == c.name) errors.emplace_back(Code::P1401, Site{}, std::vector<std::pair<std::string, std::string>>{{"file", file}, {"what", "another file has a case `" + c.name + "`, too"}});
      out.push_back(std::move(c));
    }
  }
  if (!errors.empty()) return errors;
  return out;
}

Result<std::vector<ExpectedFailure>> load_expected_failures(const std::vector<std::string> &files) {
  Result<std::vector<ExpectedFailure>> out = read_expected_failures(embedded_expected_failures, "expected_failures.txt");
  for (const std::string &file : files) {
    const Result<std::string> text = file_text(file);
    if (!text) return text.errors();
    Result<std::vector<ExpectedFailure>> more = read_expected_failures(*text, file);
    if (!more) return more;
    out->insert(out->end(), more->begin(), more->end());
  }
  return out;
}

// "plan: 300 of 1600" on a terminal, overwritten as it goes.
class Counter {
public:
  explicit Counter(bool quiet) : active_(!quiet && isatty(STDERR_FILENO) == 1) {}
  ~Counter() {
    if (active_) print_err("\r\033[K");
  }
  Counter(const Counter &) = delete;
  Counter &operator=(const Counter &) = delete;
  void operator()(const std::string &engine, std::size_t done, std::size_t of) const {
    if (active_ && (done % 16 == 0 || done == of)) print_err("\r\033[K" + engine.substr(0, 40) + ": " + std::to_string(done) + " of " + std::to_string(of));
  }

private:
  bool active_;
};

int refuse(const Diagnostics &errors, bool json) { return json ? report_json("tilenest-conform-1", Json::object(), errors) : report_text(errors); }

void list_cases(const std::vector<const Case *> &cases, bool json) {
  Json list = Json::array();
  std::string text;
  for (const Case *c : cases) {
    std::string rules;
    for (const std::string &id : c->rules) rules += " " + id;
    text += c->name + rules + "\n";
    list.push_back({{"name", c->name}, {"chapter", c->chapter}, {"rules", c->rules}, {"refused", c->refused()}, {"derived", c->derived}});
  }
  if (json) report_json("tilenest-conform-cases-1", {{"cases", list}}, {});
  else print_out(text);
}

} // namespace

int conform_command(const ConformArguments &options) {
  const Result<std::vector<Case>> cases = load_cases(options.cases);
  if (!cases) return refuse(cases.errors(), options.json);
  const Result<std::vector<ExpectedFailure>> expected = load_expected_failures(options.expected_failures);
  if (!expected) return refuse(expected.errors(), options.json);
  const std::regex filter(options.filter);
  std::vector<const Case *> chosen;
  for (const Case &c : *cases)
    if (std::regex_search(c.name, filter)) chosen.push_back(&c);
  if (chosen.empty()) return usage_error("no case has a name with a match of `" + options.filter + "`", "`tilenest conform --list` lists them");
  if (options.list) return list_cases(chosen, options.json), 0;

  std::vector<std::string> names = options.engines;
  if (names.empty()) {
    names = {"interp", "plan"};
    if (cpu::load_engine()) names.emplace_back("cpu");
  }
  BackendOptions backend_options;
  if (!options.target.empty()) {
    Result<TargetProfile> target = load_profile(options.target);
    if (!target) return refuse(target.errors(), options.json);
    backend_options.target = std::make_shared<const TargetProfile>(std::move(*target));
  }
  backend_options.strict = options.strict;
  backend_options.timeout_s = options.timeout_s;
  std::vector<std::unique_ptr<Backend>> engines;
  for (const std::string &name : names) engines.push_back(find_backend(name, backend_options));

  SuiteResult result;
  {
    const Counter counter(options.json);
    result = run_suite(chosen, engines, *expected, [&](const std::string &engine, std::size_t done, std::size_t of) { counter(engine, done, of); });
  }
  for (const ExpectedFailure &f : *expected) // of other suites than a folder's
    if (options.cases.empty() && std::none_of(cases->begin(), cases->end(), [&](const Case &c) { return c.name == f.name; }))
      result.stale.push_back(f.name + " is expected to fail and is no case");
  const int verdict = result.conforms() ? 0 : status_not_conforming;
  if (options.json) return report_json("tilenest-conform-1", suite_json(result), {}, verdict);
  print_out(suite_text(result));
  if (!options.junit.empty()) {
    std::ofstream file(options.junit, std::ios::binary);
    file << suite_junit(result);
    file.close();
    if (file.fail()) return report_text({Diagnostic(Code::P0509, {}, {{"file", options.junit}, {"why", std::strerror(errno == 0 ? EIO : errno)}})});
  }
  return verdict;
}

} // namespace tilenest::cli
