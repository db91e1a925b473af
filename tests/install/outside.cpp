// SPDX-License-Identifier: Apache-2.0
// An outside project: a kernel in C++, captured open, bound to a length and run on an array of its own.
#include <cstdio>
#include <tilenest/dsl.h>
#include <tilenest/run.h>
#include <vector>

using namespace tilenest;

int main() {
  auto kernel = tile_kernel("twice", [](TensorView<const f32, 1> A, TensorView<f32, 1> B) {
    auto gm = axis("gm", ceil_div(A.extent<0>(), 8)), m = axis("m", 8);
    for (auto &nest : parallel(shape(gm))) {
      auto origin = coord(nest.index() * 8);
      B(origin, shape(m)).store(A[origin, shape(m)] * 2.0f);
    }
  });
  Result<TileProgram> program = kernel.capture(tensor_shape("M"), tensor_shape("M"));
  if (!program.ok()) return std::puts(render_text(program.errors()).c_str()), 1;
  if (const Diagnostics d = judge(*program); has_error(d)) return std::puts(render_text(d).c_str()), 1;
  std::vector<float> a(37), b(37);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i);
  const auto bound = bind(std::make_shared<TileProgram>(std::move(*program)), {{"arg0", {37}}, {"arg1", {37}}}, {});
  if (!bound.ok()) return std::puts(render_text(bound.errors()).c_str()), 1;
  const RunResult result = run(*bound, {{a.data(), {37}, {4}}, {b.data(), {37}, {4}}});
  std::fputs(render_text(result.diagnostics).c_str(), stdout);
  for (std::size_t i = 0; i < b.size(); ++i)
    if (b[i] != static_cast<float>(2 * i)) return std::printf("b[%zu] is %g\n", i, b[i]), 1;
  std::puts("twice 0..36, as the program says");
  return has_error(result.diagnostics) ? 1 : 0;
}
