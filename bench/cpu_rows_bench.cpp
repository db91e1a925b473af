// SPDX-License-Identifier: Apache-2.0
// Row kernels and attention on the CPU engine, beside oneDNN and plain -O3 -march=native loops (plain_loops.h) on the same
// arrays: sides take turns and the least time of each counts. `cpu_rows_bench [ROUNDS]`.
#include "bench/compiled_kernel.h"
#include "bench/plain_loops.h"
#include <algorithm>
#include <cblas.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>

extern "C" void openblas_set_num_threads(int);
extern "C" void omp_set_num_threads(int);

namespace {

using namespace tilenest_bench;
using dnnl::memory;

constexpr std::int64_t rows = 4096, cols = 1024;

// A primitive of oneDNN and what it is applied to.
struct Dnnl {
  dnnl::primitive primitive;
  std::unordered_map<int, memory> arguments;
};

dnnl::engine &engine() {
  static dnnl::engine e(dnnl::engine::kind::cpu, 0);
  return e;
}
memory on(const std::vector<float> &data, memory::dims dims, memory::format_tag tag = memory::format_tag::ab) {
  return {{std::move(dims), memory::data_type::f32, tag}, engine(), const_cast<float *>(data.data())};
}
std::function<void()> runs(const Dnnl &d) {
  return [d] {
    static dnnl::stream stream(engine());
    d.primitive.execute(stream, d.arguments);
    stream.wait();
  };
}

std::function<void()> onednn_softmax(const std::vector<float> &x, std::vector<float> &y) {
  const memory from = on(x, {rows, cols}), to = on(y, {rows, cols});
  const dnnl::softmax_forward::primitive_desc d({dnnl::prop_kind::forward_inference, from.get_desc(), 1}, engine());
  return runs({dnnl::softmax_forward(d), {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}}});
}
std::function<void()> onednn_layer_norm(const std::vector<float> &x, const std::vector<float> &gain, const std::vector<float> &shift, std::vector<float> &y) {
  const memory from = on(x, {rows, cols}), to = on(y, {rows, cols});
  const auto flags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
  const dnnl::layer_normalization_forward::primitive_desc d({dnnl::prop_kind::forward_inference, from.get_desc(), 1e-5F, flags}, engine());
  return runs({dnnl::layer_normalization_forward(d),
               {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}, {DNNL_ARG_SCALE, on(gain, {cols}, memory::format_tag::a)}, {DNNL_ARG_SHIFT, on(shift, {cols}, memory::format_tag::a)}}});
}
// x + bias, then GELU and the residual as post-operations of it.
std::function<void()> onednn_bias_gelu_residual(const std::vector<float> &x, const std::vector<float> &bias, const std::vector<float> &r, std::vector<float> &y) {
  const memory from = on(x, {rows, cols}), row = on(bias, {1, cols}), rest = on(r, {rows, cols}), to = on(y, {rows, cols});
  dnnl::post_ops ops;
  ops.append_eltwise(1, dnnl::algorithm::eltwise_gelu_erf, 0, 0);
  ops.append_binary(dnnl::algorithm::binary_add, rest.get_desc());
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(ops);
  const dnnl::binary::primitive_desc d({dnnl::algorithm::binary_add, from.get_desc(), row.get_desc(), to.get_desc()}, attributes, engine());
  return runs({dnnl::binary(d), {{DNNL_ARG_SRC_0, from}, {DNNL_ARG_SRC_1, row}, {DNNL_ARG_DST, to}, {DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1, rest}}});
}

// The fastest copy of as many bytes in, as many out: what memory allows.
double copy_seconds(int rounds, std::size_t reads) {
  std::vector<float> a(static_cast<std::size_t>(rows * cols), 1), b(a.size());
  return in_turns(rounds, {[&] { std::memcpy(b.data(), a.data(), a.size() * sizeof(float)); }})[0] * static_cast<double>(reads + 1) / 2;
}

struct Side {
  const char *name;
  std::function<void()> run;
};
void report(int rounds, const std::string &name, const CompiledKernel &ours, const std::vector<float> &expected, const std::vector<Side> &peers, std::size_t reads) {
  std::vector<std::function<void()>> sides{[&] { ours.run(1); }};
  for (const Side &p : peers) sides.push_back(p.run);
  const auto t = in_turns(rounds, sides);
  std::printf("%-30s %8.2f ms", name.c_str(), t[0] * 1e3);
  for (std::size_t i = 0; i < peers.size(); ++i) std::printf("   %5.2f of %s", t[i + 1] / t[0], peers[i].name);
  if (reads > 0) std::printf("   %.0f %% of a copy's bandwidth", 100 * copy_seconds(rounds, reads) / t[0]);
  std::printf("   (compiled in %.0f ms, differs by %.1e)\n", ours.compile_ms, largest_difference(ours.data.back(), expected));
  std::fflush(stdout);
}

// Attention as three passes: scores by OpenBLAS, a masked softmax by the machine's vectorised exp, values by OpenBLAS.
void unfused_attention(float *o, const float *q, const float *k, const float *v, int heads, int length, int width, std::vector<float> &scores, ExpRow exp) {
  const float scale = 1 / std::sqrt(static_cast<float>(width));
  scores.resize(static_cast<std::size_t>(length) * static_cast<std::size_t>(length));
  for (int h = 0; h < heads; ++h) {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(h) * length * width;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, length, length, width, scale, q + at, width, k + at, width, 0, scores.data(), length);
    for (int i = 0; i < length; ++i) {
      float *row = scores.data() + static_cast<std::ptrdiff_t>(i) * length;
      std::fill(row + i + 1, row + length, 0.0F);
      plain_softmax(row, row, 1, static_cast<std::size_t>(i) + 1, exp);
    }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, length, width, length, 1, scores.data(), length, v + at, width, 0, o + at, width);
  }
}

} // namespace

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 7;
  openblas_set_num_threads(1);
  omp_set_num_threads(1);
  const std::map<std::string, std::int64_t> extents{{"M", rows}, {"N", cols}};
  std::vector<float> y(static_cast<std::size_t>(rows * cols)), z = y;
  {
    const CompiledKernel k(example("softmax.tile"), extents);
    plain_softmax(y.data(), k.data[0].data(), rows, cols, exp_by_glibc);
    report(rounds, "softmax 4096x1024", k, y,
           {{"oneDNN", onednn_softmax(k.data[0], z)}, {"loops", [&] { plain_softmax(z.data(), k.data[0].data(), rows, cols, exp_by_glibc); }}}, 1);
  }
  {
    const CompiledKernel k(example("layer_norm.tile"), extents);
    plain_layer_norm(y.data(), k.data[0].data(), k.data[1].data(), k.data[2].data(), rows, cols);
    report(rounds, "layer norm (Welford)", k, y,
           {{"oneDNN", onednn_layer_norm(k.data[0], k.data[1], k.data[2], z)},
            {"loops", [&] { plain_layer_norm(z.data(), k.data[0].data(), k.data[1].data(), k.data[2].data(), rows, cols); }}},
           1);
  }
  {
    const CompiledKernel k(example("rms_norm.tile"), extents);
    plain_rms_norm(y.data(), k.data[0].data(), k.data[1].data(), rows, cols);
    report(rounds, "RMS norm", k, y, {{"loops", [&] { plain_rms_norm(z.data(), k.data[0].data(), k.data[1].data(), rows, cols); }}}, 1);
  }
  {
    const CompiledKernel k(example("bias_gelu_residual.tile"), extents);
    plain_bias_gelu_residual(y.data(), k.data[0].data(), k.data[1].data(), k.data[2].data(), rows, cols);
    report(rounds, "bias + GELU + residual", k, y,
           {{"oneDNN", onednn_bias_gelu_residual(k.data[0], k.data[1], k.data[2], z)},
            {"loops", [&] { plain_bias_gelu_residual(z.data(), k.data[0].data(), k.data[1].data(), k.data[2].data(), rows, cols); }}},
           2);
  }
  {
    const CompiledKernel k(example("flash_attention.tile"), {{"H", 8}, {"S", 1024}, {"D", 64}});
    std::vector<float> scores, o(k.data[3].size()), other = o;
    unfused_attention(o.data(), k.data[0].data(), k.data[1].data(), k.data[2].data(), 8, 1024, 64, scores, exp_by_glibc);
    report(rounds, "flash attention 8x1024x64", k, o,
           {{"OpenBLAS and loops", [&] { unfused_attention(other.data(), k.data[0].data(), k.data[1].data(), k.data[2].data(), 8, 1024, 64, scores, exp_by_glibc); }},
            {"fused loops", [&] { plain_attention(other.data(), k.data[0].data(), k.data[1].data(), k.data[2].data(), 8, 1024, 64, exp_by_glibc); }}},
           0);
  }
}
