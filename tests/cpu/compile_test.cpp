// SPDX-License-Identifier: Apache-2.0
// <tilenest/compile.h>: captured kernels as machine code on C++ arrays of every kind, from several threads, and what is
// refused. Expected values are those of the formula on small whole numbers.
#include "tests/cpu/compiled.h"
#include <catch2/catch.hpp>
#include <thread>
#include <tilenest/compile.h>
#include <tilenest/dsl.h>

using namespace tilenest;

namespace {

// C = 2 A + B, any shape.
TileProgram combine() {
  const auto kernel = tile_kernel("combine", [](TensorView<const f32, 2> a, TensorView<const f32, 2> b, TensorView<f32, 2> c) {
    auto gm = axis("gm", ceil_div(a.extent<0>(), 8)), gn = axis("gn", ceil_div(a.extent<1>(), 16)), m = axis("m", 8), n = axis("n", 16);
    for (auto &p : parallel(shape(gm, gn))) {
      auto at = coord(p.index(gm) * 8, p.index(gn) * 16);
      c(at, shape(m, n)).store(a[at, shape(m, n)] * 2.0f + b[at, shape(m, n)]);
    }
  });
  auto program = kernel.capture(arg("A", tensor_shape("M", "N")), arg("B", tensor_shape("M", "N")), arg("C", tensor_shape("M", "N")));
  if (!program.ok()) FAIL(render_text(program.errors()));
  return std::move(*program);
}

CompiledKernel compiled_kernel(TileProgram program, const CompileOptions &options = {}) {
  cpu_test::engine(); // the module that this build made
  auto kernel = compile(std::move(program), Target::cpu, options);
  if (!kernel.ok()) FAIL(render_text(kernel.errors()));
  return *kernel;
}

std::string codes(const Diagnostics &ds) {
  std::string out;
  for (const Diagnostic &d : ds) out += (out.empty() ? "" : " ") + std::string(d.info().code);
  return out;
}

// What Eigen's matrices offer: column-major here.
struct Matrix {
  static constexpr int RowsAtCompileTime = -1, ColsAtCompileTime = -1;
  std::vector<f32> elements;
  std::ptrdiff_t height, width;
  f32 *data() { return elements.data(); }
  std::ptrdiff_t size() const { return height * width; }
  std::ptrdiff_t rows() const { return height; }
  std::ptrdiff_t cols() const { return width; }
  std::ptrdiff_t rowStride() const { return 1; }
  std::ptrdiff_t colStride() const { return height; }
};

std::vector<f32> counted(std::size_t n, int from) {
  std::vector<f32> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<f32>(static_cast<int>(i % 101) + from);
  return out;
}

} // namespace

TEST_CASE("a compiled kernel serves every shape", "[cpu][compile]") {
  const CompiledKernel kernel = compiled_kernel(combine());
  for (auto [m, n] : {std::array{33, 70}, {1, 1}, {8, 16}, {0, 5}, {7, 0}}) {
    const auto size = static_cast<std::size_t>(m * n);
    std::vector<f32> a = counted(size, -50), b = counted(size, 3), c(size, -1);
    CHECK(codes(kernel(array(a, m, n), array(b, m, n), array(c, m, n))) == "");
    for (std::size_t i = 0; i < size; ++i) REQUIRE(c[i] == 2 * a[i] + b[i]);
  }
}

TEST_CASE("a compiled kernel takes pointers with strides and matrices of others", "[cpu][compile]") {
  const CompiledKernel kernel = compiled_kernel(combine());
  const int m = 19, n = 35;
  std::vector<f32> a = counted(2 * m * n, 0), b = counted(m * n, 7);
  Matrix c{std::vector<f32>(m * n, -1), m, n};
  // Every other element of each row of A; B upside down.
  CHECK(codes(kernel(strided_array(a.data(), {m, n}, {2 * n, 2}), strided_array(b.data() + (m - 1) * n, {m, n}, {-n, 1}), array(c))) == "");
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) REQUIRE(c.elements[static_cast<std::size_t>(j * m + i)] == 2 * a[static_cast<std::size_t>(2 * (i * n + j))] + b[static_cast<std::size_t>((m - 1 - i) * n + j)]);
}

TEST_CASE("a compiled kernel may be called by several threads, on arrays that lie differently", "[cpu][compile]") {
  const CompiledKernel kernel = compiled_kernel(combine(), {.threads = 2});
  std::vector<std::thread> callers;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&, t] {
      const int m = 40 + t, n = 50;
      std::vector<f32> a = counted(static_cast<std::size_t>(m * n), t), b = a, c(a.size());
      for (int round = 0; round < 10; ++round) {
        const bool turned = (round + t) % 2 != 0; // compiled by whoever comes first
        const Diagnostics ds = turned ? kernel(strided_array(a.data(), {n, m}, {1, n}), strided_array(b.data(), {n, m}, {1, n}), strided_array(c.data(), {n, m}, {1, n}))
                                      : kernel(array(a, m, n), array(b, m, n), array(c, m, n));
        wrong += !ds.empty();
        for (std::size_t i = 0; i < c.size(); ++i) wrong += c[i] != 3 * a[i];
        std::fill(c.begin(), c.end(), 0.0f);
      }
    });
  for (std::thread &caller : callers) caller.join();
  CHECK(wrong == 0);
}

TEST_CASE("an output that lies on an input is seen", "[cpu][compile]") {
  const CompiledKernel kernel = compiled_kernel(combine());
  std::vector<f32> a = counted(20 * 30, 1), b = counted(20 * 30, 2);
  const std::vector<f32> before = a;
  CHECK(codes(kernel(array(a, 20, 30), array(b, 20, 30), array(a, 20, 30))) == ""); // each instance reads what it overwrites, first
  for (std::size_t i = 0; i < a.size(); ++i) REQUIRE(a[i] == 2 * before[i] + b[i]);
}

TEST_CASE("what a compiled kernel refuses", "[cpu][compile]") {
  const CompiledKernel kernel = compiled_kernel(combine());
  std::vector<f32> a(12), c(12);
  const std::vector<f32> constant(12);
  std::vector<f64> wide(12);
  CHECK(codes(kernel(array(a, 3, 4), array(a, 3, 4))) == "T0711");
  CHECK(codes(kernel(array(a, 3, 4), array(a, 3, 4), array(constant, 3, 4))) == "T0710");
  CHECK(codes(kernel(array(a, 3, 4), array(wide, 3, 4), array(c, 3, 4))) == "T0901");
  CHECK(codes(kernel(array(a, 3, 4), array(a, 3, 5), array(c, 3, 4))).find("T0712") == 0);
  CHECK(codes(kernel(array(a, 3, 4), array(a, 4, 3), array(c, 3, 4))) != "");
  CHECK(c == std::vector<f32>(12));
  const auto impossible = compile(combine(), Target::cpu, {.vector_bits = 1000});
  REQUIRE_FALSE(impossible.ok());
  CHECK(codes(impossible.errors()) == "N1502");
}

TEST_CASE("a failed assertion comes back from a compiled kernel", "[cpu][compile]") {
  const auto kernel = tile_kernel("positive", [](TensorView<const f32, 1> x) {
    auto n = axis("n", x.extent<0>());
    assert_(x[coord(0), shape(n)] > 0.0f, "positive");
  });
  auto program = kernel.capture(arg("X", tensor_shape("N")));
  REQUIRE(program.ok());
  const CompiledKernel compiled = compiled_kernel(std::move(*program));
  std::vector<f32> x(10, 1.0f);
  CHECK(codes(compiled(array(x))) == "");
  x[3] = -1;
  CHECK(codes(compiled(array(x))) == "A0001");
}
