// SPDX-License-Identifier: Apache-2.0
// What each function of the library refuses: element types, ranks, spaces, dims, options. The report stands
// at the call and names the function and the argument. A row of the table without a case fails the test.
#include "semantics/library/function.h"
#include "tests/library/rows.h"
#include <set>

using namespace tilenest;

namespace {

struct Refusal {
  const char *code, *function, *argument, *arguments; // those of the call, as text
};

const Refusal refusals[] = {
    {"T0217", "relu", "x", "x > 0"},
    {"T0217", "sigmoid", "x", "l"},
    {"T0217", "silu", "x", "l"},
    {"T0217", "gelu", "x", "x > 0"},
    {"T0217", "gelu_tanh", "x", "l"},

    {"T0217", "softmax", "x", "l, m"},
    {"T0216", "softmax", "dim", "x, q"},
    {"T0217", "log_softmax", "x", "x > 0, n"},
    {"T0216", "log_softmax", "dim", "x, q"},
    {"T0217", "logsumexp", "x", "l"},
    {"T0216", "logsumexp", "dims", "x, m, q"},
    {"T0218", "logsumexp", "dims", "x, n, n"},
    {"T0217", "mean", "x", "l"},
    {"T0216", "mean", "dims", "x, q"},
    {"T0218", "mean", "dims", "x, n, m, n"},
    {"T0217", "variance", "x", "l"},
    {"T0216", "variance", "dims", "x, q"},
    {"T0218", "variance", "correction", "x, n, correction = -1"},
    {"T0218", "variance", "correction", "x, n, correction = 6"},
    {"T0218", "variance", "correction", "x, n, m, correction = 24"},
    {"T0218", "variance", "dims", "x, m, m"},
    {"T0217", "layer_norm", "x", "l, m"},
    {"T0216", "layer_norm", "dims", "x, q"},
    {"T0217", "layer_norm", "weight", "x, n, weight = other, bias = x"},
    {"T0217", "layer_norm", "weight", "x, n, weight = z64, bias = x"},
    {"T0217", "layer_norm", "weight", "x, n, weight = l, bias = x"},
    {"T0217", "layer_norm", "bias", "x, n, weight = x, bias = other"},
    {"T0217", "layer_norm", "weight", "x, n, weight = few, bias = x"},
    {"T0217", "layer_norm", "bias", "x, n, weight = x, bias = few"},
    {"T0218", "layer_norm", "dims", "x, n, n"},
    {"T0218", "layer_norm", "eps", "x, n, eps = -1e-5"},
    {"T0218", "layer_norm", "eps", "x, n, eps = nan"},
    {"T0217", "rms_norm", "x", "l, m"},
    {"T0216", "rms_norm", "dims", "x, q"},
    {"T0217", "rms_norm", "weight", "x, n, weight = other"},
    {"T0217", "rms_norm", "weight", "x, n, weight = few"},
    {"T0218", "rms_norm", "dims", "x, n, n"},
    {"T0218", "rms_norm", "eps", "x, n, eps = -1"},

    {"T0217", "select", "condition", "x, x, z"},
    {"T0217", "select", "condition", "l, x, z"},
    {"T0108", "select", "x", "x > 0, zeros u4 [m], zeros u4 [m]"},
    {"T0201", "select", "condition", "few > 0, x, z"},
    {"T0201", "select", "x", "x > 0, few, z"},
    {"T0201", "select", "y", "x > 0, 0.5, few"},
    {"T0103", "select", "x", "x > 0, 0.5, l"},
    {"T0103", "select", "y", "x > 0, l, 0.5"},
    {"T0218", "select", "y", "x > 0, x, cast(x, f64)"},
    {"T0217", "one_hot", "labels", "x, q"},
    {"T0218", "one_hot", "classes", "l, m"},
    {"T0218", "one_hot", "classes", "l, c = 0 - 1"},
    {"T0217", "cross_entropy", "logits", "cast(x, i32), l, n"},
    {"T0217", "cross_entropy", "labels", "x, row, n"},
    {"T0217", "cross_entropy", "labels", "x, l, m"},
    {"T0201", "cross_entropy", "labels", "x, L[(1), [m = 3]], n"},
    {"T0216", "cross_entropy", "dim", "x, l, q"},

    {"T0217", "mse_loss", "x", "l, l"},
    {"T0217", "mse_loss", "y", "x, z64"},
    {"T0217", "mse_loss", "y", "x, row"},
    {"T0217", "mse_loss", "y", "x, few"},
    {"T0218", "mse_loss", "dims", "x, z, n, n"},
    {"T0216", "mse_loss", "dims", "x, z, q"},
    {"T0218", "mse_loss", "reduction", "x, z, n, reduction = none"},
    {"T0217", "mae_loss", "x", "l, l"},
    {"T0217", "mae_loss", "y", "x, row"},
    {"T0217", "mae_loss", "y", "x, few"},
    {"T0218", "mae_loss", "dims", "x, z, m, m"},
    {"T0216", "mae_loss", "dims", "x, z, q"},
    {"T0218", "mae_loss", "reduction", "x, z, reduction = max"},
    {"T0217", "huber_loss", "x", "l, l, 1.0"},
    {"T0217", "huber_loss", "y", "x, l, 1.0"},
    {"T0217", "huber_loss", "y", "x, few, 1.0"},
    {"T0218", "huber_loss", "dims", "x, z, 1.0, n, n"},
    {"T0216", "huber_loss", "dims", "x, z, 1.0, q"},
    {"T0218", "huber_loss", "delta", "x, z, -1.0"},

    {"T0217", "matmul", "a", "x > 0, x"},
    {"T0217", "matmul", "a", "l, x"},
    {"T0217", "matmul", "b", "x, l"},
    {"T0217", "matmul", "b", "x, x"},
    {"T0217", "matmul", "b", "x, x > 0"},
    {"T0217", "matmul", "b", "zeros f32 [2, 4, 6], zeros f32 [3, 6, 4]"},
    {"T0211", "matmul", "a", "restrict(x, m < 2), transpose(x, [n, m])"},
    {"T0211", "matmul", "b", "transpose(x, [n, m]), restrict(x, m < 2)"},
    {"T0217", "einsum", "operands", "\"ij->j\", x > 0"},
    {"T0218", "einsum", "spec", "\"\", x"},
    {"T0218", "einsum", "spec", "\"ij->\\xff\", x"},
    {"T0218", "einsum", "spec", "\"ij>j\", x"},
    {"T0218", "einsum", "spec", "\"ij->j->i\", x"},
    {"T0218", "einsum", "spec", "\"i,\", row"},
    {"T0218", "einsum", "spec", "\"...j->j\", x"},
    {"T0218", "einsum", "spec", "\"ij->jz\", x"},
    {"T0218", "einsum", "spec", "\"ij->jj\", x"},
    {"T0218", "einsum", "spec", "\"ij,jk\", x"},
    {"T0218", "einsum", "spec", "\"ijk\", x"},
    {"T0218", "einsum", "spec", "\"ij,ji\", x, z"},
    {"T0218", "einsum", "spec", "\"ij,ij\", x, z64"},
    {"T0218", "einsum", "spec", "\"ij->j\", restrict(x, m < 2)"},

    {"T0217", "argmax", "x", "x > 0, n"},
    {"T0216", "argmax", "dim", "x, q"},
    {"T0211", "argmax", "x", "restrict(x, m < 2), n"},
    {"T0219", "argmax", "x", "zeros f32 [n = 0], n"},
    {"T0217", "argmin", "x", "x > 0, n"},
    {"T0216", "argmin", "dim", "x, q"},
    {"T0211", "argmin", "x", "restrict(x, m < 2), n"},
    {"T0219", "argmin", "x", "zeros i32 [n = 0], n"},
    {"T0217", "sort", "x", "x > 0, n"},
    {"T0216", "sort", "dim", "x, q"},
    {"T0211", "sort", "x", "restrict(x, m < 2), n"},
    {"T0219", "sort", "x", "zeros f32 [n = 0], n"},
    {"T0217", "argsort", "x", "x > 0, n"},
    {"T0216", "argsort", "dim", "x, q"},
    {"T0211", "argsort", "x", "restrict(x, m < 2), n"},
    {"T0219", "argsort", "x", "zeros f32 [n = 0], n"},
    {"T0217", "topk", "x", "x > 0, n, 2"},
    {"T0216", "topk", "dim", "x, q, 2"},
    {"T0218", "topk", "k", "x, n, 0"},
    {"T0218", "topk", "k", "x, n, -1"},
    {"T0211", "topk", "x", "restrict(x, m < 2), n, 2"},
    {"T0219", "topk", "x", "x, n, 7"},
    {"T0219", "topk", "x", "zeros f32 [n = 0], n, 1"},

    {"T0217", "cumsum", "x", "x > 0, n"},
    {"T0216", "cumsum", "dim", "x, q"},
    {"T0217", "cumprod", "x", "x > 0, n"},
    {"T0216", "cumprod", "dim", "x, q"},
    {"T0217", "cummin", "x", "x > 0, n"},
    {"T0216", "cummin", "dim", "x, q"},
    {"T0217", "cummax", "x", "x > 0, n"},
    {"T0216", "cummax", "dim", "x, q"},
    {"T0217", "affine_scan", "m", "x > 0, z, n"},
    {"T0217", "affine_scan", "b", "x, z > 0, n"},
    {"T0217", "affine_scan", "b", "x, z64, n"},
    {"T0217", "affine_scan", "b", "x, transpose(z, [n, m]), n"},
    {"T0217", "affine_scan", "b", "x, few, n"},
    {"T0211", "affine_scan", "m", "restrict(x, m < 2), x, n"},
    {"T0211", "affine_scan", "b", "x, restrict(x, m < 2), n"},
    {"T0216", "affine_scan", "dim", "x, z, q"},

    {"T0217", "histogram", "x", "x, q"},
    {"T0218", "histogram", "bins", "l, m"},
    {"T0218", "histogram", "bins", "l, c = 0 - 1"},
    {"T0217", "segment_reduce", "x", "x > 0, l, m, q"},
    {"T0217", "segment_reduce", "ids", "x, row, n, q"},
    {"T0217", "segment_reduce", "ids", "x, l, n, q"},
    {"T0217", "segment_reduce", "ids", "x, cast(x, i32), n, q"},
    {"T0217", "segment_reduce", "ids", "x, L[(0), [m = 3]], m, q"},
    {"T0211", "segment_reduce", "x", "restrict(x, m < 2), l, m, q"},
    {"T0216", "segment_reduce", "dim", "x, l, q, q"},
    {"T0218", "segment_reduce", "segments", "x, l, m, n"},
    {"T0218", "segment_reduce", "segments", "x, l, m, c = 0 - 1"},
    {"T0218", "segment_reduce", "reducer", "x, l, m, q, reducer = none"},
    {"T0217", "take_along", "indices", "x, row, n"},
    {"T0201", "take_along", "indices", "x, L[(0), [m = 3]], n"},
    {"T0216", "take_along", "dim", "x, l, q"},
    {"T0217", "put_along", "x", "x > 0, v, k, n"},
    {"T0217", "put_along", "values", "x, v > 0, k, n"},
    {"T0217", "put_along", "values", "x, z, k, n"},
    {"T0217", "put_along", "values", "x, cast(v, f64), k, n"},
    {"T0217", "put_along", "values", "x, X[(0, 0), [m = 3, s]], k, n"},
    {"T0217", "put_along", "values", "x, X[(0, 0), [m, s = 2]], k, n"},
    {"T0217", "put_along", "values", "x, X[(0, 0), [m, s = 2]], k, n, reducer = add"},
    {"T0217", "put_along", "indices", "x, x, L[(0), [n]], n"},
    {"T0217", "put_along", "indices", "x, x, l, n"},
    {"T0211", "put_along", "x", "restrict(x, m < 2), v, k, n"},
    {"T0211", "put_along", "values", "x, restrict(v, m < 2), k, n"},
    {"T0211", "put_along", "indices", "x, v, restrict(k, s < 1), n"},
    {"T0217", "put_along", "indices", "x, v, cast(k, f32), n"},
    {"T0217", "put_along", "indices", "x, v, cast(v, i32), n"},
    {"T0216", "put_along", "dim", "x, v, k, q"},
    {"T0218", "put_along", "reducer", "x, v, k, n, reducer = mean"},

    {"T0217", "philox", "counter", "x"},
    {"T0218", "philox", "key", "l, key = 0.5"},
    {"T0217", "philox", "stream", "l, stream = x"},
    {"T0217", "philox", "key", "l, key = L[(0), [m = 3]]"},
    {"T0217", "philox", "stream", "l, stream = L[(0), [m = 3]]"},
    {"T0103", "philox", "key", "l, key = -1"},
    {"T0217", "uniform", "counter", "x"},
    {"T0217", "uniform", "key", "l, key = x"},
    {"T0218", "uniform", "stream", "l, stream = 0.5"},
    {"T0217", "uniform", "key", "l, key = L[(0), [m = 3]]"},
    {"T0103", "uniform", "stream", "l, stream = -3"},
    {"T0217", "dropout", "x", "l, 0.5"},
    {"T0218", "dropout", "p", "x, 1.0"},
    {"T0218", "dropout", "p", "x, -0.5"},
    {"T0218", "dropout", "p", "x, nan"},
    {"T0218", "dropout", "key", "x, 0.5, key = 0.5"},
    {"T0217", "dropout", "stream", "x, 0.5, stream = x"},
    {"T0218", "dropout", "first", "x, 0.5, first = 0.5"},
    {"T0217", "dropout", "first", "x, 0.5, first = L[(0), [m = 3]]"},
    {"T0103", "dropout", "first", "x, 0.5, first = -1"},

    {"T0217", "quantise", "x", "l, 0.5, i8"},
    {"T0218", "quantise", "scale", "x, cast(row, f64), i8"},
    {"T0217", "quantise", "scale", "x, other, i8"},
    {"T0217", "quantise", "scale", "x, few, i8"},
    {"T0218", "quantise", "scale", "x, 0.0, i8"},
    {"T0218", "quantise", "scale", "x, 0, i8"},
    {"T0218", "quantise", "scale", "x, -0.5, i8"},
    {"T0218", "quantise", "scale", "x, inf, i8"},
    {"T0218", "quantise", "scale", "x, nan, f8e5m2"},
    {"T0218", "quantise", "to", "x, 0.5, f32"},
    {"T0218", "quantise", "to", "x, 0.5, bool"},
    {"T0218", "quantise", "zero", "x, 0.5, f8e5m2, zero = 1.0"},
    {"T0218", "quantise", "zero", "x, 0.5, i8, zero = 0.5"},
    {"T0218", "quantise", "zero", "x, 0.5, i8, zero = inf"},
    {"T0217", "quantise", "zero", "x, 0.5, i8, zero = l"},
    {"T0217", "quantise", "zero", "x, 0.5, i8, zero = other"},
    {"T0217", "quantise", "zero", "x, 0.5, i8, zero = few"},
    {"T0217", "dequantise", "scale", "l, l"},
    {"T0217", "dequantise", "scale", "l, other"},
    {"T0217", "dequantise", "scale", "l, R[(0), [m = 3]]"},
    {"T0218", "dequantise", "scale", "l, 0.0"},
    {"T0218", "dequantise", "scale", "l, -1"},
    {"T0217", "dequantise", "zero", "l, 0.5, zero = l"},
    {"T0217", "dequantise", "zero", "l, 0.5, zero = R[(0), [m = 3]]"},
    {"T0218", "dequantise", "to", "l, 0.5, to = i32"},

    {"T0218", "conv2d", "stride", "image, weights, stride = []"},
    {"T0218", "conv2d", "padding", "image, weights, padding = []"},
    {"T0218", "conv2d", "dilation", "image, weights, dilation = []"},
    {"T0218", "max_pool2d", "window", "image, []"},
    {"T0218", "avg_pool2d", "window", "image, []"},
    {"T0217", "conv2d", "x", "image > 0, weights"},
    {"T0217", "conv2d", "x", "x, weights"},
    {"T0217", "conv2d", "w", "image, weights > 0"},
    {"T0217", "conv2d", "w", "image, filters"},
    {"T0217", "conv2d", "w", "image, cast(weights, f64)"},
    {"T0217", "conv2d", "w", "image, weights, groups = 2"},
    {"T0218", "conv2d", "stride", "image, weights, stride = 0"},
    {"T0218", "conv2d", "stride", "image, weights, stride = [1, 0]"},
    {"T0218", "conv2d", "stride", "image, weights, stride = [1, 2, 3]"},
    {"T0218", "conv2d", "padding", "image, weights, padding = -1"},
    {"T0218", "conv2d", "dilation", "image, weights, dilation = 0"},
    {"T0218", "conv2d", "groups", "image, weights, groups = 0"},
    {"T0218", "conv2d", "groups", "image, weights, groups = 3"},
    {"T0219", "conv2d", "x", "image, F[(0, 0, 0, 0), [2, 4, 6, 3]]"},
    {"T0219", "conv2d", "w", "image, zeros f32 [2, 4, 0, 3]"},
    {"T0219", "conv2d", "w", "image, zeros f32 [2, 4, 2, 0]"},
    {"T0219", "depthwise_conv2d", "w", "image, zeros f32 [4, 0, 2]"},
    {"T0217", "depthwise_conv2d", "x", "image > 0, filters"},
    {"T0217", "depthwise_conv2d", "x", "x, filters"},
    {"T0217", "depthwise_conv2d", "w", "image, weights"},
    {"T0217", "depthwise_conv2d", "w", "image, filters > 0"},
    {"T0217", "depthwise_conv2d", "w", "image, cast(filters, f64)"},
    {"T0217", "depthwise_conv2d", "w", "image, D[(0, 0, 0), [3, 3, 2]]"},
    {"T0218", "depthwise_conv2d", "stride", "image, filters, stride = 0"},
    {"T0218", "depthwise_conv2d", "padding", "image, filters, padding = [0, -1]"},
    {"T0218", "depthwise_conv2d", "dilation", "image, filters, dilation = -1"},
    {"T0219", "depthwise_conv2d", "x", "image, filters, dilation = 3"},
    {"T0217", "max_pool2d", "x", "x > 0, 2"},
    {"T0217", "max_pool2d", "x", "row, 2"},
    {"T0218", "max_pool2d", "window", "x, 0"},
    {"T0218", "max_pool2d", "window", "x, [2, 2, 2]"},
    {"T0218", "max_pool2d", "stride", "x, 2, stride = 0"},
    {"T0218", "max_pool2d", "padding", "x, 2, padding = 2"},
    {"T0211", "max_pool2d", "x", "restrict(x, m < 2), 2"},
    {"T0219", "max_pool2d", "x", "x, [5, 1]"},
    {"T0217", "avg_pool2d", "x", "cast(x, i32), 2"},
    {"T0217", "avg_pool2d", "x", "row, 2"},
    {"T0218", "avg_pool2d", "window", "x, [0, 2]"},
    {"T0218", "avg_pool2d", "stride", "x, 2, stride = [0, 1]"},
    {"T0218", "avg_pool2d", "padding", "x, 2, padding = -1"},
    {"T0211", "avg_pool2d", "x", "restrict(x, m < 2), 2"},
    {"T0219", "avg_pool2d", "x", "x, [1, 7]"},

    {"T0217", "layer_norm", "weight", "zeros f32 [m = 1, n], n, weight = row"},
    {"T0217", "layer_norm", "bias", "few, n, bias = row"},
    {"T0217", "rms_norm", "weight", "zeros f32 [m, n = 1], n, weight = x"},
    {"T0217", "quantise", "scale", "zeros f32 [m = 1, n], row, i8"},
    {"T0217", "dequantise", "zero", "zeros i32 [m = 1], 0.5, zero = row"},
    {"T0217", "philox", "key", "l, key = k"},
    {"T0217", "uniform", "stream", "zeros i32 [m = 1], stream = l"},
    {"T0217", "dropout", "first", "x, 0.5, first = k"},
    {"T0217", "dropout", "key", "few, 0.5, key = l"},

    {"T0216", "flip", "dim", "x, q"},
    {"T0211", "flip", "x", "restrict(x, m < 2), n"},
    {"T0216", "pad", "dim", "x, q, before = 1, after = 1"},
    {"T0218", "pad", "before", "x, n, before = -1, after = 1"},
    {"T0218", "pad", "after", "x, n, before = 1, after = -1"},
    {"T0218", "pad", "value", "x, n, before = 1, after = 1, value = z"},
    {"T0218", "pad", "value", "x, n, before = 1, after = 1, value = i32(7)"},
    {"T0103", "pad", "value", "l, m, before = 1, after = 1, value = 0.5"},
    {"T0211", "pad", "x", "restrict(x, m < 2), n, before = 1, after = 1"},
    {"T0216", "concat", "dim", "x, z, dim = q"},
    {"T0217", "concat", "parts", "x, z64, dim = n"},
    {"T0217", "concat", "parts", "x, row, dim = n"},
    {"T0217", "concat", "parts", "x, v, dim = m"},
    {"T0217", "concat", "parts", "x, few, dim = n"},
    {"T0217", "concat", "parts", "x, restrict(x, m < 2), dim = n"},
};

// `arguments` are of: x, z [m, n] and z64 of f64, few [m = 3, n]; row [m] and other [q] of f32; l [m] of i32; v [m, s]
// with k [s] of i32; image [1, 4, 5, 6], weights [2, 4, 2, 3], filters [4, 3, 2].
std::string kernel(const Refusal &r) {
  const std::size_t results = library::find(r.function)->result_count();
  std::string names = "r0";
  for (std::size_t i = 1; i < results; ++i) names += ", r" + std::to_string(i);
  return "kernel k(X: f32[4, 6], R: f32[4], O: f32[8], L: i32[4], P: f32[1, 4, 5, 6], F: f32[2, 4, 2, 3], D: "
         "f32[4, 3, 2]) {\n"
         "  axis m = 4, n = 6, q = 8, s = 3\n"
         "  x = X[(0, 0), [m, n]]; z = x + 1; z64 = cast(x, f64); v = X[(0, 0), [m, s]]; few = X[(0, 0), [m = 3, n]]\n"
         "  row = R[(0), [m]]; other = O[(0), [q]]; l = L[(0), [m]]; k = L[(0), [s]]\n"
         "  image = P[(0, 0, 0, 0), [1, 4, 5, 6]]; weights = F[(0, 0, 0, 0), [2, 4, 2, 3]]; filters = D[(0, "
         "0, 0), [4, 3, 2]]\n"
         "  " +
         names + " = " + r.function + "(" + r.arguments + ")\n}";
}

TileRun run(const Refusal &r) { return run_tile(kernel(r)); }

} // namespace

TEST_CASE("every function of the library refuses with the argument's name", "[library]") {
  std::set<std::string> functions;
  for (const Refusal &r : refusals) {
    INFO(r.function << "(" << r.arguments << ")");
    functions.insert(r.function);
    CHECK(library::find(r.function)->parameter(r.argument));
    const TileRun found = run(r);
    CHECK(found.codes() == std::string(r.code) + "@6");
    INFO(found.text());
    CHECK(found.says("`" + std::string(r.function) + "`"));
    CHECK(found.says("`" + std::string(r.argument) + "`"));
  }
  const std::vector<std::string> names = library::function_names();
  CHECK(functions == std::set<std::string>(names.begin(), names.end()));
}

TEST_CASE("coordinates are integers", "[EXT-NOW]") {
  auto codes = [](const std::string &statement) {
    return run_tile("kernel k(X: mut f32[4, 6]) {\n  axis m = 4, n = 6\n  x = X[(0, 0), [m, n]]\n  f = "
                    "cast(iota(m), f32)\n  " +
                        statement + "\n}",
                    {array("X", {4, 6}, std::vector<float>(24))})
        .codes();
  };
  CHECK(codes("y = take(x, f, iota(n))") == "T0107@5");
  CHECK(codes("y = X.gather(f, iota(n))") == "T0107@5");
  CHECK(codes("X.scatter(x, f, iota(n))") == "T0107@5");
  CHECK(codes("X.scatter_add(x, f, iota(n))") == "T0107@5");
  CHECK(codes("y = X[(0.5, 0), [m, n]]") == "T0103@5"); // a literal is no i64
}
