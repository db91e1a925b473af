// SPDX-License-Identifier: Apache-2.0
// The freedoms of `mma`, `scan` and float atomics by the chooser: all their choices together give exactly the values of a
// plain search over trees and orders, each schedule gives its values again, and what is sampled is in the enclosures.
#include "interp/explore.h"
#include "semantics/numerics/literals.h"
#include "semantics/numerics/scalar_apply.h"
#include "tests/admitted/launch.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>
#include <set>

using namespace tilenest;
using namespace tilenest::admitted;

namespace {

Values given(std::map<std::string, std::vector<double>> x) {
  return [x](const std::string &name, std::int64_t i) { return x.at(name)[static_cast<std::size_t>(i)]; };
}

float float_at(const std::vector<std::uint8_t> &bytes, std::size_t i) {
  float v;
  std::memcpy(&v, bytes.data() + 4 * i, 4);
  return v;
}

// The values of element i of the argument under all choices.
std::vector<std::set<float>> all_choices(const Launch &launch, const std::string &argument, std::size_t elements) {
  std::vector<std::set<float>> out(elements);
  ExhaustiveChooser every(Freedom::grouping);
  do {
    const auto results = launch.run(&every);
    for (std::size_t i = 0; i < elements; ++i) out[i].insert(float_at(results[launch.argument(argument)], i));
  } while (every.next());
  return out;
}

// A term: a number, or a product that is not rounded yet.
struct Term {
  float a = 0, b = 1;
  bool product = false;
  float value() const { return a * b; }
};

// The values of all trees over the terms, products fused or not; of those in order alone.
void all_sums(const std::vector<Term> &terms, bool ordered, bool fuses, std::set<float> &out) {
  if (terms.size() == 1) return void(out.insert(terms[0].value()));
  for (std::size_t i = 0; i < terms.size(); ++i)
    for (std::size_t k = i + 1; k < (ordered ? std::min(i + 2, terms.size()) : terms.size()); ++k) {
      const Term &l = terms[i], &r = terms[k];
      std::set<float> sums = {l.value() + r.value()};
      if (fuses && l.product) sums.insert(std::fma(l.a, l.b, r.value()));
      if (fuses && r.product) sums.insert(std::fma(r.a, r.b, l.value()));
      for (const float s : sums) {
        std::vector<Term> rest = terms;
        rest[i] = {s};
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
        all_sums(rest, ordered, fuses, out);
      }
    }
}

std::string dot_product(const std::string &policy) {
  return "kernel k(A: f32[1, N], B: f32[N], C: f32[1], Y: out f32[1]) {\n  axis n = N, m = 1\n  Y((0), [m]).store(mma(A[(0, 0), [m, n]], B[0, [n]], C[0, [m]], " + policy + "))\n}";
}

// Numbers whose sums and products round.
std::vector<double> awkward(std::mt19937 &random, std::size_t n) {
  std::vector<double> out;
  for (std::size_t i = 0; i < n; ++i)
    out.push_back(static_cast<double>(static_cast<float>((static_cast<double>(random()) - 0x1p31) * std::exp2(-static_cast<double>(random() % 24)))));
  return out;
}

const char *additions = "kernel k(X: f32[N], Y: mut f32[1]) {\n  axis i = N\n  parallel p in [i] { Y(0).atomic_add(X[p.i]) }\n}";
const char *prefixes = "kernel k(X: f32[N], Y: out f32[N]) {\n  axis i = N\n  Y((0), [i]).store(scan(X[0, [i]], i, add))\n}";

} // namespace

TEST_CASE("choices: mma gives the values of all trees, products fused or not", "[MMA][RED-SENS]") {
  std::mt19937 random(1);
  std::size_t fused = 0;
  for (int round = 0; round < 12; ++round)
    for (const std::size_t n : {1, 2, 3}) {
      const std::vector<double> a = awkward(random, n), b = awkward(random, n), c = awkward(random, 1);
      std::vector<Term> terms = {{static_cast<float>(c[0] * (round % 3 ? 0x1p30 : 0))}};
      for (std::size_t i = 0; i < n; ++i) terms.push_back({static_cast<float>(a[i]), static_cast<float>(b[i]), true});
      for (const bool fuses : {false, true})
        for (const bool regroups : {false, true}) {
          const std::string policy = "wide_accumulation = false, allow_contraction = " + std::string(fuses ? "true" : "false") + ", allow_reassociation = " + (regroups ? "true" : "false");
          const Launch launch(dot_product(policy), {{"N", static_cast<std::int64_t>(n)}}, given({{"A", a}, {"B", b}, {"C", {static_cast<double>(terms[0].a)}}}));
          std::set<float> values;
          if (regroups) {
            all_sums(terms, false, fuses, values);
          } else {
            std::set<float> chains = {terms[0].a};
            for (std::size_t i = 1; i < terms.size(); ++i) {
              std::set<float> next;
              for (const float s : chains) {
                next.insert(s + terms[i].value());
                if (fuses) next.insert(std::fma(terms[i].a, terms[i].b, s));
              }
              chains = next;
            }
            values = chains;
          }
          INFO(policy << ", " << n << " products");
          CHECK(all_choices(launch, "Y", 1)[0] == values);
          fused += fuses && values.size() > 1;
          const Exploration e = explore(launch.bound(), launch.buffers());
          CHECK(e.unexplored.empty());
          CHECK(e.all);
          CHECK((e.outputs.at(0).sensitive == 1) == (values.size() > 1));
          if (!e.outputs[0].widest) continue;
          const SensitiveElement &w = *e.outputs[0].widest;
          CHECK(w.values == values.size());
          const auto under = [&](const std::string &schedule) { return float_at(launch.run(chooser_of(schedule).get())[launch.argument("Y")], 0); };
          CHECK(under(w.low_schedule) == *values.begin());
          CHECK(under(w.high_schedule) == *values.rbegin());
        }
    }
  CHECK(fused > 10);
}

TEST_CASE("choices: atomics add in any order, until something looks", "[ATOM][RED-SENS]") {
  std::mt19937 random(2);
  for (int round = 0; round < 10; ++round) {
    const std::vector<double> x = awkward(random, 5), y = awkward(random, 1);
    std::vector<float> order(x.begin(), x.end());
    std::sort(order.begin(), order.end());
    std::set<float> values;
    do {
      float s = static_cast<float>(y[0]);
      for (const float v : order) s += v;
      values.insert(s);
    } while (std::next_permutation(order.begin(), order.end()));
    const Launch launch(additions, {{"N", 5}}, given({{"X", x}, {"Y", y}}));
    CHECK(all_choices(launch, "Y", 1)[0] == values);
    const Exploration e = explore(launch.bound(), launch.buffers());
    CHECK(e.all);
    CHECK(e.runs == 2 + 120 - 1); // one with enclosures, one for each order
    REQUIRE(e.outputs.at(0).widest);
    CHECK(e.outputs[0].widest->values == values.size());
    CHECK(float_at(launch.run(chooser_of(e.outputs[0].widest->high_schedule).get())[1], 0) == *values.rbegin());
    // One scatter is atomics of its own.
    const Launch scattered("kernel k(X: f32[N], Y: mut f32[1]) {\n  axis i = N\n  Y.scatter_add(X[0, [i]], iota(i) * 0)\n}", {{"N", 5}}, given({{"X", x}, {"Y", y}}));
    CHECK(all_choices(scattered, "Y", 1)[0] == values);
  }
  // 2^24 + 1 + 1 is 2^24 or 2^24 + 2. A load between parts what comes before it from what comes after.
  const char *looked_at = R"(kernel k(X: f32[N], Y: mut f32[1], Z: out f32[2]) {
  axis i = N
  parallel p in [i] { Y(0).atomic_add(X[p.i]) }
  Z(0).store(Y[0])
  parallel p in [i] { Y(0).atomic_add(-X[p.i]) }
  Z(1).store(Y[0])
})";
  const Launch parted(looked_at, {{"N", 3}}, given({{"X", {0x1p24, 1, 1}}, {"Y", {0}}}));
  const auto z = all_choices(parted, "Z", 2);
  CHECK(z[0] == std::set<float>{0x1p24f, 0x1p24f + 2});
  // From 2^24 all is exact: -2. From 2^24 + 2 with -2^24 first 0; with -1 first 2^24 + 1, a tie that goes to 2^24, and -1 in the end.
  CHECK(z[1] == std::set<float>{-2, -1, 0});
}

TEST_CASE("choices: each prefix of a scan along an ordered tree of its own", "[SCAN][RED-SENS]") {
  std::mt19937 random(3);
  for (int round = 0; round < 6; ++round) {
    const std::vector<double> x = awkward(random, 4);
    const Launch launch(prefixes, {{"N", 4}}, given({{"X", x}}));
    const auto values = all_choices(launch, "Y", 4);
    std::vector<Term> terms;
    for (std::size_t i = 0; i < x.size(); ++i) {
      terms.push_back({static_cast<float>(x[i])});
      std::set<float> expected;
      all_sums(terms, true, false, expected);
      CHECK(values[i] == expected);
    }
    const Exploration e = explore(launch.bound(), launch.buffers(), {{}, 50, 0}); // too few to try them all: prefix by prefix
    CHECK(e.all);
    std::size_t most = 1;
    for (const auto &v : values) most = std::max(most, v.size());
    CHECK((most > 1) == e.outputs.at(0).widest.has_value());
    if (!e.outputs[0].widest) continue;
    const SensitiveElement &w = *e.outputs[0].widest;
    CHECK(w.values == most);
    const auto at = static_cast<std::size_t>(w.index);
    CHECK(float_at(launch.run(chooser_of(w.low_schedule).get())[1], at) == *values[at].begin());
    CHECK(float_at(launch.run(chooser_of(w.high_schedule).get())[1], at) == *values[at].rbegin());
  }
}

TEST_CASE("choices: a reduction that may be wide is admitted its wide result, whatever its order", "[NUM-ACC][ADM-CHECK]") {
  // 2^24 + 1 + 1 is 2^24 in a chain from the left, 2^24 + 2 in a wider format.
  for (const char *policy : {"fold_left", "fold_right", "ordered_tree", "unordered_tree"})
    for (const bool wide : {false, true}) {
      INFO(policy << (wide ? ", wide" : ""));
      const std::string words = std::string(policy) + (wide ? ", wide_accumulation = true" : "");
      const Launch launch("kernel k(X: f32[N], Y: out f32[2]) {\n  axis i = N\n  Y(0).store(sum(X[0, [i]], i, " + words + "))\n  Y(1).store(prod(X[0, [i]], i, " + words + "))\n}", {{"N", 3}},
                          given({{"X", {0x1p24, 1, 1}}}));
      const auto verdict = [&](float sum) { return launch.judge("Y", {sum, 0x1p24f}, 4000).outputs.at(0).verdict; };
      const bool tree = std::string(policy).ends_with("tree"), from_right = std::string(policy) == "fold_right";
      CHECK(passes(verdict(0x1p24f)) == (wide || tree || !from_right)); // 1 + 1 first from the right
      CHECK(passes(verdict(0x1p24f + 2)) == (wide || tree || from_right));
      CHECK_FALSE(passes(verdict(0x1p24f + 8)));
      const Exploration e = explore(launch.bound(), launch.buffers());
      CHECK(e.unexplored == (wide ? std::set<std::string>{"reduce"} : std::set<std::string>{}));
      CHECK(e.all != wide);
      CHECK(e.outputs.at(0).sensitive == (tree || (wide && !from_right)));
      if (e.outputs[0].widest) {
        CHECK(e.outputs[0].widest->exact != wide);
        CHECK(float_at(launch.run(chooser_of(e.outputs[0].widest->high_schedule).get())[1], 0) == 0x1p24f + 2);
      }
    }
}

TEST_CASE("choices: judge enumerates them", "[ADM-CHECK]") {
  const Launch launch(additions, {{"N", 3}}, given({{"X", {0x1p24, 1, 1}}, {"Y", {0}}}));
  const auto verdict = [&](float y) { return launch.judge("Y", {y}, 4000).outputs.at(0).verdict; };
  CHECK(verdict(0x1p24f) == Verdict::member);
  CHECK(verdict(0x1p24f + 2) == Verdict::member);
  CHECK(verdict(0x1p24f + 4) == Verdict::outside);
}

TEST_CASE("choices: what is sampled is in the enclosures, the reference's schedule is the reference", "[ADM-SET]") {
  std::mt19937 random(4);
  for (const char *type : {"f16", "bf16", "f32", "f64"}) {
    const std::string t = type;
    const std::string text = "kernel k(A: " + t + "[N], B: " + t + "[N], C: " + t + "[1, N], Y: out " + t + "[1], Z: out " + t + "[N], S: mut " + t + "[2], R: out " + t + "[1]) {\n" +
                             "  axis n = N, m = 1\n  a = A[0, [n]]\n  b = B[0, [n where iota(n) < N - 1]]\n  Y((0), [m]).store(mma(C[(0, 0), [m, n]], b, broadcast(" + t + "(0.5), [m])))\n" +
                             "  Z((0), [n]).store(scan(a, n, add))\n  parallel p in [n] { S(p.n % 2).atomic_add(A[p.n] * B[p.n]) }\n" +
                             "  acc = broadcast(" + t + "(0), [m])\n  reduce r in [n] { axis one = 1; acc = mma(C[(0, r.n), [m, one]], B[r.n, [one]], acc) }\n  R((0), [m]).store(acc)\n}";
    for (int round = 0; round < 4; ++round) {
      const Launch launch(text, {{"N", 20}}, [&](const std::string &, std::int64_t) { return std::uniform_real_distribution<double>(-4, 4)(random); });
      const AdmittedResults sets = launch.admitted();
      REQUIRE(sets.undecided.empty());
      const auto reference = launch.run();
      CHECK(launch.run(chooser_of("reference").get()) == reference);
      std::size_t other = 0;
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        SeededChooser chooser(seed);
        const auto results = launch.run(&chooser);
        other += results != reference;
        std::size_t outside = 0;
        for (const auto &o : sets.outputs)
          for (std::size_t i = 0; i < o.sets.size(); ++i) {
            const ScalarType elem = launch.type(o.argument);
            outside += !o.sets[i].contains(elem, load_bits(elem, results[o.argument].data() + i * byte_size(elem)));
          }
        CHECK(outside == 0);
        SeededChooser again(seed);
        CHECK(launch.run(&again) == results);
      }
      CHECK(other > 10);
    }
  }
}
