// SPDX-License-Identifier: Apache-2.0
// What calls are refused for, in text: arguments that are missing, too many, twice, of an unknown name, of the wrong
// type, rank or range. Each names the function and the argument.
#include "tests/library/rows.h"

using namespace tilenest;

namespace {

TileRun refused(const std::string &statement) {
  return run_tile("kernel k(X: f32[4, 6], L: i32[4], W: f32[8]) {\n  axis m = 4, n = 6, q = 8\n  x = X[(0, 0), [m, n]]\n  l = L[(0), [m]]\n"
                  "  w = W[(0), [q]]\n  " + statement + "\n}",
                  {array("X", {4, 6}, std::vector<float>(24)), array("L", std::vector<std::int32_t>(4)), array("W", std::vector<float>(8))});
}

void check(const std::string &statement, const std::string &code, const std::string &words) {
  INFO(statement);
  const TileRun run = refused(statement);
  CHECK(run.codes().substr(0, 7) == code + "@6");
  INFO(run.text());
  CHECK(run.says(words));
}

} // namespace

TEST_CASE("arguments of a call are checked against its parameters", "[library]") {
  check("y = softmax(x)", "P0010", "found no `dim`");
  check("y = softmax(x, n, m)", "P0010", "softmax(x, dim)");
  check("y = softmax(x, n, dim = n)", "P0010", "`dim` twice");
  check("y = softmax(x, dime = n)", "P0006", "it is called as `softmax(x, dim)`");
  check("y = softmax(x, q)", "T0216", "dim `q`, `dim` of `softmax`, is not in [m=4, n=6]");
  check("y = softmax(l, m)", "T0217", "takes a tile of a float type as `x`, not i32 [m=4]");
  check("y = sort(x > 0, n)", "T0217", "takes a tile of numbers as `x`");
  check("y = one_hot(x, q)", "T0217", "takes a tile of an integer type as `labels`");
  check("y = one_hot(l, m)", "T0218", "`labels` has this dim already");
  check("y = cross_entropy(x, l, m)", "T0217", "takes a tile over [n=6] as `labels`");
  check("y = layer_norm(x, n, weight = w)", "T0217", "takes a tile over dims of `x` as `weight`");
  check("y = rms_norm(x, n, eps = -1)", "T0218", "`eps` of `rms_norm`");
  check("y = variance(x, n, correction = -1)", "T0218", "`correction` of `variance`");
  check("y = matmul(l, x)", "T0217", "takes a tile of rank 2 or more as `a`");
  check("y = matmul(x, l)", "T0217", "takes a tile of rank 2 as `b`");
  check("y = argmax(restrict(x, m < 2), n)", "T0211", "as `x`");
  check("v, i = topk(x, n, k = 7)", "T0219", "`topk` needs an extent of at least `k` = 7 along dim `n` of `x`, found 6");
  check("v, i = topk(x, n, k = 0)", "T0218", "`k` of `topk`");
}

TEST_CASE("several results need as many names", "[library]") {
  check("v = topk(x, n, k = 2)", "P0008", "several values");
  check("v, i, j = topk(x, n, k = 2)", "P0010", "3 values");
  check("v, i = softmax(x, n)", "P0010", "2 values");
  check("v, x = topk(x, n, k = 2)", "T0501", "`x` is f32 [m=4, n=6]");
  CHECK(refused("_, i = topk(x, n, k = 2)").codes() == "");
  CHECK(refused("%v, i = topk(x, n, 2, descending = false)\n  y = %v + 1").codes() == "");
}

TEST_CASE("a refusal in an expansion says in which function", "[library]") {
  const TileRun run = refused("y = select(x > 0, x, full(f32 [m = 5], 1.0))");
  CHECK(run.codes() == "T0201@6");
  CHECK(run.says("in the expansion of `select`, from `condition`, `x` and `y`\n"));
}

TEST_CASE("a refusal in an expansion says from which arguments", "[library]") {
  check("y = select(x > 0, l, 0.5)", "T0103", "in the expansion of `select`, from `y`\n");
  check("y = dropout(x, 0.5, key = -1, first = 2)", "T0103", "in the expansion of `dropout`, from `key`\n");
  check("y = take_along(x, L[(0), [m = 3]], n)", "T0201", "in the expansion of `take_along`, from `x` and `indices`\n");
  check("y = cross_entropy(x, L[(0), [m = 3]], n)", "T0201", "in the expansion of `cross_entropy`, from `logits` and `labels`\n");
  // The first line says so, too.
  check("y = pad(l, m, 1, 1, value = 0.5)", "T0103", "literal 0.5 is not a value of i32, from `value` of `pad`\n");
  check("y = take_along(x, L[(0), [m = 3]], n)", "T0201", ", from `x` and `indices` of `take_along`\n");
  // An extent is an i64.
  const TileRun run = run_tile("kernel k(X: f32[N]) {\n  axis n = N\n  y = quantise(X[(0), [n]], 0.5, i8, zero = N)\n}");
  CHECK(run.codes() == "T0101@3");
  CHECK(run.says("in the expansion of `quantise`, from `x` and `zero`\n"));
}
