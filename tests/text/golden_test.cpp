// SPDX-License-Identifier: Apache-2.0
// Golden files: tests/golden/*.tile. A comment `// CODE: T0101 P0006` names the codes that the judgements of the
// whole file report on that line, no more and no less; `// CHECK: text` names text that the reports hold, in
// order. Files of `// RUN: run` are judged here, too, but for codes that only a run can report.
// The programs of docs/diagnostics/ are held to what their pages say.
#include "semantics/diag/codes.h"
#include "semantics/diag/render.h"
#include "semantics/judge.h"
#include "tests/text/round_trip.h"
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <sstream>

using namespace tilenest;

namespace {

using LineCodes = std::set<std::pair<std::uint32_t, std::string>>;

struct Expectations {
  LineCodes codes;
  std::vector<std::string> text;
  std::string run; // "check", "run ..."
};

std::string trimmed(const std::string &s) {
  const std::size_t first = s.find_first_not_of(" \t\r"), last = s.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : s.substr(first, last - first + 1);
}

Expectations expectations(const std::string &text) {
  Expectations out;
  std::istringstream lines(text);
  std::string line;
  for (std::uint32_t number = 1; std::getline(lines, line); ++number) {
    auto after = [&](const std::string &mark) {
      const std::size_t at = line.find(mark);
      return at == std::string::npos ? std::string() : trimmed(line.substr(at + mark.size()));
    };
    std::istringstream codes(after("// CODE:"));
    for (std::string code; codes >> code;) out.codes.insert({number, code});
    if (const std::string check = after("// CHECK:"); !check.empty()) out.text.push_back(check);
    if (const std::string run = after("// RUN:"); !run.empty()) out.run = run;
  }
  return out;
}

Diagnostics judged(std::shared_ptr<const SourceFile> file) {
  ParsedFile parsed = parse(std::move(file));
  for (TileProgram &p : parsed.kernels)
    for (Diagnostic &d : judge(p)) parsed.diagnostics.push_back(std::move(d));
  return std::move(parsed.diagnostics);
}

LineCodes line_codes(const Diagnostics &diagnostics) {
  LineCodes out;
  for (const Diagnostic &d : diagnostics) out.insert({d.sites.empty() ? 0 : d.sites[0].site.line, d.info().code});
  return out;
}

std::string listed(const LineCodes &codes) {
  std::string out;
  for (const auto &[line, code] : codes) out += std::to_string(line) + " " + code + "\n";
  return out;
}

// The ```tile blocks under a heading of a page.
std::vector<std::string> tile_blocks(const std::string &page, const std::string &heading) {
  std::vector<std::string> out;
  std::istringstream lines(page);
  std::string line;
  bool under = false, inside = false;
  while (std::getline(lines, line)) {
    if (!inside && line.starts_with("## ")) under = line == heading;
    if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      out.back() += line + "\n";
    } else if (under && line == "```tile") {
      inside = true;
      out.emplace_back();
    }
  }
  return out;
}

Diagnostics judged_text(const std::string &name, const std::string &text) {
  auto file = std::make_shared<SourceFile>();
  file->name = name;
  file->text = text;
  return judged(file);
}

} // namespace

TEST_CASE("golden files report exactly the codes on their lines", "[text][golden]") {
  const auto files = tile_files("tests/golden");
  REQUIRE(!files.empty());
  for (const std::string &path : files) {
    INFO(path);
    const auto source = read_source(path);
    Expectations expected = expectations(source->text);
    CHECK(!expected.run.empty());
    if (expected.run != "check")
      std::erase_if(expected.codes, [](const auto &c) { return c.second[0] == 'U' || c.second[0] == 'A' || c.second[0] == 'N'; });
    const Diagnostics reported = judged(source);
    INFO(listing(reported));
    CHECK(listed(expected.codes) == listed(line_codes(reported)));
    if (expected.run != "check") continue;
    const std::string text = render_text(reported);
    std::size_t from = 0;
    for (const std::string &wanted : expected.text) {
      INFO("CHECK: " << wanted << " in\n" << text);
      const std::size_t at = text.find(wanted, from);
      CHECK(at != std::string::npos);
      if (at != std::string::npos) from = at + wanted.size();
    }
  }
}

TEST_CASE("kernels of golden files without errors survive the round trip", "[text]") {
  for (const std::string &path : tile_files("tests")) {
    INFO(path);
    for (const TileProgram &p : parse(read_source(path)).kernels) CHECK(round_trip_fault(p) == "");
  }
}

TEST_CASE("the programs of docs/diagnostics do what their pages say", "[text][golden]") {
  const std::filesystem::path root = std::filesystem::path(TILENEST_SOURCE_DIR) / "docs/diagnostics";
  for (const auto &entry : std::filesystem::directory_iterator(root)) {
    if (entry.path().extension() != ".md") continue;
    const std::string code = entry.path().stem().string();
    const std::string page = read_source(entry.path().string())->text;
    // A run reports U, A and N, and what needs numbers for the extents.
    const bool by_judging = (code[0] == 'P' || code[0] == 'T' || code[0] == 'L') && code != "T0610";
    for (const std::string &program : tile_blocks(page, "## Failing")) {
      const Diagnostics reported = judged_text(code, program);
      INFO(code << " failing:\n" << program << listing(reported));
      bool found = false;
      for (const Diagnostic &d : reported) found |= d.info().code == code;
      if (by_judging) CHECK(found);
      if (!by_judging) CHECK(!has_error(reported)); // what only a run reports
    }
    for (const std::string &program : tile_blocks(page, "## Fixed")) {
      const Diagnostics reported = judged_text(code, program);
      INFO(code << " fixed:\n" << program << listing(reported));
      bool found = false;
      for (const Diagnostic &d : reported) found |= d.info().code == code;
      CHECK(!found);
      CHECK(!has_error(reported));
    }
  }
}
