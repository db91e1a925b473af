// SPDX-License-Identifier: Apache-2.0
// The programs of docs/diagnostics: what stands under `## Failing` of a T page is reported with that page's code,
// what stands under `## Fixed` is accepted. Only ```tile blocks; pages of files and runs have none.
#include "semantics/diag/codes.h"
#include "semantics/judge.h"
#include "semantics/program/bind.h"
#include "semantics/text/parser.h"
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace tilenest;

namespace {

std::string block(const std::string &page, const std::string &heading) {
  const std::size_t section = page.find("\n" + heading + "\n");
  if (section == std::string::npos) return {};
  const std::size_t next = page.find("\n## ", section + 1);
  const std::size_t begin = page.find("```tile\n", section);
  if (begin == std::string::npos || begin > next) return {};
  return page.substr(begin + 8, page.find("```", begin + 8) - begin - 8);
}

// Every report of one text: of parsing, capture, judgements and, where these find nothing, binding without
// arguments (which leaves a parameter without value open: T1007 is no mistake of the text).
Diagnostics reports(const std::string &name, const std::string &text) {
  ParsedFile file = parse_text(name, text);
  Diagnostics out = std::move(file.diagnostics);
  for (TileProgram &p : file.kernels) {
    const Diagnostics judged = judge(p);
    out.insert(out.end(), judged.begin(), judged.end());
    if (has_error(judged)) continue;
    if (const auto bound = bind(std::make_shared<TileProgram>(std::move(p)), {}, {}); !bound)
      for (const Diagnostic &d : bound.errors())
        if (d.code != Code::T1007) out.push_back(d);
  }
  return out;
}

std::string listed(const Diagnostics &ds) {
  std::string out;
  for (const Diagnostic &d : ds)
    out += std::string(d.info().code) + " line " + std::to_string(d.sites.empty() ? 0 : d.sites[0].site.line) + ": " +
           d.message() + "\n";
  return out;
}

} // namespace

TEST_CASE("the failing programs of typing's pages fail with their code, the fixed ones are fine") {
  int checked = 0;
  for (const auto &entry : std::filesystem::directory_iterator(TILENEST_SOURCE_DIR "/docs/diagnostics")) {
    const std::string code = entry.path().stem().string();
    if (code[0] != 'T' || code == "T0610") continue; // T0610 is reported when a run starts
    std::ifstream in(entry.path());
    std::stringstream page;
    page << in.rdbuf();
    const std::string failing = block(page.str(), "## Failing"), fixed = block(page.str(), "## Fixed");
    if (failing.empty()) continue;
    ++checked;
    const Diagnostics bad = reports(code, failing), good = reports(code, fixed);
    INFO(code << "\nfailing:\n" << failing << listed(bad) << "fixed:\n" << fixed << listed(good));
    bool found = false;
    for (const Diagnostic &d : bad) found |= d.info().code == code;
    CHECK(found);
    CHECK_FALSE(fixed.empty());
    bool clean = !has_error(good);
    for (const Diagnostic &d : good) clean &= d.info().code != code;
    CHECK(clean);
  }
  CHECK(checked >= 6);
}
