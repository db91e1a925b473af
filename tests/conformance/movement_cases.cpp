// SPDX-License-Identifier: Apache-2.0
// What moves elements without computing, at every element type: bits arrive where index arithmetic says.
#include "tests/conformance/derived_cases.h"
#include <functional>

namespace tilenest::derived {

namespace {

// A is [3, 4]; an element of the result is that of A at the index, or, for -1, zero; -2 leaves it open.
struct Movement {
  const char *name, *rule, *text; // the result is $TYPE, stored into C
  Shape result;
  std::function<int(int)> from;
  bool of_packed; // also of types that are only stored
};

const std::vector<Movement> &movements() {
  static const std::vector<Movement> list = {
      {"load_store", "VAL-SNAP", "  C((0, 0), [i, j]).store(A[(0, 0), [i, j]])\n", {3, 4}, [](int e) { return e; }, true},
      {"load_point", "BND-ZERO", "  parallel p in [3, 4] {\n    C(p.index(#1), p.index(#0)).store(A[p.index(#1), p.index(#0)])\n  }\n", {3, 4}, [](int e) { return e; }, true},
      {"load_zero", "BND-ZERO", "  C((0, 0), [i, j]).store(A[(1, 2), [i, j]])\n", {3, 4}, [](int e) { return e / 4 < 2 && e % 4 < 2 ? (e / 4 + 1) * 4 + e % 4 + 2 : -1; }, true},
      {"store_masked", "BND-ZERO", "  C((-1, -1), [i, j]).store(A[(0, 0), [i, j]])\n", {3, 4}, [](int e) { return e / 4 < 2 && e % 4 < 3 ? (e / 4 + 1) * 4 + e % 4 + 1 : -2; }, true},
      {"row", "BCAST", "  C((0, 0), [_, j]).store(A[(2, 0), [_, j]])\n", {1, 4}, [](int e) { return 8 + e; }, true},
      {"transpose", "BCAST", "  C((0, 0), [j, i]).store(transpose(A[(0, 0), [i, j]], [j, i]))\n", {4, 3}, [](int e) { return e % 3 * 4 + e / 3; }, true},
      {"reshape", "BCAST", "  axis r = 2, c = 6\n  C((0, 0), [r, c]).store(reshape(A[(0, 0), [i, j]], [r, c]))\n", {2, 6}, [](int e) { return e; }, true},
      {"relabel", "DIM-ID", "  axis r = 3, c = 4\n  C((0, 0), [r, c]).store(relabel(A[(0, 0), [i, j]], [r, c]))\n", {3, 4}, [](int e) { return e; }, true},
      {"broadcast", "BCAST", "  C((0, 0), [i, j]).store(broadcast(A[(1, 0), [_, j]], [i, j]))\n", {3, 4}, [](int e) { return 4 + e % 4; }, true},
      {"take", "VAL-SNAP", "  x = A[(0, 0), [i, j]]\n  C((0, 0), [i, j]).store(take(x, 2 - iota(i), 3 - iota(j)))\n", {3, 4}, [](int e) { return 11 - e; }, true},
      {"insert", "UPD-JOIN", "  x = A[(0, 0), [i, j]]\n  C((0, 0), [i, j]).store(insert(x, A[(0, 0), [i = 2, j = 2]], (1, 2)))\n", {3, 4},
       [](int e) { return e / 4 >= 1 && e % 4 >= 2 ? (e / 4 - 1) * 4 + e % 4 - 2 : e; }, true},
      {"restrict", "IDX-PRED", "  C((0, 0), [i, j]).store(restrict(A[(0, 0), [i, j]], i + j < 3))\n", {3, 4}, [](int e) { return e / 4 + e % 4 < 3 ? e : -2; }, true},
      {"gather", "EXT-NOW", "  C((0, 0), [i, j]).store(A.gather(mod(iota(i) + 1, 3), 3 - iota(j)))\n", {3, 4}, [](int e) { return (e / 4 + 1) % 3 * 4 + 3 - e % 4; }, true},
      {"scatter", "PAR-NI", "  C.scatter(A[(0, 0), [i, j]], mod(iota(i) + 1, 3), 3 - iota(j))\n", {3, 4}, [](int e) { return (e / 4 + 2) % 3 * 4 + 3 - e % 4; }, true},
      {"memory", "MEM-OWN", "  T = memory $TYPE [i, j]\n  T((0, 0), [i, j]).store(A[(0, 0), [i, j]])\n  C((0, 0), [i, j]).store(T[(0, 0), [i, j]])\n", {3, 4}, [](int e) { return e; }, true},
      {"memory_turned", "MEM-OWN", "  T = memory $TYPE [i, j] layout strides (1, 3)\n  T((0, 0), [i, j]).store(A[(0, 0), [i, j]])\n  parallel p in [3] {\n    C((p.index, 0), [_, j]).store(T[(p.index, 0), [_, j]])\n  }\n",
       {3, 4}, [](int e) { return e; }, true},
      {"carried", "VAL-CARRY", "  x = A[(0, 0), [_, j]]\n  y = A[(1, 0), [_, j]]\n  serial s in [3] {\n    t = x\n    x = y\n    y = t\n  }\n  C((0, 0), [_, j]).store(x)\n", {1, 4}, [](int e) { return 4 + e; }, true},
      {"chosen", "VAL-MARK", "  x = A[(0, 0), [i, j]]\n  C((0, 0), [i, j]).store(ite(iota(j) < 2, x, take(x, iota(i), 3 - iota(j))))\n", {3, 4}, [](int e) { return e % 4 < 2 ? e : e / 4 * 4 + 3 - e % 4; }, false},
      {"joined", "UPD-JOIN", "  acc = zeros $TYPE [i, j]\n  parallel p in [3] {\n    acc = insert(acc, A[(p.index, 0), [i = 1, j]], (2 - p.index, 0))\n  }\n  C((0, 0), [i, j]).store(acc)\n", {3, 4},
       [](int e) { return (2 - e / 4) * 4 + e % 4; }, true}};
  return list;
}

} // namespace

FileText movement_cases() {
  FileText file;
  file.chapter = "movement";
  file.about = "Loads, stores, gathers, scatters, memories, index maps, carries and joins at every element type: bits are kept and arrive where they belong.";
  file.derived = "oracle: index arithmetic on random bits";
  for (const Movement &move : movements())
    file.programs.emplace_back(move.name, std::string("kernel $NAME(A: $TYPE[3, 4], C: out $TYPE[") + std::to_string(move.result[0]) + ", " + std::to_string(move.result[1]) +
                                              "]) {\n  axis i = 3, j = 4\n" + move.text + "}\n");
  for (const Movement &move : movements())
    for (const ScalarType type : oracle::all_types()) {
      if (is_packed(type) && !move.of_packed) continue;
      oracle::Random random{static_cast<std::uint64_t>(type) * 7 + 1};
      Elements a;
      for (int e = 0; e < 12; ++e) a.push_back(oracle::random_element(type, random));
      CaseText c;
      c.name = std::string(move.name) + "/" + std::string(to_string(type));
      c.program = move.name;
      c.with = {{"NAME", std::string(move.name) + "_" + std::string(to_string(type))}, {"TYPE", std::string(to_string(type))}};
      c.rules = {move.rule, "NUM-TYPES"};
      c.inputs = {{"A", bits_text(type, {3, 4}, a)}};
      Elements right;
      std::vector<bool> open;
      for (int e = 0; e < move.result[0] * move.result[1]; ++e) {
        const int from = move.from(e);
        right.push_back(from < 0 ? 0 : a[static_cast<std::size_t>(from)]);
        open.push_back(from == -2);
      }
      std::string text = bits_text(type, move.result, right);
      for (std::size_t e = open.size(), at = text.size() - 2; e-- > 0;) { // from the last word on
        const std::size_t begin = text.find_last_of(" \"", at - 1) + 1;
        if (open[e]) text.replace(begin, at - begin, "_");
        at = begin - 1;
      }
      c.outputs = {{"C", text}};
      file.cases.push_back(std::move(c));
    }
  return file;
}

} // namespace tilenest::derived
