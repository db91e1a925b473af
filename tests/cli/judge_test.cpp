// SPDX-License-Identifier: Apache-2.0
// tilenest judge: verdicts and exit statuses, results from files of any layout, what it refuses.
#include "tests/cli/command.h"
#include "tests/cli/npy_bytes.h"
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace tilenest::cli_test;
using Json = nlohmann::json;

namespace {

const char *row_sums = R"(kernel sums(X: f32[M, N], Y: out f32[M]) {
  axis m = M, n = N
  Y((0), [m]).store(sum(X[(0, 0), [m, n]], n))
})";

void files(const Folder &f) {
  f.file("sums.tile", row_sums);
  f.file("x.npy", npy("<f4", "(2, 3)", little(std::vector<float>{1, 2, 3, 4, 5, 6})));
}

} // namespace

TEST_CASE("judge: a result that is the only value, and one that is not", "[cli][ADM-CHECK]") {
  const Folder f;
  files(f);
  f.file("good.npy", npy(">f4", "(2,)", std::string("\x40\xc0\0\0\x41\x70\0\0", 8))); // 6, 15
  f.file("bad.npy", npy("<f4", "(2,)", little(std::vector<float>{6, 14})));            // without the 1
  const Outcome good = f.tilenest({"judge", "sums.tile", "-i", "X=x.npy", "--result", "Y=good.npy"});
  CHECK(good.status == 0);
  CHECK(good.err == "");
  holds(good.out, "Y: equal; of 2 elements 2 are the only value");
  const Outcome bad = f.tilenest({"judge", "sums.tile", "-i", "X=x.npy", "--result", "Y=bad.npy"});
  CHECK(bad.status == 4);
  holds(bad.out, "Y: outside");
  holds(bad.out, "Y[1]: 14.0, admitted 15.0, the reference has 15.0");
  const Outcome json = f.tilenest({"judge", "sums.tile", "-i", "X=x.npy", "--result", "Y=bad.npy", "--json"});
  CHECK(json.status == 4);
  const Json j = Json::parse(json.out);
  CHECK(j["schema"] == "tilenest-judge-1");
  CHECK(j["exit_status"] == 4);
  CHECK(j["outputs"][0]["verdict"] == "outside");
  CHECK(j["outputs"][0]["worst"]["index"] == 1);
  CHECK(j["outputs"][0]["worst"]["high"] == 15);
}

TEST_CASE("judge: without results it says how wide the set is", "[cli][ADM-SET]") {
  const Folder f;
  files(f);
  const Outcome o = f.tilenest({"judge", "sums.tile", "--shape", "M=4,N=100", "--random", "1"});
  CHECK(o.status == 0);
  holds(o.out, "Y: 0 of 4 elements have one value\n  half-widths in units of the last place: median ");
  holds(f.tilenest({"judge", "sums.tile", "-i", "X=x.npy"}).out, "Y: 2 of 2 elements have one value");
}

TEST_CASE("judge: what is undecided is not supported, at its place", "[cli][ADM-CHECK]") {
  const Folder f;
  f.file("k.tile", "kernel k(X: f32[N], Y: out f32[1]) {\n  axis n = N\n  s = sum(X[0, [n]], n)\n  t = s\n"
                   "  if sin(s * 1e9) > 0 { t = f32(1) }\n  Y(0).store(t)\n}");
  f.file("y.npy", npy("<f4", "(1,)", little(std::vector<float>{1})));
  const Outcome o = f.tilenest({"judge", "k.tile", "--shape", "N=64", "--random", "1", "--result", "Y=y.npy"});
  CHECK(o.status == 5);
  CHECK(o.out == "Y: undecided\n"); // no number, which would claim something
  CHECK(f.tilenest({"judge", "k.tile", "--shape", "N=64", "--random", "1"}).out == "Y: undecided\n");
  holds(o.err, "error[N0002]");
  holds(o.err, "k.tile:5:");
}

TEST_CASE("judge: targets by their profiles", "[cli][NUM-TGT]") {
  const Folder f;
  f.file("k.tile", "kernel k(X: f32[1], Y: out f32[1]) {\n  Y(0).store(exp(X[0]))\n}");
  f.file("x.npy", npy("<f4", "(1,)", little(std::vector<float>{1})));
  f.file("y.npy", npy("<f4", "(1,)", little(std::vector<float>{2.7182825f}))); // two units above 2.718282
  f.file("t.json", R"({"profile": "t", "types": {"f32": {"errors": {"exp": {"ulps": 3}}}}})");
  const std::vector<std::string> judge = {"judge", "k.tile", "-i", "X=x.npy", "--result", "Y=y.npy"};
  CHECK(f.tilenest(judge).status == 4);
  std::vector<std::string> target = judge;
  target.insert(target.end(), {"--target", "t.json"});
  const Outcome o = f.tilenest(target);
  CHECK(o.status == 0);
  holds(o.out, "Y: within");
  target.back() = "missing.json";
  CHECK(f.tilenest(target).status == 2);
}

TEST_CASE("judge: results that do not fit", "[cli]") {
  const Folder f;
  files(f);
  f.file("short.npy", npy("<f4", "(1,)", little(std::vector<float>{6})));
  f.file("type.npy", npy("<f8", "(2,)", little(std::vector<double>{6, 15})));
  const auto with = [&](const std::string &result) { return f.tilenest({"judge", "sums.tile", "-i", "X=x.npy", "--result", result}); };
  CHECK(with("Y=short.npy").status == 2);
  holds(with("Y=short.npy").err, "`Y` is f32[2] here, `short.npy` is f32[1]\n");
  CHECK(with("Y=type.npy").status == 2);
  CHECK(with("X=x.npy").status == 2); // no result: the kernel reads it
  holds(with("Z=x.npy").err, "the arguments that `sums` writes: `Y`");
  CHECK(with("Y=missing.npy").status == 2);
  CHECK(with("Y").status == 64);
  // A violation leaves no set to judge against.
  f.file("u.tile", "kernel u(X: f32[2, 3], Y: out f32[2]) {\n  axis m = 2\n  parallel p in [m] { Y(0).store(X[(p.m, 0)]) }\n}");
  f.file("good.npy", npy("<f4", "(2,)", little(std::vector<float>{6, 15})));
  CHECK(f.tilenest({"judge", "u.tile", "-i", "X=x.npy", "--result", "Y=good.npy"}).status == 3);
}

TEST_CASE("judge: elements that the kernel never writes are counted and not judged", "[cli][ADM-CHECK]") {
  const Folder f;
  f.file("half.tile", "kernel half(X: f32[4], Y: out f32[8]) {\n  axis m = 4\n  Y((0), [m]).store(X[(0), [m]])\n}");
  f.file("x.npy", npy("<f4", "(4,)", little(std::vector<float>{1, 2, 3, 4})));
  f.file("y.npy", npy("<f4", "(8,)", little(std::vector<float>{1, 2, 3, 4, 9, 9, 9, 9})));
  const Outcome o = f.tilenest({"judge", "half.tile", "-i", "X=x.npy", "--result", "Y=y.npy"});
  CHECK(o.status == 0);
  holds(o.out, "Y: equal; of 8 elements 4 are the only value, 0 within their enclosures, 0 outside\n  4 of them are never written, and nothing is said of these\n");
  const Outcome run = f.tilenest({"run", "half.tile", "-i", "X=x.npy", "-o", "Y=z.npy"});
  CHECK(run.status == 3);
  holds(run.err, "= note: the first is `Y[4]`");
  holds(run.err, "= replay: tilenest run half.tile -i X=x.npy -o Y=z.npy --replay reference");
}
