// SPDX-License-Identifier: Apache-2.0
// Each rule id of rules.def has a function (`// rule: ID`), a point where it can be broken
// (`rule_broken(Rule::x)`), a paragraph of docs/calculus.md (`**ID**`) and a test (`[ID]`), or stands in
// docs/pending.txt with a reason.
#include "semantics/support/rule.h"
#include "tests/meta/source_tree.h"
#include <catch2/catch.hpp>
#include <map>
#include <regex>
#include <set>

using namespace tilenest::meta;

namespace {

using Ids = std::set<std::string, std::less<>>;

const std::vector<std::string> &rule_ids() {
  static const std::vector<std::string> ids = {
#define RULE(name, id) id,
#include "semantics/support/rules.def"
#undef RULE
  };
  return ids;
}

struct Coverage {
  Ids functions, breaks, paragraphs, tests;
};

void collect_breaks(const std::vector<SourceText> &files, Ids &ids) {
  static const std::map<std::string, std::string> by_name = {
#define RULE(name, id) {#name, id},
#include "semantics/support/rules.def"
#undef RULE
  };
  static const std::regex use(R"(rule_broken\(\s*(?:tilenest::)?Rule::([a-z0-9_]+)\s*\))");
  for (const SourceText &file : files) {
    const std::string code = without_comments(file.text);
    for (std::sregex_iterator it(code.begin(), code.end(), use), end; it != end; ++it)
      if (const auto found = by_name.find((*it)[1]); found != by_name.end()) ids.insert(found->second);
  }
}

// `// rule: A` or `// rule: A, B`, perhaps with ` -- words`, and something to implement it after the comment.
Faults collect_functions(const std::vector<SourceText> &files, Ids &ids) {
  Faults faults;
  for (const SourceText &file : files) {
    const std::vector<std::string_view> lines = lines_of(file.text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string_view line = trimmed(lines[i]);
      constexpr std::string_view mark = "// rule:";
      if (!begins_with(line, mark)) continue;
      const std::string place = file.path + ":" + std::to_string(i + 1);
      std::size_t next = i + 1;
      while (next < lines.size() && begins_with(trimmed(lines[next]), "//")) ++next;
      if (next == lines.size() || trimmed(lines[next]).empty())
        faults.push_back(place + ": a rule line stands directly above its function");
      std::string rest(trimmed(line.substr(mark.size())));
      rest.resize(std::min(rest.find(" -- "), rest.size()));
      if (rest.empty()) faults.push_back(place + ": a rule line without an id");
      for (std::size_t at = 0; at < rest.size();) {
        const std::size_t end = std::min(rest.find(',', at), rest.size());
        const std::string id(trimmed(std::string_view(rest).substr(at, end - at)));
        if (!tilenest::find_rule(id)) faults.push_back(place + ": `" + id + "` is no rule id");
        ids.insert(id);
        at = end + 1;
      }
    }
  }
  return faults;
}

// A paragraph begins with its id (or ids) in bold: `**SPC-EXT**`.
Faults collect_paragraphs(const std::string &calculus, Ids &ids) {
  static const std::regex bold(R"(\*\*([A-Z][A-Z0-9]*(-[A-Z0-9]+)*)\*\*)");
  Faults faults;
  for (std::sregex_iterator it(calculus.begin(), calculus.end(), bold), end; it != end; ++it) {
    const std::string id = (*it)[1];
    if (!tilenest::find_rule(id)) faults.push_back("docs/calculus.md: `" + id + "` is no rule id");
    if (!ids.insert(id).second) faults.push_back("docs/calculus.md: " + id + " has two paragraphs");
  }
  return faults;
}

// A tag in a string of a test's code. What is in brackets and no rule id is some other tag.
void collect_tests(const std::vector<SourceText> &files, Ids &ids) {
  static const std::regex tag(R"(\[([A-Z][A-Z0-9-]*)\])");
  static const std::regex text(R"re("(\\.|[^"\\\n])*")re");
  for (const SourceText &file : files) {
    const std::string code = without_comments(file.text);
    if (code.find("TEST_CASE") == std::string::npos) continue;
    for (std::sregex_iterator s(code.begin(), code.end(), text), end; s != end; ++s) {
      const std::string words = s->str();
      for (std::sregex_iterator it(words.begin(), words.end(), tag); it != end; ++it)
        if (tilenest::find_rule(std::string((*it)[1]))) ids.insert((*it)[1]);
    }
  }
}

Faults coverage_faults(const Coverage &c, const std::string &pending) {
  Faults faults;
  Ids waiting;
  for (std::string_view line : lines_of(pending)) {
    const std::size_t hash = line.find('#');
    const std::string id(trimmed(line.substr(0, hash)));
    if (id.empty()) continue;
    if (!tilenest::find_rule(id)) faults.push_back("docs/pending.txt: `" + id + "` is no rule id");
    if (!waiting.insert(id).second) faults.push_back("docs/pending.txt: " + id + " stands there twice");
    if (hash == std::string_view::npos || trimmed(line.substr(hash + 1)).empty())
      faults.push_back("docs/pending.txt: " + id + " has no reason after `#`");
  }
  for (const std::string &id : rule_ids()) {
    const bool function = c.functions.count(id) != 0, breaks = c.breaks.count(id) != 0,
               paragraph = c.paragraphs.count(id) != 0, test = c.tests.count(id) != 0;
    if (waiting.count(id) != 0) {
      if (function && breaks && paragraph && test) faults.push_back(id + ": is pending and has everything; take it out");
      continue;
    }
    if (!function) faults.push_back(id + ": no function under semantics/ or interp/ has `// rule: " + id + "`");
    if (!breaks) faults.push_back(id + ": no code under semantics/ or interp/ asks whether it is broken");
    if (!paragraph) faults.push_back(id + ": no paragraph of docs/calculus.md has **" + id + "**");
    if (!test) faults.push_back(id + ": no test under tests/ has the tag [" + id + "]");
  }
  return faults;
}

} // namespace

TEST_CASE("every rule has a function, a break point, a paragraph and a test, or is pending", "[rules]") {
  Coverage c;
  const std::vector<SourceText> code = files_below({"semantics", "interp"}, {".h", ".cpp", ".def"});
  Faults faults = collect_functions(code, c.functions);
  collect_breaks(code, c.breaks);
  const Faults in_calculus = collect_paragraphs(read_file("docs/calculus.md"), c.paragraphs);
  std::vector<SourceText> tests;
  for (SourceText &file : files_below({"tests"}, {".cpp", ".h"}))
    if (!begins_with(file.path, "tests/meta/")) tests.push_back(std::move(file));
  collect_tests(tests, c.tests);
  const Faults missing = coverage_faults(c, read_file("docs/pending.txt"));
  faults.insert(faults.end(), in_calculus.begin(), in_calculus.end());
  faults.insert(faults.end(), missing.begin(), missing.end());
  INFO(listed(faults));
  CHECK(faults.empty());
}

TEST_CASE("the rule check finds what it looks for", "[rules]") {
  SECTION("functions") {
    Ids ids;
    CHECK(collect_functions({{"a.h", "  // rule: DIM-ID\nint f();\n// rule: BCAST, ATOM\n// more\nint g();\n"}}, ids)
              .empty());
    CHECK(collect_functions({{"a.h", "// rule: ATOM -- the words, and more\nint g();\n"}}, ids).empty());
    CHECK(ids == Ids{"ATOM", "BCAST", "DIM-ID"});
    CHECK(collect_functions({{"a.h", "// rule: DIM-ID\n\nint f();\n"}}, ids).size() == 1);
    CHECK(collect_functions({{"a.h", "// rule: DIM-ID\n"}}, ids).size() == 1);
    CHECK(collect_functions({{"a.h", "// rule: DIM-IDD\nint f();\n"}}, ids).size() == 1);
    CHECK(collect_functions({{"a.h", "// rule:\nint f();\n"}}, ids).size() == 1);
  }
  SECTION("break points") {
    Ids ids;
    collect_breaks({{"a.cpp", "if (rule_broken(Rule::dim_id) || tilenest::rule_broken(tilenest::Rule::bcast))\n"
                              "// rule_broken(Rule::atom)\nrule_broken(rule);"}},
                   ids);
    CHECK(ids == Ids{"BCAST", "DIM-ID"});
  }
  SECTION("paragraphs") {
    Ids ids;
    CHECK(collect_paragraphs("**DIM-ID** One.\n\n**BCAST** Two, **not** three.\n", ids).empty());
    CHECK(ids == Ids{"BCAST", "DIM-ID"});
    CHECK(collect_paragraphs("**DIM-ID** Again.", ids).size() == 1);
    CHECK(collect_paragraphs("**DIM-IDX** What.", ids).size() == 1);
  }
  SECTION("tests") {
    Ids ids;
    collect_tests({{"a.cpp", "TEST_CASE(\"x\",\n  \"[BCAST][slow][ATOM]\") {}\n// \"[DIM-ID]\"\n"},
                   {"b.cpp", "const char *no = \"[SCAN]\";\n"}},
                  ids);
    CHECK(ids == Ids{"ATOM", "BCAST"});
  }
  SECTION("pending") {
    Coverage all;
    for (const std::string &id : rule_ids()) {
      all.functions.insert(id);
      all.breaks.insert(id);
      all.paragraphs.insert(id);
      all.tests.insert(id);
    }
    CHECK(coverage_faults(all, "# nothing is pending\n").empty());
    CHECK(coverage_faults(all, "BCAST # later\n").size() == 1);
    all.functions.erase("BCAST");
    CHECK(coverage_faults(all, "").size() == 1);
    CHECK(coverage_faults(all, "BCAST # later\n").empty());
    all.functions.insert("BCAST");
    all.breaks.erase("BCAST");
    CHECK(coverage_faults(all, "").size() == 1);
    CHECK(coverage_faults(all, "BCAST # later\n").empty());
    CHECK(coverage_faults(all, "BCAST\n").size() == 1);
    CHECK(coverage_faults(all, "BCAST # later\nBCAST # later\n").size() == 1);
    CHECK(coverage_faults(all, "BCAST # later\nNOPE # later\n").size() == 1);
  }
}
