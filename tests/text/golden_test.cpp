// SPDX-License-Identifier: Apache-2.0
// Golden files: tests/golden/*.tile. A comment `// CODE: T0101 P0006` names the codes that the judgements of the
// whole file report on that line, no more and no less; `// CHECK: text` names text that the reports hold, in
// order. Codes that only a run reports stand in the programs of docs/diagnostics (tests/pages).
#include "semantics/diag/codes.h"
#include "semantics/diag/render.h"
#include "semantics/judge.h"
#include "tests/text/round_trip.h"
#include <catch2/catch.hpp>
#include <set>
#include <sstream>

using namespace tilenest;

namespace {

using LineCodes = std::set<std::pair<std::uint32_t, std::string>>;

struct Expectations {
  LineCodes codes;
  std::vector<std::string> text;
  std::string run; // the command: "check"
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

} // namespace

TEST_CASE("golden files report exactly the codes on their lines", "[text][golden]") {
  const auto files = tile_files("tests/golden");
  REQUIRE(!files.empty());
  for (const std::string &path : files) {
    INFO(path);
    const auto source = read_source(path);
    const Expectations expected = expectations(source->text);
    CHECK(expected.run == "check");
    const Diagnostics reported = judged(source);
    INFO(listing(reported));
    CHECK(listed(expected.codes) == listed(line_codes(reported)));
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
