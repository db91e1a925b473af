// SPDX-License-Identifier: Apache-2.0
// Loads, stores, atomics, reductions and contractions at every type: bits are kept, and every step of a chain has
// the precision of its type.
#include "tests/types/elements.h"
#include <catch2/catch.hpp>

using namespace tilenest;

namespace {

Elements random_elements(ScalarType type, std::size_t n, std::uint64_t seed) {
  oracle::Random random{seed};
  Elements out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(oracle::random_element(type, random));
  return out;
}
std::string named(std::string text, ScalarType type) {
  for (std::size_t at = text.find("TYPE"); at != std::string::npos; at = text.find("TYPE"))
    text.replace(at, 4, to_string(type));
  return text;
}

struct Fold {
  const char *of_tile, *atomic;
  OpKind row;
};
constexpr Fold folds[] = {{"sum", "atomic_add", OpKind::add},           {"prod", "", OpKind::mul},
                          {"reduce_min", "atomic_min", OpKind::min},    {"reduce_max", "atomic_max", OpKind::max},
                          {"reduce_minnum", "", OpKind::minnum},        {"reduce_maxnum", "", OpKind::maxnum},
                          {"reduce_and", "atomic_and", OpKind::bit_and}, {"reduce_or", "atomic_or", OpKind::bit_or},
                          {"reduce_xor", "atomic_xor", OpKind::bit_xor}};

} // namespace

TEST_CASE("every type is loaded, moved and stored bit by bit", "[NUM-TYPES][NUM-NAN]") {
  for (ScalarType type : oracle::all_types()) {
    const Elements a = random_elements(type, 24, static_cast<std::uint64_t>(type));
    const TileRun r = run_tile(named(R"(kernel f(A: TYPE[4, 6], C: out TYPE[4, 6], D: out TYPE[24], E: out TYPE[4, 6]) {
  axis i = 4, j = 6, n = 24
  T = memory TYPE [i, j]
  T((0, 0), [i, j]).store(A[(0, 0), [i, j]])
  parallel p in [4] {
    C((p.index, 0), [_, j]).store(T[(p.index, 0), [_, j]])
    parallel q in [6] {
      E(p.index, q.index).store(A[p.index, q.index])
    }
  }
  D.scatter(T.gather(iota(n) / 6, iota(n) % 6), 23 - iota(n))
})", type), {stored("A", type, a, {4, 6})});
    INFO(to_string(type) << "\n" << r.text());
    REQUIRE(r.codes() == "");
    CHECK(elements_of(r, "C", type, 24) == a);
    CHECK(elements_of(r, "E", type, 24) == a);
    CHECK(elements_of(r, "D", type, 24) == Elements(a.rbegin(), a.rend()));
  }
}

TEST_CASE("folds and atomics of every type are chains of rounded steps", "[NUM-ACC][NUM-TYPES][ATOM][RED-FOLD]") {
  constexpr std::size_t n = 12;
  for (ScalarType type : oracle::all_types())
    for (const Fold &fold : folds) {
      const bool taken = takes(info(fold.row), type) && !(fold.row == OpKind::bit_and && is_float(type));
      for (std::uint64_t seed = 0; seed < 6; ++seed) {
        const Elements a = random_elements(type, n, seed * 97 + static_cast<std::uint64_t>(type));
        std::uint64_t chain = a[0];
        if (taken)
          for (std::size_t i = 1; i < n; ++i) chain = expected(fold.row, type, {chain, a[i]});
        const TileRun r = run_tile(named("kernel f(A: TYPE[12], C: out TYPE[1]) {\n  axis m = 12\n  C(0).store(", type) + fold.of_tile +
                                       "(A[0, [m]], m))\n}\n", {stored("A", type, a)});
        INFO(fold.of_tile << " of " << to_string(type) << " seed " << seed << "\n" << r.text());
        if (!taken) {
          CHECK(r.codes() == (is_packed(type) ? "T0108@3" : "T0102@3"));
          break;
        }
        REQUIRE(r.codes() == "");
        CHECK(differences(type, elements_of(r, "C", type, 1), {chain}) == 0);
      }
      if (!*fold.atomic) continue;
      const Elements a = random_elements(type, n, 5), start = random_elements(type, 1, 6);
      std::uint64_t chain = start[0];
      if (taken)
        for (std::size_t i = 0; i < n; ++i) chain = expected(fold.row, type, {chain, a[i]});
      const TileRun r = run_tile(named("kernel f(A: TYPE[12], C: mut TYPE[1]) {\n  parallel p in [12] {\n    C(0).", type) + fold.atomic +
                                     "(A[p.index])\n  }\n}\n", {stored("A", type, a), stored("C", type, start)});
      INFO(fold.atomic << " of " << to_string(type) << "\n" << r.text());
      REQUIRE(r.codes() == (taken ? "" : is_packed(type) ? "T0108@3" : "T0102@3"));
      if (taken) CHECK(differences(type, elements_of(r, "C", type, 1), {chain}) == 0);
    }
}

TEST_CASE("mma of every pair of input and accumulator types", "[MMA][NUM-ACC][NUM-TYPES]") {
  int taken = 0;
  for (ScalarType in : oracle::all_types())
    for (ScalarType acc : oracle::all_types()) {
      const std::string text = named(R"(kernel f(A: IN[2, 5], B: IN[5, 3], D: TYPE[2, 3], C: out TYPE[2, 3]) {
  axis m = 2, n = 3, k = 5
  C((0, 0), [m, n]).store(mma(A[(0, 0), [m, k]], B[(0, 0), [k, n]], D[(0, 0), [m, n]]))
})", acc);
      std::string with_in = text;
      for (std::size_t at = with_in.find("IN["); at != std::string::npos; at = with_in.find("IN["))
        with_in.replace(at, 2, to_string(in));
      const Elements a = random_elements(in, 10, 1), b = random_elements(in, 15, 2), d = random_elements(acc, 6, 3);
      const TileRun r = run_tile(with_in, {stored("A", in, a, {2, 5}), stored("B", in, b, {5, 3}), stored("D", acc, d, {2, 3})});
      INFO(to_string(in) << " into " << to_string(acc) << "\n" << r.text());
      if (is_packed(in) || is_packed(acc)) {
        CHECK(r.codes() == "T0108@3");
        continue;
      }
      // A conversion that could lose something is refused: every element of a narrow input type survives it.
      if (!r.codes().empty()) {
        const bool boolean = in == ScalarType::boolean || acc == ScalarType::boolean;
        CHECK(r.says(boolean ? "T0102" : "T0303"));
        continue;
      }
      ++taken;
      for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
          std::uint64_t chain = d[i * 3 + j];
          for (std::size_t k = 0; k < 5; ++k) {
            const oracle::Cast x = oracle::cast(in, a[i * 5 + k], acc, false), y = oracle::cast(in, b[k * 3 + j], acc, false);
            REQUIRE_FALSE((x.undefined || x.wrapped || y.undefined || y.wrapped));
            chain = expected(OpKind::add, acc, {chain, expected(OpKind::mul, acc, {x.bits, y.bits})});
          }
          CHECK(differences(acc, {elements_of(r, "C", acc, 6)[i * 3 + j]}, {chain}) == 0);
        }
    }
  CHECK(taken >= 14); // each numeric type into itself, and more
}

TEST_CASE("what mma converts without a cast loses nothing", "[MMA]") {
  // By hand: from, to, whether every value of `from` is one of `to`.
  const struct {
    ScalarType from, to;
    bool exact;
  } rows[] = {{ScalarType::i8, ScalarType::i32, true},   {ScalarType::u8, ScalarType::i8, false},
              {ScalarType::i8, ScalarType::u32, false},  {ScalarType::i8, ScalarType::f16, true},
              {ScalarType::i16, ScalarType::f16, false}, {ScalarType::f16, ScalarType::bf16, false},
              {ScalarType::bf16, ScalarType::f16, false}, {ScalarType::bf16, ScalarType::f32, true},
              {ScalarType::f32, ScalarType::f16, false}, {ScalarType::i32, ScalarType::f32, false},
              {ScalarType::i32, ScalarType::f64, true},  {ScalarType::i64, ScalarType::f64, false},
              {ScalarType::f8e5m2, ScalarType::f16, true}, {ScalarType::f8e4m3fn, ScalarType::f8e5m2, false},
              {ScalarType::f8e5m2, ScalarType::f8e4m3fn, false}, {ScalarType::f8e4m3fn, ScalarType::bf16, true}};
  for (const auto &row : rows) {
    const std::string in(to_string(row.from)), acc(to_string(row.to));
    const TileRun r = run_tile("kernel f(A: " + in + "[1, 1], C: out " + acc + "[1, 1]) {\n  axis m = 1, n = 1, k = 1\n  C((0, 0), [m, n]).store(mma(A[(0, 0), [m, k]], A[(0, 0), [k, n]], zeros " +
                                   acc + " [m, n]))\n}\n", {stored("A", row.from, {0}, {1, 1})});
    INFO(in << " into " << acc);
    CHECK(r.codes() == (row.exact ? "" : "T0303@3 T0303@3"));
  }
}
