// SPDX-License-Identifier: Apache-2.0
// Ratios of whole kernels: the machine, unchecked, on one thread, against plain loops for this machine; bf16 against
// f32; two threads against one. Both sides of a ratio take turns and the least time of each counts, so that a busy
// machine does not decide. No Google Benchmark: its rows do not take turns.
#include "bench/plain_loops.h"
#include "interp/run.h"
#include "semantics/diag/render.h"
#include "semantics/judge.h"
#include "semantics/numerics/row_kernels.h"
#include "semantics/text/parser.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

namespace {

using namespace tilenest;
using namespace tilenest_bench;

std::string example(const std::string &name) {
  std::ifstream in(std::string(TILENEST_SOURCE_DIR "/examples/") + name);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}
std::string kernel(const std::string &name) {
  std::ifstream in(std::string(TILENEST_SOURCE_DIR "/bench/") + name);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}
std::string replaced(std::string text, const std::string &what, const std::string &by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

[[noreturn]] void fail(const Diagnostics &diagnostics) {
  std::fprintf(stderr, "%s", render_text(diagnostics).c_str());
  std::exit(1);
}

// A bound kernel with row-major arrays of values in (-2, 2).
struct Ours {
  BoundProgram bound;
  std::vector<std::vector<std::byte>> data;
  std::vector<Buffer> buffers;

  Ours(const std::string &text, const std::map<std::string, std::int64_t> &named) : bound(make(text, named)) {
    for (ObjectId id : bound.program->arguments) {
      const Object &object = bound.program->objects[id];
      const std::size_t size = byte_size(object.elem);
      std::vector<std::int64_t> shape, strides(object.shape.size());
      std::size_t n = 1;
      for (const Extent &e : object.shape) shape.push_back(bound.extent(e));
      for (std::size_t i = shape.size(); i-- > 0; n *= static_cast<std::size_t>(shape[i]))
        strides[i] = static_cast<std::int64_t>(n * size);
      std::vector<std::byte> bytes(n * size);
      for (std::size_t i = 0; i < n; ++i) {
        const float x = static_cast<float>(i * 37 % 61) / 16 - 1.9f; // bf16 takes the upper half
        std::memcpy(bytes.data() + i * size, reinterpret_cast<const char *>(&x) + (4 - size), size);
      }
      data.push_back(std::move(bytes));
      buffers.push_back({data.back().data(), shape, strides, object.access != ArgumentAccess::out});
    }
  }
  void run(std::size_t threads = 1, bool checked = false) const {
    RunOptions options;
    options.checked = checked;
    options.threads = threads;
    if (const auto r = tilenest::run(bound, buffers, options); has_error(r.diagnostics)) fail(r.diagnostics);
  }
  const float *at(std::size_t argument) const { return reinterpret_cast<const float *>(data[argument].data()); }

private:
  static BoundProgram make(const std::string &text, const std::map<std::string, std::int64_t> &named) {
    ParsedFile f = parse_text("bench.tile", text);
    if (f.kernels.empty() || has_error(f.diagnostics)) fail(f.diagnostics);
    if (const Diagnostics d = judge(f.kernels[0]); has_error(d)) fail(d);
    auto b = bind(std::make_shared<TileProgram>(std::move(f.kernels[0])), {}, named);
    if (!b.ok()) fail(b.errors());
    return *b;
  }
};

void exp_by_rows(float *to, const float *from, std::size_t n) {
  static const RowKernel kernel = find_row_kernel(Primitive::exp, ScalarType::f32, ScalarType::f32);
  const RowOperand operand{from, 1};
  kernel(n, to, &operand, {});
}

double seconds(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
double processor_seconds() { return seconds(CLOCK_THREAD_CPUTIME_ID); } // of this thread: other processes do not count
double process_seconds() { return seconds(CLOCK_PROCESS_CPUTIME_ID); }  // of all threads
double wall_seconds() { return seconds(CLOCK_MONOTONIC); }

int rounds = 15;

// Takes turns; the least time of each.
template <std::size_t n>
std::array<double, n> least(double (*clock)(), const std::array<std::function<void()>, n> &sides) {
  std::array<double, n> best;
  best.fill(1e9);
  for (int r = 0; r < rounds; ++r)
    for (std::size_t i = 0; i < n; ++i) {
      const double from = clock();
      sides[i]();
      best[i] = std::min(best[i], clock() - from);
    }
  return best;
}

void line(const std::string &what, double ours, const std::string &against, double theirs) {
  std::printf("%-34s %9.3f ms   %-34s %9.3f ms   ratio %6.3f\n", what.c_str(), ours * 1e3, against.c_str(), theirs * 1e3,
              theirs / ours);
}

// The largest difference of two arrays: a yardstick that computes something else measures nothing.
void agree(const char *what, const float *a, const float *b, std::size_t n) {
  float worst = 0;
  for (std::size_t i = 0; i < n; ++i) worst = std::max(worst, std::fabs(a[i] - b[i]));
  if (!(worst < 1e-3f)) {
    std::printf("%s: the two sides differ by %g\n", what, static_cast<double>(worst));
    std::exit(1);
  }
}

void against_plain_loops() {
  constexpr std::size_t n = 1024;
  std::vector<float> y(n * n);
  Ours softmax(kernel("softmax.tile"), {{"M", n}, {"N", n}});
  const auto s = least<3>(processor_seconds, {[&] { softmax.run(); },
                                              [&] { plain_softmax(y.data(), softmax.at(0), n, n, exp_by_rows); },
                                              [&] { plain_softmax(y.data(), softmax.at(0), n, n, exp_by_glibc); }});
  agree("softmax", y.data(), softmax.at(1), n * n);
  line("softmax 1024 x 1024", s[0], "plain loops, exp of the machine", s[1]);
  line("", s[0], "plain loops, expf of glibc", s[2]);
  Ours norm(kernel("layer_norm.tile"), {{"M", n}, {"N", n}});
  const auto l = least<2>(processor_seconds,
                          {[&] { norm.run(); },
                           [&] { plain_layer_norm(y.data(), norm.at(0), norm.at(1), norm.at(2), n, n); }});
  agree("layer norm", y.data(), norm.at(3), n * n);
  line("layer norm 1024 x 1024", l[0], "plain loops", l[1]);
  constexpr std::size_t heads = 8, length = 512, width = 64;
  std::vector<float> o(heads * length * width);
  Ours attention(example("flash_attention.tile"), {{"H", heads}, {"S", length}, {"D", width}});
  auto plain = [&](ExpRow exp) {
    plain_attention(o.data(), attention.at(0), attention.at(1), attention.at(2), heads, length, width, exp);
  };
  const auto a = least<3>(processor_seconds, {[&] { attention.run(); }, [&] { plain(exp_by_rows); }, [&] { plain(exp_by_glibc); }});
  agree("attention", o.data(), attention.at(3), o.size());
  line("flash attention 8 x 512 x 64", a[0], "plain loops, exp of the machine", a[1]);
  line("", a[0], "plain loops, expf of glibc", a[2]);
}

void among_ourselves() {
  const std::string deep = replaced(replaced(replaced(example("gemm.tile"), "ceil_div(K, 16)", "ceil_div(K, 32)"), "k = 16", "k = 32"),
                                    "step.kt * 16", "step.kt * 32");
  const std::map<std::string, std::int64_t> square = {{"M", 512}, {"N", 512}, {"K", 512}};
  Ours f32(deep, square), bf16(replaced(replaced(deep, "A: f32", "A: bf16"), "B: f32", "B: bf16"), square);
  const auto g = least<2>(processor_seconds, {[&] { bf16.run(); }, [&] { f32.run(); }});
  line("bf16 gemm 512, f32 accumulator", g[0], "f32 gemm 512", g[1]);
  std::printf("%-34s %9.1f GFLOP/s\n", "f32 gemm 512", 2.0 * 512 * 512 * 512 / g[1] * 1e-9);
  Ours leaf(kernel("leaf.tile"), {{"M", 1024}, {"N", 1024}});
  const auto n = least<1>(processor_seconds, {[&] { leaf.run(); }});
  std::printf("%-34s %9.1f Melem/s\n", "leaf nest 1024 x 1024", 1024.0 * 1024 / n[0] * 1e-6);
  Ours fractal(kernel("mandelbrot.tile"), {{"M", 128}, {"N", 128}});
  const auto m = least<1>(processor_seconds, {[&] { fractal.run(); }});
  std::printf("%-34s %9.3f ms\n", "mandelbrot 128 x 128, 64 rounds", m[0] * 1e3);
}

// What two threads gain on this machine when they share nothing: the plain loops on half of the heads each.
void plain_on_threads() {
  constexpr std::size_t heads = 8, length = 512, width = 64, half = heads / 2 * length * width;
  const Ours of(example("flash_attention.tile"), {{"H", heads}, {"S", length}, {"D", width}});
  std::vector<float> o(2 * half);
  const auto part = [&](std::size_t from, std::size_t n) {
    plain_attention(o.data() + from, of.at(0) + from, of.at(1) + from, of.at(2) + from, n, length, width, exp_by_rows);
  };
  const auto wall = least<2>(wall_seconds, {[&] {
                                              std::jthread other([&] { part(half, heads / 2); });
                                              part(0, heads / 2);
                                            },
                                            [&] { part(0, heads); }});
  line("plain attention, 2 threads, wall", wall[0], "1 thread", wall[1]);
}

void on_threads() {
  plain_on_threads();
  auto both = [](const std::string &what, const Ours &kernel) {
    const std::array<std::function<void()>, 2> sides = {[&] { kernel.run(2); }, [&] { kernel.run(1); }};
    const auto wall = least<2>(wall_seconds, sides);
    const auto work = least<2>(process_seconds, sides);
    line(what + ", 2 threads, wall", wall[0], "1 thread", wall[1]);
    line(what + ", 2 threads, processor", work[0], "1 thread", work[1]);
  };
  both("flash attention", Ours(example("flash_attention.tile"), {{"H", 8}, {"S", 512}, {"D", 64}}));
  both("gemm 512", Ours(example("gemm.tile"), {{"M", 512}, {"N", 512}, {"K", 512}}));
}

// The race checker of OpenCL, less its start (the same kernel at one work group), against our checked runs.
void against_oclgrind() {
  if (std::system("command -v oclgrind-kernel >/dev/null") != 0) return void(std::printf("oclgrind-kernel is not installed\n"));
  const std::string file = "oclgrind_bench.sim";
  const auto oclgrind = [&](const std::string &kernel, std::size_t n, const std::string &global, const std::string &local, int inputs) {
    std::ofstream sim(file);
    sim << TILENEST_SOURCE_DIR "/bench/oclgrind/kernels.cl\n" << kernel << "\n" << global << "\n" << local << "\n\n";
    for (int i = 0; i <= inputs; ++i) sim << "<size=" << n * n * 4 << " float fill=" << (i < inputs ? "0.5" : "0") << ">\n";
    sim << "<size=4 int fill=" << n << ">\n";
    sim.close();
    const auto t = least<1>(wall_seconds, {[&] {
                              if (std::system(("oclgrind-kernel --data-races " + file).c_str()) != 0) std::exit(1);
                            }});
    return t[0];
  };
  const int all = std::exchange(rounds, 2);
  const double gemm = oclgrind("gemm", 128, "128 128 1", "16 16 1", 2) - oclgrind("gemm", 16, "16 16 1", "16 16 1", 2);
  const double softmax = oclgrind("softmax", 128, "8192 1 1", "64 1 1", 1) - oclgrind("softmax", 16, "64 1 1", "64 1 1", 1);
  rounds = all;
  std::remove(file.c_str());
  const Ours ours(replaced(example("gemm.tile"), " 32", " 16"), {{"M", 128}, {"N", 128}, {"K", 128}});
  const auto g = least<1>(processor_seconds, {[&] { ours.run(1, true); }});
  line("gemm 128 cubed, 16 x 16, checked", g[0], "oclgrind --data-races", gemm);
  const Ours rows(kernel("softmax.tile"), {{"M", 128}, {"N", 128}});
  const auto s = least<1>(processor_seconds, {[&] { rows.run(1, true); }});
  line("softmax 128 x 128, checked", s[0], "oclgrind --data-races", softmax);
}

} // namespace

// speed_bench [ROUNDS]
int main(int argc, char **argv) {
  if (argc > 1) rounds = std::max(1, std::atoi(argv[1]));
  against_plain_loops();
  among_ourselves();
  on_threads();
  against_oclgrind();
}
