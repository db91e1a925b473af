// SPDX-License-Identifier: Apache-2.0
// Hostile text: every input ends in diagnostics of the right class, none in a crash, a hang or a cascade.
#include "tests/volume.h"
#include "semantics/diag/codes.h"
#include "tests/text/round_trip.h"
#include <catch2/catch.hpp>
#include <cmath>

using namespace tilenest;

namespace {

std::string repeated(const std::string &s, std::size_t n) {
  std::string out;
  out.reserve(s.size() * n);
  for (std::size_t i = 0; i < n; ++i) out += s;
  return out;
}
std::string kernel(const std::string &body) { return "kernel k(A: f32[M], B: out f32[M]) {\n" + body + "\n}\n"; }

// The code of the first report, "" for none.
std::string first_code(const std::string &text) {
  const ParsedFile parsed = parse_text("bad.tile", text);
  if (parsed.diagnostics.empty()) return "";
  CHECK(parsed.kernels.empty());
  return parsed.diagnostics[0].info().code;
}

} // namespace

TEST_CASE("deep nesting is a limit, not a stack", "[text]") {
  constexpr std::size_t deep = 100000;
  CHECK(first_code(kernel("x = " + repeated("(", deep))) == "L0101");
  CHECK(first_code(kernel("x = " + repeated("-", deep) + "1")) == "L0101");
  CHECK(first_code(kernel("x = " + repeated("!", deep) + "true")) == "L0101");
  CHECK(first_code(kernel("x = " + repeated("exp(", deep))) == "L0101");
  CHECK(first_code(kernel("x = " + repeated("A[", deep))) == "L0101");
  CHECK(first_code(kernel("x = " + repeated("sum(", deep))) == "L0101");
  CHECK(first_code(kernel("x = 1\ny = " + repeated("x[", deep))) == "L0101");
  CHECK(first_code(kernel(repeated("A(0).store(", deep))) == "L0101");
  CHECK(first_code(kernel("x = " + repeated("A.gather(", deep))) == "L0101");
  CHECK(first_code(kernel("x = " + repeated("A[0, [1 where ", deep))) == "L0101");
  CHECK(first_code(kernel("x = " + repeated("A[0, predicate(", deep))) == "L0101");
  CHECK(first_code(kernel("x = " + repeated("full(f32 [4], ", deep))) == "L0101");
  CHECK(first_code(kernel("x = " + repeated("insert(1, ", deep))) == "L0101");
  CHECK(first_code(kernel("x = " + repeated("map_coord(0, (a) -> (a), ", deep))) == "L0101");
  CHECK(first_code(kernel("x = " + repeated("relu(", deep))) == "L0101");
  CHECK(first_code(kernel("x = " + repeated("@relu(", deep))) == "L0101");
  CHECK(first_code(kernel("x = zeros f32 [" + repeated("(", deep))) == "L0101");
  CHECK(first_code(kernel("axis m = " + repeated("floordiv(", deep))) == "L0101");
  CHECK(first_code(kernel("axis m = " + repeated("-", deep) + "M")) == "L0101");
  CHECK(first_code(kernel("serial i in [4] order (a) -> (" + repeated("(", deep))) == "L0101");
  CHECK(first_code(kernel("serial i in [4] order (a) -> (" + repeated("a + ", deep) + "a) {}")) == "L0101");
  std::string nests;
  for (std::size_t i = 0; i < deep; ++i) nests += "parallel p" + std::to_string(i) + " in [4] {";
  CHECK(first_code(kernel(nests)) == "L0101");
  CHECK(first_code(kernel(repeated("if true {", deep))) == "L0101");
  CHECK(first_code(kernel("if true {}" + repeated(" else if true {}", deep))) == "L0101");
  CHECK(first_code(kernel(repeated("while { ", deep))) == "L0101");
  CHECK(first_code(kernel(repeated("switch 1 { case 0 {", deep))) == "L0101");
}

TEST_CASE("nesting below the limit is fine", "[text]") {
  CHECK(first_code(kernel("x = " + repeated("(", 100) + "1" + repeated(")", 100))) == "");
  CHECK(first_code(kernel(repeated("if true {\n", 200) + repeated("}\n", 200))) == "");
}

TEST_CASE("a long chain of operators is no nesting", "[text]") {
  const ParsedFile parsed = parse_text("long.tile", kernel("x = 1" + repeated(" + 1", 20000)));
  REQUIRE(parsed.diagnostics.empty());
  REQUIRE(parsed.kernels.size() == 1);
  CHECK(round_trip_fault(parsed.kernels[0]) == "");
}

TEST_CASE("spaces have a limit of dims", "[text]") {
  CHECK(first_code(kernel("x = zeros f32 [" + repeated("1, ", 10000) + "1]")) == "L0102");
  CHECK(first_code("kernel k(A: f32[" + repeated("1, ", 10000) + "1]) {}") == "L0102");
  CHECK(first_code(kernel("V = A.with_dims(" + repeated("#0, ", 10000) + "#0)")) == "L0102");
  CHECK(first_code(kernel("x = iota(#100000 = 1)")) == "L0102");
  CHECK(first_code(kernel("x = zeros f32 [" + repeated("1, ", 63) + "1]")) == "");
}

TEST_CASE("files have a limit of size, errors a limit of number", "[text]") {
  CHECK(first_code(std::string(text::max_file_bytes + 1, ' ')) == "L0103");
  CHECK(first_code(std::string(text::max_file_bytes, ' ')) == "");
  const ParsedFile many = parse_text("many.tile", kernel(repeated("x = unknown\n", 5000)));
  REQUIRE(many.diagnostics.size() == text::max_errors + 1);
  CHECK(std::string(many.diagnostics.back().info().code) == "L0104");
  const ParsedFile typed = parse_text("many.tile", kernel(repeated("y = sqrt(1)\n", 5000)));
  CHECK(typed.diagnostics.size() <= text::max_errors + 1);
}

TEST_CASE("a file has a limit of operations", "[text]" TILENEST_LONG) {
  CHECK(first_code(kernel("x = 1\n" + repeated("x = 1 + 1\n", 300000))) == "L0105");
  CHECK(first_code(kernel("x = 1" + repeated(" + 1", 600000))) == "L0105");
  std::string kernels; // each below the limit
  for (int i = 0; i < 3; ++i) kernels += "kernel k" + std::to_string(i) + "() {\n" + "y = 1" + repeated("+1", 200000) + "}\n";
  const ParsedFile parsed = parse_text("k.tile", kernels);
  REQUIRE(parsed.diagnostics.size() == 1);
  CHECK(std::string(parsed.diagnostics[0].info().code) == "L0105");
  CHECK(parsed.kernels.size() == 2);
}

TEST_CASE("what is not UTF-8 text is said to be so", "[text]") {
  const ParsedFile bad = parse_text("bad.tile", "kernel k() {\n  // \xff\n}\n");
  REQUIRE(bad.diagnostics.size() == 1);
  CHECK(std::string(bad.diagnostics[0].info().code) == "P0002");
  CHECK(bad.diagnostics[0].sites[0].site.line == 2);
  CHECK(bad.diagnostics[0].sites[0].site.column == 6);
  CHECK(first_code(std::string("kernel k() {\0}", 14)) == "P0002");
  CHECK(first_code("\xc0\x80") == "P0002");             // an overlong zero
  CHECK(first_code("\xed\xa0\x80") == "P0002");         // a surrogate
  CHECK(first_code("\xf4\x90\x80\x80") == "P0002");     // beyond Unicode
  CHECK(first_code("kernel k() {} // \xe2\x82") == "P0002"); // cut short
  CHECK(first_code("kernel k() { // \xe2\x82\xac\n}") == "");
  CHECK(first_code("kernel k\x01() {}") == "P0003");
  CHECK(first_code("kernel k\xc3\xa9() {}") == "P0003");
}

TEST_CASE("numbers are read exactly or refused", "[text]") {
  CHECK(first_code(kernel("x = 9223372036854775807")) == "");
  CHECK(first_code(kernel("x = -9223372036854775808")) == "");
  CHECK(first_code(kernel("x = 9223372036854775808")) == "P0005");
  CHECK(first_code(kernel("x = 0x8000000000000000")) == "P0005");
  CHECK(first_code(kernel("x = 1e999")) == "P0005");
  CHECK(first_code(kernel("x = 1e")) == "P0005");
  CHECK(first_code(kernel("x = 0x")) == "P0005");
  CHECK(first_code(kernel("x = 1.5abc")) == "P0005");
  CHECK(first_code(kernel("x = nan(0)")) == "P0005");
  CHECK(first_code(kernel("axis m = 99999999999999999999")) == "P0005");
  CHECK(first_code(kernel("axis m = 9223372036854775807 * M * 3")) == "P0011");
  const ParsedFile parsed = parse_text("n.tile", kernel("x = 0x1.8p3\ny = 0xff\nz = -0.0\nw = 1e-3"));
  REQUIRE(parsed.kernels.size() == 1);
  std::vector<std::variant<std::int64_t, double>> literals;
  for (const Op &op : parsed.kernels[0].ops)
    if (op.kind == OpKind::constant) literals.push_back(std::get<LiteralAttr>(op.attr).literal);
  REQUIRE(literals.size() == 4);
  CHECK(std::get<double>(literals[0]) == 12.0);
  CHECK(std::get<std::int64_t>(literals[1]) == 255);
  CHECK(std::signbit(std::get<double>(literals[2])));
  CHECK(std::get<double>(literals[3]) == 0.001);
}

TEST_CASE("broken text of every length ends", "[text]") {
  const std::string whole = read_source(std::string(TILENEST_SOURCE_DIR) + "/examples/gemm.tile")->text;
  for (std::size_t n = 0; n < whole.size(); ++n) {
    (void)parse_text("cut.tile", whole.substr(0, n));
    std::string without = whole; // and without each byte
    without.erase(n, 1);
    (void)parse_text("without.tile", without);
  }
  CHECK(first_code("") == "");
  CHECK(first_code("}") == "P0001");
  CHECK(first_code("kernel") == "P0001");
  CHECK(first_code("kernel k(") == "P0001");
  CHECK(first_code("kernel k() {") == "P0001");
  CHECK(first_code("kernel k() { x = \"") == "P0004");
}

TEST_CASE("a contract's header with an error says that and nothing about its states", "[text][RED-LAW]") {
  const char *headers[] = {"contract(a) commutative identity { give 0 } merge (x), (y) { give x + y }",
                           "contract(a) identity { give 0 }",
                           "contract(a) identity { give 0 } merge (_), (y) { give y }",
                           "contract(a) merge (x), (y) { give x + y } identity { give 0 }",
                           "contract(a) identity { } merge (x), (y) { give x + y }",
                           "contract(a",
                           "contract()",
                           "nothing(a)"};
  for (const char *header : headers) {
    const std::string text = std::string("kernel k(A: i64[4], C: mut i64[1]) {\n axis m = 4\n a = i64(0)\n reduce r in [m] with ") + header +
                             " {\n  a = a + A[r.m]\n }\n C(0).store(a)\n}\n";
    const ParsedFile file = parse_text("header.tile", text);
    INFO(text << listing(file.diagnostics));
    REQUIRE_FALSE(file.diagnostics.empty());
    CHECK(std::string(file.diagnostics[0].info().code)[0] == 'P');
    for (const Diagnostic &d : file.diagnostics) CHECK(std::string(d.info().code) != "T0307");
  }
}

TEST_CASE("a merge takes its states as operands only", "[text][RED-LAW]") {
  const ParsedFile file = parse_text("outer.tile", "kernel k(A: i64[4], C: mut i64[1]) {\n axis m = 4\n a = i64(3)\n reduce r in [m] with "
                                                   "contract(a) identity { give 1 } merge (x), (y) { give x * y * a } {\n  a = a * A[r.m]\n }\n C(0).store(a)\n}\n");
  REQUIRE(file.diagnostics.size() == 1);
  CHECK(std::string(file.diagnostics[0].info().code) == "T0307");
}
