// SPDX-License-Identifier: Apache-2.0
// The C++ fragments of the language's founding document, word by word, with only what they leave to the
// application supplied (f, g, extents, load_a, ...). Each is captured, run and held against plain loops.
#include "tests/dsl/captured.h"
#include <cmath>
#include <tilenest/dsl.h>
#include <tilenest/run.h>

using namespace tilenest;

namespace {

std::vector<f32> counting(std::size_t n, double scale = 1) {
  std::vector<f32> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<f32>(scale * (static_cast<double>(i % 23) - 11));
  return v;
}

void check_clean(const RunResult &r) {
  for (const Diagnostic &d : r.diagnostics)
    if (d.info().severity == Severity::error) FAIL(listing(r.diagnostics));
}

} // namespace

TEST_CASE("seed: dimensions and spaces") {
  auto kernel = tile_kernel("dimensions", [](TensorView<const f32, 2> A, TensorView<const f32, 2> B,
                                             TensorView<f32, 2> C, TensorView<const f32, 2> x) {
    auto [m, n, reduction] = dims("m", "n", "reduction");
    auto unnamed = dim();

    auto A_mk = A.with_dims(m, reduction);
    auto B_kn = B.with_dims(reduction, n);
    auto C_mn = C.with_dims(m, n);

    auto feature = x.dim<1>(); // obtain an existing dimension by position

    // The identities are shared by the views and fresh otherwise.
    CHECK(A_mk.dim<1>() == B_kn.dim<0>());
    CHECK(A_mk.dim<0>() == C_mn.dim<0>());
    CHECK(unnamed != m);
    CHECK(feature != reduction);
    auto origin = coord(0, 0);
    auto acc = zeros<f32>(shape(axis(m, 2), axis(n, 3)));
    acc = mma(A_mk[origin, shape(2, 4)], B_kn[origin, shape(4, 3)], acc);
    C_mn(origin, shape(2, 3)).store(acc);
  });
  const TileProgram p = captured(kernel.capture(tensor_shape(2, 4), tensor_shape(4, 3), tensor_shape(2, 3), tensor_shape(5, 5)));
  auto a = counting(8), b = counting(12, 0.5), x = counting(25);
  std::vector<f32> c(6);
  check_clean(run(p, array(a, 2, 4), array(b, 4, 3), array(c, 2, 3), array(x, 5, 5)));
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) {
      double s = 0;
      for (int k = 0; k < 4; ++k) s += double(a[i * 4 + k]) * b[k * 3 + j];
      CHECK(c[i * 3 + j] == s);
    }
}

TEST_CASE("seed: a small structured-region calculus") {
  auto kernel = tile_kernel("regions", [](TensorView<f32, 3> out, TensorView<f32, 2> log) {
    auto grid_shape = shape(2);
    auto subnest_shape = shape(3);
    auto k_domain = shape(4);
    auto tail_domain = shape(5);
    auto output_shape = shape(7);
    auto reduction_domain = shape(6);
    auto contribution = [](Scalar<i64> i) { return cast<f32>(i * i); };

    for (auto &nest : parallel(grid_shape)) {
      for (auto &subnest : nest.parallel(
               subnest_shape,
               exec::warp)) {
        Scalar<i64> produced = 0, last = 0;
        for (auto &k : subnest.pipeline(k_domain, pipeline_policy{.stages = 2})) {
          k.stage("produce");
          // Producer operations.
          auto item = k.index() * 10;

          k.stage("consume");
          // Consumer operations.
          produced = produced + item;
        }

        for (auto &i : subnest.serial(tail_domain)) {
          // Strictly ordered temporal iteration.
          last = i.index() * 100 + last;
        }

        auto sum = zeros<f32>(output_shape);
        for (auto &elem_nest : subnest.reduce(reduction_domain)) {
          sum += contribution(elem_nest.index());
        }
        out(coord(nest.index(), subnest.index(), 0), shape(point, point, 7)).store(sum);
        log(coord(nest.index(), subnest.index())).store(cast<f32>(produced + last));
      }
    }
  });
  const TileProgram p = captured(kernel.capture(tensor_shape(2, 3, 7), tensor_shape(2, 3)));
  CHECK(p.levels.size() == 3);
  CHECK(p.levels[LevelId(2)].scope == "warp");
  std::vector<f32> out(42), log(6);
  check_clean(run(p, array(out, 2, 3, 7), array(log, 2, 3)));
  for (f32 v : out) CHECK(v == 0 + 1 + 4 + 9 + 16 + 25);
  for (f32 v : log) CHECK(v == 10 * (0 + 1 + 2 + 3) + 100 * (0 + 1 + 2 + 3 + 4));
}

TEST_CASE("seed: sibling scopes") {
  constexpr int programs = 5, width = 8, elements = 8, iterations = 3;
  auto kernel = tile_kernel("phases", [](TensorView<const f32, 1> x, TensorView<f32, 1> tmp, TensorView<f32, 1> y) {
    auto f = [](const auto &t) { return t * 2 + 1; };
    auto g = [](const auto &t) { return t * t; };

    for (auto &p : parallel(shape(programs))) {
        auto origin = coord(p.index() * width);
        tmp(origin, shape(elements)).store(f(x[origin, shape(elements)]));
    }
    for (auto &p : parallel(shape(programs))) {
        auto origin = coord(p.index() * width);
        y(origin, shape(elements)).store(g(tmp[origin, shape(elements)]));
    }
    for (auto &step : serial(shape(iterations))) {
        // An ordered phase may follow independent phases in the same function.
        y(step.index()).store(y(step.index()).load() + 0.5);
    }
  });
  const TileProgram p = captured(kernel.capture(tensor_shape("N"), tensor_shape("N"), tensor_shape("N")));
  const auto x = counting(programs * width, 0.25);
  std::vector<f32> tmp(x.size()), y(x.size());
  check_clean(run(p, array(x), array(tmp), array(y)));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double t = x[i] * 2.0 + 1;
    CHECK(tmp[i] == t);
    CHECK(y[i] == t * t + (i < iterations ? 0.5 : 0));
  }
}

TEST_CASE("seed: the default and the explicit coordinate map", "[CTX-MAP]") {
  auto kernel = tile_kernel("maps", [](TensorView<f32, 3> plain, TensorView<f32, 3> swizzled) {
    for (auto &parent : parallel(shape(2))) {
      auto child_shape = shape(3, 4);
      auto child_exec_layout = exec::layout([](auto p, auto i) { return coord(p[0], i[1], i[0] + 10); });

      for (auto &child : parent.parallel(child_shape)) { /* append axes */
        auto at = child.coord();
        plain(at).store(cast<f32>(at[0] * 100 + at[1] * 10 + at[2]));
      }

      for (auto &child : parent.parallel(child_shape, child_exec_layout)) {
        /* reshape, permute, or swizzle logical child coordinates */
        auto at = child.coord();
        swizzled(coord(at[0], child.index()[0], child.index()[1])).store(cast<f32>(at[0] * 1000 + at[1] * 100 + at[2]));
      }
    }
  });
  const TileProgram p = captured(kernel.capture(tensor_shape(2, 3, 4), tensor_shape(2, 3, 4)));
  std::vector<f32> plain(24), swizzled(24);
  check_clean(run(p, array(plain, 2, 3, 4), array(swizzled, 2, 3, 4)));
  for (int n = 0; n < 2; ++n)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 4; ++j) {
        CHECK(plain[n * 12 + i * 4 + j] == n * 100 + i * 10 + j);
        CHECK(swizzled[n * 12 + i * 4 + j] == n * 1000 + j * 100 + i + 10);
      }
}

TEST_CASE("seed: index and coord, an inferred leaf domain", "[CTX-INFER]") {
  auto kernel = tile_kernel("leaf", [](TensorView<f32, 2> output, TensorView<const f32, 2> input) {
    auto subnest_shape = shape(1);
    for (auto &nest : parallel(shape(1))) {
      for (auto &subnest : nest.parallel(subnest_shape)) {
        auto s = subnest.index();

        for (auto &leaf : subnest.parallel(exec::infer)) {
          auto w = leaf.index();
          auto parent = subnest.coord();
          auto full = leaf.coord();
          // full is derived from (nest.coord(), s, w).
          output(w).store(input(w).load() + cast<f32>(parent[0] + s));
          (void)full;
        }
      }
    }
  });
  const TileProgram p = captured(kernel.capture(tensor_shape("M", "N"), tensor_shape("M", "N")));
  const auto in = counting(35);
  std::vector<f32> out(35);
  check_clean(run(p, array(out, 5, 7), array(in, 5, 7)));
  CHECK(out == in);
}

TEST_CASE("seed: anchor and frontier") {
  constexpr int iterations_count = 4, extent = 3;
  auto kernel = tile_kernel("anchor", [](TensorView<const f32, 2> A, TensorView<const f32, 2> B, TensorView<f32, 3> C) {
    auto grid = shape(2);
    auto subnest_shape = shape(5);
    auto m = axis("m", extent), n = axis("n", extent), r = axis("r", 2);
    auto output_shape = shape(m, n);
    auto iterations = shape(iterations_count);
    auto policy = pipeline_policy{.stages = 2};
    auto load_a = [&](Scalar<i64> k) { return A[coord(0, k * 2), shape(m, r)]; };
    auto load_b = [&](Scalar<i64> k) { return B[coord(k * 2, 0), shape(r, n)]; };

    for (auto &nest : parallel(grid)) {
        auto acc = zeros<f32>(output_shape); // anchor(acc) = nest

        for (auto &subnest : nest.parallel(subnest_shape)) {
            for (auto &k : subnest.pipeline(iterations, policy)) {
                auto a = load_a(k.index());
                auto b = load_b(k.index());

                acc = mma(a, b, acc);
                // anchor(mma) = nest, frontier(mma) = subnest
            }
        }
        C(coord(nest.index(), 0, 0), shape(point, m, n)).store(acc);
    }
  });
  auto executable = Executable::make(captured(kernel.capture(tensor_shape(3, 8), tensor_shape(8, 3), tensor_shape(2, 3, 3))));
  if (!executable) FAIL(listing(executable.errors()));
  const Op &update = first(executable->program(), OpKind::mma);
  CHECK(executable->program().levels[update.frontier].depth == 2);
  const auto a = counting(24), b = counting(24, 0.5);
  std::vector<f32> c(18);
  check_clean(run(*executable, array(a, 3, 8), array(b, 8, 3), array(c, 2, 3, 3)));
  // One logical update per nest: subnests do not multiply it.
  for (int g = 0; g < 2; ++g)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        double s = 0;
        for (int k = 0; k < 8; ++k) s += double(a[i * 8 + k]) * b[k * 3 + j];
        CHECK(c[g * 9 + i * 3 + j] == s);
      }
}

TEST_CASE("seed: fine-grained leaves", "[CTX-INFER]") {
  auto kernel = tile_kernel("leaves", [](TensorView<f32, 2> output, TensorView<const f32, 2> input) {
    auto activation = [](const auto &x) { return max(x, 0) * 2; };
    for (auto &subnest : parallel(shape(1))) {
      for (auto &leaf : subnest.parallel(exec::infer)) {
          auto index = leaf.index();
          output(index).store(activation(input(index).load()));
      }
    }
  });
  const TileProgram p = captured(kernel.capture(tensor_shape("M", "N"), tensor_shape("M", "N")));
  const auto in = counting(6 * 9);
  std::vector<f32> out(in.size());
  check_clean(run(p, array(out, 6, 9), array(in, 6, 9)));
  for (std::size_t i = 0; i < in.size(); ++i) CHECK(out[i] == (in[i] > 0 ? in[i] * 2 : 0));
}
