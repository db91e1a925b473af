// SPDX-License-Identifier: Apache-2.0
// Each code of diagnostics.def is met by a test or a golden file and has a page in docs/diagnostics/.
#include "semantics/diag/codes.h"
#include "semantics/diag/diagnostic.h"
#include "tests/meta/source_tree.h"
#include <catch2/catch.hpp>
#include <cctype>
#include <set>

using namespace tilenest::meta;

namespace {

std::vector<std::string> codes() {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < tilenest::code_count(); ++i)
    out.push_back(tilenest::info(static_cast<tilenest::Code>(i)).code);
  return out;
}

// The code as a word of its own: not a part of a longer name or number.
bool has_word(std::string_view text, std::string_view word) {
  const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !part(text[at - 1])) && (end == text.size() || !part(text[end]))) return true;
  }
  return false;
}

// A page whose failing program is text is tried by tests/pages, which expects the page's code of it.
bool tried_page(const SourceText &page, const std::string &code) {
  const std::string_view text = page.text;
  const std::size_t begin = text.find("\n## Failing\n"), end = text.find("\n## Fixed\n");
  return ends_with(page.path, "/" + code + ".md") && begin < end &&
         text.substr(begin, end - begin).find("\n```tile\n") != std::string_view::npos;
}

Faults untested(const std::vector<std::string> &wanted, const std::vector<SourceText> &tests,
                const std::vector<SourceText> &pages) {
  Faults faults;
  for (const std::string &code : wanted) {
    bool found = false;
    for (const SourceText &file : tests) found = found || has_word(file.text, code);
    for (const SourceText &page : pages) found = found || tried_page(page, code);
    if (!found) faults.push_back(code + ": no test or golden file under tests/ names it, and its page has no program in text");
  }
  return faults;
}

Faults page_faults(const std::string &code, std::string_view page) {
  Faults faults;
  const std::string path = "docs/diagnostics/" + code + ".md";
  const std::vector<std::string_view> lines = lines_of(page);
  const std::string title = "# " + code + ": ";
  if (lines.empty() || !begins_with(lines[0], title) || trimmed(lines[0].substr(title.size())).empty())
    faults.push_back(path + ": its first line is `" + title + "title`");
  bool prose = false;
  std::size_t i = 1;
  for (; i < lines.size() && !begins_with(lines[i], "## "); ++i) prose = prose || !trimmed(lines[i]).empty();
  if (!prose) faults.push_back(path + ": has no paragraph of meaning");
  for (const std::string_view heading : {"## Failing", "## Fixed"}) {
    bool inside = false, fence = false, block = false;
    for (std::string_view line : lines) {
      if (begins_with(line, "## ")) inside = line == heading;
      if (!inside) continue;
      if (fence && line != "```") block = true;
      if (begins_with(line, "```")) fence = !fence && (line == "```tile" || line == "```cpp" || line == "```console");
    }
    if (!block)
      faults.push_back(path + ": has no ```tile, ```cpp or ```console block under `" + std::string(heading) + "`");
  }
  return faults;
}

} // namespace

TEST_CASE("every diagnostic code is met by a test", "[codes]") {
  std::vector<SourceText> tests;
  for (SourceText &file : files_below({"tests"}, {".cpp", ".h", ".tile", ".sh", ".txt"}))
    if (!begins_with(file.path, "tests/meta/")) tests.push_back(std::move(file));
  const Faults faults = untested(codes(), tests, files_below({"docs/diagnostics"}, {".md"}));
  INFO(listed(faults));
  CHECK(faults.empty());
}

TEST_CASE("every diagnostic code has its page, and every page a code", "[codes][pages]") {
  Faults faults;
  std::set<std::string> missing;
  for (const std::string &code : codes()) missing.insert(code);
  for (const SourceText &page : files_below({"docs/diagnostics"}, {".md"})) {
    const std::size_t begin = page.path.rfind('/') + 1;
    const std::string code = page.path.substr(begin, page.path.size() - begin - 3);
    if (missing.erase(code) == 0) faults.push_back(page.path + ": diagnostics.def has no such code");
    for (std::string &fault : page_faults(code, page.text)) faults.push_back(std::move(fault));
  }
  for (const std::string &code : missing) faults.push_back(code + ": has no page docs/diagnostics/" + code + ".md");
  INFO(listed(faults));
  CHECK(faults.empty());
}

TEST_CASE("codes are a letter of their class and four digits, each once", "[codes]") {
  std::set<std::string> seen;
  for (const std::string &code : codes()) {
    INFO(code);
    CHECK(seen.insert(code).second);
    CHECK(code.size() == 5);
    CHECK(std::string("PTUANLB").find(code[0]) != std::string::npos);
    CHECK(code.find_first_not_of("0123456789", 1) == std::string::npos);
  }
}

TEST_CASE("messages are one lower-case sentence, and rules exist", "[codes]") {
  for (std::size_t i = 0; i < tilenest::code_count(); ++i) {
    const tilenest::CodeInfo &info = tilenest::info(static_cast<tilenest::Code>(i));
    const std::string message = info.message;
    INFO(info.code << ": " << message);
    REQUIRE(!message.empty());
    CHECK(!std::isupper(static_cast<unsigned char>(message[0])));
    CHECK(message.back() != '.');
    CHECK(message.find('\n') == std::string::npos);
    CHECK((*info.rule == '\0' || tilenest::find_rule(info.rule)));
  }
}

TEST_CASE("the code checks find what they look for", "[codes]") {
  CHECK(untested({"P0001"}, {{"a", "Code::P0001)"}}, {}).empty());
  CHECK(untested({"P0001"}, {{"a", "P00012 XP0001 P0001_"}}, {}).size() == 1);
  const std::string page = "# P0001: a title\n\nMeaning.\n\n## Failing\n\n```tile\nx\n```\n\n## Fixed\n\n```tile\ny\n```\n";
  CHECK(page_faults("P0001", page).empty());
  CHECK(untested({"P0001"}, {}, {{"docs/diagnostics/P0001.md", page}}).empty());
  CHECK(untested({"P0002"}, {}, {{"docs/diagnostics/P0001.md", page}}).size() == 1);
  CHECK(untested({"P0001"}, {}, {{"docs/diagnostics/P0001.md", page.substr(page.find("\n## Fixed"))}}).size() == 1);
  CHECK(page_faults("P0002", page).size() == 1);
  CHECK(page_faults("P0001", "").size() == 4);
  std::string no_fixed = page.substr(0, page.find("## Fixed"));
  CHECK(page_faults("P0001", no_fixed).size() == 1);
  CHECK(page_faults("P0001", no_fixed + "## Fixed\n\n```tile\n```\n").size() == 1);
}
