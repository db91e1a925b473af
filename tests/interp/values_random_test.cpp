// SPDX-License-Identifier: Apache-2.0
// Random programs of tile variables, copies, carries, snapshots, branches and loops against a model that runs them on
// plain vectors. Parallels whose bodies name no coordinate of theirs share everything: the model runs such a body
// once if the domain has a point, and counts atomics once per instance.
#include "tests/volume.h"
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>
#include <random>

using namespace tilenest;
using I = std::vector<std::int64_t>;

namespace {

constexpr int variables = 4, rows = 3;

struct Statement {
  enum Kind { assign, store, atomic, branch, serial, pipeline, while_, parallel } kind = assign;
  int to = 0, a = 0, b = 0, form = 0, row = 0;
  std::int64_t x = 0, y = 0, extent = 0;
  std::vector<Statement> body, other;
};

struct Generator {
  std::mt19937 random;
  std::int64_t n;
  int below(int m) { return static_cast<int>(random() % static_cast<unsigned>(m)); }
  std::vector<Statement> block(int depth) {
    std::vector<Statement> out;
    for (int k = 1 + below(4); k > 0; --k) out.push_back(statement(depth));
    return out;
  }
  Statement statement(int depth) {
    Statement s;
    s.to = below(variables), s.a = below(variables), s.b = below(variables), s.form = below(9), s.row = below(rows);
    s.x = below(static_cast<int>(n)), s.y = below(static_cast<int>(n)), s.extent = below(4);
    const int kind = below(depth == 0 ? 4 : 9);
    s.kind = kind <= 1 ? Statement::assign : static_cast<Statement::Kind>(kind - 1);
    if (s.kind >= Statement::branch) s.body = block(depth - 1);
    if (s.kind == Statement::branch && below(2)) s.other = block(depth - 1);
    return s;
  }
};

std::string text_of(const std::vector<Statement> &body, int &next, std::int64_t n) {
  std::string out;
  for (const Statement &s : body) {
    const std::string to = "v" + std::to_string(s.to), a = "v" + std::to_string(s.a), b = "v" + std::to_string(s.b);
    const std::string x = std::to_string(s.x), y = std::to_string(s.y), row = "(" + std::to_string(s.row) + ", 0), [_, m]";
    const std::string id = std::to_string(next++), extent = std::to_string(s.extent);
    const std::string inner = "{\n" + (s.body.empty() ? "" : text_of(s.body, next, n)) + "}";
    switch (s.kind) {
    case Statement::assign: {
      const std::string forms[] = {a + " + " + b, a + " - " + b + " * 3", a, "insert(" + a + ", " + b + "[" + x + "], (" + y + "))",
                                   "A[" + row + "]", "take(" + a + ", " + std::to_string(n - 1) + " - iota(m))",
                                   "ite(" + a + " < " + b + ", " + a + ", " + b + ")", a + " + sum(" + b + ")", b + " * " + b + " + " + a};
      out += to + " = " + forms[s.form] + "\n";
      break;
    }
    case Statement::store: out += "A(" + row + ").store(" + a + ")\n"; break;
    case Statement::atomic: out += "H(" + std::to_string(s.row) + ").atomic_add(1)\n"; break;
    case Statement::branch:
      out += "if mod(" + a + "[" + x + "], 2) == 0 " + inner + (s.other.empty() ? "" : " else {\n" + text_of(s.other, next, n) + "}") + "\n";
      break;
    case Statement::serial: out += "serial s" + id + " in [#0 = " + extent + "] " + inner + "\n"; break;
    case Statement::pipeline: out += "pipeline s" + id + " in [#0 = " + extent + "] " + inner + "\n"; break;
    case Statement::while_:
      out += "c" + id + ": i64 = 0\nwhile c" + id + " < " + extent + " {\nc" + id + " = c" + id + " + 1\n" + inner.substr(2) + "\n";
      break;
    case Statement::parallel: out += "parallel s" + id + " in [#0 = " + extent + "] " + inner + "\n"; break;
    }
  }
  return out;
}

struct Model {
  std::int64_t n;
  std::vector<I> v, memory;
  I counts;

  static std::int64_t wrap(std::uint64_t x) { return static_cast<std::int64_t>(x); }
  static std::uint64_t u(std::int64_t x) { return static_cast<std::uint64_t>(x); }

  void run(const std::vector<Statement> &body, std::int64_t instances) {
    for (const Statement &s : body) {
      const I a = v[s.a], b = v[s.b];
      switch (s.kind) {
      case Statement::assign: {
        I r(static_cast<std::size_t>(n));
        std::uint64_t sum = 0;
        for (std::int64_t e : b) sum += u(e);
        for (std::size_t i = 0; i < r.size(); ++i) {
          const std::uint64_t p = u(a[i]), q = u(b[i]);
          switch (s.form) {
          case 0: r[i] = wrap(p + q); break;
          case 1: r[i] = wrap(p - q * 3); break;
          case 2: r[i] = a[i]; break;
          case 3: r[i] = static_cast<std::int64_t>(i) == s.y ? b[static_cast<std::size_t>(s.x)] : a[i]; break;
          case 4: r[i] = memory[s.row][i]; break;
          case 5: r[i] = a[r.size() - 1 - i]; break;
          case 6: r[i] = a[i] < b[i] ? a[i] : b[i]; break;
          case 7: r[i] = wrap(p + sum); break;
          default: r[i] = wrap(q * q + p); break;
          }
        }
        v[s.to] = r;
        break;
      }
      case Statement::store: memory[s.row] = a; break;
      case Statement::atomic: counts[static_cast<std::size_t>(s.row)] += instances; break;
      case Statement::branch: run((a[static_cast<std::size_t>(s.x)] & 1) == 0 ? s.body : s.other, instances); break;
      case Statement::parallel:
        if (s.extent > 0) run(s.body, instances * s.extent);
        break;
      default:
        for (std::int64_t i = 0; i < s.extent; ++i) run(s.body, instances);
      }
    }
  }
};

} // namespace

TEST_CASE("random programs of tiles give what plain vectors give", "[VAL-CARRY][VAL-SNAP][ANC-ONCE][ANC-SHARE]") {
  for (const std::int64_t n : {5, 20}) // below and above the size from which lifted values are remembered
    for (int seed = 0; seed < volume(200); ++seed) {
      Generator g{std::mt19937(seed), n};
      const std::vector<Statement> body = g.block(4);
      int next = 0;
      std::string text = "kernel k(A: mut i64[3, " + std::to_string(n) + "], H: mut i64[3], C: mut i64[4, " + std::to_string(n) +
                         "]) {\n axis m = " + std::to_string(n) + "\n";
      for (int i = 0; i < variables; ++i) text += "v" + std::to_string(i) + " = iota(m) * " + std::to_string(i + 1) + " + " + std::to_string(i) + "\n";
      text += text_of(body, next, n);
      for (int i = 0; i < variables; ++i) text += "C((" + std::to_string(i) + ", 0), [_, m]).store(v" + std::to_string(i) + ")\n";
      text += "}";
      Model model{n, {}, {}, I(3, 0)};
      for (int i = 0; i < variables; ++i) {
        model.v.emplace_back();
        for (std::int64_t e = 0; e < n; ++e) model.v.back().push_back(e * (i + 1) + i);
      }
      I a;
      for (int r = 0; r < rows; ++r) {
        model.memory.emplace_back();
        for (std::int64_t e = 0; e < n; ++e) model.memory.back().push_back(r * 7 - e), a.push_back(r * 7 - e);
      }
      model.run(body, 1);
      for (bool checked : {true, false}) {
        TileRunOptions options;
        options.checked = checked;
        const TileRun r = run_tile(text, {array("A", {3, n}, a), array("H", I(3, 0)), array("C", {4, n}, I(static_cast<std::size_t>(4 * n), -1))}, options);
        INFO("seed " << seed << "\n" << text << "\n" << r.text());
        REQUIRE(r.codes() == "");
        I memory, values;
        for (const I &row : model.memory) memory.insert(memory.end(), row.begin(), row.end());
        for (const I &row : model.v) values.insert(values.end(), row.begin(), row.end());
        REQUIRE(r.get<std::int64_t>("C") == values);
        REQUIRE(r.get<std::int64_t>("A") == memory);
        REQUIRE(r.get<std::int64_t>("H") == model.counts);
      }
    }
}
