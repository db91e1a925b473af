// SPDX-License-Identifier: Apache-2.0
// The elementary functions of plans that are not strict (lower/elementary.h) are what the profile `cpu` declares: numbers
// of every size, ends of the functions' branches, NaN, infinities, zeros. All f32: bench/fast_function_sweep.
#include "lower/lower.h"
#include "semantics/numerics/formats.h"
#include "semantics/numerics/literals.h"
#include "tests/admitted/launch.h"
#include "tests/volume.h"
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>

using namespace tilenest;
using namespace tilenest::admitted;

namespace {

const std::vector<std::string> functions{"exp", "exp2", "expm1", "log", "log2", "log1p", "sin", "cos", "tan", "tanh", "sinh", "cosh", "erf", "rsqrt"};

// Where a function changes its way, and what has no ordinary result; the numbers around it, too.
const std::vector<float> ends{0.0F, -0.0F, 1.0F, -1.0F, 0x1p-149F, -0x1p-149F, 0x1p-126F, 0x1p-64F, 0.9375F, -0.9375F, 4.0F, 4.0F / 3, 0x1p20F, -0x1p20F, 0x1p30F,
                              89.0F, 88.72284F, -87.33655F, -103.97208F, -105.0F, 128.0F, -126.0F, -149.5F, 90.0F, -90.0F, 3.4028235e38F, -3.4028235e38F,
                              INFINITY, -INFINITY, NAN, 1.5707964F, 3.1415927F, 0x1.33333p+13F, 0x1.1p2F, 0.6931472F, 1e-20F, -0.999999F};

Values over(std::int64_t n) {
  return [n](const std::string &, std::int64_t i) -> double {
    const auto at = static_cast<std::size_t>(i);
    if (at < 3 * ends.size()) {
      const float end = ends[at / 3];
      return at % 3 == 0 ? end : std::nextafter(end, at % 3 == 1 ? -INFINITY : INFINITY);
    }
    return std::bit_cast<float>(static_cast<std::uint32_t>((std::uint64_t{1} << 32) / static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(i) + 77));
  };
}

std::string kernel(const std::string &function, const std::string &type) {
  return "kernel k(X: " + type + "[N], Y: out " + type + "[N]) { axis n = N; Y((0), [n]).store(" + function + "(X[(0), [n]])) }";
}

} // namespace

TEST_CASE("fast functions: within what the profile declares", "[NUM-TGT][NUM-FUN][engines]") {
  const std::int64_t n = volume(20000);
  for (const std::string &function : functions)
    for (const std::string type : {"f32", "f16", "bf16"}) {
      INFO(function << " of " << type);
      const Launch launch(kernel(function, type), {{"N", type == "f32" ? n : n / 8}}, over(n));
      const auto results = launch.run_on("plan", {});
      CHECK(passes(launch.judge(results, &cpu_profile()).outputs[0].verdict));
      if (type != "f32") continue;
      CHECK(launch.differences(launch.run_on("plan", {{.strict = true}}), launch.run()) == 0);
#ifdef TILENEST_CPU_MODULE_BUILT
      setenv("TILENEST_CPU_MODULE", TILENEST_CPU_MODULE_BUILT, 0);
      CHECK(launch.differences(launch.run_on("cpu", {}), results) == 0); // one text, one meaning
#endif
    }
}

TEST_CASE("fast functions: what the profile does not declare is exact", "[NUM-TGT][engines]") {
  for (const auto &[function, type] : std::vector<std::pair<std::string, std::string>>{{"exp", "f64"}, {"sqrt", "f32"}, {"tanh", "f64"}}) {
    INFO(function << " of " << type);
    const Launch launch(kernel(function, type), {{"N", 1000}}, over(1000));
    CHECK(launch.differences(launch.run_on("plan", {}), launch.run()) == 0);
  }
}
