// SPDX-License-Identifier: Apache-2.0
// Equality: renaming and moving change nothing; each other change is a difference that equality names.
#include "tests/text/round_trip.h"
#include <catch2/catch.hpp>

using namespace tilenest;

namespace {

TileProgram program(const std::string &text) {
  const ParsedFile parsed = parse_text("p.tile", text);
  INFO(text << listing(parsed.diagnostics));
  REQUIRE(parsed.kernels.size() == 1);
  return parsed.kernels[0];
}

const std::string base = R"(kernel k(A: f32[M, N], B: mut f32[M, N]) {
  axis m = 8, n = 4
  parallel p in [g = ceil_div(M, 8), h = 4] where g < 3 at block {
    x = A[(p.g * 8, p.h * 4), [m, n]]
    s = 0.0
    serial i in [4] order (a) -> (3 - a) { s = s + 1.0 }
    pipeline j in [4] with stages = 2 {
      stage "one"
      y = x
    }
    reduce r in [4] ordered_tree { s = s + 2.0 }
    T = memory f32 [m, n] in shared layout strides (4, 1)
    T((0, 0), [m, n]).store(x)
    x = T[(0, 0), [m, n]] + sum(x, n)
    if s > 1.0 { x = -x }
    B((p.g * 8, p.h * 4), [m, n]).store(x)
    assert(s > 0.0, "text")
  }
})";

std::string replaced(std::string s, const std::string &what, const std::string &with) {
  const std::size_t at = s.find(what);
  REQUIRE(at != std::string::npos);
  return s.replace(at, what.size(), with);
}

} // namespace

TEST_CASE("names and places do not matter to equality", "[text]") {
  const TileProgram a = program(base);
  std::string renamed = base;
  for (const auto &[from, to] : std::vector<std::pair<std::string, std::string>>{
           {"kernel k", "kernel other"}, {"A: f32", "First: f32"}, {"A[", "First["}, {"x = ", "value = "}})
    renamed = replaced(renamed, from, to);
  // `x` is used in many places; rename all of it by its token in context.
  renamed = base;
  for (std::size_t at = 0; (at = renamed.find("x", at)) != std::string::npos; at += 2) {
    const char before = at ? renamed[at - 1] : ' ', after = renamed[at + 1];
    auto letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
    if (!letter(before) && !letter(after)) renamed.replace(at, 1, "xx");
  }
  std::string difference;
  CHECK(equal(a, program(renamed), &difference));
  CHECK(difference == "");
  CHECK(equal(a, program(replaced(base, "axis m = 8, n = 4", "axis n = 4\n\n\n  axis m = 8, unused = 7")), &difference));
  CHECK(equal(a, program(replaced(replaced(base, "s = s + 1.0", "s += 1.0"), "where g < 3", "where g < 0x3"))));
}

TEST_CASE("every other change is a difference", "[text]") {
  const TileProgram a = program(base);
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"A: f32[M, N], B", "A: f32[N, M], B"}, {"B: mut", "B: out"}, {"axis m = 8", "axis m = 16"},
      {"h = 4]", "h = 5]"}, {"g < 3", "g <= 3"}, {"g < 3", "g < 4"}, {"at block", "at warp"}, {"at block ", ""},
      {"[4] order (a) -> (3 - a)", "[4] order (a) -> (a)"}, {"serial i in [4]", "serial i in [5]"},
      {"stages = 2", "stages = 3"}, {"\"one\"", "\"two\""}, {"ordered_tree", "fold_left"}, {"in shared", "in registers"},
      {"strides (4, 1)", "strides (5, 1)"}, {"s + 1.0", "s + 1.5"}, {"s + 2.0", "2.0 + s"}, {"sum(x, n)", "sum(x, m)"},
      {"sum(x, n)", "prod(x, n)"}, {"sum(x, n)", "sum(x, n, fold_left)"}, {"p.g * 8, p.h * 4", "p.h * 4, p.g * 8"},
      {"if s > 1.0 { x = -x }", "if s > 1.0 { } else { x = -x }"}, {"\"text\"", "\"other\""}, {"y = x", "y = x + x"},
      {"y = x", "%y = x"}, {"assert(s > 0.0, \"text\")", "assert(s > 0.0, \"text\") @anchor(p)"}};
  for (const auto &[from, to] : changes) {
    INFO(from << " -> " << to);
    std::string difference;
    CHECK_FALSE(equal(a, program(replaced(base, from, to)), &difference));
    CHECK(difference != "");
    CHECK_FALSE(equal(program(replaced(base, from, to)), a));
  }
}
