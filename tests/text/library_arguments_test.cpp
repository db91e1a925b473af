// SPDX-License-Identifier: Apache-2.0
// Reports on the arguments of calls name function and argument, also where the syntax is at fault.
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
