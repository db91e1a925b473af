// SPDX-License-Identifier: Apache-2.0
// How a kernel is called from outside, its own name and those of its arguments and extents, stays what it is in print,
// also where an argument is called like a function; `@` gets at the function then.
#include "semantics/text/printer.h"
#include "tests/text/round_trip.h"
#include <catch2/catch.hpp>

using namespace tilenest;

namespace {

TileProgram one(const std::string &text) {
  ParsedFile f = parse_text("k.tile", text);
  INFO(text << listing(f.diagnostics));
  REQUIRE(f.kernels.size() == 1);
  return std::move(f.kernels[0]);
}

// Prints and parses back equal, print of print is print; the first line of it.
std::string header(const std::string &text) {
  const TileProgram p = one(text);
  CHECK(round_trip_fault(p) == "");
  CHECK(round_trip_fault(p, {.expand = true}) == "");
  const std::string shown = print(p);
  CHECK(print(one(shown)) == shown);
  return shown.substr(0, shown.find('\n'));
}

} // namespace

TEST_CASE("arguments, extents and kernels that are called like functions keep their names in print", "[text]") {
  CHECK(header("kernel k(exp: out f32[4], exp_1: out f32[4]) { axis a = 4\n exp(0, [a]).store(zeros f32 [a])\n exp_1(0, [a]).store(zeros f32 [a]) }") ==
        "kernel k(exp: out f32[4], exp_1: out f32[4]) {");
  CHECK(header("kernel k(C: out f32[reduce_max]) { axis a = reduce_max\n C(0, [a]).store(reduce_max(zeros f32 [a]) + zeros f32 [a]) }") ==
        "kernel k(C: out f32[reduce_max]) {");
  CHECK(header("kernel softmax(sum: f32[M], mean: out f32[extent], softmax: extent) { mean(0).store(@sum(sum[0, [M]]) / cast(softmax, f32)) }") ==
        "kernel softmax(sum: f32[M], mean: out f32[extent], softmax: extent) {");
  CHECK(header("kernel k(extent: out i64[4], M: extent) { extent(0).store(@extent(2 * M)) }") ==
        "kernel k(extent: out i64[4], M: extent) {");
}

TEST_CASE("`@` before a name means the function, also where nothing hides it", "[text]") {
  const std::string shown = print(one("kernel k(exp: f32[4], Y: out f32[4]) { Y(0, [4]).store(@exp(exp[0, [4]]) + @full(f32 [4], 1)) }"));
  CHECK(shown.find("@exp(exp[0, [4]])") != std::string::npos);
  CHECK(shown.find(" full(f32 [4]") != std::string::npos);
}

TEST_CASE("a bounds policy that an argument is called like is written with `@`", "[text]") {
  const std::string shown = print(one("kernel k(X: f32[4], Y: out f32[4], assume: extent) { axis a = 2\n Y(0, [a]).store(X[assume, [a], @assume]) }"));
  CHECK(shown.find("X[assume, [a], @assume]") != std::string::npos);
  CHECK(header("kernel k(fallback: f32[4], predicate: i64[2], Y: out f32[2]) { axis a = 2\n i = predicate[0, [a]]\n"
               " Y(0, [a]).store(fallback.gather(i, @predicate(i < 3), @fallback(-1.0))) }") ==
        "kernel k(fallback: f32[4], predicate: i64[2], Y: out f32[2]) {");
}

TEST_CASE("an argument called like a grouping or `none` does not stand in its way", "[text]") {
  CHECK(header("kernel k(none: f32[4], fold_left: out f32[4]) { axis a = 4\n x = none[0, [a]]\n fold_left(0).store(sum(x, a, fold_left))\n"
               " fold_left(0, [a]).store(sum(x, none)) }") == "kernel k(none: f32[4], fold_left: out f32[4]) {");
}

TEST_CASE("`@` that no function follows is refused", "[text]") {
  for (const char *e : {"@3", "@", "@ exp(x)", "@x", "@f32(1)"}) {
    const ParsedFile f = parse_text("k.tile", "kernel k(Y: out f32[4]) { x = f32(1)\n y = " + std::string(e) + " ; z = 1\n}");
    INFO(e);
    REQUIRE(f.diagnostics.size() == 1);
    CHECK(std::string(f.diagnostics[0].info().code) == "P0001");
    CHECK(f.diagnostics[0].sites[0].site.line == 2);
  }
}
