// SPDX-License-Identifier: Apache-2.0
// Every elementwise row at every type it takes, and every cast, run by the machine from text; and that it refuses
// the others.
#include "tests/types/elements.h"
#include <catch2/catch.hpp>

using namespace tilenest;

namespace {

bool is_cast(const OpInfo &row) { return row.result == OpResult::attribute; }
bool is_elementary(const OpInfo &row) { return std::string(row.summary).find("correctly rounded") != std::string::npos; }

// The row applied to loads of A, B and D; the condition of `ite` is M.
std::string statement(const OpInfo &row) {
  const std::string a = "A[0, [m]]", b = "B[0, [m]]", d = "D[0, [m]]";
  if (std::string(row.name) == "ite") return "ite(M[0, [m]], " + a + ", " + b + ")";
  if (*row.spelling) return row.arity == 1 ? row.spelling + a : a + " " + row.spelling + " " + b;
  return std::string(row.name) + "(" + a + (row.arity > 1 ? ", " + b : "") + (row.arity > 2 ? ", " + d : "") + ")";
}
std::string kernel(const std::string &type, const std::string &result, const std::string &value) {
  return "kernel f(A: " + type + "[N], B: " + type + "[N], D: " + type + "[N], M: bool[N], C: out " + result +
         "[N]) {\n  axis m = N\n  C(0, [m]).store(" + value + ")\n}\n";
}

// Operands that have a result: no division by zero, no shift count out of range.
void make_defined(OpKind row, ScalarType type, Elements &b) {
  if (!is_integer(type)) return;
  for (std::uint64_t &x : b) {
    if (row == OpKind::div || row == OpKind::rem || row == OpKind::floordiv || row == OpKind::mod) x = x == 0 ? 1 : x;
    if (row == OpKind::shl || row == OpKind::shr) x &= static_cast<std::uint64_t>(bit_width(type) - 1);
  }
}

} // namespace

TEST_CASE("every row at every type it takes", "[NUM-TYPES][NUM-RN][NUM-INT][NUM-NAN]") {
  int pairs = 0;
  for (int i = 0; i < op_count; ++i) {
    const OpInfo &row = op_table[i];
    if (row.form != Form::elementwise || is_cast(row)) continue;
    for (ScalarType type : oracle::all_types()) {
      const std::string name(to_string(type));
      const bool boolean = row.result == OpResult::boolean;
      const std::string text = kernel(name, boolean ? "bool" : name, statement(row));
      // Elementary functions have tests of their own with many more elements.
      const std::size_t n = is_elementary(row) && is_float(type) ? 24 : type == ScalarType::boolean ? 8 : 200;
      oracle::Random random{static_cast<std::uint64_t>(i * 31 + static_cast<int>(type))};
      Elements a, b, d, m;
      for (std::size_t k = 0; k < n; ++k) {
        a.push_back(oracle::random_element(type, random));
        b.push_back(oracle::random_element(type, random));
        d.push_back(oracle::random_element(type, random));
        m.push_back(random() & 1);
      }
      make_defined(static_cast<OpKind>(i), type, b);
      const TileRun r = run_tile(text, {stored("A", type, a), stored("B", type, b), stored("D", type, d),
                                        stored("M", ScalarType::boolean, m)});
      INFO(row.name << " of " << name << "\n" << r.text());
      if (!takes(row, type)) {
        REQUIRE(r.codes() == (is_packed(type) ? "T0108@3" : "T0102@3"));
        continue;
      }
      REQUIRE(r.codes() == "");
      Elements right;
      for (std::size_t k = 0; k < n; ++k) {
        Elements x{a[k], b[k], d[k]};
        if (static_cast<OpKind>(i) == OpKind::ite) x = {m[k], a[k], b[k]};
        x.resize(static_cast<std::size_t>(row.arity));
        right.push_back(expected(static_cast<OpKind>(i), type, x));
      }
      const ScalarType result = boolean ? ScalarType::boolean : type;
      CHECK(differences(result, elements_of(r, "C", result, n), right) == 0);
      ++pairs;
    }
  }
  CHECK(pairs > 400);
}

TEST_CASE("every cast between two types", "[NUM-TYPES][NUM-RN][NUM-INT][NUM-FP8]") {
  for (ScalarType from : oracle::all_types())
    for (ScalarType to : oracle::all_types())
      for (bool saturate : {false, true}) {
        const std::string name(to_string(to));
        const std::string text = kernel(std::string(to_string(from)), name,
                                        std::string(saturate ? "cast_sat" : "cast") + "(A[0, [m]], " + name + ")");
        oracle::Random random{static_cast<std::uint64_t>(static_cast<int>(from) * 40 + static_cast<int>(to))};
        Elements a, right, none;
        while (a.size() < 64) {
          const std::uint64_t x = oracle::random_element(from, random);
          const oracle::Cast c = oracle::cast(from, x, to, saturate);
          if (c.undefined) continue;
          a.push_back(x);
          right.push_back(c.bits);
          none.push_back(0);
        }
        const TileRun r = run_tile(text, {stored("A", from, a), stored("B", from, none), stored("D", from, none),
                                          stored("M", ScalarType::boolean, none)});
        INFO(to_string(from) << " to " << name << (saturate ? " saturating" : "") << "\n" << r.text());
        if (saturate && (from == ScalarType::boolean || to == ScalarType::boolean)) {
          CHECK(r.codes() == "T0102@3");
          continue;
        }
        REQUIRE(r.codes() == "");
        CHECK(differences(to, elements_of(r, "C", to, a.size()), right) == 0);
      }
}

TEST_CASE("bitcasts keep bits between types of one width that compute", "[NUM-TYPES][NUM-NAN]") {
  for (ScalarType from : oracle::all_types())
    for (ScalarType to : oracle::all_types()) {
      const std::string name(to_string(to));
      Elements a, none(64, 0);
      oracle::Random random{static_cast<std::uint64_t>(to)};
      for (int i = 0; i < 64; ++i) a.push_back(oracle::random_element(from, random));
      const TileRun r = run_tile(kernel(std::string(to_string(from)), name, "bitcast(A[0, [m]], " + name + ")"),
                                 {stored("A", from, a), stored("B", from, none), stored("D", from, none),
                                  stored("M", ScalarType::boolean, none)});
      INFO(to_string(from) << " as " << name << "\n" << r.text());
      if (is_packed(from) || is_packed(to)) {
        CHECK(r.codes() == "T0108@3");
      } else if (from == ScalarType::boolean || to == ScalarType::boolean) {
        CHECK(r.codes() == "T0102@3");
      } else if (bit_width(from) != bit_width(to)) {
        CHECK(r.codes() == "T0104@3");
      } else {
        REQUIRE(r.codes() == "");
        CHECK(elements_of(r, "C", to, 64) == a);
      }
    }
}
