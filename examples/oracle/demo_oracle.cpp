// SPDX-License-Identifier: Apache-2.0
// The inputs of scripts/demo.sh, and a judgement of its outputs from the formulas alone, in f64. It links nothing of
// tilenest. Each tolerance is the rounding-error bound of the formula on the data at hand, never a picked number.
//   demo_oracle make gemm|attention FOLDER     writes A.npy B.npy, or Q.npy K.npy V.npy
//   demo_oracle check gemm|attention FOLDER    reads them and C.npy, or O.npy
#include "examples/oracle/npy_f32.h"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace {

using oracle::Array;

constexpr double unit = 0x1p-24; // half an ulp of f32, relative

Array random_array(std::vector<std::size_t> shape, std::uint64_t seed) {
  std::size_t count = 1;
  for (std::size_t extent : shape) count *= extent;
  Array out{std::move(shape), std::vector<float>(count)};
  std::uint64_t state = seed;
  for (float &value : out.values) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    value = static_cast<float>(static_cast<std::int32_t>(state >> 32)) * 0x1p-31f; // in [-1, 1]
  }
  return out;
}

// What a check saw: the greatest error as a part of its bound.
struct Judgement {
  double worst = 0;
  std::size_t elements = 0, wrong = 0;
  void element(double found, double expected, double bound) {
    const double error = std::fabs(found - expected);
    ++elements;
    wrong += !(error <= bound);
    if (bound > 0) worst = std::max(worst, error / bound);
  }
  int report(const char *what) const {
    std::printf("%s: %zu of %zu elements within their rounding-error bound; greatest error %.3f of its bound\n", what,
                elements - wrong, elements, worst);
    return wrong == 0 && elements > 0 ? 0 : 1;
  }
};

// A sum of n rounded products in any order and grouping is off by at most n u sum|ab| / (1 - n u).
double dot_bound(double terms, double magnitude) { return terms * unit * magnitude / (1 - terms * unit); }

int check_gemm(const Array &a, const Array &b, const Array &c) {
  if (a.shape.size() != 2 || b.shape.size() != 2 || a.shape[1] != b.shape[0]) return 1;
  const std::size_t rows = a.shape[0], terms = a.shape[1], columns = b.shape[1];
  if (c.shape != std::vector<std::size_t>{rows, columns}) return 1;
  Judgement judgement;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      double sum = 0, magnitude = 0;
      for (std::size_t k = 0; k < terms; ++k) {
        const double product = double(a.at(i, k)) * b.at(k, j);
        sum += product;
        magnitude += std::fabs(product);
      }
      judgement.element(c.at(i, j), sum, dot_bound(static_cast<double>(terms), magnitude));
    }
  return judgement.report("gemm");
}

// In each head, query i attends to the keys 0..i: o = sum(exp(s - m) v) / sum(exp(s - m)), s = (q . k) / sqrt(d).
int check_attention(const Array &q, const Array &k, const Array &v, const Array &o) {
  if (q.shape.size() != 3 || k.shape != q.shape || v.shape != q.shape || o.shape != q.shape) return 1;
  const std::size_t heads = q.shape[0], length = q.shape[1], width = q.shape[2];
  const double d = static_cast<double>(width), scale = 1 / std::sqrt(d);
  Judgement judgement;
  for (std::size_t head = 0; head < heads; ++head)
    for (std::size_t i = 0; i < length; ++i) {
      const std::size_t keys = i + 1;
      std::vector<double> score(keys);
      double greatest = -INFINITY, score_error = 0, largest_score = 0;
      for (std::size_t j = 0; j < keys; ++j) {
        double sum = 0, magnitude = 0;
        for (std::size_t x = 0; x < width; ++x) {
          sum += double(q.at(head, i, x)) * k.at(head, j, x);
          magnitude += std::fabs(double(q.at(head, i, x)) * k.at(head, j, x));
        }
        score[j] = sum * scale;
        // The dot product, and the scale: its square root, its division, the products with it.
        score_error = std::max(score_error, scale * (dot_bound(d, magnitude) + 3 * unit * magnitude));
        largest_score = std::max(largest_score, std::fabs(score[j]));
        greatest = std::max(greatest, score[j]);
      }
      // A weight exp(s - m) is a product of exponentials, one for each block that moved the running maximum, each of a
      // rounded difference and rounded itself; there are at most as many as keys. The differences telescope, so the
      // errors of two scores count; each rounding of a difference is at most u of twice the largest score.
      const double blocks = static_cast<double>(keys);
      const double exponent_error = 2 * score_error + blocks * unit * 2 * (largest_score + score_error);
      const double weight_error = std::expm1(exponent_error) + 2 * (blocks + 1) * unit;
      double total = 0;
      for (double &s : score) total += s = std::exp(s - greatest);
      for (std::size_t x = 0; x < width; ++x) {
        double sum = 0, magnitude = 0;
        for (std::size_t j = 0; j < keys; ++j) {
          sum += score[j] * v.at(head, j, x);
          magnitude += score[j] * std::fabs(v.at(head, j, x));
        }
        // Numerator and denominator carry the weights' errors and their own sums'; then one division.
        const double relative = 2 * (weight_error + 2 * blocks * unit) + unit;
        judgement.element(o.at(head, i, x), sum / total, relative / (1 - relative) * magnitude / total);
      }
    }
  return judgement.report("attention");
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: demo_oracle make|check gemm|attention FOLDER\n");
    return 64;
  }
  const std::string verb = argv[1], what = argv[2], folder = argv[3];
  const auto path = [&](const char *name) { return folder + "/" + name + ".npy"; };
  const auto make = [&](const char *name, std::vector<std::size_t> shape, std::uint64_t seed) {
    return oracle::write_npy(path(name), random_array(std::move(shape), seed));
  };
  // No extent is a multiple of a tile of the kernels.
  if (verb == "make" && what == "gemm") return make("A", {127, 95}, 1) && make("B", {95, 61}, 2) ? 0 : 1;
  if (verb == "make" && what == "attention")
    return make("Q", {2, 100, 64}, 3) && make("K", {2, 100, 64}, 4) && make("V", {2, 100, 64}, 5) ? 0 : 1;
  const auto read = [&](const char *name) { return oracle::read_npy(path(name)); };
  if (verb == "check" && what == "gemm") {
    const auto a = read("A"), b = read("B"), c = read("C");
    return a && b && c ? check_gemm(*a, *b, *c) : 1;
  }
  if (verb == "check" && what == "attention") {
    const auto q = read("Q"), k = read("K"), v = read("V"), o = read("O");
    return q && k && v && o ? check_attention(*q, *k, *v, *o) : 1;
  }
  std::fprintf(stderr, "usage: demo_oracle make|check gemm|attention FOLDER\n");
  return 64;
}
