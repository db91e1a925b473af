// SPDX-License-Identifier: Apache-2.0
// The text renderer against the layout that the documentation draws.
#include "semantics/diag/codes.h"
#include "semantics/diag/render.h"
#include <algorithm>
#include <catch2/catch.hpp>

using namespace tilenest;

namespace {

std::shared_ptr<const SourceFile> file_of(std::string name, std::string text) {
  return std::make_shared<const SourceFile>(SourceFile{std::move(name), std::move(text)});
}

// A file whose lines are empty but for those given.
std::shared_ptr<const SourceFile> file_with(std::string name,
                                            std::vector<std::pair<int, std::string>> lines) {
  std::string text;
  int at = 1;
  for (const auto &[number, line] : lines) {
    for (; at < number; ++at) text += '\n';
    text += line;
  }
  return file_of(std::move(name), text + '\n');
}

// P0001: "unexpected {found}, expected {expected}".
Diagnostic unexpected(Site site = {}) {
  return Diagnostic(Code::P0001, std::move(site), {{"found", "`]`"}, {"expected", "`)`"}});
}

// The source line and the mark under it, of a one-line file.
std::string marked(const std::string &line, std::uint32_t column, std::uint32_t length,
                   std::size_t max_columns = 100) {
  const std::string out =
      render_text(unexpected({file_of("f", line), 1, column, length}), {false, max_columns});
  const std::size_t bar = out.find("  |\n");
  REQUIRE(bar != std::string::npos);
  return out.substr(bar + 4);
}

} // namespace

TEST_CASE("one site: place, source line, carets under the span") {
  const auto file = file_of("a.tile", "kernel k() {\n  x = (1]\n}\n");
  CHECK(render_text(unexpected({file, 2, 9, 1})) == "error[P0001]: unexpected `]`, expected `)`\n"
                                                    " --> a.tile:2:9\n"
                                                    "  |\n"
                                                    "2 |   x = (1]\n"
                                                    "  |         ^\n");
}

TEST_CASE("the drawing of two events: primary carets, other dashes, labels, trailing lines") {
  const auto file = file_with("race.tile", {{9, "    C((nest.gn, 0), [m, n]).store(w)"},
                                            {14, "    C((row, 0), [m, n]).store(v)"}});
  Diagnostic d(Code::T0401, {}, {{"view", "C"}}); // "`{view}` is an input and cannot be written", EFF-ORDER
  d.also({file, 14, 5, 28}, "(2) write by nest(gm=3, gn=0)");
  d.also({file, 9, 5, 32}, "(1) write by nest(gm=1, gn=0)");
  d.help = "let the store's origin depend on `nest.gm`, or declare a reduction over `gm`";
  d.replay = "tilenest run race.tile --replay=...";
  d.note("first\nsecond");
  CHECK(render_text(d) ==
        "error[T0401]: `C` is an input and cannot be written\n"
        "  --> race.tile:14:5\n"
        "   |\n"
        "14 |     C((row, 0), [m, n]).store(v)\n"
        "   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ (2) write by nest(gm=3, gn=0)\n"
        " 9 |     C((nest.gn, 0), [m, n]).store(w)\n"
        "   |     -------------------------------- (1) write by nest(gm=1, gn=0)\n"
        "   = rule: EFF-ORDER\n"
        "   = note: first\n"
        "           second\n"
        "   = help: let the store's origin depend on `nest.gm`, or declare a reduction over `gm`\n"
        "   = replay: tilenest run race.tile --replay=...\n");
}

TEST_CASE("the rule of a code stands in its own line") {
  for (std::size_t i = 0; i < code_count(); ++i) {
    const Diagnostic d(static_cast<Code>(i));
    const std::string out = render_text(d);
    INFO(d.info().code);
    CHECK(out.find(std::string(to_string(d.info().severity)) + "[" + d.info().code + "]: ") == 0);
    const std::string rule = d.info().rule;
    CHECK((out.find("\n  = rule: " + rule + "\n") != std::string::npos) == !rule.empty());
  }
}

TEST_CASE("sites of several files") {
  Diagnostic d = unexpected({file_of("a.tile", "first\n"), 1, 1, 5});
  d.also({file_of("b.tile", "x\nsecond\n"), 2, 1, 6}, "here");
  CHECK(render_text(d) == "error[P0001]: unexpected `]`, expected `)`\n"
                          " --> a.tile:1:1\n"
                          "  |\n"
                          "1 | first\n"
                          "  | ^^^^^\n"
                          " ::: b.tile:2:1\n"
                          "  |\n"
                          "2 | second\n"
                          "  | ------ here\n");
}

TEST_CASE("two sites on one line share the excerpt") {
  const auto file = file_of("a.tile", "axis m = 4, m = 5\n");
  Diagnostic d = unexpected({file, 1, 13, 1});
  d.also({file, 1, 6, 1}, "first declared here");
  CHECK(render_text(d) == "error[P0001]: unexpected `]`, expected `)`\n"
                          " --> a.tile:1:13\n"
                          "  |\n"
                          "1 | axis m = 4, m = 5\n"
                          "  |             ^\n"
                          "  |      - first declared here\n");
}

TEST_CASE("a file without text shows its name and line") {
  const auto file = file_of("kernel.cpp", "");
  Diagnostic d = unexpected();
  d.also({file, 14}, "(2) write");
  d.also({file, 9}, "(1) write");
  d.also({file_of("whole.npy", "")}, "");
  CHECK(render_text(d) == "error[P0001]: unexpected `]`, expected `)`\n"
                          " --> kernel.cpp:14 (2) write\n"
                          " ::: kernel.cpp:9 (1) write\n"
                          " ::: whole.npy\n");
}

TEST_CASE("a line that the file does not have shows its place only") {
  CHECK(render_text(unexpected({file_of("a", "one\n"), 7, 3, 1})) ==
        "error[P0001]: unexpected `]`, expected `)`\n --> a:7:3\n");
}

TEST_CASE("the end of the file can be marked") {
  CHECK(render_text(unexpected({file_of("a", "x = (\n"), 2, 1, 0})) ==
        "error[P0001]: unexpected `]`, expected `)`\n --> a:2:1\n  |\n2 |\n  | ^\n");
  CHECK(marked("x = (", 6, 0) == "1 | x = (\n  |      ^\n");
}

TEST_CASE("a known line without columns is marked whole") {
  CHECK(marked("\tv = a + b  ", 0, 0) == "1 |     v = a + b\n  |     ^^^^^^^^^\n");
}

TEST_CASE("tabs expand to stops of four columns") {
  CHECK(marked("\tx\ty", 4, 1) == "1 |     x   y\n  |         ^\n");
  CHECK(marked("ab\tcd", 3, 3) == "1 | ab  cd\n  |   ^^^^\n");
}

TEST_CASE("UTF-8 is measured in columns and counted in characters") {
  // "é" is two bytes and one column; "漢" three bytes and two columns; the combining acute takes none.
  CHECK(marked("\xC3\xA9 x", 4, 1) == "1 | \xC3\xA9 x\n  |   ^\n");
  CHECK(marked("\xE6\xBC\xA2 x", 1, 3) == "1 | \xE6\xBC\xA2 x\n  | ^^\n");
  CHECK(marked("e\xCC\x81x", 4, 1) == "1 | e\xCC\x81x\n  |  ^\n");
  const std::string out = render_text(unexpected({file_of("f", "\xC3\xA9\xE6\xBC\xA2x"), 1, 6, 1}));
  CHECK(out.find(" --> f:1:3\n") != std::string::npos);
}

TEST_CASE("what is not UTF-8, and what a terminal would obey, is replaced") {
  const std::string r = "\xEF\xBF\xBD";
  CHECK(marked("a\xFF\x80z", 4, 1) == "1 | a" + r + r + "z\n  |    ^\n");
  CHECK(marked("a\x1b[31mz", 7, 1) == "1 | a" + r + "[31mz\n  |       ^\n");
  CHECK(marked("a\xC0\x80", 1, 1) == "1 | a" + r + r + "\n  | ^\n");         // overlong
  CHECK(marked("a\xED\xA0\x80", 1, 1) == "1 | a" + r + r + r + "\n  | ^\n"); // a surrogate
  CHECK(marked("a\xE2\x80\xAE" "b", 5, 1) == "1 | a" + r + "b\n  |   ^\n"); // right-to-left override
  Diagnostic d(Code::B0001, {}, {{"what", "x\n\x1b[2Jy"}});
  CHECK(render_text(d) == "error[B0001]: internal error: x\\n\\x1b[2Jy\n");
}

TEST_CASE("carriage returns at line ends are not part of the line") {
  CHECK(render_text(unexpected({file_of("f", "one\r\ntwo\r\n"), 1, 1, 3})) ==
        "error[P0001]: unexpected `]`, expected `)`\n --> f:1:1\n  |\n1 | one\n  | ^^^\n");
}

TEST_CASE("a long line is clipped around the place") {
  // 30 columns: the span fits after a cut at the right.
  CHECK(marked(std::string(10, 'a') + "SPAN" + std::string(50, 'b'), 11, 4, 30) ==
        "1 | aaaaaaaaaaSPANbbbbbbbbbbbbb...\n  |           ^^^^\n");
  // A third of the width stays before the span; both ends are cut.
  CHECK(marked(std::string(50, 'a') + "SPAN" + std::string(50, 'b'), 51, 4, 30) ==
        "1 | ...aaaaaaaaaaSPANbbbbbbbbbb...\n  |              ^^^^\n");
  // The line's end is shown where there is room for it.
  CHECK(marked(std::string(50, 'a') + "SPAN", 51, 4, 30) == "1 | ...aaaaaaaaaaSPAN\n  |              ^^^^\n");
  // A span longer than the room ends where the text does.
  CHECK(marked(std::string(90, 'a'), 1, 90, 30) ==
        "1 | " + std::string(27, 'a') + "...\n  | " + std::string(27, '^') + "\n");
}

TEST_CASE("a line of megabytes costs no more than its window") {
  std::string line(4'000'000, 'a');
  for (std::size_t i = 0; i + 1 < line.size(); i += 2) line.replace(i, 2, "\xC3\xA9");
  line[2'000'000] = 'X';
  line[2'000'001] = 'Y';
  const std::string out = marked(line, 2'000'001, 2, 40);
  const std::size_t mark = out.find('^'), end = out.find('\n');
  REQUIRE(mark != std::string::npos);
  CHECK(out.size() < 400);
  CHECK(out.substr(0, end).find("XY") != std::string::npos);
  // Columns before X: "1 | ", three dots, 13 characters.
  CHECK(mark - (end + 1) == 4 + 3 + 13);
  CHECK(out.find("^^\n") == mark);
}

TEST_CASE("every span of every short line is marked inside what is shown") {
  const std::string pieces[] = {"a", "\t", "\xC3\xA9", "\xE6\xBC\xA2", "\xFF"};
  for (int n = 0; n < 625; ++n) {
    const std::string line = pieces[n % 5] + pieces[n / 5 % 5] + pieces[n / 25 % 5] + pieces[n / 125];
    for (std::uint32_t column = 0; column <= line.size() + 2; ++column)
      for (std::uint32_t length = 0; length <= line.size() + 2; ++length) {
        const std::string out = marked(line, column, length, 20);
        const std::size_t carets = std::count(out.begin(), out.end(), '^');
        INFO(out);
        REQUIRE(carets >= 1);
        REQUIRE(carets <= 16);
      }
  }
}

TEST_CASE("a count above one follows the message") {
  Diagnostic d = unexpected();
  d.count = 3;
  CHECK(render_text(d) == "error[P0001]: unexpected `]`, expected `)` (3 times)\n");
}

TEST_CASE("colour adds escapes and nothing else") {
  Diagnostic d = unexpected({file_of("a.tile", "x]\n"), 1, 2, 1});
  d.also({file_of("a.tile", "x]\n"), 1, 1, 1}, "here");
  d.help = "write it";
  std::string colored = render_text(d, {true, 100}), plain;
  CHECK(colored.find("\x1b[1;31merror[P0001]\x1b[0m") == 0);
  for (std::size_t i = 0; i < colored.size(); ++i) {
    if (colored[i] == '\x1b') i = colored.find('m', i);
    else plain += colored[i];
  }
  CHECK(plain == render_text(d));
}

TEST_CASE("several diagnostics stand apart by an empty line") {
  CHECK(render_text(Diagnostics{}).empty());
  CHECK(render_text(Diagnostics{unexpected(), unexpected()}) ==
        "error[P0001]: unexpected `]`, expected `)`\n\nerror[P0001]: unexpected `]`, expected `)`\n");
}
