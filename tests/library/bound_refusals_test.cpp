// SPDX-License-Identifier: Apache-2.0
// What calls are refused for once extents have numbers: binding names the function and the argument, and the same call
// with an extent that fits is bound.
#include "semantics/library/function.h"
#include "tests/library/rows.h"

using namespace tilenest;

namespace {

// Of x [m = 4, n = 6] and, with an extent parameter E in place of one of these: `arguments`. `right` and `wrong` are
// values of E.
struct BoundRefusal {
  const char *code, *function, *argument, *arguments;
  std::int64_t right, wrong;
  const char *says; // the sentence from the argument on
};

const BoundRefusal bound_refusals[] = {
    {"T0217", "layer_norm", "weight", "x, n, weight = zeros f32 [m = E]", 4, 3, "4 elements along `m` as `weight`, not one with E = 3"},
    {"T0217", "layer_norm", "weight", "zeros f32 [m = 1, n], n, weight = zeros f32 [m = E]", 1, 3, "1 elements along `m` as `weight`, not one with E = 3"},
    {"T0217", "layer_norm", "bias", "x, n, bias = zeros f32 [n = E]", 6, 5, "6 elements along `n` as `bias`, not one with E = 5"},
    {"T0217", "layer_norm", "bias", "zeros f32 [m = E, n], n, bias = zeros f32 [m = 4]", 4, 1, "E = 1 elements along `m` as `bias`, not one with 4"},
    {"T0217", "rms_norm", "weight", "x, n, weight = zeros f32 [n = E]", 1, 7, "6 elements along `n` as `weight`, not one with E = 7"},
    {"T0219", "variance", "x", "zeros f32 [m, n = E], n, correction = 2", 3, 2, "an extent of at least 3 along dim `n` of `x`, found E = 2"},
    {"T0219", "variance", "x", "zeros f32 [m, n = E], correction = 6", 2, 1, "an extent of at least 2 along dim `n` of `x`, found E = 1"},
    {"T0217", "mse_loss", "y", "x, zeros f32 [m, n = E]", 6, 5, "6 elements along `n` as `y`, not one with E = 5"},
    {"T0217", "mae_loss", "y", "x, zeros f32 [m = E, n]", 4, 1, "4 elements along `m` as `y`, not one with E = 1"},
    {"T0217", "huber_loss", "y", "x, zeros f32 [m = E, n], 1.0", 4, 8, "4 elements along `m` as `y`, not one with E = 8"},
    {"T0217", "matmul", "b", "x, zeros f32 [n = E, m]", 6, 5, "6 elements along `n` as `b`, not one with E = 5"},
    {"T0217", "matmul", "b", "zeros f32 [m, 2, 3], zeros f32 [m = E, 3, 5]", 4, 3, "4 elements along `m` as `b`, not one with E = 3"},
    {"T0217", "einsum", "operands", "\"ii\", zeros f32 [m, n = E]", 4, 3, "4 elements along `n` (operand 1) as `operands`, not one with E = 3"},
    {"T0217", "einsum", "operands", "\"ii\", zeros f32 [m, n = E]", 4, 5, "4 elements along `n` (operand 1) as `operands`, not one with E = 5"},
    {"T0217", "einsum", "operands", "\"ij,j\", x, zeros f32 [n = E]", 6, 5, "6 elements along `n` (operand 2) as `operands`, not one with E = 5"},
    {"T0218", "topk", "k", "x, n, E", 1, 0, "`k` of `topk` cannot be E = 0: it counts elements, 1 or more"},
    {"T0219", "topk", "x", "x, n, E", 6, 7, "an extent of at least `k` = E = 7 along dim `n` of `x`, found 6"},
    {"T0219", "argmax", "x", "zeros f32 [m, n = E], n", 1, 0, "an extent of at least 1 along dim `n` of `x`, found E = 0"},
    {"T0201", "select", "y", "x > 0, x, zeros f32 [m = E, n]", 4, 3, "from `condition`, `x` and `y`"},
    {"T0218", "one_hot", "classes", "l, c = E - 5", 5, 4, "`classes` of `one_hot` cannot be E - 5 = -1"},
    {"T0201", "cross_entropy", "labels", "x, zeros i32 [m = E], n", 4, 3, "from `logits` and `labels`"},
    {"T0217", "affine_scan", "b", "x, zeros f32 [m = E, n], n", 4, 3, "4 elements along `m` as `b`, not one with E = 3"},
    {"T0218", "histogram", "bins", "l, c = E - 5", 5, 4, "`bins` of `histogram` cannot be E - 5 = -1"},
    {"T0217", "segment_reduce", "ids", "x, zeros i32 [m = E], m, q", 4, 3, "4 elements along `m` as `ids`, not one with E = 3"},
    {"T0218", "segment_reduce", "segments", "x, l, m, c = E - 5", 5, 4, "`segments` of `segment_reduce` cannot be E - 5 = -1"},
    {"T0201", "take_along", "indices", "x, zeros i32 [m = E], n", 4, 3, "from `x` and `indices`"},
    {"T0217", "put_along", "values", "x, zeros f32 [m, s = 1], zeros i32 [s = E], n", 1, 2, "E = 2 elements along `s` as `values`, not one with 1"},
    {"T0217", "put_along", "values", "x, zeros f32 [m, s = 2], zeros i32 [s = E], n", 2, 1, "E = 1 elements along `s` as `values`, not one with 2"},
    {"T0217", "put_along", "values", "x, zeros f32 [m = E, s = 1], zeros i32 [s = 1], n", 4, 3, "4 elements along `m` as `values`, not one with E = 3"},
    {"T0217", "philox", "key", "l, key = zeros i32 [m = E]", 4, 3, "4 elements along `m` as `key`, not one with E = 3"},
    {"T0217", "uniform", "stream", "l, stream = zeros i32 [m = E]", 4, 3, "4 elements along `m` as `stream`, not one with E = 3"},
    {"T0217", "dropout", "first", "x, 0.5, first = zeros i32 [m = E]", 4, 3, "4 elements along `m` as `first`, not one with E = 3"},
    {"T0217", "quantise", "scale", "x, zeros f32 [m = E] + 1, i8", 4, 3, "4 elements along `m` as `scale`, not one with E = 3"},
    {"T0217", "quantise", "zero", "x, 0.5, i8, zero = zeros f32 [m = E]", 4, 3, "4 elements along `m` as `zero`, not one with E = 3"},
    {"T0217", "dequantise", "scale", "l, zeros f32 [m = E]", 4, 3, "4 elements along `m` as `scale`, not one with E = 3"},
    {"T0217", "dequantise", "zero", "l, 0.5, zero = zeros f32 [m = E]", 4, 3, "4 elements along `m` as `zero`, not one with E = 3"},
    {"T0217", "conv2d", "w", "zeros f32 [1, 4, 5, 6], zeros f32 [2, c = E, 2, 3]", 4, 5, "4 elements along `c` as `w`, not one with E = 5"},
    {"T0218", "conv2d", "groups", "zeros f32 [1, 4, 5, 6], zeros f32 [E, 2, 2, 3], groups = 2", 4, 3, "cannot be 2: it does not divide the filters of `w`"},
    {"T0218", "conv2d", "groups", "zeros f32 [1, E, 5, 6], zeros f32 [4, 2, 2, 3], groups = 2", 4, 5, "cannot be 2: it does not divide the channels of `x`"},
    {"T0219", "conv2d", "w", "zeros f32 [1, 4, 5, 6], zeros f32 [2, 4, 2, E]", 1, 0, "an extent of at least 1 along dim"},
    {"T0219", "depthwise_conv2d", "w", "zeros f32 [1, 4, 5, 6], zeros f32 [4, E, 2]", 1, 0, "an extent of at least 1 along dim"},
    {"T0219", "conv2d", "x", "zeros f32 [1, 4, 5, 6], zeros f32 [2, 4, E, 3]", 5, 6, "an extent of at least E = 6 along dim"},
    {"T0217", "depthwise_conv2d", "w", "zeros f32 [1, 4, 5, 6], zeros f32 [c = E, 3, 2]", 4, 3, "4 elements along `c` as `w`, not one with E = 3"},
    {"T0217", "depthwise_conv2d", "w", "zeros f32 [1, 4, 5, 6], zeros f32 [c = E, 3, 2]", 4, 5, "4 elements along `c` as `w`, not one with E = 5"},
    {"T0219", "max_pool2d", "x", "zeros f32 [m = E, n], 3", 3, 2, "an extent of at least 3 along dim `m` of `x`, found E = 2"},
    {"T0218", "pad", "before", "x, n, before = E - 1, after = 2", 1, 0, "`before` of `pad` cannot be E - 1 = -1"},
    {"T0218", "pad", "after", "x, n, before = 2, after = E - 1", 1, 0, "`after` of `pad` cannot be E - 1 = -1"},
    {"T0217", "concat", "parts", "x, zeros f32 [m = E, n], dim = n", 4, 3, "4 elements along `m` as `parts`, not one with E = 3"},
};

TileRun run(const BoundRefusal &r, std::int64_t extent) {
  std::string names = "r0";
  for (std::size_t i = 1; i < library::find(r.function)->result_count(); ++i) names += ", r" + std::to_string(i);
  TileRunOptions options;
  options.extents = {{"E", extent}};
  return run_tile("kernel k(X: f32[4, 6], L: i32[4], Z: out f32[E]) {\n  axis m = 4, n = 6, q = 8\n  dims s\n"
                  "  x = X[(0, 0), [m, n]]; l = L[(0), [m]]\n  " + names + " = " + r.function + "(" + r.arguments + ")\n}",
                  {array("X", {4, 6}, std::vector<float>(24)), array("L", std::vector<std::int32_t>(4))}, options);
}

} // namespace

TEST_CASE("what binding refuses of a call has the argument's name", "[library][SPC-EXT]") {
  for (const BoundRefusal &r : bound_refusals) {
    INFO(r.function << "(" << r.arguments << ")");
    CHECK(library::find(r.function)->parameter(r.argument));
    const TileRun wrong = run(r, r.wrong), right = run(r, r.right);
    CHECK(wrong.codes() == std::string(r.code) + "@5");
    INFO(wrong.text());
    CHECK(wrong.says("`" + std::string(r.function) + "`"));
    CHECK(wrong.says("`" + std::string(r.argument) + "`"));
    CHECK(wrong.says(r.says));
    INFO(right.text());
    CHECK(right.codes() == "");
  }
}
