// SPDX-License-Identifier: Apache-2.0
// Whole kernels on whole, ragged and empty shapes. Inputs are small whole numbers, so that sums are exact in any grouping, and
// plain loops over them say what comes out; softmax has the bound of its rounding errors instead.
#include "tests/conformance/derived_cases.h"
#include <cmath>

namespace tilenest::derived {

namespace {

using Whole = std::vector<std::int64_t>;
using Extents = std::vector<std::pair<std::string, std::int64_t>>;

// -3 .. 3, another sequence for each salt.
Whole numbers(std::int64_t n, std::uint64_t salt) {
  oracle::Random random{salt * 1000003 + static_cast<std::uint64_t>(n)};
  Whole out;
  for (std::int64_t i = 0; i < n; ++i) out.push_back(static_cast<std::int64_t>(random() % 7) - 3);
  return out;
}

struct KernelDraft {
  CaseText text;
  std::string type;
  ScalarType scalar;
  KernelDraft(const std::string &program, ScalarType of, const Extents &extents, std::vector<std::string> rules) : type(to_string(of)), scalar(of) {
    text.program = program;
    text.name = program + "/" + type;
    for (const auto &[name, n] : extents) {
      text.name += "_" + std::to_string(n);
      text.extents.emplace_back(name, std::to_string(n));
    }
    text.with = {{"TYPE", type}};
    text.rules = std::move(rules);
    text.orders = 2;
  }
  void in(const std::string &name, const Shape &shape, const Whole &values) { text.inputs.emplace_back(name, values_text(scalar, shape, values)); }
  void out(const std::string &name, const Shape &shape, const Whole &values) { text.outputs.emplace_back(name, values_text(scalar, shape, values)); }
};

const std::vector<std::pair<std::string, std::string>> &kernel_texts() {
  static const std::vector<std::pair<std::string, std::string>> texts = {
      {"saxpy", R"(kernel saxpy(X: $TYPE[N], Y: mut $TYPE[N]) {
  axis block = ceil_div(N, 16), e = 16
  parallel p in [block] {
    Y(p.block * 16, [e]).store(X[p.block * 16, [e]] * 3 + Y[p.block * 16, [e]])
  }
}
)"},
      {"gemm", R"(kernel gemm(A: $TYPE[M, K], B: $TYPE[K, N], C: out $TYPE[M, N]) {
  axis gm = ceil_div(M, 8), gn = ceil_div(N, 8), kt = ceil_div(K, 4)
  axis m = 8, n = 8, k = 4
  parallel nest in [gm, gn] {
    acc = zeros $TYPE [m, n]
    pipeline step in [kt] with stages = 2, ii = 1 {
      stage "load"
      a = A[(nest.gm * 8, step.kt * 4), [m, k]]
      b = B[(step.kt * 4, nest.gn * 8), [k, n]]
      stage "compute"
      acc = mma(a, b, acc)
    }
    C((nest.gm * 8, nest.gn * 8), [m, n]).store(acc)
  }
}
)"},
      {"matvec", R"(kernel matvec(A: $TYPE[M, N], X: $TYPE[N], Y: out $TYPE[M]) {
  parallel p in [row = M] {
    s = $TYPE(0)
    reduce r in [c = N] { s += A[p.row, r.c] * X[r.c] }
    Y(p.row).store(s)
  }
}
)"},
      {"stencil", R"(kernel stencil(X: $TYPE[M, N], Y: out $TYPE[M, N]) {
  axis gm = ceil_div(M, 4), gn = ceil_div(N, 8), m = 4, n = 8
  parallel p in [gm, gn] {
    i = p.gm * 4
    j = p.gn * 8
    up = X[(i - 1, j), [m, n]]
    down = X[(i + 1, j), [m, n]]
    left = X[(i, j - 1), [m, n]]
    right = X[(i, j + 1), [m, n]]
    Y((i, j), [m, n]).store(up + down + left + right - X[(i, j), [m, n]] * 4)
  }
}
)"},
      {"histogram", R"(kernel histogram(X: $TYPE[N], H: out $TYPE[7]) {
  axis bins = 7, block = ceil_div(N, 8), e = 8
  H(0, [bins]).store(zeros $TYPE [bins])
  parallel p in [block] {
    first = p.block * 8
    x = X[first, [e where first + e < N]]
    H.scatter_add(full($TYPE [e], 1), x + 3)
  }
}
)"},
      {"transpose", R"(kernel transpose(X: $TYPE[M, N], Y: out $TYPE[N, M]) {
  axis gm = ceil_div(M, 4), gn = ceil_div(N, 4), m = 4, n = 4
  parallel p in [gm, gn] {
    Y((p.gn * 4, p.gm * 4), [n, m]).store(@transpose(X[(p.gm * 4, p.gn * 4), [m, n]], [n, m]))
  }
}
)"},
      {"row_sums", R"(kernel row_sums(X: $TYPE[M, N], Y: out $TYPE[M]) {
  axis n = N
  parallel p in [row = M] { Y(p.row).store(sum(X[(p.row, 0), [_, n]], n)) }
}
)"},
      {"prefix_sums", R"(kernel prefix_sums(X: $TYPE[N], Y: out $TYPE[N]) {
  axis n = N
  Y(0, [n]).store(scan(X[0, [n]], n, add))
}
)"},
      {"relu", R"(kernel relu(X: $TYPE[N], Y: out $TYPE[N]) {
  axis block = ceil_div(N, 8), e = 8
  parallel p in [block] { Y(p.block * 8, [e]).store(max(X[p.block * 8, [e]], 0)) }
}
)"},
      {"convolve", R"(kernel convolve(X: $TYPE[N], W: $TYPE[K], Y: out $TYPE[N]) {
  parallel p in [i = N] {
    s = $TYPE(0)
    reduce r in [k = K] { s += X[p.i + r.k - 1] * W[r.k] }
    Y(p.i).store(s)
  }
}
)"},
      {"two_phases", R"(kernel two_phases(X: $TYPE[N], Y: out $TYPE[N]) {
  T = memory $TYPE [t = N]
  parallel p in [t = N] {
    T(p.t).store(X[p.t] * X[p.t])
    sync p
    Y(p.t).store(T[mod(p.t + 1, max(extent(N), 1))])
  }
}
)"},
      {"greatest", R"(kernel greatest(X: $TYPE[M, N], Y: out $TYPE[M], at: out i64[M]) {
  axis n = N
  parallel p in [row = M] {
    x = X[(p.row, 0), [_, n]]
    Y(p.row).store(reduce_max(x, n))
    at(p.row).store(argmax(x, n))
  }
}
)"},
      {"softmax", R"(kernel softmax(X: f32[M, N], Y: out f32[M, N]) {
  axis n = N
  parallel p in [row = M] {
    x = X[(p.row, 0), [_, n]]
    e = exp(x - reduce_max(x, n))
    Y((p.row, 0), [_, n]).store(e / sum(e, n))
  }
}
)"}};
  return texts;
}

using Adding = std::vector<CaseText> &;

void add_elementwise(Adding to, ScalarType type, std::int64_t n) {
  const Whole x = numbers(n, 1), y = numbers(n, 2);
  Whole sum, positive;
  for (std::size_t i = 0; i < x.size(); ++i) sum.push_back(x[i] * 3 + y[i]), positive.push_back(x[i] > 0 ? x[i] : 0);
  KernelDraft axpy("saxpy", type, {{"N", n}}, {"BND-ZERO", "PAR-NI"});
  axpy.in("X", {n}, x), axpy.in("Y", {n}, y), axpy.out("Y", {n}, sum);
  to.push_back(axpy.text);
  KernelDraft relu("relu", type, {{"N", n}}, {"BND-ZERO", "NUM-NAN"});
  relu.in("X", {n}, x), relu.out("Y", {n}, positive);
  to.push_back(relu.text);
}

void add_gemm(Adding to, ScalarType type, std::int64_t m, std::int64_t n, std::int64_t k) {
  const Whole a = numbers(m * k, 3), b = numbers(k * n, 4);
  Whole c;
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      std::int64_t s = 0;
      for (std::int64_t l = 0; l < k; ++l) s += a[static_cast<std::size_t>(i * k + l)] * b[static_cast<std::size_t>(l * n + j)];
      c.push_back(s);
    }
  KernelDraft draft("gemm", type, {{"M", m}, {"N", n}, {"K", k}}, {"MMA", "PIPE-SER", "BND-ZERO"});
  draft.in("A", {m, k}, a), draft.in("B", {k, n}, b), draft.out("C", {m, n}, c);
  to.push_back(draft.text);
}

void add_rows(Adding to, ScalarType type, std::int64_t m, std::int64_t n) {
  const Whole x = numbers(m * n, 5), v = numbers(n, 6);
  const auto at = [&](std::int64_t i, std::int64_t j) { return i < 0 || j < 0 || i >= m || j >= n ? 0 : x[static_cast<std::size_t>(i * n + j)]; };
  Whole product, sums, most, place, turned, around;
  for (std::int64_t i = 0; i < m; ++i) {
    std::int64_t dot = 0, sum = 0, best = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      dot += at(i, j) * v[static_cast<std::size_t>(j)], sum += at(i, j);
      if (at(i, j) > at(i, best)) best = j;
      around.push_back(at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1) - 4 * at(i, j));
    }
    product.push_back(dot), sums.push_back(sum), most.push_back(at(i, best)), place.push_back(best);
  }
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < m; ++i) turned.push_back(at(i, j));
  KernelDraft matvec("matvec", type, {{"M", m}, {"N", n}}, {"RED-TREE", "RED-LAW"});
  matvec.in("A", {m, n}, x), matvec.in("X", {n}, v), matvec.out("Y", {m}, product);
  to.push_back(matvec.text);
  KernelDraft row_sums("row_sums", type, {{"M", m}, {"N", n}}, {"RED-SET", "RED-SEED"});
  row_sums.in("X", {m, n}, x);
  if (n == 0 && is_float(type)) { // RED-SEED: the identity of float +, which is -0
    row_sums.text.outputs.emplace_back("Y", bits_text(type, {m}, Elements(static_cast<std::size_t>(m), std::uint64_t{1} << (bit_width(type) - 1))));
    row_sums.text.derived = "by hand: over nothing a sum is its identity, which for floats is -0";
  } else {
    row_sums.out("Y", {m}, sums);
  }
  to.push_back(row_sums.text);
  KernelDraft stencil("stencil", type, {{"M", m}, {"N", n}}, {"BND-ZERO", "BCAST"});
  stencil.in("X", {m, n}, x), stencil.out("Y", {m, n}, around);
  to.push_back(stencil.text);
  KernelDraft transpose("transpose", type, {{"M", m}, {"N", n}}, {"BND-ZERO", "BCAST"});
  transpose.in("X", {m, n}, x), transpose.out("Y", {n, m}, turned);
  to.push_back(transpose.text);
  if (n == 0) return; // the greatest of nothing is refused
  KernelDraft greatest("greatest", type, {{"M", m}, {"N", n}}, {"NUM-NAN", "RED-LAW"});
  greatest.in("X", {m, n}, x), greatest.out("Y", {m}, most);
  greatest.text.outputs.emplace_back("at", values_text(ScalarType::i64, {m}, place));
  to.push_back(greatest.text);
}

void add_lines(Adding to, ScalarType type, std::int64_t n) {
  const Whole x = numbers(n, 7), w = numbers(3, 8);
  Whole prefix, squares, taps, counts(7, 0);
  std::int64_t s = 0;
  const auto at = [&](std::int64_t i) { return i < 0 || i >= n ? 0 : x[static_cast<std::size_t>(i)]; };
  for (std::int64_t i = 0; i < n; ++i) {
    prefix.push_back(s += at(i));
    squares.push_back(at((i + 1) % n) * at((i + 1) % n));
    taps.push_back(at(i - 1) * w[0] + at(i) * w[1] + at(i + 1) * w[2]);
    ++counts[static_cast<std::size_t>(at(i) + 3)];
  }
  KernelDraft prefix_sums("prefix_sums", type, {{"N", n}}, {"SCAN"});
  prefix_sums.in("X", {n}, x), prefix_sums.out("Y", {n}, prefix);
  to.push_back(prefix_sums.text);
  KernelDraft phases("two_phases", type, {{"N", n}}, {"SYNC", "MEM-OWN"});
  phases.in("X", {n}, x), phases.out("Y", {n}, squares);
  to.push_back(phases.text);
  KernelDraft convolve("convolve", type, {{"N", n}, {"K", 3}}, {"RED-TREE", "BND-ZERO"});
  convolve.in("X", {n}, x), convolve.in("W", {3}, w), convolve.out("Y", {n}, taps);
  to.push_back(convolve.text);
  if (is_float(type)) return;
  KernelDraft histogram("histogram", type, {{"N", n}}, {"ATOM", "IDX-PRED"});
  histogram.in("X", {n}, x), histogram.out("H", {7}, counts);
  to.push_back(histogram.text);
}

// x - max is exact; exp is rounded once; a sum of n positive terms errs by at most (n - 1) u of itself, the quotient by u:
// the result is y (1 +- (n + 3) u), u = 2^-24, second-order terms included.
void add_softmax(Adding to, std::int64_t m, std::int64_t n) {
  const Whole x = numbers(m * n, 9);
  Elements low, high;
  for (std::int64_t i = 0; i < m; ++i) {
    std::int64_t top = INT64_MIN;
    double total = 0;
    for (std::int64_t j = 0; j < n; ++j) top = std::max(top, x[static_cast<std::size_t>(i * n + j)]);
    for (std::int64_t j = 0; j < n; ++j) total += std::exp(static_cast<double>(x[static_cast<std::size_t>(i * n + j)] - top));
    for (std::int64_t j = 0; j < n; ++j) {
      const double y = std::exp(static_cast<double>(x[static_cast<std::size_t>(i * n + j)] - top)) / total, bound = static_cast<double>(n + 3) * 0x1p-24;
      // Outwards by one f32, so that neither the oracle's f64 nor this rounding counts.
      const auto bits = [](float f) { return std::uint64_t{__builtin_bit_cast(std::uint32_t, f)}; };
      low.push_back(bits(std::nextafter(static_cast<float>(y * (1 - bound)), 0.0f)));
      high.push_back(bits(std::nextafter(static_cast<float>(y * (1 + bound)), 2.0f)));
    }
  }
  KernelDraft draft("softmax", ScalarType::f32, {{"M", m}, {"N", n}}, {"NUM-FUN", "ADM-SET", "RED-TREE"});
  draft.text.with.clear();
  draft.in("X", {m, n}, x);
  draft.text.between.emplace_back("Y", between_text(ScalarType::f32, {m, n}, low, high));
  draft.text.admitted = true;
  draft.text.derived = "oracle: exp and sums in f64, and the bound (n + 3) 2^-24 of the rounding errors of any grouping";
  to.push_back(draft.text);
}

} // namespace

FileText kernel_cases() {
  FileText file;
  file.chapter = "kernels";
  file.about = "Whole kernels on whole, ragged and empty shapes.";
  file.derived = "oracle: plain loops over small whole numbers, whose sums are exact in any grouping";
  file.programs = kernel_texts();
  for (const ScalarType type : {ScalarType::f32, ScalarType::f64, ScalarType::i32}) {
    for (const std::int64_t n : {0, 1, 16, 37}) add_elementwise(file.cases, type, n);
    for (const auto &[m, n, k] : {std::tuple{8, 8, 4}, {5, 9, 7}, {1, 1, 1}, {3, 4, 0}, {17, 3, 12}}) add_gemm(file.cases, type, m, n, k);
    for (const auto &[m, n] : {std::pair{4, 8}, {5, 11}, {1, 1}, {3, 0}}) add_rows(file.cases, type, m, n);
    for (const std::int64_t n : {1, 8, 21}) add_lines(file.cases, type, n);
  }
  for (const auto &[m, n] : {std::pair{1, 1}, {3, 16}, {2, 45}}) add_softmax(file.cases, m, n);
  return file;
}

std::vector<std::pair<std::string, std::string>> derived_files() {
  return {{"casts.json", cast_cases().text()},       {"contractions.json", contraction_cases().text()}, {"elementwise.json", elementwise_cases().text()},
          {"folds.json", fold_cases().text()},       {"kernels.json", kernel_cases().text()},           {"movement.json", movement_cases().text()}};
}

} // namespace tilenest::derived
