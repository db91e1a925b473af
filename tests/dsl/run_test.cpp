// SPDX-License-Identifier: Apache-2.0
// <tilenest/run.h>: C++ arrays as arguments, and what a run refuses before it starts.
#include "tests/dsl/captured.h"
#include "tests/dsl/gemm_kernel.h"
#include <tilenest/run.h>

using namespace tilenest;

namespace {

TileProgram gemm() {
  return captured(gemm_kernel().capture(arg("A", tensor_shape("M", "K")), arg("B", tensor_shape("K", "N")),
                                        arg("C", tensor_shape("M", "N"))));
}
std::string codes(const RunResult &r) {
  std::string out;
  for (const Diagnostic &d : r.diagnostics)
    if (d.info().severity == Severity::error) out += (out.empty() ? "" : " ") + std::string(d.info().code);
  return out;
}

} // namespace

TEST_CASE("one capture runs on ragged, tiny and empty arrays") {
  const auto executable = Executable::make(gemm());
  REQUIRE(executable.ok());
  for (auto [m, k, n] : {std::array{33, 17, 65}, {1, 1, 1}, {64, 32, 32}, {5, 0, 7}, {0, 3, 4}}) {
    std::vector<f32> a(m * k), b(k * n), c(m * n, -1);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<f32>(i % 7) - 3;
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<f32>(i % 5) - 2;
    const RunResult r = run(*executable, array(a, m, k), array(b, k, n), undefined(array(c, m, n)));
    CHECK(codes(r) == "");
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        double s = 0; // small integers: every order gives the same sum
        for (int x = 0; x < k; ++x) s += double(a[i * k + x]) * b[x * n + j];
        REQUIRE(c[i * n + j] == s);
      }
  }
}

TEST_CASE("arrays that do not fit are refused before the run") {
  std::vector<f32> a(6), b(6), c(4);
  const std::vector<f32> constant(4);
  std::vector<f64> wide(6);
  CHECK(codes(run(gemm(), array(a, 2, 3), array(b, 3, 2), array(constant, 2, 2))) == "T0710");
  CHECK(codes(run(gemm(), array(a, 2, 3), array(b, 3, 2))) == "T0711");
  CHECK(codes(run(gemm(), array(a, 2, 4), array(b, 4, 2), array(c, 2, 2))) == "T0712 T0712");
  CHECK(codes(run(gemm(), array(wide, 2, 3), array(b, 3, 2), array(c, 2, 2))) == "T0901");
  CHECK(codes(run(gemm(), array(a, 2, 3), array(b, 2, 3), array(c, 2, 2))) != "");
}

TEST_CASE("4-bit elements are packed", "[NUM-TYPES]") {
  const auto kernel = tile_kernel("dequantise", [](TensorView<const u4, 2> q, TensorView<f32, 2> y, TensorView<i4, 2> z) {
    auto m = axis("m", q.extent<0>()), n = axis("n", q.extent<1>());
    const auto x = q[coord(0, 0), shape(m, n)];
    y(coord(0, 0), shape(m, n)).store(cast<f32>(cast<i32>(x) - 8));
    z(coord(0, 0), shape(m, n)).store(cast_sat<i4>(x));
  });
  const TileProgram program = captured(kernel.capture(arg("Q", tensor_shape("M", "N")), arg("Y", tensor_shape("M", "N")), arg("Z", tensor_shape("M", "N"))));
  const std::vector<u8> q{0x21, 0x03, 0x98, 0x0f}; // rows 1 2 3 and 8 9 15
  std::vector<f32> y(6);
  std::vector<u8> z(4, 0xff);
  CHECK(codes(run(program, packed_array<u4>(q, 2, 3), array(y, 2, 3), packed_array<i4>(z, 2, 3))) == "");
  CHECK(y == std::vector<f32>{-7, -6, -5, 0, 1, 7});
  CHECK(z == std::vector<u8>{0x21, 0xf3, 0x77, 0xf7}); // 8, 9, 15 saturate; what pads a row stays
  CHECK(codes(run(program, packed_array<u4>(q, 2, 5), array(y, 2, 3), packed_array<i4>(z, 2, 3))) == "T0712");
  CHECK(codes(run(program, packed_array<i4>(q, 2, 3), array(y, 2, 3), packed_array<i4>(z, 2, 3))) == "T0901");
}

TEST_CASE("C++ integers of every name have their width's element type") {
  CHECK(array(static_cast<long long *>(nullptr), 0).elem == ScalarType::i64);
  CHECK(array(static_cast<unsigned char *>(nullptr), 0).elem == ScalarType::u8);
  CHECK(array(static_cast<const bf16 *>(nullptr), 0).elem == ScalarType::bf16);
  CHECK(array(static_cast<bool *>(nullptr), 0).elem == ScalarType::boolean);
  CHECK(array(static_cast<f64 *>(nullptr), 2, 3).buffer.strides == std::vector<std::int64_t>{24, 8});
}

TEST_CASE("an extent parameter that no shape gives is given by name", "[SPC-EXT]") {
  const auto kernel = tile_kernel("count", [](TensorView<i64, 1> x) {
    auto s = axis("s", extent("steps"));
    Scalar<i64> total = 0;
    for (auto &step : serial(shape(s))) total += step.index() + 1;
    x(0).store(total);
  });
  const auto executable = Executable::make(captured(kernel.capture(arg("x", tensor_shape("N")))));
  REQUIRE(executable.ok());
  std::vector<i64> x(1);
  CHECK(codes(executable->run({array(x)})) == "T1007");
  CHECK(codes(executable->run({array(x)}, {}, {{"steps", 10}})) == "");
  CHECK(x[0] == 55);
}

TEST_CASE("a null pointer holds no elements") {
  auto k = tile_kernel("copy", [](TensorView<const f32, 1> x, TensorView<f32, 1> y) { copy(x(0, shape(4)), y(0, shape(4))); });
  Result<TileProgram> p = k.capture(arg("X", tensor_shape("M")), arg("Y", tensor_shape("M")));
  REQUIRE(p.ok());
  std::vector<f32> y(4);
  const RunResult r = run(*p, array(static_cast<const f32 *>(nullptr), 4), array(y));
  REQUIRE(r.diagnostics.size() == 1);
  CHECK(std::string(r.diagnostics[0].info().code) == "T0712");
  CHECK(r.diagnostics[0].message() == "`X` needs 4 elements, the array given for it holds 0");
  std::vector<f32> none;
  CHECK(!has_error(run(*p, array(static_cast<const f32 *>(nullptr), 0), array(none)).diagnostics)); // nothing is needed
}
