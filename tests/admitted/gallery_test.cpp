// SPDX-License-Identifier: Apache-2.0
// The gallery's admitted sets: runs along other groupings are in them; results that are moved, or that come from other
// inputs, are not.
#include "interp/explore.h"
#include "lower/lower.h"
#include "semantics/numerics/formats.h"
#include "semantics/numerics/literals.h"
#include "semantics/numerics/scalar_apply.h"
#include "tests/admitted/launch.h"
#include "tests/examples/readme.h"
#include "tests/volume.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <sstream>

using namespace tilenest;
using namespace tilenest::admitted;

namespace {

std::map<std::string, std::int64_t> extents_of(const std::vector<std::string> &words) {
  std::map<std::string, std::int64_t> out;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] != "--shape") continue;
    std::stringstream list(words[i + 1]);
    for (std::string pair; std::getline(list, pair, ',');) out[pair.substr(0, pair.find('='))] = std::stoll(pair.substr(pair.find('=') + 1));
  }
  return out;
}

// Lengths, labels and offsets: small numbers that are sure to be valid; float inputs as `values` has them.
Values inputs(const Values &values) {
  return [values](const std::string &a, std::int64_t i) {
    if (a == "lengths" || a == "offsets") return static_cast<double>(i);
    if (a == "label" || a == "ids" || a == "position") return static_cast<double>(i % 8);
    if (a == "spot" || a == "strike" || a == "years" || a == "rate" || a == "volatility") return 0.25 + static_cast<double>(i % 7) / 8;
    return values(a, i);
  };
}

void for_each_example(const std::function<void(const std::string &, const Launch &)> &f, const Values &values = uniform) {
  for (const examples::Row &row : examples::readme_rows()) {
    INFO(row.name);
    const std::string text = example_text(row.name);
    f(row.name, Launch(text, extents_of(row.words), inputs(values)));
  }
}

} // namespace

TEST_CASE("gallery: runs along any grouping are in the admitted set", "[ADM-SET]" TILENEST_LONG) {
  std::uint64_t compared = 0, points = 0;
  for_each_example([&](const std::string &name, const Launch &launch) {
    INFO(name);
    const AdmittedResults sets = launch.admitted();
    CHECK(sets.undecided.empty());
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      SeededChooser chooser(seed);
      const auto results = launch.run(seed == 0 ? nullptr : &chooser);
      for (const auto &output : sets.outputs) {
        const ScalarType type = launch.type(output.argument);
        std::uint64_t wrong = 0;
        for (std::size_t i = 0; i < output.sets.size(); ++i) {
          const std::uint64_t bits = load_bits(type, results[output.argument].data() + i * byte_size(type));
          wrong += !output.sets[i].contains(type, bits);
          points += output.sets[i].is_point();
          ++compared;
        }
        CHECK(wrong == 0);
      }
    }
  });
  CHECK(compared > 100000);
  CHECK(points > 50000);
  CHECK(points < compared);
}

TEST_CASE("gallery: a result moved by twice the half-width, or off a point, is refused", "[ADM-CHECK]" TILENEST_LONG) {
  std::uint64_t moved = 0;
  for_each_example([&](const std::string &name, const Launch &launch) {
    INFO(name);
    const AdmittedResults sets = launch.admitted();
    const auto reference = launch.run();
    for (const auto &output : sets.outputs) {
      const ScalarType type = launch.type(output.argument);
      for (std::size_t i = output.sets.size() / 3; i < output.sets.size(); i += 1 + output.sets.size() / 2) {
        const Enclosure &e = output.sets[i];
        if (!e.number || e.nan || !is_float(type)) continue;
        const double low = value_as_f64(type, e.low), high = value_as_f64(type, e.high), half = (high - low) / 2;
        const std::uint64_t to = e.is_point() ? from_order_key(type, order_key(type, e.high) + 1) : *literal_bits(low + half + 2 * half, type);
        auto results = reference;
        store_bits(type, results[output.argument].data() + i * byte_size(type), to);
        for (const JudgedOutput &o : launch.judge(results).outputs)
          CHECK((o.verdict == Verdict::outside) == (o.argument == output.argument));
        ++moved;
      }
    }
  });
  CHECK(moved > 40);
}

TEST_CASE("gallery: whole numbers refuse a dropped and a doubled term", "[ADM-CHECK]") {
  struct Changed {
    std::string name, input;
    std::int64_t at;
  };
  // One element of an input is as if it were not there, or there twice.
  for (const Changed &c : {Changed{"gemm", "A", 5}, {"gemm", "B", 100}, {"gemm_memories", "A", 40}, {"gemm_outer_accumulator", "A", 7},
                           {"persistent_tiles", "B", 9}, {"conv2d", "weight", 3}, {"segment_sum_ids", "values", 77}, {"depthwise_pool", "weight", 2}}) {
    INFO(c.name << ", " << c.input);
    std::map<std::string, std::int64_t> extents;
    for (const examples::Row &row : examples::readme_rows())
      if (row.name == c.name) extents = extents_of(row.words);
    const std::string text = example_text(c.name);
    const auto positive = [](const std::string &a, std::int64_t i) { return std::fabs(whole(a, i)) + 1; };
    const Launch launch(text, extents, inputs(positive));
    for (const double factor : {0.0, 2.0}) {
      const Launch other(text, extents, inputs([&](const std::string &a, std::int64_t i) {
        return positive(a, i) * (a == c.input && i == c.at ? factor : 1);
      }));
      bool outside = false;
      for (const JudgedOutput &o : launch.judge(other.run()).outputs) outside |= o.verdict == Verdict::outside;
      CHECK(outside);
    }
    for (const JudgedOutput &o : launch.judge(launch.run()).outputs) CHECK(o.verdict == Verdict::equal);
  }
}

TEST_CASE("gallery: products and sums in another precision are refused on whole numbers", "[ADM-CHECK]") {
  constexpr std::int64_t m = 5, n = 6, k = 64;
  // Products of numbers with 12 bits: 1 + 2^-11 rounds in tf32 and bf16, and sums of 64 fit f32.
  const auto a = [](std::int64_t i) { return 1 + static_cast<double>(i % 3) * 0x1p-11; };
  const Launch launch(example_text("gemm"), {{"M", m}, {"N", n}, {"K", k}},
                      [&](const std::string &name, std::int64_t i) { return name == "A" ? a(i) : 1.0; });
  const auto rounded = [](double x, int bits) { return std::nearbyint(std::ldexp(x, bits)) * std::ldexp(1.0, -bits); };
  std::vector<float> exact, tf32, bf16_sum;
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      double s = 0, t = 0, b = 0;
      for (std::int64_t l = 0; l < k; ++l) {
        const double x = a(i * k + l);
        s += x;
        t += rounded(x, 10);
        b = value_as_f64(ScalarType::bf16, *literal_bits(b + x, ScalarType::bf16));
      }
      exact.push_back(static_cast<float>(s)), tf32.push_back(static_cast<float>(t)), bf16_sum.push_back(static_cast<float>(b));
    }
  CHECK(launch.judge("C", exact).outputs[0].verdict == Verdict::equal);
  CHECK(launch.judge("C", tf32).outputs[0].verdict == Verdict::outside);
  CHECK(launch.judge("C", bf16_sum).outputs[0].verdict == Verdict::outside);
}

TEST_CASE("gallery: every engine gives the reference's bits when it is strict, and else what is admitted", "[ADM-CHECK][engines]" TILENEST_LONG) {
  std::vector<std::string> engines{"plan"};
#ifdef TILENEST_CPU_MODULE_BUILT
  setenv("TILENEST_CPU_MODULE", TILENEST_CPU_MODULE_BUILT, 0);
  engines.emplace_back("cpu");
#endif
  for_each_example([&](const std::string &name, const Launch &launch) {
    const auto reference = launch.run();
    for (const std::string &engine : engines) {
      INFO(name << " on " << engine);
      CHECK(launch.differences(reference, launch.run_on(engine, {{.strict = true}})) == 0);
      for (const JudgedOutput &o : launch.judge(launch.run_on(engine, {}), &cpu_profile()).outputs) CHECK(passes(o.verdict));
    }
  });
}
