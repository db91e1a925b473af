// SPDX-License-Identifier: Apache-2.0
// einsum against plain loops over all letters, in integers, where every grouping gives the same; and what it refuses.
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>
#include <map>

using namespace tilenest;
using I32 = std::vector<std::int32_t>;

namespace {

struct Operand {
  std::string letters;
  I32 values;
};

// Every combination of the letters' values, one loop per letter.
I32 loops(const std::vector<Operand> &operands, const std::string &output, const std::map<char, int> &extents) {
  std::size_t count = 1;
  for (char l : output) count *= static_cast<std::size_t>(extents.at(l));
  I32 y(count);
  std::map<char, int> at;
  for (const auto &[l, n] : extents) at[l] = 0;
  auto place = [&](const std::string &letters) {
    std::size_t p = 0;
    for (char l : letters) p = p * static_cast<std::size_t>(extents.at(l)) + static_cast<std::size_t>(at.at(l));
    return p;
  };
  for (const auto &[l, n] : extents)
    if (n == 0) return y;
  for (bool more = true; more;) {
    std::int32_t product = 1;
    for (const Operand &o : operands) product *= o.values[place(o.letters)];
    y[place(output)] += product;
    more = false;
    for (auto &[l, i] : at) {
      if (++i < extents.at(l)) {
        more = true;
        break;
      }
      i = 0;
    }
  }
  return y;
}

void check(const std::string &spec, std::vector<std::string> letters, const std::string &output, const std::map<char, int> &extents) {
  std::string text = "kernel k(", call = "einsum(\"" + spec + "\"", body;
  std::vector<NamedArray> arrays;
  std::vector<Operand> operands;
  auto shape = [&](const std::string &s, const char *separator = ", ") {
    std::string out;
    for (char l : s) out += (out.empty() ? "" : separator) + std::to_string(extents.at(l));
    return out;
  };
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const std::string name(1, static_cast<char>('A' + i));
    std::vector<std::int64_t> extent;
    std::size_t n = 1;
    for (char l : letters[i]) extent.push_back(extents.at(l)), n *= static_cast<std::size_t>(extent.back());
    Operand o{letters[i], {}};
    for (std::size_t j = 0; j < n; ++j) o.values.push_back(static_cast<std::int32_t>((j * 7 + i * 5 + 3) % 11) - 5);
    arrays.push_back(array(name, extent, o.values));
    std::string zeros;
    for (std::size_t j = 0; j < extent.size(); ++j) zeros += (j ? ", 0" : "0");
    text += name + ": i32[" + shape(letters[i]) + "], ";
    call += ", " + name + "[(" + zeros + "), [" + shape(letters[i]) + "]]";
    operands.push_back(std::move(o));
  }
  std::string zeros, dims, window;
  for (std::size_t j = 0; j < output.size(); ++j) {
    const std::string d = "d" + std::to_string(j);
    zeros += (j ? ", 0" : "0"), dims += (j ? ", " : "") + d, window += (j ? ", " : "") + d + " = " + std::to_string(extents.at(output[j]));
  }
  text += "Y: out i32[" + shape(output) + "]) {\n  y = " + call + ")\n";
  if (output.empty()) text += "  Y().store(y)\n}";
  else text += "  dims " + dims + "\n  Y((" + zeros + "), [" + window + "]).store(relabel(y, [" + dims + "]))\n}";
  const TileRun r = run_tile(text, arrays);
  INFO(text << "\n" << r.text());
  CHECK(r.codes() == "");
  CHECK(r.get<std::int32_t>("Y") == loops(operands, output, extents));
}

} // namespace

TEST_CASE("einsum is the sum over what the output lacks", "[library]") {
  check("ij,jk->ik", {"ij", "jk"}, "ik", {{'i', 3}, {'j', 4}, {'k', 5}});
  check("ij,jk->ki", {"ij", "jk"}, "ki", {{'i', 3}, {'j', 4}, {'k', 5}});
  check("ij,jk", {"ij", "jk"}, "ik", {{'i', 3}, {'j', 4}, {'k', 5}});
  check("bij,bjk->bik", {"bij", "bjk"}, "bik", {{'b', 2}, {'i', 3}, {'j', 4}, {'k', 5}});
  check("bhqd,bhkd->bhqk", {"bhqd", "bhkd"}, "bhqk", {{'b', 2}, {'h', 2}, {'q', 3}, {'k', 4}, {'d', 5}});
  check("i,j->ij", {"i", "j"}, "ij", {{'i', 3}, {'j', 4}});
  check("i,i->", {"i", "i"}, "", {{'i', 6}});
  check("i,i->i", {"i", "i"}, "i", {{'i', 6}});
  check("ij->", {"ij"}, "", {{'i', 3}, {'j', 4}});
  check("ij->ji", {"ij"}, "ji", {{'i', 3}, {'j', 4}});
  check("ii->i", {"ii"}, "i", {{'i', 4}});
  check("ii->", {"ii"}, "", {{'i', 4}});
  check("iji->ji", {"iji"}, "ji", {{'i', 3}, {'j', 4}});
  check("ij,k->i", {"ij", "k"}, "i", {{'i', 3}, {'j', 4}, {'k', 5}});
  check("ij,jk,kl->il", {"ij", "jk", "kl"}, "il", {{'i', 2}, {'j', 3}, {'k', 4}, {'l', 5}});
  check("i,ij,j->", {"i", "ij", "j"}, "", {{'i', 3}, {'j', 4}});
  check("ij,ij,ij->ij", {"ij", "ij", "ij"}, "ij", {{'i', 3}, {'j', 4}});
  check("ij,jk->ik", {"ij", "jk"}, "ik", {{'i', 3}, {'j', 0}, {'k', 2}});
  check("aB, Bc -> ac", {"aB", "Bc"}, "ac", {{'a', 1}, {'B', 7}, {'c', 1}});
}

TEST_CASE("einsum refuses what its letters do not say", "[library]") {
  auto run = [](const std::string &arguments) {
    return run_tile("kernel k(A: f32[3, 4], B: f32[4, 5], C: i32[4, 5]) {\n  a = A[(0, 0), [3, 4]]\n  b = B[(0, 0), [4, 5]]\n  c = C[(0, 0), [4, 5]]\n  y = einsum(" +
                        arguments + ")\n}", {array("A", {3, 4}, std::vector<float>(12)), array("B", {4, 5}, std::vector<float>(20)), array("C", {4, 5}, I32(20))});
  };
  for (const char *spec : {"ij,jk->iz", "ij,jk->ii", "ij,jk->ik->", "ij;jk", "...j,jk", "ij", "ij,jk,kl", "ijk,jk->i", "ij,kj->ik", "1j,jk", "ij,jk-ik"}) {
    INFO(spec);
    CHECK(run("\"" + std::string(spec) + "\", a, b").codes() == "T0218@5");
  }
  CHECK(run("\"ij,jk->ik\", a, c").codes() == "T0218@5");
  CHECK(run("\"ij,kj->ik\", a, b").says("`j` is 4 and, in operand 2, 5"));
  CHECK(run("\"ij,jk->iz\", a, b").says("`z` is in the output and in no operand"));
}

TEST_CASE("einsum of narrow floats accumulates in f32", "[library][NUM-ACC]") {
  // 4096 times 1 in bf16 (8 bits): in bf16 the sum would stay at 256.
  const TileRun r = run_tile("kernel k(A: bf16[4096], Y: out f32[]) {\n  axis n = 4096\n  a = A[0, [n]]\n  Y().store(einsum(\"i,i->\", a, a))\n}",
                             {array("A", {4096}, std::vector<std::uint16_t>(4096, 0x3f80), ScalarType::bf16)});
  CHECK(r.codes() == "");
  CHECK(r.get<float>("Y") == std::vector<float>{4096});
}
