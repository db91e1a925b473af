// SPDX-License-Identifier: Apache-2.0
// An outside project: a kernel in C++, captured open, run on an array of its own.
#include <cstdio>
#include <tilenest/compile.h>
#include <tilenest/dsl.h>
#include <tilenest/npy.h>
#include <tilenest/run.h>
#include <vector>

using namespace tilenest;

int main() {
  auto twice = tile_kernel("twice", [](TensorView<const f32, 1> A, TensorView<f32, 1> B) {
    auto gm = axis("gm", ceil_div(A.extent<0>(), 8)), m = axis("m", 8);
    for (auto &nest : parallel(shape(gm)))
      B(coord(nest.index() * 8), shape(m)).store(A[coord(nest.index() * 8), shape(m)] * 2.0f);
  });
  auto program = twice.capture(tensor_shape("M"), tensor_shape("M"));
  if (!program.ok()) return std::puts(render_text(program.errors()).c_str()), 1;
  std::vector<float> a(37, 1.5f), b(37);
  const RunResult result = run(*program, array(a), array(b));
  std::fputs(render_text(result.diagnostics).c_str(), stdout);
  for (float x : b)
    if (x != 3.0f) return std::printf("%g is not twice 1.5\n", x), 1;
  std::puts("37 times 1.5 doubled is 37 times 3");
  if (has_error(result.diagnostics)) return 1;

  Result<Array> made = make_array(ScalarType::f32, {37}, Fill::zeros);
  if (!made.ok()) return std::puts(render_text(made.errors()).c_str()), 1;
  for (int i = 0; i < 37; ++i) reinterpret_cast<float *>(made->data)[i] = 0.5f;
  Diagnostics told = write_npy("halves.npy", *made);
  Result<Array> halves = read_npy("halves.npy", ScalarType::f32);
  if (!told.empty() || !halves.ok()) return std::puts("halves.npy was not written and read"), 1;
  const RunResult of_file = run(*program, array(*halves), array(*made));
  std::fputs(render_text(of_file.diagnostics).c_str(), stdout);
  for (int i = 0; i < 37; ++i)
    if (reinterpret_cast<const float *>(made->data)[i] != 1.0f) return std::puts("an element of the file was not doubled"), 1;
  std::puts("a file's elements doubled");

  const auto compiled = compile(*program);
  if (!compiled.ok()) // a build without LLVM has no CPU engine
    return std::puts(render_text(compiled.errors()).c_str()), compiled.errors()[0].code == Code::N1501 ? 0 : 1;
  for (float &x : b) x = 0;
  const Diagnostics found = (*compiled)(array(a), array(b));
  std::fputs(render_text(found).c_str(), stdout);
  for (float x : b)
    if (x != 3.0f) return std::printf("compiled: %g is not twice 1.5\n", x), 1;
  std::puts("as machine code, too");
  return has_error(found) ? 1 : 0;
}
