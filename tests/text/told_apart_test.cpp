// SPDX-License-Identifier: Apache-2.0
// Reports that say which: spaces that differ by identity alone, members, names that were declared before, help that
// would do what it says.
#include "semantics/judge.h"
#include "semantics/program/bind.h"
#include "semantics/program/builder.h"
#include "tests/text/round_trip.h"
#include <catch2/catch.hpp>

using namespace tilenest;

namespace {

const std::string arguments = "kernel k(X: f32[4, 7], V: f32[4], Y: out f32[4, 7], Z: out f32[4]) {\n  axis m = 4, n = 7\n";

// The reports on the statements, "CODE message (help)" a line.
std::string told(const std::string &statements, const std::string &head = arguments) {
  std::string out;
  for (const Diagnostic &d : parse_text("k.tile", head + statements + "\n}\n").diagnostics)
    out += std::string(d.info().code) + " " + d.message() + (d.help.empty() ? "" : " (" + d.help + ")") + "\n";
  return out;
}

void says(const std::string &statements, const std::string &expected, const std::string &head = arguments) {
  INFO(statements);
  CHECK(told(statements, head) == (expected.empty() ? "" : expected + "\n"));
}

constexpr const char *relabel_help = " (`relabel` it: dims are identities, equal extents do not make them equal)";

} // namespace

TEST_CASE("spaces that only identities tell apart look different in a report", "[text]") {
  says("Y((0, 0), [#2 = 4, #1 = 7]).store(X[(0, 0), [4, 7]])",
       std::string("T0202 the window of `Y` needs the ordered space [#2=4, #1=7], not [4, 7]") + relabel_help);
  says("Z(0, [#1 = 4]).store(V[0, [4]])", std::string("T0202 the window of `Z` needs the ordered space [#1=4], not [4]") + relabel_help);
  says("x = X[(0, 0), [4, 7]]\n x = relabel(x, [#2, #1])",
       "T0501 `x` is f32 [4, 7], a definition of f32 [#2=4, #1=7] does not fit (a variable keeps its type and space; "
       "declare another one, or `cast`, `relabel` or `broadcast`)");
}

TEST_CASE("a dim that only has the label of another is called another", "[text]") {
  Builder b("k");
  const DimId one = b.dim("m"), two = b.dim("m");
  const ViewId x = b.argument("X", ScalarType::f32, {Extent(4)}, ArgumentAccess::in);
  const ViewId y = b.argument("Y", ScalarType::f32, {Extent(4)}, ArgumentAccess::out);
  auto access = [&](ViewId v, DimId d) {
    Access a;
    a.view = v;
    a.origin = {std::int64_t{0}};
    WindowAxis axis;
    axis.dim = d;
    axis.extent = Extent(4);
    a.window = std::vector<WindowAxis>{axis};
    return a;
  };
  b.store(access(y, two), b.load(access(x, one)));
  REQUIRE(b.diagnostics().size() == 1);
  CHECK(b.diagnostics()[0].message() ==
        "the window of `Y` needs the ordered space [m=4] with another `m`, not [m=4] with another `m`");
}

TEST_CASE("help to transpose or relabel is given where that would do", "[text]") {
  says("Y((0, 0), [m, n]).store(transpose(X[(0, 0), [m, n]], [n, m]))",
       "T0202 the window of `Y` needs the ordered space [m=4, n=7], not [n=7, m=4] (`transpose` it to the order of the target; dims are never permuted silently)");
  says("Y((0, 0), [m, n]).store(pad(X[(0, 0), [m, n]], n, 1, 1))",
       "T0202 the window of `Y` needs the ordered space [m=4, n=7], not [m=4, n=9] (the extents along `n` differ: 7 and 9)");
  says("Y((0, 0), [m, n]).store(zeros f32 [n = 9, m])", "T0202 the window of `Y` needs the ordered space [m=4, n=7], not [n=9, m=4]");
  says("Y((0, 0), [m, n]).store(zeros f32 [r = 4, s = 8])", "T0202 the window of `Y` needs the ordered space [m=4, n=7], not [r=4, s=8]");
}

TEST_CASE("a scalar for an annotated tile is reported once, with what is missing", "[text]") {
  says("x: f32 [m] = 2\n Z(0, [m]).store(x)",
       "T0501 `x` is f32 [m=4], a definition of i64 does not fit (a scalar has no dims: `full` gives all elements of a space one value)");
  says("x: f32 [m] = V[0, [m = 3]]\n Z(0, [m]).store(x)", "T0501 `x` is f32 [m=4], a definition of f32 [m=3] does not fit");
}

TEST_CASE("an extent is declared once, and not as what is an array", "[text]") {
  const std::string found = told("", "kernel k(N: extent, N: extent) {");
  CHECK(found.substr(0, 5) == "P0007");
  CHECK(std::count(found.begin(), found.end(), '\n') == 1);
  CHECK(told("", "kernel k(X: f32[N], N: extent) {") == "");
  CHECK(told("", "kernel k(N: extent, X: f32[N]) {") == "");
  CHECK(told("", "kernel k(X: f32[N], N: extent, N: extent) {") == found);
  CHECK(told("", "kernel k(N: f32[4], N: extent) {") == found);
  CHECK(told("", "kernel k(N: extent, N: f32[4]) {") == found);
}

TEST_CASE("a member that an object lacks is named with the object", "[text]") {
  says("x = X.extent(3)", "P0014 `X` has no member `extent(3)` (its space is [4, 7])");
  says("x = X.extent(m)", "P0014 `X` has no member `extent(m)` (its space is [4, 7])");
  says("x = V[0, [m]]\n y = x.extent(n)", "P0014 `x` has no member `extent(n)` (its space is [m=4])");
  const std::string help = " (`iota` gives the coordinates along a dim, `extent` how many there are)";
  says("x = X.dim(0)", "P0008 `X.dim` is a dim, expected a value" + help);
  says("x = V[0, [m]]\n y = x.dim(0)", "P0008 `x.dim` is a dim, expected a value" + help);
}

TEST_CASE("a file that ends too early is told in words that fit", "[text]") {
  for (const char *text : {"kernel k(X: f32[3]) {\n", "kernel k(X: f32[3]) {\n if true {", "kernel k(", "kernel"}) {
    const ParsedFile f = parse_text("k.tile", text);
    INFO(text);
    REQUIRE(!f.diagnostics.empty());
    CHECK(f.diagnostics[0].message().starts_with("unexpected end of file, expected "));
  }
}

TEST_CASE("what disagrees about an inferred domain is named", "[text]") {
  const std::string body = "parallel p in infer {\n x = X[p.index]\n Y(p.index).store(x)\n }";
  says(body, "T0605 the domain of `p` cannot be inferred: `Y` has extent 5 at axis 0, `X` 4 (give a domain)", "kernel k(X: f32[4, N], Y: out f32[5, N]) {\n");
  ParsedFile open = parse_text("k.tile", "kernel k(X: f32[M, N], Y: out f32[P, N]) {\n" + body + "\n}\n");
  REQUIRE(open.kernels.size() == 1);
  REQUIRE(!has_error(judge(open.kernels[0])));
  const auto bound = bind(std::make_shared<TileProgram>(std::move(open.kernels[0])), {}, {{"M", 4}, {"N", 2}, {"P", 5}});
  REQUIRE(!bound.ok());
  REQUIRE(bound.errors().size() == 1);
  CHECK(bound.errors()[0].message() ==
        "the domain of `p` cannot be inferred: `X` and `Y` differ in extent at axis 0: M = 4, P = 5");
}
