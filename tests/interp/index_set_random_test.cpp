// SPDX-License-Identifier: Apache-2.0
// Random expressions over spaces of three dims, ragged by random predicates, against a model that computes point by
// point: joins by dim identity, reductions, products, takes, what a store leaves alone.
#include "tests/volume.h"
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>
#include <algorithm>
#include <array>
#include <random>

using namespace tilenest;
using I = std::vector<std::int64_t>;

namespace {

constexpr std::array<std::int64_t, 3> extents{2, 3, 4};
constexpr std::array<char, 3> names{'a', 'b', 'c'};
using Point = std::array<std::int64_t, 3>; // coordinates of dims that a value lacks do not matter

// (sum of factor * coordinate + constant) mod m != r: over the dims with a factor.
struct Predicate {
  std::array<std::int64_t, 3> factor{};
  std::int64_t constant = 0, m = 2, r = 0;
  bool holds(const Point &p) const {
    std::int64_t s = constant;
    for (int d = 0; d < 3; ++d) s += factor[d] * p[d];
    return s % m != r;
  }
  bool over(int d) const { return factor[d] != 0; }
  std::string text() const {
    std::string s = "(" + std::to_string(constant);
    for (int d = 0; d < 3; ++d)
      if (factor[d]) s += std::string(" + ") + names[d] + " * " + std::to_string(factor[d]);
    return s + ") % " + std::to_string(m) + " != " + std::to_string(r);
  }
};

struct Value {
  std::string name;
  std::vector<int> dims;            // in order
  std::vector<std::int64_t> at;     // by all 24 points
  std::vector<Predicate> active;
  bool has(int d) const { return std::find(dims.begin(), dims.end(), d) != dims.end(); }
  bool is_active(const Point &p) const {
    return std::all_of(active.begin(), active.end(), [&](const Predicate &q) { return q.holds(p); });
  }
};

std::size_t number(const Point &p) { return static_cast<std::size_t>((p[0] * 3 + p[1]) * 4 + p[2]); }
template <class F> void for_points(const std::vector<int> &dims, F &&f) { // lexicographic in `dims`
  Point p{};
  auto go = [&](auto &&self, std::size_t k) -> void {
    if (k == dims.size()) return f(p);
    for (std::int64_t i = 0; i < extents[static_cast<std::size_t>(dims[k])]; ++i) {
      p[static_cast<std::size_t>(dims[k])] = i;
      self(self, k + 1);
    }
    p[static_cast<std::size_t>(dims[k])] = 0;
  };
  go(go, 0);
}
std::string space(const std::vector<int> &dims) {
  std::string s;
  for (int d : dims) s += (s.empty() ? "[" : ", ") + std::string(1, names[static_cast<std::size_t>(d)]);
  return s.empty() ? "[]" : s + "]";
}
Point only(Point p, const std::vector<int> &dims) {
  Point q{};
  for (int d : dims) q[static_cast<std::size_t>(d)] = p[static_cast<std::size_t>(d)];
  return q;
}

struct Builder {
  std::mt19937 random;
  std::vector<Value> values;
  std::string text;
  int below(std::size_t m) { return static_cast<int>(random() % m); }
  const Value &any() { return values[static_cast<std::size_t>(below(values.size()))]; }

  void add(Value &&v, const std::string &expression) {
    v.name = "x" + std::to_string(values.size());
    text += " " + v.name + " = " + expression + "\n";
    values.push_back(std::move(v));
  }
  static Value over(std::vector<int> dims) { return {"", std::move(dims), I(24, 0), {}}; }
  static void merge(Value &to, const Value &from) { to.active.insert(to.active.end(), from.active.begin(), from.active.end()); }

  void iota(int d) {
    Value v = over({d});
    for_points({d}, [&](const Point &p) { v.at[number(p)] = p[static_cast<std::size_t>(d)]; });
    add(std::move(v), std::string("iota(") + names[static_cast<std::size_t>(d)] + ")");
  }
  void binary() {
    const Value x = any(), y = any();
    const int op = below(3);
    // The dims of the operand of highest rank, the first of several, then what it lacks.
    Value v = over(y.dims.size() > x.dims.size() ? y.dims : x.dims);
    for (const Value *o : {&x, &y})
      for (int d : o->dims)
        if (!v.has(d)) v.dims.push_back(d);
    merge(v, x), merge(v, y);
    for_points(v.dims, [&](const Point &p) {
      const std::int64_t a = x.at[number(only(p, x.dims))], b = y.at[number(only(p, y.dims))];
      v.at[number(p)] = op == 0 ? a + b : op == 1 ? a - b * 2 : std::max(a, b);
    });
    const std::string e[] = {x.name + " + " + y.name, x.name + " - " + y.name + " * 2", "max(" + x.name + ", " + y.name + ")"};
    add(std::move(v), e[op]);
  }
  void shuffle() {
    Value v = any();
    const std::string from = v.name;
    std::shuffle(v.dims.begin(), v.dims.end(), random);
    add(std::move(v), "transpose(" + from + ", " + space(v.dims) + ")");
  }
  void broadcast() {
    const Value x = any();
    Value v = x;
    for (int d = 0; d < 3; ++d)
      if (!v.has(d) && below(2)) v.dims.push_back(d);
    std::shuffle(v.dims.begin(), v.dims.end(), random);
    for_points(v.dims, [&](const Point &p) { v.at[number(p)] = x.at[number(only(p, x.dims))]; });
    add(std::move(v), "broadcast(" + x.name + ", " + space(v.dims) + ")");
  }
  void restrict() {
    Value v = any();
    if (v.dims.empty()) return;
    Predicate q;
    for (int d : v.dims)
      if (below(2)) q.factor[static_cast<std::size_t>(d)] = 1 + below(2);
    q.constant = below(3), q.m = 2 + below(3), q.r = below(static_cast<std::size_t>(q.m));
    if (!q.over(0) && !q.over(1) && !q.over(2)) return;
    v.active.push_back(q);
    const std::string from = v.name;
    add(std::move(v), "restrict(" + from + ", " + q.text() + ")");
  }
  void fold() {
    const Value x = any();
    std::vector<int> kept, gone;
    for (int d : x.dims) (below(2) ? kept : gone).push_back(d);
    const bool least = below(2) == 0;
    Value v = over(kept);
    for (const Predicate &q : x.active)
      if (std::none_of(gone.begin(), gone.end(), [&](int d) { return q.over(d); })) v.active.push_back(q);
    for_points(kept, [&](const Point &p) { v.at[number(p)] = least ? INT64_MAX : 0; });
    for_points(x.dims, [&](const Point &p) {
      if (!x.is_active(p)) return;
      std::int64_t &to = v.at[number(only(p, kept))];
      to = least ? std::min(to, x.at[number(p)]) : to + x.at[number(p)];
    });
    if (least) // keep later sums within 64 bits
      for (std::int64_t &e : v.at)
        if (e == INT64_MAX) e = 9;
    std::string dims;
    for (int d : gone) dims += std::string(", ") + names[static_cast<std::size_t>(d)];
    if (gone.empty()) dims = ", none";
    const std::string call = (least ? "reduce_min(" : "sum(") + x.name + dims + ")";
    add(std::move(v), least ? "ite(" + call + " == 9223372036854775807, full(i64 [], 9), " + call + ")" : call);
  }
  void product() {
    const Value x = any(), y = any(), acc0 = any();
    std::vector<int> contracted, rest;
    for (int d = 0; d < 3; ++d) {
      if (!x.has(d) && !y.has(d)) continue;
      if (x.has(d) && y.has(d) && (contracted.empty() || below(2)))
        contracted.push_back(d);
      else
        rest.push_back(d);
    }
    if (contracted.empty()) return;
    std::shuffle(rest.begin(), rest.end(), random);
    Value v = over(rest);
    std::vector<int> all = rest;
    all.insert(all.end(), contracted.begin(), contracted.end());
    for_points(rest, [&](const Point &p) { v.at[number(p)] = 3; });
    for_points(all, [&](const Point &p) {
      const Point px = only(p, x.dims), py = only(p, y.dims);
      if (x.is_active(px) && y.is_active(py)) v.at[number(only(p, rest))] += x.at[number(px)] * y.at[number(py)];
    });
    for (std::int64_t e : v.at)
      if (std::abs(e) > 1000000) return; // products of products grow
    add(std::move(v), "mma(" + x.name + ", " + y.name + ", full(i64 " + space(rest) + ", 3))");
  }
};

} // namespace

TEST_CASE("random expressions over ragged spaces give what each point gives", "[IDX-PRED][BCAST][MMA]") {
  std::size_t products = 0, ragged = 0;
  for (int seed = 0; seed < volume(300); ++seed) {
    Builder b{std::mt19937(seed), {}, {}};
    for (int d = 0; d < 3; ++d) b.iota(d);
    for (int k = 0; k < 14; ++k) {
      switch (b.below(7)) {
      case 0:
      case 1: b.binary(); break;
      case 2: b.shuffle(); break;
      case 3: b.broadcast(); break;
      case 4: b.restrict(); break;
      case 5: b.fold(); break;
      default: b.product(); break;
      }
      bool large = false;
      for (std::int64_t e : b.values.back().at) large |= std::abs(e) > 10000000;
      if (large) break;
    }
    std::string text = "kernel k(C: mut i64[" + std::to_string(b.values.size()) + ", 24]) {\n axis a = 2, b = 3, c = 4\n" + b.text;
    I expected(b.values.size() * 24, -1);
    for (std::size_t i = 0; i < b.values.size(); ++i) {
      const Value &v = b.values[i];
      // Stored at the coordinates of all three dims, the missing ones at 0: through index tiles.
      std::string index = std::to_string(i) + ", ";
      std::int64_t weight[] = {12, 4, 1};
      std::string offset = "0";
      for (int d : v.dims) offset += std::string(" + iota(") + names[static_cast<std::size_t>(d)] + ") * " + std::to_string(weight[d]);
      // The index tile has the value's own order of dims.
      text += " C.scatter(" + v.name + ", " + index + (v.dims.empty() ? "0" : "broadcast(" + offset + ", " + space(v.dims) + ")") + ")\n";
      for_points(v.dims, [&](const Point &p) {
        if (v.is_active(p)) expected[i * 24 + number(p)] = v.at[number(p)];
      });
      products += b.text.find("mma(") != std::string::npos;
      ragged += !v.active.empty();
    }
    text += "}";
    const TileRun r = run_tile(text, {array("C", {static_cast<std::int64_t>(b.values.size()), 24}, I(b.values.size() * 24, -1))});
    INFO("seed " << seed << "\n" << text << "\n" << r.text());
    REQUIRE(r.codes() == "");
    REQUIRE(r.get<std::int64_t>("C") == expected);
  }
  CHECK(products > volume(100));
  CHECK(ragged > volume(300));
}
