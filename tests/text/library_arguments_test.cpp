// SPDX-License-Identifier: Apache-2.0
// Reports on the arguments of calls name function and argument, also where the syntax is at fault.
#include "semantics/program/bind.h"
#include "tests/text/round_trip.h"
#include <catch2/catch.hpp>

using namespace tilenest;

namespace {

std::string told(const std::string &statement) {
  const std::string head = "kernel k(X: f32[4, 6], I: i32[4], U: u8[1], S: i8[1], W: u64[1], N: extent) {\n  axis m = 4, n = 6\n  x = X[(0, 0), [m, n]]\n"
                           "  image = zeros f32 [1, 2, 6, 6]\n  weights = zeros f32 [3, 2, 3, 3]\n";
  std::string out;
  for (const Diagnostic &d : parse_text("k.tile", head + statement + "\n}\n").diagnostics) out += std::string(d.info().code) + " " + d.message() + "\n";
  return out;
}

} // namespace

TEST_CASE("what is no argument is told with the argument that it stands for", "[text]") {
  CHECK(told("y = softmax(x, 3)") == "P0001 unexpected `3`, expected a dim as `dim` of `softmax`\n");
  CHECK(told("y = dropout(x, s)") == "P0001 unexpected `s`, expected a number as `p` of `dropout`\n");
  CHECK(told("_, y = topk(x, n, k = 1.5)") == "P0001 unexpected `1.5`, expected an extent as `k` of `topk`\n");
  CHECK(told("y = conv2d(image, weights, stride = 1.5)") == "P0001 unexpected `1.5`, expected a number as `stride` of `conv2d`\n");
  CHECK(told("v = 3; _, y = topk(x, n, k = v)") == "P0008 `v` is a variable, expected an extent parameter as `k` of `topk`\n");
  CHECK(told("y = sigmoid(X)") == "P0008 `X` is a view, expected a value as `x` of `sigmoid`\n");
  CHECK(told("y = take_along(X, cast(iota(n), i32), n)") == "P0008 `X` is a view, expected a value as `x` of `take_along`\n");
  CHECK(told("y = rms_norm(x, n, weight = I)") == "P0008 `I` is a view, expected a value as `weight` of `rms_norm`\n");
  CHECK(told("y = softmax(x, dim = x)") == "P0008 `x` is a variable, expected a dim as `dim` of `softmax`\n");
  CHECK(told("y = softmax(sum(X, n), n)") == "P0008 `X` is a view, expected a value as `x` of `sum`\n");
  CHECK(told("y = softmax(x + X, n)") == "P0008 `X` is a view, expected a value\n");
  CHECK(told("y = scan(x, n, sub)") == "P0001 unexpected `sub`, expected a reducer as `reducer` of `scan`\n");
  CHECK(told("y = scan(x, x, add)") == "P0008 `x` is a variable, expected a dim as `dim` of `scan`\n");
  CHECK(told("y = mma(x, X, x)") == "P0008 `X` is a view, expected a value as `b` of `mma`\n");
  CHECK(told("y = softmax(relu(x +), n)") == "P0001 unexpected `)`, expected an expression as `x` of `relu`\n");
}

TEST_CASE("arguments by position come first, and brackets hold two", "[text]") {
  CHECK(told("y = softmax(dim = n, x)") == "P0010 `softmax` takes arguments by position before those by name, found `x`\n");
  CHECK(told("y = softmax(x, dim = n)") == "");
  CHECK(told("y = conv2d(image, weights, stride = [1])") == "P0010 `conv2d` takes one number or two in brackets as `stride`, found one in brackets\n");
  CHECK(told("y = conv2d(image, weights, stride = [1, 2], padding = 1)") == "");
  CHECK(told("y = conv2d(image, weights, stride = N)") ==
        "T0218 `stride` of `conv2d` cannot be N: it is a number, 1 to 2^30, known when the call is captured\n");
}

TEST_CASE("an extent that 64 bits do not hold is that of the argument", "[text]") {
  CHECK(told("y = pad(x, n, 9223372036854775807, 1)") ==
        "T0218 `before` of `pad` cannot be 9223372036854775807: 64 bits do not hold the extent of the result\n");
  CHECK(told("y = pad(x, n, 1, 9223372036854775807)") ==
        "T0218 `after` of `pad` cannot be 9223372036854775807: 64 bits do not hold the extent of the result\n");
}

TEST_CASE("a fold is called by its name, and takes a dim once", "[text]") {
  CHECK(told("y = sum(x > 0, n)") == "T0102 `sum` does not take bool as `x`\n");
  CHECK(told("y = reduce_minnum(iota(n), n)") == "T0102 `reduce_minnum` does not take i64 as `x`\n");
  CHECK(told("y = sum(x, n, n)") == "T0218 `dims` of `sum` cannot be `n` twice: a dim is reduced once\n");
  CHECK(told("y = sum(x, n, m)") == "");
}

TEST_CASE("numbers are told as they are written", "[text]") {
  CHECK(told("y = layer_norm(x, n, eps = -0.0000001)") == "T0218 `eps` of `layer_norm` cannot be -1e-07: it keeps a square root from 0\n");
  CHECK(told("y = layer_norm(x, n, eps = nan)") == "T0218 `eps` of `layer_norm` cannot be nan: it keeps a square root from 0\n");
  CHECK(told("y = dropout(x, 1.5)") == "T0218 `p` of `dropout` cannot be 1.5: it is a probability, at least 0 and below 1\n");
}

TEST_CASE("a transposition names the dims that it was given", "[text]") {
  CHECK(told("axis c = 3; y = transpose(x, [n, c])") == "T0207 `transpose` takes each dim of [m=4, n=6] once, not [n, c]\n");
}

TEST_CASE("an index that is no integer is counted", "[text]") {
  CHECK(told("y = X.gather(I[0, [m]], x)") == "T0107 index 1 of `X` must be an integer, not f32 [m=4, n=6]\n");
  CHECK(told("y = I.gather(x)") == "T0107 the index of `I` must be an integer, not f32 [m=4, n=6]\n");
}

TEST_CASE("a case is a value of the selector's type", "[text]") {
  const std::string none = "T0103 literal 300 is not a value of u8\n";
  CHECK(told("switch U[0] { case 300 { } }") == none);
  CHECK(told("switch U[0] { case 255 { } }") == "");
  CHECK(told("switch U[0] { case -1 { } }") == "T0103 literal -1 is not a value of u8\n");
  CHECK(told("switch S[0] { case -128 { } case 127 { } }") == "");
  CHECK(told("switch S[0] { case -129 { } }") == "T0103 literal -129 is not a value of i8\n");
  CHECK(told("switch S[0] { case 128 { } }") == "T0103 literal 128 is not a value of i8\n");
  CHECK(told("switch W[0] { case -1 { } }") == "T0103 literal -1 is not a value of u64\n");
  CHECK(told("switch I[0] { case -2147483648 { } }") == "");
}

TEST_CASE("options that contradict or repeat each other are refused", "[text]") {
  CHECK(told("y = sum(x, none, n)") == "P0010 `sum` takes dims or `none`, found both\n");
  CHECK(told("y = sum(x, n, none)") == "P0010 `sum` takes dims or `none`, found both\n");
  CHECK(told("y = sum(x, none, none)") == "P0010 `sum` takes each option once, found `none` twice\n");
  CHECK(told("y = sum(x, n, fold_left, ordered_tree)") == "P0010 `sum` takes one policy, found `ordered_tree` beside `fold_left`\n");
  CHECK(told("y = prod(x, fold_left, fold_left)") == "P0010 `prod` takes one policy, found `fold_left` twice\n");
  CHECK(told("y = sum(x, wide_accumulation = true, wide_accumulation = false)") == "P0010 `sum` takes each option once, found `wide_accumulation` twice\n");
  CHECK(told("y = sum(x, n, fold_left, wide_accumulation = true)") == "");
  CHECK(told("y = scan(x, n, add, exclusive = true, exclusive = false)") == "P0010 `scan` takes each option once, found `exclusive` twice\n");
  CHECK(told("y = scan(x, n, add, reverse = true, reverse = true)") == "P0010 `scan` takes each option once, found `reverse` twice\n");
  CHECK(told("y = scan(x, n, add, fold_left, ordered_tree)") == "P0010 `scan` takes one policy, found `ordered_tree` beside `fold_left`\n");
  CHECK(told("y = scan(x, n, add, exclusive = true, reverse = true, fold_left)") == "");
  CHECK(told("y = mma(x, x, x, allow_contraction = true, allow_contraction = false)") == "P0010 `mma` takes each option once, found `allow_contraction` twice\n");
  CHECK(told("y = mma(x, x, x, wide_accumulation = true, wide_accumulation = true)") == "P0010 `mma` takes each option once, found `wide_accumulation` twice\n");
  CHECK(told("y = mma(x, x, x, allow_reassociation = true, allow_reassociation = true)") == "P0010 `mma` takes each option once, found `allow_reassociation` twice\n");
  CHECK(told("y = X[(0, 0), [m, n], zero, assume]") == "P0010 `X` takes one bounds policy, found `assume` beside `zero`\n");
  CHECK(told("y = X[(0, 0), predicate(true), zero]") == "P0010 `X` takes one bounds policy, found `zero` beside `predicate`\n");
  CHECK(told("y = X[(0, 0), predicate(true), predicate(false)]") == "P0010 `X` takes one bounds policy, found `predicate` twice\n");
  CHECK(told("y = X[(0, 0), fallback(1.0), fallback(2.0)]") == "P0010 `X` takes one `fallback`, found `fallback` twice\n");
  CHECK(told("y = X[(0, 0), zero, fallback(1.0)]") == "");
  CHECK(told("y = X((0, 0), fallback(1.0)).load(2.0)") == "P0010 `load` takes one fallback, found `fallback` of `X` beside its own\n");
  CHECK(told("y = X((0, 0), fallback(1.0)).load()") == "");
  CHECK(told("y = X.gather(0, 0, zero, assume)") == "P0010 `gather` takes one bounds policy, found `assume` beside `zero`\n");
}

TEST_CASE("core calls name function and argument as functions of the library do", "[text]") {
  CHECK(told("axis c = 3; y = sum(x, c)") == "T0304 dim `c`, `dims` of `sum`, is not in [m=4, n=6]\n");
  CHECK(told("axis c = 3; y = scan(x, c, add)") == "T0304 dim `c`, `dim` of `scan`, is not in [m=4, n=6]\n");
  CHECK(told("y = sum(x, true)") == "P0006 unknown name `true` as `dims` of `sum`\n");
  CHECK(told("y = sum(x, n, wide_accumulation = 1)") == "P0001 unexpected `1`, expected `true` or `false` as `wide_accumulation` of `sum`\n");
  CHECK(told("y = scan(x, n, add, reverse = n)") == "P0001 unexpected `n`, expected `true` or `false` as `reverse` of `scan`\n");
  CHECK(told("y = mma(x, x, x, allow_contraction = 0)") == "P0001 unexpected `0`, expected `true` or `false` as `allow_contraction` of `mma`\n");
  CHECK(told("y = mma(x, x, x, fused = true)") == "P0006 unknown name `fused` as an option of `mma`\n");
  CHECK(told("y = cast(X, f16)") == "P0008 `X` is a view, expected a value as `x` of `cast`\n");
  CHECK(told("y = cast(x)") == "P0010 `cast` takes `to` behind `x`, found none\n");
  CHECK(told("y = cast(x, n)") == "P0001 unexpected `n`, expected an element type as `to` of `cast`\n");
  CHECK(told("y = scan(x, n)") == "P0010 `scan` takes `reducer` behind `dim`, found none\n");
  CHECK(told("y = transpose(x)") == "P0010 `transpose` takes `dims` behind `x`, found none\n");
  CHECK(told("y = restrict(x)") == "P0010 `restrict` takes `predicate` behind `x`, found none\n");
  CHECK(told("y = insert(x, x)") == "P0010 `insert` takes `origin` behind `piece`, found none\n");
  CHECK(told("y = broadcast(x)") == "P0010 `broadcast` takes `space` behind `x`, found none\n");
  CHECK(told("y = take(x, 1.5, 0)") == "T0103 literal 1.5 is not a value of i64 as an index of `take`\n");
  CHECK(told("y = take(x, X, 0)") == "P0008 `X` is a view, expected a value as `index` of `take`\n");
  CHECK(told("y = X.gather(0, 0.5)") == "T0103 literal 0.5 is not a value of i64 as an index of `gather`\n");
  CHECK(told("y = X.gather(I, 0)") == "P0008 `I` is a view, expected a value as `index` of `gather`\n");
  CHECK(told("y = broadcast(x, [m = 4, n = 7])") == "T0215 extents of dim `n` in `broadcast` differ: 6 and 7\n");
  CHECK(told("y = relabel(x, [n, n])") == "T0203 dim `n` stands twice in one space, that of `relabel`\n");
  CHECK(told("y = zeros f32 [n, n]") == "T0203 dim `n` stands twice in one space, that of `zeros`\n");
  CHECK(told("y = full(f32 [n, n], 0)") == "T0203 dim `n` stands twice in one space, that of `full`\n");
  CHECK(told("y = X[(0, 0), [m]]") == "T0209 the window of `X` takes 2 entries, found 1\n");
  CHECK(told("y = X[(0), [m, n]]") == "T0209 `X` takes 2 coordinates, found 1\n");
  CHECK(told("y = full(f32 [m], x)") == "T0205 `full` to [m=4] loses dim `n` of its operand\n");
  CHECK(told("y = full(f32 [m], X)") == "P0008 `X` is a view, expected a value as `x` of `full`\n");
  CHECK(told("y = softmax(x, axis = n)") == "P0006 unknown name `axis` as an argument of `softmax`\n");
  CHECK(told("r, s = topk(x, n, k = true)") == "P0009 `true` is a word of the language, not a name as `k` of `topk`\n");
  CHECK(told("dims c; y = one_hot(I[0, [m]], c)") == "P0013 dim `c` has no extent here as `classes` of `one_hot`\n");
  CHECK(told("r = topk(x, n, 2)") == "P0008 `topk(x, n, 2)` is several values, expected a value\n");
  CHECK(told("serial i in [m] { sync i }") == "P0008 `i` is a region's handle, expected the handle of a parallel\n");
}

TEST_CASE("mma takes numbers", "[text]") {
  CHECK(told("dims k; b = zeros bool [m, k = 2]; c = zeros bool [k = 2, n]; y = mma(b, c, x)") == "T0102 `mma` does not take bool as `a`\n");
  CHECK(told("dims k; b = zeros f32 [m, k = 2]; c = zeros bool [k = 2, n]; y = mma(b, c, x)") == "T0102 `mma` does not take bool as `b`\n");
  CHECK(told("dims k; b = zeros bool [m, k = 2]; y = mma(zeros f32 [m, k = 2], zeros f32 [k = 2, n], zeros bool [m, n])").find("T0102 `mma` does not take bool as `acc`\n") != std::string::npos);
}

TEST_CASE("a report quotes the operand that it is about", "[text]") {
  CHECK(told("y = min(X, 1.0)") == "P0008 `X` is a view, expected a value\n");
  CHECK(told("y = X + 1") == "P0008 `X` is a view, expected a value\n");
  CHECK(told("y = 1 + X.with_dims(m, n) * 2") == "P0008 `X.with_dims(m, n)` is a view, expected a value\n");
  CHECK(told("y = (X) + 1") == "P0008 `(X)` is a view, expected a value\n");
  CHECK(told("y = ite(true, (x, x), x)") == "P0008 `(x, x)` is a tuple, expected a value\n");
  const Diagnostics d = parse_text("k.tile", "kernel k(X: f32[4]) {\n  y = min(X, 1.0)\n}\n").diagnostics;
  REQUIRE(d.size() == 1);
  CHECK(d[0].sites[0].site.column == 11);
  CHECK(d[0].sites[0].site.length == 1);
}

TEST_CASE("what binding refuses of zeros and full is called so", "[text][SPC-EXT]") {
  const auto bound = [](const std::string &statement) {
    ParsedFile file = parse_text("k.tile", "kernel k(Y: out f32[N]) {\n  axis m = N\n  " + statement + "\n}\n");
    REQUIRE(file.kernels.size() == 1);
    const auto b = tilenest::bind(std::make_shared<TileProgram>(std::move(file.kernels[0])), {}, {{"N", std::int64_t{1} << 40}});
    REQUIRE_FALSE(b.ok());
    return b.errors()[0].message();
  };
  CHECK(bound("y = zeros f32 [m]").find("the space of `zeros` has 1099511627776 elements") == 0);
  CHECK(bound("y = full(f32 [m], 1.5)").find("the space of `full` has 1099511627776 elements") == 0);
  CHECK(bound("y = broadcast(zeros f32 [j = 1], [j = 1, m])").find("the space of `broadcast` has") == 0);
}
