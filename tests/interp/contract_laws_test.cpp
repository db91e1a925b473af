// SPDX-License-Identifier: Apache-2.0
// Trials of the laws of contracts: right ones have no counterexample, wrong ones have the laws that they break named,
// with values that a reader derives by hand.
#include "interp/laws.h"
#include "semantics/judge.h"
#include "semantics/library/contracts.h"
#include "semantics/text/parser.h"
#include "tests/volume.h"
#include <catch2/catch.hpp>
#include <set>

using namespace tilenest;

namespace {

LawCheck laws_of(const std::string &text, const LawOptions &options = {}) {
  ParsedFile file = parse_text("k.tile", text);
  REQUIRE_FALSE(has_error(file.diagnostics));
  REQUIRE(file.kernels.size() == 1);
  REQUIRE_FALSE(has_error(judge(file.kernels[0])));
  return check_laws(std::make_shared<const TileProgram>(std::move(file.kernels[0])), options);
}

// The laws that are found broken, "associative body"; each has one report, at the reduce.
std::string broken_laws(const LawCheck &check) {
  std::string out;
  std::size_t reports = 0;
  for (const CheckedContract &c : check.contracts)
    for (std::size_t i = 0; i < contract_law_count; ++i)
      if (c.laws[i].failure) out += (out.empty() ? "" : " ") + std::string(contract_law_names[i]), ++reports;
  CHECK(check.diagnostics.size() == reports);
  for (const Diagnostic &d : check.diagnostics) {
    CHECK(std::string(d.info().code) == "T0308");
    CHECK(d.sites.at(0).site.line == 4);
  }
  return out;
}

const LawFailure &failure(const LawCheck &check, ContractLaw law) {
  const auto &found = check.contracts.at(0).laws[static_cast<std::size_t>(law)].failure;
  REQUIRE(found);
  return *found;
}

// One state `s` of this type, folded over X by `body`; the reduce stands on line 4.
std::string one_state(const std::string &type, const std::string &identity, const std::string &merge, const std::string &body,
                const std::string &policy = "", const std::string &seed = "") {
  return "kernel k(X: " + type + "[N], S: " + type + "[1], Y: out " + type + "[1]) {\n  axis r = N\n  s = " + (seed.empty() ? type + "(" + identity + ")" : seed) +
         "\n  reduce i in [r] " + policy + " with contract(s) identity { give " + identity + " } merge (a), (b) { give " + merge +
         " } {\n    x = X[i.r]\n    s = " + body + "\n  }\n  Y(0).store(s)\n}\n";
}

const LawOptions few_rounds{{}, volume(40), 400};

const char *affine_maps(bool commutes) {
  return commutes ? R"(kernel k(M: i32[N], B: i32[N], P: out i32[2]) {
  axis r = N; m = i32(1)
  b = i32(0)
  reduce i in [r] ordered_tree with contract(m, b) identity { give 1, 0 } merge (ml, bl), (mr, br) { give ml * mr, mr * bl + br } {
    b = M[i.r] * b + B[i.r]; m = m * M[i.r]
  }
  P(0).store(m); P(1).store(b)
})"
                  : R"(kernel k(M: i32[N], B: i32[N], P: out i32[2]) {
  axis r = N; m = i32(1)
  b = i32(0)
  reduce i in [r] ordered_tree with contract(m, b) associative identity { give 1, 0 } merge (ml, bl), (mr, br) { give ml * mr, mr * bl + br } {
    b = M[i.r] * b + B[i.r]; m = m * M[i.r]
  }
  P(0).store(m); P(1).store(b)
})";
}

// The combiner keeps the left operand where values are equal.
const char *keeps_left = R"(kernel k(X: i32[N], Y: out i64[1]) {
  axis r = N; v = i32(-2147483648)
  k = i64(0)
  reduce i in [r] with contract(v, k) identity { give -2147483648, 0 } merge (lv, lk), (rv, rk) { give ite(lv >= rv, lv, rv), ite(lv >= rv, lk, rk) } {
    x = X[i.r]; stays = v >= x
    v = ite(stays, v, x); k = ite(stays, k, i.r)
  }
  Y(0).store(k)
})";

} // namespace

TEST_CASE("laws: the contracts of the library have no counterexample", "[RED-LAW][RED-SEED]") {
  for (const library::Contract &c : library::contracts()) {
    INFO(c.name);
    const LawCheck check = laws_of(c.example, few_rounds);
    CHECK(check.diagnostics.empty());
    CHECK(check.untried == "");
    REQUIRE(check.contracts.size() == 1);
    for (const LawTally &t : check.contracts[0].laws) {
      CHECK(t.tried > static_cast<std::uint64_t>(volume(300)));
      CHECK(t.undecided * 10 < t.tried);
    }
  }
}

TEST_CASE("laws: right contracts, whatever rounds, wraps or overflows", "[RED-LAW]") {
  CHECK(broken_laws(laws_of(one_state("i8", "0", "a + b", "s + x"), few_rounds)) == "");
  CHECK(broken_laws(laws_of(one_state("u8", "1", "a * b", "s * x"), few_rounds)) == "");
  CHECK(broken_laws(laws_of(one_state("i64", "0", "a + b", "s + x * x"), few_rounds)) == "");
  CHECK(broken_laws(laws_of(one_state("f32", "-0.0", "a + b", "s + x"), few_rounds)) == "");
  CHECK(broken_laws(laws_of(one_state("f16", "1", "a * b", "s * x"), few_rounds)) == "");
  CHECK(broken_laws(laws_of(one_state("f32", "0", "sqrt(a * a + b * b)", "sqrt(s * s + x * x)", "", "f32(0)"), few_rounds)) == "");
  CHECK(broken_laws(laws_of(one_state("bool", "false", "a ^ b", "s ^ x", "", "S[0]"))) == "");
  CHECK(broken_laws(laws_of(affine_maps(false), few_rounds)) == "");
  // A NaN does not get into the state, so that dropping the right one is no loss.
  CHECK(broken_laws(laws_of(one_state("f32", "-inf", "ite(b > a, b, a)", "ite(x > s, x, s)"))) == "");
  // A mean beside the sum and the count that it follows from: states that rounding has parted are no counterexample.
  CHECK(broken_laws(laws_of(R"(kernel k(X: f32[N], Y: out f32[1]) {
  axis r = N; s = f32(0); n = f32(0)
  m = f32(0)
  reduce i in [r] with contract(s, n, m) identity { give 0, 0, 0 } merge (sl, nl, ml), (sr, nr, mr) { k = nl + nr; give sl + sr, k, ite(nl == 0, mr, ite(nr == 0, ml, (nl * ml + nr * mr) / k)) } {
    s = s + X[i.r]; n = n + 1; m = m * 0 + s / n
  }
  Y(0).store(m)
})", few_rounds)) == "");
}

TEST_CASE("laws: a merge that does not commute", "[RED-LAW]") {
  const LawCheck check = laws_of(affine_maps(true));
  CHECK(broken_laws(check) == "commutative");
  // a: b = 0 * 0 + 1, then by the other block: 0 * 1 + 0; the other way round 0 * 0 + 1.
  const LawFailure &f = failure(check, ContractLaw::commutative);
  CHECK(f.operands.at(0).value == "m = 0, b = 1");
  CHECK(f.operands.at(1).value == "m = 0, b = 0");
  CHECK(f.left_value == "m = 0, b = 0");
  CHECK(f.right_value == "m = 0, b = 1");
  CHECK(f.element == "b");
}

TEST_CASE("laws: a combiner that keeps the left of two equal values", "[RED-LAW]") {
  const LawCheck check = laws_of(keeps_left);
  CHECK(broken_laws(check) == "commutative");
  const LawFailure &f = failure(check, ContractLaw::commutative);
  CHECK(f.operands.at(0).value == "v = 0, k = 0");
  CHECK(f.operands.at(1).value == "v = 0, k = 1");
  CHECK(f.left_value == "v = 0, k = 0");
  CHECK(f.right_value == "v = 0, k = 1");
  CHECK(f.operands.at(0).from == "the body from the identity over [0]");
}

TEST_CASE("laws: an identity that is none", "[RED-LAW][RED-SEED]") {
  const LawCheck check = laws_of(one_state("i32", "0", "min(a, b)", "min(s, x)", "", "i32(2147483647)"));
  CHECK(broken_laws(check) == "left identity right identity body");
  CHECK(failure(check, ContractLaw::left_identity).left_value == "s = 0");
  CHECK(failure(check, ContractLaw::left_identity).right_value == "s = 2147483647");
  // 0 + -0 is 0: only a state that comes in as -0 shows it, since the body from 0 never gives -0.
  CHECK(broken_laws(laws_of(one_state("f32", "0", "a + b", "s + x", "", "S[0]"))) == "left identity right identity");
  CHECK(broken_laws(laws_of(one_state("f32", "0", "a + b", "s + x"))) == "");
  CHECK(broken_laws(laws_of(one_state("f32", "-0.0", "a + b", "s + x", "", "S[0]"))) == "");
}

TEST_CASE("laws: a merge that does not associate", "[RED-LAW]") {
  const LawCheck check = laws_of(one_state("i32", "0", "abs(a - b)", "abs(s - x)"));
  CHECK(broken_laws(check) == "associative body");
  // ||2 - 1| - 1| = 0 and |2 - |1 - 1|| = 2.
  const LawFailure &f = failure(check, ContractLaw::associative);
  CHECK(f.operands.at(0).value == "s = 2");
  CHECK(f.operands.at(1).value == "s = 1");
  CHECK(f.operands.at(2).value == "s = 1");
  CHECK(f.left_value == "s = 0");
  CHECK(f.right_value == "s = 2");
  // The mean of two means is not that of the whole, in real numbers.
  CHECK(broken_laws(laws_of(one_state("f32", "0", "(a + b) / 2", "(s + x) / 2"))) == "left identity right identity associative body");
}

TEST_CASE("laws: a body that is not its merge", "[RED-LAW]") {
  const LawCheck check = laws_of(one_state("i32", "0", "a + b", "2 * s + x"));
  CHECK(broken_laws(check) == "body");
  // From s = 1: 2 * 1 + 0 in the body, 1 + (2 * 0 + 0) merged.
  const LawFailure &f = failure(check, ContractLaw::body);
  CHECK(f.operands.at(0).value == "s = 1");
  CHECK(f.operands.at(1).value == "s = 0");
  CHECK(f.left_value == "s = 2");
  CHECK(f.right_value == "s = 1");
  // Welford without the deviation between the two means: of 1 and 0 it is 1/2.
  const LawCheck welford = laws_of(R"(kernel k(X: f32[N], Y: out f32[1]) {
  axis r = N; n = f32(0); mean = f32(0)
  m2 = f32(0)
  reduce i in [r] with contract(n, mean, m2) identity { give 0, 0, 0 } merge (nl, ml, sl), (nr, mr, sr) { k = nl + nr; give k, ite(nl == 0, mr, ite(nr == 0, ml, ml + (mr - ml) * (nr / k))), sl + sr } {
    x = X[i.r]; n = n + 1; d = x - mean; mean = mean + d / n; m2 = m2 + d * (x - mean)
  }
  Y(0).store(m2)
})");
  CHECK(broken_laws(welford) == "body");
  const LawFailure &w = failure(welford, ContractLaw::body);
  CHECK(w.left_value == "n = 2.0, mean = 0.5, m2 = 0.5");
  CHECK(w.right_value == "n = 2.0, mean = 0.5, m2 = 0.0");
  CHECK(w.element == "m2");
}

TEST_CASE("laws: a comparison that NaN slips through", "[RED-LAW]") {
  // The body lets a NaN in (NaN < s is false), and the right operand wins, be it the NaN or not.
  const LawCheck check = laws_of(one_state("f32", "-inf", "ite(b < a, a, b)", "ite(x < s, s, x)"));
  CHECK(broken_laws(check) == "right identity associative commutative");
  const LawFailure &f = failure(check, ContractLaw::commutative);
  const std::set<std::string> operands{f.operands.at(0).value, f.operands.at(1).value};
  CHECK(operands.contains("s = nan"));
  CHECK(operands.size() == 2);
  CHECK(f.left_value == f.operands.at(1).value);
  CHECK(f.right_value == f.operands.at(0).value);
}

TEST_CASE("laws: every value of a narrow type is tried", "[RED-LAW]") {
  for (const char *value : {"0", "77", "200", "254"}) {
    INFO(value);
    const std::string text = one_state("u8", "0", std::string("ite(a == ") + value + " & b != 0, a, a | b)", "s | x");
    CHECK(broken_laws(laws_of(text)) != "");
  }
}

TEST_CASE("laws: states that are tiles, and the element that differs", "[RED-LAW]") {
  const LawCheck check = laws_of(R"(kernel k(X: i32[N, 4], Y: out i32[4]) {
  axis r = N, c = 4
  s = zeros i32 [c]
  reduce i in [r] with contract(s) identity { give 0 } merge (a), (b) { give ite(iota(c) == 2, a - b, a + b) } {
    s = s + X[(i.r, 0), [_, c]]
  }
  Y((0), [c]).store(s)
})");
  CHECK(broken_laws(check) == "left identity associative commutative body");
  const LawFailure &f = failure(check, ContractLaw::commutative);
  CHECK(f.element == "s[2]");
  CHECK(f.operands.at(1).value == "s = [0, 0, 1, 0]");
}

TEST_CASE("laws: strict folds, nested bodies and unreached reduces", "[RED-LAW]") {
  CHECK(broken_laws(laws_of(one_state("i32", "0", "a - b", "s + x", "fold_left"))) == "left identity associative commutative body");
  // A loop and a parallel in the body run as the machine runs them.
  CHECK(broken_laws(laws_of(R"(kernel k(X: i32[N, 3], Y: out i32[3]) {
  axis r = N, c = 3
  s = zeros i32 [c]
  reduce i in [r] with contract(s) identity { give 0 } merge (a), (b) { give a + b } {
    parallel p in [c] { s = insert(s, take(s, p.c) + X[i.r, p.c], (p.c)) }
  }
  Y((0), [c]).store(s)
})")) == "");
  const LawCheck unreached = laws_of(R"(kernel k(X: i32[0], Y: out i32[1]) {
  axis r = 0
  s = i32(0)
  reduce i in [r] with contract(s) identity { give 0 } merge (a), (b) { give a - b } { s = s + X[i.r] }
  Y(0).store(s)
})");
  CHECK(broken_laws(unreached) == "");
  CHECK(unreached.contracts.at(0).tried() == 0);
}

TEST_CASE("laws: recognised merges, given extents, extents that nothing fits", "[RED-LAW]") {
  const LawCheck recognised = laws_of("kernel k(X: f32[N], Y: out f32[1]) { axis r = N; s = f32(0); reduce i in [r] { s = s + X[i.r] }; Y(0).store(s) }");
  CHECK(recognised.contracts.empty());
  REQUIRE(recognised.recognised.size() == 1);
  CHECK(recognised.recognised[0].merges == std::vector<std::pair<std::string, std::string>>{{"s", "`+`"}});
  LawOptions given;
  given.extents = {{"N", 7}};
  CHECK(laws_of(one_state("i32", "0", "a + b", "s + x"), given).extents == given.extents);
}
