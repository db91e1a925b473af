// SPDX-License-Identifier: Apache-2.0
// UPD-JOIN on random programs against a model that is nothing but the rule: each instance has a copy and a set of
// what it wrote; at the exit of a parallel the sets come together in order. Every insert names the innermost
// coordinate, so that none is lifted.
#include "tests/volume.h"
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>
#include <memory>
#include <random>

using namespace tilenest;
using I = std::vector<std::int64_t>;

namespace {

constexpr std::int64_t n = 6; // elements of the tile

// A sum of multiples of coordinates and a constant.
struct Sum {
  std::int64_t constant = 0;
  std::vector<std::pair<int, std::int64_t>> terms; // coordinate, factor

  std::int64_t value(const I &coords) const {
    std::int64_t v = constant;
    for (const auto &[c, f] : terms) v += coords[static_cast<std::size_t>(c)] * f;
    return v;
  }
  std::string text(const std::vector<std::string> &names) const {
    std::string s = "(" + std::to_string(constant);
    for (const auto &[c, f] : terms) s += " + " + names[static_cast<std::size_t>(c)] + " * " + std::to_string(f);
    return s + ")";
  }
};
std::int64_t modulo(std::int64_t x, std::int64_t m) { return (x % m + m) % m; }

struct Statement {
  enum Kind { insert, branch, serial, parallel } kind = insert;
  Sum origin, value, read; // insert: acc[origin mod n] = value + acc[read mod n]
  Sum condition;           // branch: condition mod 2 == 0; parallel: the active points
  std::int64_t extent = 0;
  bool predicated = false;
  std::vector<Statement> body;
};

struct Generator {
  std::mt19937 random;
  std::vector<std::string> names; // coordinates in scope
  int innermost = -1, next = 0;

  std::int64_t below(std::int64_t m) { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(m)); }
  Sum sum() {
    Sum s;
    s.constant = below(5);
    for (std::size_t c = 0; c < names.size(); ++c)
      if (below(2)) s.terms.push_back({static_cast<int>(c), below(4)});
    return s;
  }
  std::vector<Statement> block(int depth) {
    std::vector<Statement> out;
    for (std::int64_t k = 1 + below(3); k > 0; --k) out.push_back(statement(depth));
    return out;
  }
  Statement statement(int depth) {
    Statement s;
    const auto kind = depth == 0 ? 0 : below(5);
    if (kind <= 1) {
      s.origin = sum(), s.value = sum(), s.read = sum();
      if (innermost >= 0) s.value.terms.push_back({innermost, 0});
      return s;
    }
    s.kind = kind == 2 ? Statement::branch : kind == 3 ? Statement::serial : Statement::parallel;
    if (s.kind == Statement::branch) {
      s.condition = sum();
      s.body = block(depth - 1);
      return s;
    }
    s.extent = below(4);
    names.push_back((s.kind == Statement::serial ? "s" : "p") + std::to_string(next++) + ".index()");
    const int before = innermost;
    if (s.kind == Statement::parallel) {
      innermost = static_cast<int>(names.size()) - 1;
      s.predicated = below(3) == 0;
    }
    s.condition = sum();
    s.body = block(depth - 1);
    innermost = before;
    names.pop_back();
    return s;
  }
};

std::string text_of(const std::vector<Statement> &body, std::vector<std::string> names, int &next) {
  std::string out;
  for (const Statement &s : body) {
    switch (s.kind) {
    case Statement::insert:
      out += "acc = insert(acc, " + s.value.text(names) + " + acc[mod(" + s.read.text(names) + ", 6)], (mod(" + s.origin.text(names) + ", 6)))\n";
      break;
    case Statement::branch:
      out += "if mod(" + s.condition.text(names) + ", 2) == 0 {\n" + text_of(s.body, names, next) + "}\n";
      break;
    default: {
      const bool parallel = s.kind == Statement::parallel;
      const std::string id = std::to_string(next++), handle = (parallel ? "p" : "s") + id;
      auto inner = names, in_domain = names;
      inner.push_back(handle + ".index()");
      in_domain.push_back("d" + id);
      out += (parallel ? "parallel " : "serial ") + handle + " in [d" + id + " = " + std::to_string(s.extent) + "]";
      if (s.predicated) out += " where mod(" + s.condition.text(in_domain) + ", 2) == 0";
      out += " {\n" + text_of(s.body, inner, next) + "}\n";
    }
    }
  }
  return out;
}

struct State {
  I value;
  std::vector<bool> written;
};

// Returns how often an element was written again at a join.
std::uint64_t run_model(const std::vector<Statement> &body, I &coords, State &state) {
  std::uint64_t overlaps = 0;
  for (const Statement &s : body) {
    switch (s.kind) {
    case Statement::insert: {
      const auto at = static_cast<std::size_t>(modulo(s.origin.value(coords), n));
      state.value[at] = s.value.value(coords) + state.value[static_cast<std::size_t>(modulo(s.read.value(coords), n))];
      state.written[at] = true;
      break;
    }
    case Statement::branch:
      if (modulo(s.condition.value(coords), 2) == 0) overlaps += run_model(s.body, coords, state);
      break;
    case Statement::serial:
      for (std::int64_t i = 0; i < s.extent; ++i) {
        coords.push_back(i);
        overlaps += run_model(s.body, coords, state);
        coords.pop_back();
      }
      break;
    case Statement::parallel: {
      State joined{state.value, std::vector<bool>(n, false)};
      for (std::int64_t i = 0; i < s.extent; ++i) {
        coords.push_back(i);
        if (!s.predicated || modulo(s.condition.value(coords), 2) == 0) {
          State mine{state.value, std::vector<bool>(n, false)};
          overlaps += run_model(s.body, coords, mine);
          for (std::size_t e = 0; e < n; ++e) {
            if (!mine.written[e]) continue;
            overlaps += joined.written[e];
            joined.written[e] = true;
            joined.value[e] = mine.value[e];
          }
        }
        coords.pop_back();
      }
      for (std::size_t e = 0; e < n; ++e) state.written[e] = state.written[e] || joined.written[e];
      state.value = joined.value;
    }
    }
  }
  return overlaps;
}

} // namespace

TEST_CASE("random windows join as the rule says", "[UPD-JOIN]") {
  int clean = 0, overlapping = 0;
  for (int seed = 0; seed < volume(400); ++seed) {
    Generator g{std::mt19937(seed), {}, -1, 0};
    const std::vector<Statement> body = g.block(4);
    int next = 0;
    const std::string text = "kernel k(C: mut i64[6]) {\n axis m = 6\n acc = iota(m) * 100\n" + text_of(body, {}, next) +
                             "C(0, [m]).store(acc)\n}";
    TileRunOptions options;
    options.cause_limit = 100000;
    const TileRun r = run_tile(text, {array("C", I(6, -1))}, options);
    State state{{0, 100, 200, 300, 400, 500}, std::vector<bool>(n, false)};
    I coords;
    const std::uint64_t overlaps = run_model(body, coords, state);
    std::uint64_t reported = 0;
    bool others = false;
    for (const Diagnostic &d : r.diagnostics)
      if (std::string(d.info().code) == "U0302")
        reported += d.count;
      else
        others |= std::string(d.info().code) != "U0305"; // tests/oracle knows which of these there are
    INFO("seed " << seed << "\n" << text << "\n" << r.text());
    REQUIRE_FALSE(others);
    REQUIRE(r.get<std::int64_t>("C") == state.value);
    REQUIRE((reported > 0) == (overlaps > 0));
    ++(overlaps ? overlapping : clean);
  }
  CHECK(clean > volume(100));
  CHECK(overlapping > volume(50));
}
