// SPDX-License-Identifier: Apache-2.0
// Each row of the library's table has a C++ function, and its calls capture to the program of the same call
// in text. A row that no call here names fails the test.
#include "semantics/library/function.h"
#include "semantics/program/equality.h"
#include "semantics/program/single_definition.h"
#include "semantics/text/parser.h"
#include "tests/dsl/captured.h"
#include <set>

using namespace tilenest;

namespace {

// What the calls load, in both languages: `$x` in text is IN_X here.
struct Given {
  const TensorView<const f32, 2> &X, &Z;
  const TensorView<const f32, 1> &R;
  const TensorView<const i32, 1> &L, &J;
  const TensorView<const f32, 4> &P, &F;
  const TensorView<const f32, 3> &D;
  Axis m, n, c, q;
};
#define IN_X g.X[coord(0, 0), shape(g.m, g.n)]
#define IN_Z g.Z[coord(0, 0), shape(g.m, g.n)]
#define IN_V g.X[coord(0, 0), shape(g.m, g.q)]
#define IN_ROW g.R[coord(0), shape(g.n)]
#define IN_L g.L[coord(0), shape(g.m)]
#define IN_J g.J[coord(0), shape(g.n)]
#define IN_K g.J[coord(0), shape(g.q)]
#define IN_IMAGE g.P[coord(0, 0, 0, 0), shape(1, 4, 5, 6)]
#define IN_WEIGHTS g.F[coord(0, 0, 0, 0), shape(2, 2, 2, 3)]
#define IN_FILTERS g.D[coord(0, 0, 0), shape(4, 3, 2)]
const std::pair<std::string, std::string> loads[] = {
    {"$x", "X[(0, 0), [m, n]]"},
    {"$z", "Z[(0, 0), [m, n]]"},
    {"$v", "X[(0, 0), [m, q]]"},
    {"$row", "R[(0), [n]]"},
    {"$l", "L[(0), [m]]"},
    {"$j", "J[(0), [n]]"},
    {"$k", "J[(0), [q]]"},
    {"$image", "P[(0, 0, 0, 0), [1, 4, 5, 6]]"},
    {"$weights", "F[(0, 0, 0, 0), [2, 2, 2, 3]]"},
    {"$filters", "D[(0, 0, 0), [4, 3, 2]]"},
};

using Call = void (*)(const Given &);

TileProgram in_cpp(Call call) {
  const auto kernel = tile_kernel("k", [call](TensorView<const f32, 2> X, TensorView<const f32, 2> Z,
                                              TensorView<const f32, 1> R, TensorView<const i32, 1> L,
                                              TensorView<const i32, 1> J, TensorView<const f32, 4> P,
                                              TensorView<const f32, 4> F, TensorView<const f32, 3> D) {
    call({X, Z, R, L, J, P, F, D, axis("m", 4), axis("n", 6), axis("c", 5), axis("q", 3)});
  });
  return captured(kernel.capture(arg("X", tensor_shape(4, 6)), arg("Z", tensor_shape(4, 6)),
                                 arg("R", tensor_shape(6)), arg("L", tensor_shape(4)),
                                 arg("J", tensor_shape(6)), arg("P", tensor_shape(1, 4, 5, 6)),
                                 arg("F", tensor_shape(2, 2, 2, 3)), arg("D", tensor_shape(4, 3, 2))));
}

TileProgram in_text(std::string statement) {
  for (const auto &[name, load] : loads)
    for (std::size_t at; (at = statement.find(name)) != std::string::npos;)
      statement.replace(at, name.size(), load);
  ParsedFile file =
      parse_text("twin.tile", "kernel k(X: f32[4, 6], Z: f32[4, 6], R: f32[6], L: i32[4], J: i32[6], "
                              "P: f32[1, 4, 5, 6], F: f32[2, 2, 2, 3], D: f32[4, 3, 2]) {\n"
                              "  axis m = 4, n = 6, c = 5, q = 3\n  " +
                                  statement + "\n}\n");
  if (file.kernels.size() != 1) FAIL(statement + "\n" + listing(file.diagnostics));
  TileProgram p = std::move(file.kernels[0]);
  drop_single_definitions(p);
  return p;
}

struct Twin {
  const char *text;
  Call cpp;
};

#define TWIN(text, ...) {text, [](const Given &g) { (void)(__VA_ARGS__); }}

const Twin twins[] = {
    TWIN("y = relu($x)", relu(IN_X)),
    TWIN("y = relu($l)", relu(IN_L)),
    TWIN("y = sigmoid($x)", sigmoid(IN_X)),
    TWIN("y = silu($x)", silu(IN_X)),
    TWIN("y = gelu($x)", gelu(IN_X)),
    TWIN("y = gelu_tanh($x)", gelu_tanh(IN_X)),

    TWIN("y = softmax($x, n)", softmax(IN_X, g.n)),
    TWIN("y = log_softmax($x, m)", log_softmax(IN_X, g.m)),
    TWIN("y = logsumexp($x, n)", logsumexp(IN_X, g.n)),
    TWIN("y = logsumexp($x)", logsumexp(IN_X)),
    TWIN("y = mean($x, m, n)", mean(IN_X, {g.m, g.n})),
    TWIN("y = mean($x)", mean(IN_X)),
    TWIN("y = variance($x, n, correction = 1)", variance(IN_X, g.n, 1)),
    TWIN("y = layer_norm($x, n)", layer_norm(IN_X, g.n)),
    TWIN("y = layer_norm($x, n, weight = $row, bias = $row, eps = 1e-3)",
         layer_norm(IN_X, g.n, IN_ROW, IN_ROW, 1e-3)),
    TWIN("y = rms_norm($x, n)", rms_norm(IN_X, g.n)),
    TWIN("y = rms_norm($x, n, weight = $row, eps = 1e-6)", rms_norm(IN_X, g.n, IN_ROW, 1e-6)),

    TWIN("y = select($x > 2, $x, 0.5)", select(IN_X > 2, IN_X, 0.5)),
    TWIN("y = select($x > 2, 7, $z)", select(IN_X > 2, 7, IN_Z)),
    TWIN("y = one_hot($l, c)", one_hot(IN_L, g.c)),
    TWIN("y = one_hot($l, c, type = i8)", one_hot<i8>(IN_L, g.c)),
    TWIN("y = cross_entropy($x, $l, n)", cross_entropy(IN_X, IN_L, g.n)),

    TWIN("y = mse_loss($x, $z, n)", mse_loss(IN_X, IN_Z, g.n)),
    TWIN("y = mse_loss($x, $z, reduction = none)", mse_loss(IN_X, IN_Z, LossReduction::none)),
    TWIN("y = mae_loss($x, $z, m, n, reduction = sum)", mae_loss(IN_X, IN_Z, {g.m, g.n}, LossReduction::sum)),
    TWIN("y = mae_loss($x, $z)", mae_loss(IN_X, IN_Z)),
    TWIN("y = huber_loss($x, $z, 0.5, m)", huber_loss(IN_X, IN_Z, 0.5, g.m)),
    TWIN("y = huber_loss($x, $z, 2.0, reduction = sum)", huber_loss(IN_X, IN_Z, 2, LossReduction::sum)),

    TWIN("y = matmul($x, transpose($z, [n, m]))", matmul(IN_X, transpose(IN_Z, {g.n, g.m}))),
    TWIN("y = einsum(\"ij,kj->ik\", $x, $z)", einsum("ij,kj->ik", IN_X, IN_Z)),
    TWIN("y = einsum(\"ij,j\", $x, $row)", einsum("ij,j", IN_X, IN_ROW)),
    TWIN("y = einsum(\"ij->j\", $x)", einsum("ij->j", IN_X)),

    TWIN("y = argmax($x, n)", argmax(IN_X, g.n)),
    TWIN("y = argmin($l, m)", argmin(IN_L, g.m)),
    TWIN("y = sort($x, n)", sort(IN_X, g.n)),
    TWIN("y = sort($x, n, descending = true)", sort(IN_X, g.n, true)),
    TWIN("y = argsort($x, n, descending = true)", argsort(IN_X, g.n, true)),
    TWIN("y, i = topk($x, n, 2)", topk(IN_X, g.n, 2)),
    TWIN("y, i = topk($x, n, 2, descending = false)", topk(IN_X, g.n, 2, false)),

    TWIN("y = cumsum($x, n)", cumsum(IN_X, g.n)),
    TWIN("y = cumsum($x, n, exclusive = true, reverse = true)", cumsum(IN_X, g.n, true, true)),
    TWIN("y = cumprod($x, n, reverse = true)", cumprod(IN_X, g.n, false, true)),
    TWIN("y = cummin($l, m, exclusive = true)", cummin(IN_L, g.m, true)),
    TWIN("y = cummax($x, m)", cummax(IN_X, g.m)),
    TWIN("a, b = affine_scan($x, $z, n)", affine_scan(IN_X, IN_Z, g.n)),
    TWIN("a, b = affine_scan($x, $z, m, reverse = true)", affine_scan(IN_X, IN_Z, g.m, true)),

    TWIN("y = histogram($l, c)", histogram(IN_L, g.c)),
    TWIN("y = segment_reduce($x, $j, n, c)", segment_reduce(IN_X, IN_J, g.n, g.c, add)),
    TWIN("y = segment_reduce($x, $l, m, c, reducer = max)", segment_reduce(IN_X, IN_L, g.m, g.c, max)),
    TWIN("y = take_along($x, $l, n)", take_along(IN_X, IN_L, g.n)),
    TWIN("y = put_along($x, $v, $k, n)", put_along(IN_X, IN_V, IN_K, g.n)),
    TWIN("y = put_along($x, $v, $k, n, reducer = min)", put_along(IN_X, IN_V, IN_K, g.n, min)),

    TWIN("a, b, e, f = philox($l)", philox(IN_L)),
    TWIN("a, b, e, f = philox($l, key = 7, stream = 1)", philox(IN_L, 7, 1)),
    TWIN("y = uniform($l, key = 7, stream = 1)", uniform(IN_L, 7, 1)),
    TWIN("y = dropout($x, 0.25, key = 7, stream = 1, first = 2)", dropout(IN_X, 0.25, 7, 1, 2)),

    TWIN("y = quantise($x, 0.5, i8)", quantise<i8>(IN_X, 0.5)),
    TWIN("y = quantise($x, $row, u8, zero = 3.0)", quantise<u8>(IN_X, IN_ROW, 3.0)),
    TWIN("y = dequantise($l, 0.5)", dequantise(IN_L, 0.5)),
    TWIN("y = dequantise($l, 0.5, zero = 3.0, to = f64)", dequantise<f64>(IN_L, 0.5, 3.0)),

    TWIN("y = conv2d($image, $weights, groups = 2)", conv2d(IN_IMAGE, IN_WEIGHTS, 1, 0, 1, 2)),
    TWIN("y = conv2d($image, $weights, stride = 2, padding = [1, 0], dilation = [1, 2], groups = 2)",
         conv2d(IN_IMAGE, IN_WEIGHTS, 2, {1, 0}, {1, 2}, 2)),
    TWIN("y = depthwise_conv2d($image, $filters)", depthwise_conv2d(IN_IMAGE, IN_FILTERS)),
    TWIN("y = depthwise_conv2d($image, $filters, stride = [2, 1], padding = 1, dilation = 2)",
         depthwise_conv2d(IN_IMAGE, IN_FILTERS, {2, 1}, 1, 2)),
    TWIN("y = max_pool2d($image, 2)", max_pool2d(IN_IMAGE, 2)),
    TWIN("y = max_pool2d($image, [2, 3], stride = 1, padding = [1, 2])",
         max_pool2d(IN_IMAGE, {2, 3}, 1, {1, 2})),
    TWIN("y = avg_pool2d($image, [2, 3])", avg_pool2d(IN_IMAGE, {2, 3})),
    TWIN("y = avg_pool2d($image, 2, stride = [1, 2], padding = 1, count_padding = false)",
         avg_pool2d(IN_IMAGE, 2, {1, 2}, 1, false)),

    TWIN("y = flip($x, n)", flip(IN_X, g.n)),
    TWIN("y = pad($x, n, before = 1, after = 2)", pad(IN_X, g.n, 1, 2)),
    TWIN("y = pad($l, m, before = 0, after = 2, value = 9)", pad(IN_L, g.m, 0, 2, 9)),
    TWIN("y = concat($x, $z, $x, dim = m)", concat({IN_X, IN_Z, IN_X}, g.m)),
};

std::set<std::string> called(const TileProgram &p) {
  std::set<std::string> out;
  for (const LibraryCall &c : p.calls) out.insert(c.function);
  return out;
}

} // namespace

TEST_CASE("every function of the library has a C++ name that captures what its text does", "[library]") {
  std::set<std::string> seen;
  for (const Twin &twin : twins) {
    INFO(twin.text);
    const TileProgram cpp = in_cpp(twin.cpp), text = in_text(twin.text);
    std::string difference;
    CHECK(equal(cpp, text, &difference));
    CHECK(difference == "");
    REQUIRE(called(cpp).size() == 1);
    CHECK(called(cpp) == called(text));
    seen.merge(called(cpp));
  }
  const std::vector<std::string> names = library::function_names();
  CHECK(seen == std::set<std::string>(names.begin(), names.end()));
}

TEST_CASE("calls with other arguments are other programs", "[library]") {
  auto differ = [](const char *text, Call call) {
    INFO(text);
    CHECK_FALSE(equal(in_cpp(call), in_text(text)));
  };
  differ("y = relu($z)", [](const Given &g) { (void)relu(IN_X); });
  differ("y = cumsum($x, n, exclusive = true)", [](const Given &g) { (void)cumsum(IN_X, g.n); });
  differ("y = softmax($x, m)", [](const Given &g) { (void)softmax(IN_X, g.n); });
  differ("y = huber_loss($x, $z, 0.5)", [](const Given &g) { (void)huber_loss(IN_X, IN_Z, 0.25); });
  differ("y = avg_pool2d($image, 2)", [](const Given &g) { (void)avg_pool2d(IN_IMAGE, 2, 2, 0, false); });
}
