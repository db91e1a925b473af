// SPDX-License-Identifier: Apache-2.0
// What a reader from another language writes: one report, whose help says how it is written here.
#include "semantics/diag/codes.h"
#include "semantics/diag/render.h"
#include "tests/text/round_trip.h"
#include <catch2/catch.hpp>

using namespace tilenest;

namespace {

ParsedFile body(const std::string &text) {
  return parse_text("new.tile", "kernel k(A: f32[M, N], Y: out f32[M, N]) {\n" + text + "\n}\n");
}

// One report with this code, whose help holds every part.
void one(const std::string &text, const std::string &code, const std::vector<std::string> &parts) {
  INFO(text);
  const ParsedFile parsed = body(text);
  INFO(render_text(parsed.diagnostics));
  CHECK(parsed.kernels.empty());
  REQUIRE(parsed.diagnostics.size() == 1);
  CHECK(parsed.diagnostics[0].info().code == code);
  for (const std::string &part : parts) {
    INFO(part);
    CHECK(parsed.diagnostics[0].help.find(part) != std::string::npos);
  }
}

} // namespace

TEST_CASE("a choice between values is ite", "[text][hints]") {
  one("c = true\nx = where(c, 1.0, 2.0)\ny = x + 1", "P0006", {"`ite(c, a, b)`"});
  one("c = true\nx = ternary(c, 1.0, 2.0)\ny = x + 1", "P0006", {"`ite(c, a, b)`"});
  one("c = true\nx = c ? 1.0 : 2.0\ny = x + 1", "P0003", {"`ite(c, a, b)`"});
}

TEST_CASE("a loss under another of its names", "[text][hints]") {
  one("x = l1_loss(1.0, 2.0)\ny = x + 1", "P0006", {"`mae_loss(x, y)`"});
}

TEST_CASE("what stands behind several tiles or dims is given by name", "[text][hints]") {
  const std::string x = "axis i = 4, j = 4\nx = A[(0, 0), [i, j]]\n";
  one(x + "y = concat(x, x, i)", "P0008", {"`dim` of `concat` is given by name: `dim = i`"});
  one(x + "w = A[(0, 0), [_, j]]\ny = layer_norm(x, j, w)", "P0008",
      {"`weight` of `layer_norm` is given by name: `weight = w`"});
}

TEST_CASE("misspelt and foreign words of statements", "[text][hints]") {
  one("paralel p in [4] {\n  q = 1\n}", "P0006", {"did you mean `parallel`?"});
  one("serail i in [4] {\n}", "P0006", {"did you mean `serial`?"});
  one("whlie true {\n}", "P0006", {"did you mean `while`?"});
  one("stge \"load\"", "P0006", {"did you mean `stage`?"});
  one("for p in [4] {\n  q = 1\n}", "P0006", {"`serial", "`parallel"});
  one("for (p in [4]) {\n  q = 1\n}", "P0006", {"`serial", "`parallel"});
  one("if true {\n} elif false {\n}", "P0001", {"`else if`"});
  one("p in [4] {\n}", "P0006", {});
  one("let x = 3", "P0006", {"declares a variable"});
}

TEST_CASE("an assignment to a window is a store", "[text][hints]") {
  const std::string axes = "axis i = 4, j = 4\ny = A[(0, 0), [i, j]]\n";
  one(axes + "Y[(0, 0), [i, j]] = y", "P0001", {"`Y((0, 0), [i, j]).store(y)`"});
  one(axes + "Y[(0, 0), [i, j]] = y + 1", "P0001", {"`Y((0, 0), [i, j]).store(y + 1)`"});
  one(axes + "Y[(0, 0), [i, j]] += y", "P0001", {"`Y((0, 0), [i, j]).store(Y[(0, 0), [i, j]] + y)`"});
}

TEST_CASE("operators and comments of other languages", "[text][hints]") {
  one("a = true && false", "P0001", {"`&`"});
  one("a = true || false", "P0001", {"`|`"});
  one("# it isn't: \"a \\ comment", "P0001", {"`//`"});
  one("a = 1 # a constant\n# more", "P0001", {"`//`"});
  one("parallel p in [4] {\n  if p.index = 0 {\n    g = 1\n  }\n  h = g\n}", "P0001", {"`==`"});
  one("parallel p in [4] {\n  if (p.index = 0) {\n  }\n}", "P0001", {"`==`"});
  one("while 1 = 0 {\n}", "P0001", {"`==`"});
  const ParsedFile first = parse_text("new.tile", "# don't\n# a kernel\nkernel k(A: f32[M]) {\n}\n");
  REQUIRE(first.diagnostics.size() == 1);
  CHECK(first.diagnostics[0].sites[0].site.line == 1);
  CHECK(first.diagnostics[0].help == "a comment starts with `//`");
}

TEST_CASE("element types of other languages", "[text][hints]") {
  one("x: float32 = 0.0\ny = x", "P0001", {"did you mean `f32`?"});
  one("x: double = 0.0", "P0001", {"did you mean `f64`?"});
  one("x: doubl = 0.0", "P0001", {"did you mean `f64`?"});
  one("x: int = 0", "P0001", {"did you mean `i32`?"});
  one("x = zeros uint8_t [4]", "P0001", {"did you mean `u8`?"});
  one("x: matrix = 0", "P0001", {"`bool`", "`bf16`", "`f8e5m2`"});
  one("x = 1.0\ny = f32(x)", "P0001", {"`cast(x, f32)`"});
  one("x = 1.0\ny = double(x)", "P0006", {"`cast(x, f64)`"});
}

TEST_CASE("a missing brace is reported once, with the brace that is open", "[text][hints]") {
  for (const std::string rest : {"", "kernel g(A: f32[M]) {\n}\n"}) {
    for (const std::string middle : {"  parallel p in [4] {\n    if true {\n", "  while {\n    x = 1\n", "  switch 1 {\n    case 0 {\n    }\n"}) {
      const ParsedFile parsed = parse_text("new.tile", "kernel k(A: f32[M]) {\n" + middle + rest);
      INFO(render_text(parsed.diagnostics));
      REQUIRE(parsed.diagnostics.size() == 1);
      const Diagnostic &d = parsed.diagnostics[0];
      CHECK(d.info().code == std::string("P0001"));
      REQUIRE(d.sites.size() == 2);
      CHECK(d.sites[1].site.line == (middle.find("if") == std::string::npos ? 2 : 3)); // the innermost
      CHECK(d.sites[1].label == "this `{` is open");
      CHECK(parsed.kernels.size() == (rest.empty() ? 0 : 1)); // the next kernel is read
    }
  }
}

TEST_CASE("the predicate of a window follows its last axis", "[text][hints]") {
  one("axis i = 4, j = 4\ny = A[(0, 0), [i where i < N, j]]", "P0001", {"`[i, j where i < n]`"});
  one("axis i = 4, j = 4\ny = A[(0, 0), [_ where true, j]]", "P0001", {"follows the last axis"});
}

TEST_CASE("a literal's type and a window's axes", "[text][hints][NUM-LIT]") {
  one("t = 0.0\nY(0, 0).store(t)", "T0402", {"`cast`", "`t: f32 = 0.0`"});
  one("t = 0.0\nserial i in [4] {\n  t = t + 1.0\n}\nY(0, 0).store(t)", "T0402", {"`t: f32 = 0.0`"});
  const ParsedFile other = body("x = cast(A[0, 0], f64)\nY(0, 0).store(x)");
  REQUIRE(other.diagnostics.size() == 1);
  CHECK(other.diagnostics[0].help.find("= 0.0") == std::string::npos); // no literal there
  one("axis i = 4\nx = A[(0, 0), [i]]", "T0209", {"one entry per axis", "`_`"});
}

TEST_CASE("a refused call makes no errors of what takes its result", "[text]") {
  auto codes = [](const std::string &text) {
    std::string out;
    for (const Diagnostic &d : body(text).diagnostics)
      out += std::string(out.empty() ? "" : " ") + d.info().code + "@" + std::to_string(d.sites[0].site.line);
    return out;
  };
  const std::string given = "axis i = 4, j = 4\nx = zeros f32 [i, j]\n";
  for (const std::string outer : {"relabel(BAD, [i, j])", "transpose(BAD, [j, i])", "reshape(BAD, [i, j])", "broadcast(BAD, [i, j])",
                                  "take(BAD, 0, 0)", "insert(BAD, x, (0, 0))", "insert(x, BAD, (0, 0))", "restrict(BAD, i < 3)", "sum(BAD, i)",
                                  "scan(BAD, j, add)", "mma(BAD, x, x)", "softmax(BAD, j)", "ite(BAD, x, x)", "BAD[0, 0]", "BAD + x",
                                  "full(f32 [i], BAD)", "relabel(transpose(BAD, [j, i]), [i, j])"}) {
    std::string text = outer;
    text.replace(text.find("BAD"), 3, "cumsum(x > 0, j)");
    INFO(text);
    CHECK(codes(given + "y = " + text) == "T0217@4");
  }
}

TEST_CASE("a number is no condition", "[text][NUM-LIT]") {
  one("axis i = 4\nx = zeros f32 [i]\ny = ite(1, x, x)", "T0105", {});
  one("axis i = 4\nx = zeros f32 [i]\ny = ite(0.5, x, x)", "T0105", {});
  CHECK(body("axis i = 4\nx = zeros f32 [i]\ny = ite(true, x, x)").diagnostics.empty());
}

TEST_CASE("an assignment of several values names its targets", "[text]") {
  const ParsedFile few = body("axis i = 4\na, _, %c = topk(zeros f32 [i], i, 2)");
  REQUIRE(few.diagnostics.size() == 1);
  CHECK(few.diagnostics[0].message() == "`a, _, %c = ...` takes 3 values, found 2");
}

TEST_CASE("the axes of a value that was refused are not reported, those of others are", "[text]") {
  auto codes = [](const std::string &text) {
    std::string out;
    for (const Diagnostic &d : body(text).diagnostics)
      out += std::string(out.empty() ? "" : " ") + d.info().code + "@" + std::to_string(d.sites[0].site.line);
    return out;
  };
  // `sqrt` of bools is refused; what its result's axes are is not known.
  CHECK(codes("axis i = 4\nx = sqrt(true)\naxis j = x.extent(0)\ny = zeros f32 [i, j]") == "T0102@3");
  CHECK(codes("axis i = 4\nx = sqrt(true)\naxis j = x.extent(i)") == "T0102@3");
  CHECK(codes("dims d\nx = sqrt(true)\ndims e = x.dim(1)") == "T0102@3");
  CHECK(codes("y = sqrt(true).extent(0) + 1") == "T0102@2");
  // A variable declared in a loop's body or before it is the same variable.
  CHECK(codes("x = sqrt(true)\nserial s in [4] {\n  axis j = x.extent(0)\n}") == "T0102@2");
  // A scalar that was not refused has no axis 0, whatever was refused before.
  CHECK(codes("x = sqrt(true)\ns = 1\naxis j = s.extent(0)") == "T0102@2 P0014@4");
  CHECK(codes("x = sqrt(true)\ns = 1\ndims d = s.dim(0)") == "T0102@2 P0014@4");
  CHECK(codes("x = sqrt(true)\ny = (1 + 1).extent(0)") == "T0102@2 P0014@3");
}
