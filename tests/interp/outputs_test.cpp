// SPDX-License-Identifier: Apache-2.0
// What a run left undefined, which elements it may have changed: by words, against one element at a time; and that huge
// arguments cost what is touched of them.
#include "interp/outputs.h"
#include "semantics/judge.h"
#include "semantics/text/parser.h"
#include "tests/interp/tile_run.h"
#include "tests/volume.h"
#include <catch2/catch.hpp>
#include <ctime>
#include <random>
#include <sys/mman.h>

using namespace tilenest;
using I = std::vector<std::int64_t>;

TEST_CASE("elements are counted by words as one by one", "[MEM-INIT]") {
  std::mt19937_64 random(7);
  for (int round = 0; round < volume(400); ++round) {
    const bool halves = random() % 2;
    const std::size_t bytes = 1 + random() % 700;
    DefinedBytes d(bytes, halves);
    for (int k = 0; k < 6; ++k) {
      const std::size_t at = random() % bytes, n = std::min<std::size_t>(bytes - at, random() % (random() % 2 ? 9 : 300));
      d.set(at, n);
    }
    for (const std::size_t size : {1, 2, 4, 8}) {
      const std::size_t at = random() % 4 ? random() % 40 / size * size : random() % 40; // rows start anywhere
      if (at >= bytes) continue;
      const std::size_t n = (bytes - at) / size;
      std::size_t defined = 0, first = n;
      for (std::size_t i = 0; i < n; ++i) {
        defined += d.all(at + i * size, size);
        if (first == n && !d.all(at + i * size, size)) first = i;
      }
      CAPTURE(halves, bytes, size, at);
      CHECK(d.count(at, n, size) == defined);
      CHECK(d.first_missing(at, n, size) == first);
    }
    std::vector<bool> in_part(bytes);
    d.for_parts(1, bytes - 1, [&](std::size_t from, std::size_t to) {
      REQUIRE((from >= 1 && from < to && to <= bytes));
      for (std::size_t i = from; i < to; ++i) in_part[i] = true;
    });
    for (std::size_t i = 1; i < bytes; ++i) CHECK((in_part[i] || !d.all(i, 1)));
  }
}

TEST_CASE("half bytes are counted by words", "[MEM-INIT]") {
  DefinedBytes d(100, true);
  for (std::size_t at = 0; at < 200; ++at)
    if (at % 3 != 1) d.set_half(at);
  CHECK(d.count_halves(0, 200) == 133);
  CHECK(d.count_halves(5, 64) == 43);
  CHECK(d.first_missing_half(0, 200) == 1);
  CHECK(d.first_missing_half(2, 2) == 2);
}

namespace {
struct BoundText {
  std::optional<Result<BoundProgram>> bound;
  BoundText(const char *text, const std::vector<ArgumentShape> &shapes) {
    ParsedFile file = parse_text("t.tile", text);
    REQUIRE(file.kernels.size() == 1);
    REQUIRE_FALSE(has_error(judge(file.kernels[0])));
    bound = tilenest::bind(std::make_shared<TileProgram>(std::move(file.kernels[0])), shapes, {});
    REQUIRE(bound->ok());
  }
};
} // namespace

TEST_CASE("what is undefined and what may have changed, of arrays with and without gaps", "[MEM-INIT]") {
  const BoundText k("kernel k(Y: out i16[M, N]) {\n Y(1, 2).store(7)\n}", {{"Y", {3, 1000}}});
  std::vector<std::int16_t> y(3 * 1001);
  const RunResult whole = run(**k.bound, {{y.data(), {3, 1000}, {2000, 2}, false}});
  CHECK(whole.undefined_elements[0] == 2999);
  CHECK(whole.first_undefined[0] == std::int64_t{0});
  REQUIRE(whole.touched[0]);
  REQUIRE(whole.touched[0]->size() == 1);
  CHECK((*whole.touched[0])[0].first <= 1002);
  CHECK((*whole.touched[0])[0].second > 1002);
  const RunResult gaps = run(**k.bound, {{y.data(), {3, 1000}, {2002, 2}, false}});
  CHECK(gaps.undefined_elements[0] == 2999);
  CHECK_FALSE(gaps.touched[0]);
  const RunResult turned = run(**k.bound, {{y.data(), {3, 1000}, {2, 6}, false}});
  CHECK(turned.undefined_elements[0] == 2999);
  CHECK_FALSE(turned.touched[0]);
  const RunResult defined = run(**k.bound, {{y.data(), {3, 1000}, {2000, 2}, true}});
  CHECK(defined.undefined_elements[0] == 0);
  CHECK_FALSE(defined.touched[0]);
  const BoundText row("kernel k(Y: out i16[N]) {\n serial i in [#0 = 999] {\n Y(i.index()).store(7)\n }\n}", {{"Y", {1000}}});
  CHECK(run(**row.bound, {{y.data(), {1000}, {2}, false}}).first_undefined[0] == std::int64_t{999});
}

TEST_CASE("a huge output costs what is touched of it", "[limits]" TILENEST_LONG) {
  constexpr std::int64_t n = std::int64_t{1} << 32;
  void *y = ::mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  REQUIRE(y != MAP_FAILED);
  const BoundText k("kernel k(Y: out u8[M]) {\n Y(70000).store(1)\n}", {{"Y", {n}}});
  const std::clock_t before = std::clock();
  const RunResult r = run(**k.bound, {{y, {n}, {1}, false}});
  CHECK(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC < 5); // one by one it takes 20 and more
  CHECK(r.diagnostics.empty());
  CHECK(r.undefined_elements[0] == static_cast<std::uint64_t>(n) - 1);
  CHECK(r.first_undefined[0] == std::int64_t{0});
  REQUIRE(r.touched[0]);
  CHECK(r.touched[0]->size() == 1);
  ::munmap(y, n);
}
