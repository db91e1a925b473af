// SPDX-License-Identifier: Apache-2.0
// The enclosures of trees of `welford` and `logsumexp`: what the machine gives along sampled groupings, and a plain
// evaluator of the merge along chains, balanced and random trees over hostile orders and data, lies in them.
#include "interp/explore.h"
#include "semantics/numerics/literals.h"
#include "semantics/numerics/scalar_apply.h"
#include "tests/admitted/launch.h"
#include "tests/volume.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using namespace tilenest;
using namespace tilenest::admitted;

namespace {

// Contributions of a count C, a mean X and squares Q; `step` computes the new states from them.
std::string welford_kernel(const std::string &type, const std::string &step, const std::string &seed = "0") {
  return "kernel k(C: " + type + "[N], X: " + type + "[N], Q: " + type + "[N], S: " + type + "[3], Y: out " + type + "[3]) {\n  axis r = N\n" +
         (seed == "0" ? "  n = " + type + "(0); mean = " + type + "(0); m2 = " + type + "(0)\n" : "  n = S[0]; mean = S[1]; m2 = S[2]\n") +
         "  reduce j in [r] with welford(n, mean, m2) {\n    x = X[j.r]; c = C[j.r]; q = Q[j.r]\n    " + step +
         "\n  }\n  Y(0).store(n); Y(1).store(mean); Y(2).store(m2)\n}\n";
}

const std::vector<std::string> welford_steps = {
    // one value at a time; samples, as layer_norm puts them together; samples with the distance from the new mean
    "n = n + 1; d = x - mean; mean = mean + d / n; m2 = m2 + d * (x - mean)",
    "d = x - mean; share = c / (n + c); m2 = m2 + q + d * d * share * n; mean = mean + d * share; n = n + c",
    "n = c + n; d = x - mean; mean = d * (c / n) + mean; m2 = q + (m2 + c * d * (x - mean))",
    "t = (x - mean) / (n + 1); m2 = (x - mean) * t * n + m2; mean = t + mean; n = 1 + n",
};

std::string logsumexp_kernel(const std::string &type, const std::string &step, const std::string &seed = "-inf") {
  return "kernel k(X: " + type + "[N], W: " + type + "[N], S: " + type + "[2], Y: out " + type + "[2]) {\n  axis r = N\n" +
         (seed == "-inf" ? "  m = " + type + "(-inf); l = " + type + "(0)\n" : "  m = S[0]; l = S[1]\n") +
         "  reduce j in [r] with logsumexp(m, l) {\n    x = X[j.r]; w = W[j.r]\n    " + step + "\n  }\n  Y(0).store(m); Y(1).store(l)\n}\n";
}

const std::vector<std::string> logsumexp_steps = {
    "top = max(m, x); l = l * ite(m == top, 1, exp(m - top)) + w * ite(x == top, 1, exp(x - top)); m = top",
    "top = max(m, x); l = exp(x - top) + exp(m - top) * l; m = top",
};

// A tile of X at a time: `seed` as above, `from` loads it.
std::string block_kernel(const std::string &type, const std::string &from, const std::string &seed = "-inf") {
  return "kernel k(X: " + type + "[N], S: " + type + "[2], Y: out " + type + "[2]) {\n  axis r = ceil_div(N, 8), b = 8\n" +
         (seed == "-inf" ? "  m = " + type + "(-inf); l = " + type + "(0)\n" : "  m = S[0]; l = S[1]\n") +
         "  reduce j in [r] with logsumexp(m, l) {\n    first = j.r * 8\n    x = " + from +
         "\n    top = max(m, reduce_max(x)); l = l * exp(m - top) + sum(exp(x - top)); m = top\n  }\n  Y(0).store(m); Y(1).store(l)\n}\n";
}
const std::vector<std::string> blocks_of_x = {"X[first, [b where first + b < N]]", "X[first, [b]]"}; // the second with zeros behind the end

using Data = std::function<double(std::mt19937 &)>;

struct Named {
  const char *name;
  Data value;
};

double unit(std::mt19937 &r) { return std::uniform_real_distribution<double>(-1, 1)(r); }

const std::vector<Named> data = {
    {"uniform", [](std::mt19937 &r) { return unit(r); }},
    {"a large offset", [](std::mt19937 &r) { return 1000 + unit(r); }},
    {"two far groups", [](std::mt19937 &r) { return (r() % 2 ? 200 : -200) + unit(r); }},
    {"mixed magnitudes", [](std::mt19937 &r) { return unit(r) * std::exp2(std::uniform_int_distribution<int>(-14, 6)(r)); }},
    {"one outlier in sixteen", [](std::mt19937 &r) { return r() % 16 ? unit(r) / 64 : 100 * unit(r); }},
    {"whole numbers", [](std::mt19937 &r) { return static_cast<double>(static_cast<int>(r() % 9)) - 4; }},
    {"alike", [](std::mt19937 &) { return 0.3; }},
    // Neighbours in one of the types: deviations below the error of the mean.
    {"neighbours in f32", [](std::mt19937 &r) { return 1 + static_cast<double>(r() % 2) * 0x1p-23; }},
    {"neighbours in bf16", [](std::mt19937 &r) { return 1 + static_cast<double>(r() % 2) * 0x1p-7; }},
};

Values arguments(std::mt19937 &random, const Named &kind, ScalarType type, double scale) {
  return [&random, &kind, type, scale](const std::string &name, std::int64_t i) -> double {
    const auto rounded = [&](double v) { return value_as_f64(type, *literal_bits(v, type)); };
    if (name == "C") return static_cast<double>(1 + random() % 7);
    if (name == "Q" || name == "W") return rounded(std::fabs(unit(random)) * (name == "Q" ? scale * scale : 1));
    if (name == "S") return i == 0 ? 3 : rounded(i == 1 ? kind.value(random) * scale : 1.5 * scale * scale);
    return rounded(kind.value(random) * scale);
  };
}

std::uint64_t outside_of(const Launch &launch, const AdmittedResults &sets, const std::vector<std::vector<std::uint8_t>> &results) {
  std::uint64_t out = 0;
  for (const auto &o : sets.outputs)
    for (std::size_t i = 0; i < o.sets.size(); ++i) {
      const ScalarType type = launch.type(o.argument);
      out += !o.sets[i].contains(type, load_bits(type, results[o.argument].data() + i * byte_size(type)));
    }
  return out;
}

// A state of either contract, and the merge that contracts.cpp captures, in C++ floats.
template <class T> struct Sample {
  T n = 0, mean = 0, m2 = 0;
};
template <class T> Sample<T> merge(const Sample<T> &l, const Sample<T> &r) {
  if (r.n == 0) return l;
  if (l.n == 0) return r;
  const T n = l.n + r.n, delta = r.mean - l.mean, share = r.n / n;
  const T mean = l.mean + delta * share, between = delta * delta * (l.n * share);
  return {n, mean, (l.m2 + r.m2) + between};
}
template <class T> struct Scaled {
  T m = -std::numeric_limits<T>::infinity(), l = 0;
};
template <class T> Scaled<T> merge(const Scaled<T> &l, const Scaled<T> &r) {
  const T nowhere = -std::numeric_limits<T>::infinity();
  if (r.m == nowhere && r.l == 0) return l;
  if (l.m == nowhere && l.l == 0) return r;
  const T m = std::max(l.m, r.m);
  const auto scaled = [&](const Scaled<T> &x) { return x.l * (x.m == m ? T(1) : static_cast<T>(std::exp(static_cast<double>(x.m - m)))); };
  return {m, scaled(l) + scaled(r)};
}

// One value put to a sample by the first of `welford_steps`, whose residual sees the new mean.
template <class T> Sample<T> with(const Sample<T> &s, T x) {
  const T n = s.n + 1, d = x - s.mean, mean = s.mean + d / n;
  return {n, mean, s.m2 + d * (x - mean)};
}

// Along a tree of shape 0: from the left, 1: from the right, 2: balanced, else random.
template <class State> State along(const std::vector<State> &leaves, std::size_t first, std::size_t n, int shape, std::mt19937 &random) {
  if (n == 1) return leaves[first];
  const std::size_t left = shape == 0 ? n - 1 : shape == 1 ? 1 : shape == 2 ? n / 2 : 1 + random() % (n - 1);
  return merge(along(leaves, first, left, shape, random), along(leaves, first + left, n - left, shape, random));
}

// Orders of the leaves that make roundings pile up: by value, by magnitude, ends in turn; or any.
template <class State, class Key> void arrange(std::vector<State> &leaves, int order, Key key, std::mt19937 &random) {
  std::shuffle(leaves.begin(), leaves.end(), random);
  const auto by = [&](auto f) { std::stable_sort(leaves.begin(), leaves.end(), [&](const State &a, const State &b) { return f(key(a)) < f(key(b)); }); };
  if (order == 1 || order == 5) by([](double x) { return x; });
  if (order == 2) by([](double x) { return -x; });
  if (order == 3) by([](double x) { return std::fabs(x); });
  if (order == 4) by([](double x) { return -std::fabs(x); });
  for (std::size_t i = 1; order == 5 && i < leaves.size(); i += 2) std::swap(leaves[i], leaves[leaves.size() - i]);
}

} // namespace

TEST_CASE("contracts: the machine's runs along any grouping are in the enclosures", "[ADM-SET][ADM-CHECK]") {
  std::mt19937 random(1);
  std::uint64_t wrong = 0, runs = 0;
  const std::vector<std::pair<const char *, ScalarType>> types = {{"f32", ScalarType::f32}, {"f64", ScalarType::f64}, {"f16", ScalarType::f16}, {"bf16", ScalarType::bf16}};
  for (const auto &[name, type] : types)
    for (const Named &kind : data)
      for (const double scale : {1.0, type == ScalarType::f64 ? 1e-310 : type == ScalarType::f16 ? 1e-6 : 1e-41}) {
        INFO(name << ", " << kind.name << ", times " << scale);
        const auto tried = [&](const std::string &text, std::int64_t n) {
          INFO(text);
          const Launch launch(text, {{"N", n}}, arguments(random, kind, type, scale));
          const AdmittedResults sets = launch.admitted();
          CHECK(sets.undecided.empty());
          for (std::uint64_t seed = 0; seed < 4; ++seed, ++runs) {
            SeededChooser chooser(random());
            const std::uint64_t out = outside_of(launch, sets, launch.run(seed == 0 ? nullptr : &chooser));
            CHECK(out == 0);
            wrong += out;
          }
        };
        for (const std::int64_t n : {2, 7, 40}) {
          for (const std::string &step : welford_steps)
            for (const char *seed : {"0", "S"}) tried(welford_kernel(name, step, seed), n);
          for (const std::string &step : logsumexp_steps)
            for (const char *seed : {"-inf", "S"}) tried(logsumexp_kernel(name, step, seed), n);
          for (const std::string &from : blocks_of_x)
            for (const char *seed : {"-inf", "S"}) tried(block_kernel(name, from, seed), n);
        }
      }
  CHECK(wrong == 0);
  CHECK(runs > 5000);
}

TEST_CASE("contracts: exponentials that underflow count where the greatest term has no weight", "[ADM-SET]") {
  std::mt19937 random(3);
  std::uint64_t sensitive = 0;
  for (int round = 0; round < 20; ++round) {
    const auto values = [&](const std::string &name, std::int64_t i) -> double {
      if (name == "W") return i == 0 ? 0 : static_cast<double>(static_cast<float>(1 + unit(random) / 2));
      return i == 0 ? 0 : -99 - static_cast<double>(random() % 5);
    };
    const Launch launch(logsumexp_kernel("f32", logsumexp_steps[0]), {{"N", 12}}, values);
    const AdmittedResults sets = launch.admitted();
    REQUIRE(sets.undecided.empty());
    const auto reference = launch.run();
    for (int run = 0; run < 30; ++run) {
      SeededChooser chooser(random());
      const auto results = launch.run(&chooser);
      CHECK(outside_of(launch, sets, results) == 0);
      sensitive += results != reference;
    }
  }
  CHECK(sensitive > 100);
}

namespace {

template <class T> void plain_trees(const char *name, ScalarType type, const std::vector<double> &scales) {
  std::mt19937 random(2);
  double nearest[3] = {0, 0, 0}; // how far results get from the middle, in half-widths
  for (const Named &kind : data)
    for (const double scale : scales)
      for (const std::int64_t n : {3, 16, 300}) {
        INFO(name << ", " << kind.name << ", times " << scale << ", " << n);
        const Launch launch(welford_kernel(name, welford_steps[1]), {{"N", n}}, arguments(random, kind, type, scale));
        const Launch sums(logsumexp_kernel(name, logsumexp_steps[0]), {{"N", n}}, arguments(random, kind, type, scale));
        const Launch values(welford_kernel(name, welford_steps[0]), {{"N", n}}, arguments(random, kind, type, scale));
        const AdmittedResults sets = launch.admitted(), sum_sets = sums.admitted(), value_sets = values.admitted();
        const auto array = [](const Launch &l, const char *argument) { return static_cast<const T *>(l.buffers()[l.argument(argument)].data); };
        std::vector<Sample<T>> samples;
        std::vector<Scaled<T>> scaled;
        std::vector<Sample<T>> single;
        for (std::int64_t i = 0; i < n; ++i) {
          samples.push_back({array(launch, "C")[i], array(launch, "X")[i], array(launch, "Q")[i]});
          scaled.push_back({array(sums, "X")[i], array(sums, "W")[i]});
          single.push_back({1, array(values, "X")[i], 0});
        }
        const auto look = [&](const Enclosure &e, T value, std::size_t which) {
          std::uint64_t bits = 0;
          std::memcpy(&bits, &value, sizeof value);
          const bool inside = e.contains(type, bits);
          if (!inside) CHECK(value == value_as_f64(type, e.low)); // fails, and shows them
          if (e.is_point() || e.nan) return;
          const double low = value_as_f64(type, e.low), high = value_as_f64(type, e.high);
          if (high - low > std::fabs(high) * 0x1p-50) nearest[which] = std::max(nearest[which], std::fabs(static_cast<double>(value) - (low + high) / 2) / ((high - low) / 2));
        };
        for (int order = 0; order < 6; ++order)
          for (int shape = 0; shape < 5; ++shape) {
            arrange(samples, order, [](const Sample<T> &s) { return static_cast<double>(s.mean); }, random);
            arrange(scaled, order, [](const Scaled<T> &s) { return static_cast<double>(s.m); }, random);
            const Sample<T> s = along(samples, 0, samples.size(), shape, random);
            look(sets.outputs[0].sets[0], s.n, 0);
            look(sets.outputs[0].sets[1], s.mean, 0);
            look(sets.outputs[0].sets[2], s.m2, 1);
            const Scaled<T> l = along(scaled, 0, scaled.size(), shape, random);
            look(sum_sets.outputs[0].sets[0], l.m, 2);
            look(sum_sets.outputs[0].sets[1], l.l, 2);
            // Chains over blocks of one length, all of it at first, then merged.
            arrange(single, order, [](const Sample<T> &v) { return static_cast<double>(v.mean); }, random);
            const std::size_t length = shape == 0 ? single.size() : 1 + random() % 9;
            std::vector<Sample<T>> blocks;
            for (std::size_t i = 0; i < single.size(); ++i) {
              if (i % length == 0) blocks.emplace_back();
              blocks.back() = with(blocks.back(), single[i].mean);
            }
            const Sample<T> v = along(blocks, 0, blocks.size(), shape, random);
            look(value_sets.outputs[0].sets[1], v.mean, 0);
            look(value_sets.outputs[0].sets[2], v.m2, 1);
          }
      }
  // The bounds are not absurdly wide: hostile trees come within a factor of them.
  CAPTURE(name, nearest[0], nearest[1], nearest[2]);
  CHECK(nearest[0] > 0.05);
  CHECK(nearest[1] > 0.05);
  CHECK(nearest[2] > 0.02); // in f64 mostly what exp in f64 adds
}

} // namespace

TEST_CASE("contracts: chains, balanced and random trees over hostile orders are in the enclosures", "[ADM-SET][ADM-CHECK]") {
  plain_trees<float>("f32", ScalarType::f32, {1, 1e-3, 1e-20, 1e-41, 1e15});
  plain_trees<double>("f64", ScalarType::f64, {1, 1e-100, 1e-310, 1e60});
}
