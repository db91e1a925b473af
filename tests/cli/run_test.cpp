// SPDX-License-Identifier: Apache-2.0
// tilenest run: inputs in every form, outputs, parameters, kernels, and what becomes of files.
#include "tests/cli/command.h"
#include "tests/cli/npy_bytes.h"
#include "tests/cli/programs.h"
#include "tests/volume.h"
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace tilenest::cli_test;
using Json = nlohmann::json;

TEST_CASE("an array goes in and comes out", "[cli]") {
  const Folder f;
  f.file("copy.tile", copy_of("f32"));
  const std::vector<float> values = {1.5f, -2, 3, 0.25f, 1e30f, -0.0f, 7};
  f.file("a.npy", npy("<f4", "(7,)", little(values)));
  const Outcome o = f.tilenest({"run", "copy.tile", "-i", "A=a.npy", "-o", "B=b.npy"});
  CHECK(o.status == 0);
  CHECK(o.out.empty());
  CHECK(o.err.empty());
  const std::string b = f.read("b.npy");
  holds(npy_header(b), "'descr': '<f4'");
  holds(npy_header(b), "(7,)");
  CHECK(npy_data(b) == little(values));
}

TEST_CASE("Fortran order and big-endian inputs mean the same array", "[cli]") {
  const Folder f;
  f.file("copy2.tile", copy2_of("i32"));
  // [[1, 2, 3], [4, 5, 6]], column by column.
  f.file("fortran.npy", npy("<i4", "(2, 3)", little(std::vector<std::int32_t>{1, 4, 2, 5, 3, 6}), true));
  f.file("big.npy", npy(">i4", "(2, 3)", big(std::vector<std::int32_t>{1, 2, 3, 4, 5, 6})));
  for (const std::string input : {"fortran.npy", "big.npy"}) {
    INFO(input);
    CHECK(f.tilenest({"run", "copy2.tile", "-i", "A=" + input, "-o", "B=b.npy"}).status == 0);
    CHECK(values_of<std::int32_t>(f.read("b.npy")) == std::vector<std::int32_t>{1, 2, 3, 4, 5, 6});
  }
}

TEST_CASE("every element type has its files", "[cli]") {
  const Folder f;
  struct Case {
    const char *type, *dtype;
    std::size_t width;
  };
  for (const Case c : {Case{"bool", "|b1", 1}, Case{"i32", "<i4", 4}, Case{"i64", "<i8", 8}, Case{"u8", "|u1", 1},
                       Case{"f16", "<f2", 2}, Case{"bf16", "<V2", 2}, Case{"bf16", "<u2", 2}, Case{"f32", "<f4", 4},
                       Case{"f64", "<f8", 8}}) {
    INFO(c.type << " as " << c.dtype);
    f.file("copy.tile", copy_of(c.type));
    std::string data;
    for (std::size_t i = 0; i < 5 * c.width; ++i) data += std::string(c.type) == "bool" ? char(i % 2) : char(i * 7 + 1);
    f.file("a.npy", npy(c.dtype, "(5,)", data));
    const Outcome o = f.tilenest({"run", "copy.tile", "-i", "A=a.npy", "-o", "B=b.npy"});
    CHECK(o.err == "");
    CHECK(o.status == 0);
    CHECK(npy_data(f.read("b.npy")) == data); // a copy keeps bits
  }
}

TEST_CASE("a member of an archive is an input", "[cli]") {
  const Folder f;
  f.file("copy.tile", copy_of("f32"));
  const std::string x = npy("<f4", "(2,)", little(std::vector<float>{1, 2})),
                    y = npy("<f4", "(3,)", little(std::vector<float>{3, 4, 5}));
  f.file("two.npz", npz({{"x.npy", x}, {"y.npy", y}}));
  CHECK(f.tilenest({"run", "copy.tile", "-i", "A=two.npz:y", "-o", "B=b.npy"}).status == 0);
  CHECK(values_of<float>(f.read("b.npy")) == std::vector<float>{3, 4, 5});
  f.file("one.npz", npz({{"x.npy", x}}));
  CHECK(f.tilenest({"run", "copy.tile", "-i", "A=one.npz", "-o", "B=b.npy"}).status == 0);
  CHECK(values_of<float>(f.read("b.npy")) == std::vector<float>{1, 2});
  const Outcome which = f.tilenest({"run", "copy.tile", "-i", "A=two.npz", "-o", "B=c.npy"});
  CHECK(which.status == 2);
  holds(which.err, "P0507");
  CHECK(!f.exists("c.npy"));
}

TEST_CASE("inputs are never modified, and an output may take its input's name", "[cli]") {
  const Folder f;
  f.file("twice.tile", "kernel twice(B: mut i32[M]) {\n"
                       "  axis g = ceil_div(M, 4), m = 4\n"
                       "  parallel p in [g] {\n"
                       "    B((p.g * 4), [m]).store(B[(p.g * 4), [m]] * 2)\n"
                       "  }\n"
                       "}\n");
  // Large enough to be mapped.
  const std::vector<std::int32_t> before(20000, 21), after(20000, 42);
  const std::string file = npy("<i4", "(20000,)", little(before));
  f.file("b.npy", file);
  CHECK(f.tilenest({"run", "twice.tile", "-i", "B=b.npy", "-o", "B=c.npy"}).status == 0);
  CHECK(f.read("b.npy") == file);
  CHECK(values_of<std::int32_t>(f.read("c.npy")) == after);
  CHECK(f.tilenest({"run", "twice.tile", "-i", "B=b.npy", "-o", "B=b.npy"}).status == 0);
  CHECK(values_of<std::int32_t>(f.read("b.npy")) == after);
  CHECK(f.names() == std::vector<std::string>{"b.npy", "c.npy", "twice.tile"});
}

TEST_CASE("a kernel is chosen by name", "[cli]") {
  const Folder f;
  f.file("two.tile", copy_of("f32") + "\n" + copy2_of("f32"));
  CHECK(f.tilenest({"run", "two.tile", "--kernel", "copy", "--shape", "M=3", "--fill", "iota"}).status == 0);
  const Outcome none = f.tilenest({"run", "two.tile", "--shape", "M=3", "--fill", "iota"});
  CHECK(none.status == 64);
  holds(none.err, "`copy`, `copy2`");
  const Outcome wrong = f.tilenest({"run", "two.tile", "--kernel", "cpy", "--shape", "M=3", "--fill", "iota"});
  CHECK(wrong.status == 64);
  holds(wrong.err, "no kernel `cpy`");
}

TEST_CASE("the program may come from standard input", "[cli]") {
  const Folder f;
  const Outcome o = f.tilenest({"run", "-", "--shape", "M=3", "--fill", "iota"}, copy_of("f64"));
  CHECK(o.status == 0);
  CHECK(o.out == "B: f64 [3]  min 0.0  max 2.0  mean 1  NaN 0\n");
  const Outcome bad = f.tilenest({"check", "-"}, "kernel k(A: f99[4]) {\n}\n");
  CHECK(bad.status == 2);
  holds(bad.err, "<stdin>:1:13");
}

TEST_CASE("elements that were never written are counted and keep an output from its file", "[cli]") {
  const Folder f;
  f.file("part.tile", first_four);
  const std::vector<std::string> run = {"run", "part.tile", "--shape", "M=6", "--fill", "7"};
  auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> words = run;
    words.insert(words.end(), more.begin(), more.end());
    return f.tilenest(words);
  };
  const Outcome summary = with({});
  CHECK(summary.status == 0);
  holds(summary.out, "never written 2");
  f.file("b.npy", "what stood here");
  const Outcome refused = with({"-o", "B=b.npy"});
  CHECK(refused.status == 3);
  holds(refused.err, "error[U1101]: 2 of 6 elements of `B` were never written");
  CHECK(f.read("b.npy") == "what stood here");
  CHECK(with({"-o", "B=b.npy", "--unchecked"}).status == 3);
  CHECK(f.read("b.npy") == "what stood here");
  CHECK(with({"-o", "B=b.npy", "--allow-partial"}).status == 0);
  CHECK(values_of<float>(f.read("b.npy")) == std::vector<float>{7, 7, 7, 7, 0, 0});
}

TEST_CASE("an output with a value keeps it where nothing is written", "[cli]") {
  const Folder f;
  f.file("part.tile", first_four);
  f.file("old.npy", npy("<f4", "(6,)", little(std::vector<float>{1, 2, 3, 4, 5, 6})));
  const Outcome o =
      f.tilenest({"run", "part.tile", "-i", "B=old.npy", "--fill", "9", "-o", "B=b.npy"});
  CHECK(o.status == 0);
  CHECK(values_of<float>(f.read("b.npy")) == std::vector<float>{9, 9, 9, 9, 5, 6});
}

TEST_CASE("several outputs are written together or not at all", "[cli]") {
  const Folder f;
  f.file("pair.tile", "kernel pair(A: i32[4], B: out i32[4], C: out i32[8]) {\n"
                      "  axis m = 4\n"
                      "  B((0), [m]).store(A[(0), [m]])\n"
                      "  C((0), [m]).store(A[(0), [m]])\n"
                      "}\n");
  const std::vector<std::string> run = {"run", "pair.tile", "--fill", "3", "-o", "B=b.npy", "-o", "C=c.npy"};
  CHECK(f.tilenest(run).status == 3); // half of C was never written
  CHECK(f.names() == std::vector<std::string>{"pair.tile"});
  std::vector<std::string> partial = run;
  partial.push_back("--allow-partial");
  CHECK(f.tilenest(partial).status == 0);
  CHECK(f.names() == std::vector<std::string>{"b.npy", "c.npy", "pair.tile"});
}

TEST_CASE("explore names schedules that run replays", "[cli]") {
  const Folder f;
  f.file("sum.tile", R"(kernel sum(X: f32[N], Y: out f32[1]) {
  axis n = N
  s: f32 = -0.0
  reduce i in [n] ordered_tree { s = s + X[i.n] }
  Y(0).store(s)
})");
  // As 2^24 + 1 + 1: 2^24 from the left, 2^24 + 2 from the right.
  f.file("x.npy", npy("<f4", "(3,)", little(std::vector<float>{16777216, 1, 1})));
  const Outcome text = f.tilenest({"explore", "sum.tile", "-i", "X=x.npy"});
  CHECK(text.status == 0);
  CHECK(text.err == "");
  holds(text.out, "no output can have another value");
  holds(text.out, "Y: 1 of 1 elements depend on a freedom\n  Y[0]: 2 values\n    least    16777216");
  const Json json = Json::parse(f.tilenest({"explore", "sum.tile", "-i", "X=x.npy", "--json"}).out);
  CHECK(json["schema"] == "tilenest-explore-1");
  CHECK(json["exit_status"] == 0);
  CHECK(json["all"] == true);
  const Json &greatest = json["outputs"][0]["widest"]["greatest"];
  CHECK(greatest["value"] == 16777218);
  const Outcome run = f.tilenest({"run", "sum.tile", "-i", "X=x.npy", "-o", "Y=y.npy", "--schedule", greatest["schedule"].get<std::string>()});
  CHECK(run.status == 0);
  CHECK(npy_data(f.read("y.npy")) == little(std::vector<float>{16777218}));
  // One grouping of many, and none after a fault.
  holds(f.tilenest({"explore", "sum.tile", "-i", "X=x.npy", "--limit", "0", "--samples", "0"}).out, "3 runs; no output can have another value\nY: 1 of 1 elements depend on a freedom\n");
  CHECK(f.tilenest({"explore", "missing.tile"}).status == 2);
}

TEST_CASE("a report ends with the command that meets it again", "[cli][PAR-FREE]") {
  const Folder f;
  f.file("two racers.tile", "kernel k(X: f32[N], Y: out f32[1]) {\n  axis n = N\n  parallel p in [n] { Y(0).store(X[p.n]) }\n}");
  f.file("x.npy", npy("<f4", "(3,)", little(std::vector<float>{1, 2, 3})));
  const Outcome first = f.tilenest({"run", "two racers.tile", "-i", "X=x.npy", "--schedule", "seed=5"});
  CHECK(first.status == 3);
  holds(first.err, "= replay: tilenest run 'two racers.tile' -i X=x.npy --replay seed=5\n");
  CHECK(f.tilenest({"run", "two racers.tile", "-i", "X=x.npy", "--replay", "seed=5"}).err == first.err);
  holds(f.tilenest({"run", "two racers.tile", "--shape", "N=2", "--random", "3"}).err, "= replay: tilenest run 'two racers.tile' --shape N=2 --random 3 --replay reference\n");
}

TEST_CASE("what is printed as replay gives the same report, whatever decided that there is one", "[cli][PAR-FREE]") {
  const Folder f;
  const auto kernels = {// Most of Y is never written, which only a file for it asks about.
                        "kernel unwritten(Y: out i32[N + 2]) { Y(1).store(5) }",
                        // Checked, the race is reported before the assertion.
                        "kernel races(Y: out i32[N]) {\n  axis n = N\n  parallel p in [n] { Y(0).store(cast(p.n, i32)) "
                        "}\n  assert(n.extent == 7, \"seven\")\n}",
                        // Two causes.
                        "kernel divides(A: i32[N], Y: mut i32[N]) {\n  axis n = N\n  Y((0), [n]).store(A[(0), [n]] / "
                        "0)\n  Y((0), [n]).store(mod(A[(0), [n]], 0))\n}"};
  std::string text;
  for (const char *kernel : kernels) text += std::string(kernel) + "\n";
  f.file("all.tile", text);
  f.file("-u.tile", "kernel unwritten(Y: out i32[3]) { Y(1).store(5) }");
  const std::pair<std::string, std::string> runs[] = {
      {"all.tile --kernel unwritten --shape N=1 -o Y=y.npy", "error[U1101]"},
      {"all.tile --kernel unwritten --shape N=1 -o Y=y.npy --unchecked", "error[U1101]"},
      {"-o Y=y.npy -- -u.tile", "error[U1101]"},
      {"all.tile --kernel races --shape N=2", "error[U0301]"},
      {"all.tile --kernel races --shape N=2 --unchecked", "error[A0001]"},
      {"all.tile --kernel races --shape N=2 --engine plan", "error[A0001]"},
      {"all.tile --kernel races --shape N=2 --engine plan --strict --vector 128", "error[A0001]"},
      {"all.tile --kernel divides --shape N=2 --fill -3 --first", "error[U0101]"}};
  for (const auto &[words, expected] : runs) {
    INFO(words);
    const Outcome first = f.bash("$T run " + words);
    holds(first.err, expected);
    const std::string mark = "= replay: tilenest ";
    const std::size_t at = first.err.find(mark);
    REQUIRE(at != std::string::npos);
    const std::string line = first.err.substr(at + mark.size(), first.err.find('\n', at) - at - mark.size());
    const Outcome again = f.bash("$T " + line);
    CHECK(again.err == first.err);
    CHECK(again.status == first.status);
  }
  CHECK(f.names() == std::vector<std::string>{"-u.tile", "all.tile"});
  // What was read from a pipe is gone.
  const Outcome piped = f.bash("$T run <(cat all.tile) --kernel races --shape N=2");
  CHECK(piped.status == 3);
  CHECK(piped.err.find("replay") == std::string::npos);
  // explore and judge take what run takes; what judge runs is checked.
  holds(f.bash("$T explore all.tile --kernel races --shape N=2 --unchecked").err,
        "--shape N=2 --unchecked --replay reference\n");
  holds(f.bash("$T judge all.tile --kernel races --shape N=2 --unchecked").err, "--shape N=2 --replay reference\n");
}

TEST_CASE("both accesses of an interference are told with the rounds of their serial loops", "[cli][PAR-NI]") {
  const Folder f;
  const std::string head = "kernel k(O: mut i64[40]) {\n  axis a = 4, s = 3, b = 2\n";
  struct Case {
    std::string body, earlier, later;
  };
  const Case cases[] = {
      // The first element that two instances store to is O[1], of 0 + 1 and 1 + 0.
      {"parallel p in [a] { serial q in [s] { O(p.a + q.s).store(q.s) } }", "write by p(a=0), q(s=1)",
       "write by p(a=1), q(s=0)"},
      {"parallel p in [a] { pipeline q in [s] { stage \"s\"\n      O(p.a + q.s).store(q.s) } }",
       "write by p(a=0), q(s=1)", "write by p(a=1), q(s=0)"},
      // What is before the sync is ordered; behind it, again, 0 + 1 and 1 + 0.
      {"parallel p in [a] { serial q in [s] { O(p.a).store(q.s) }\n    sync p\n    serial r in [s] { O(p.a + "
       "r.s).store(r.s) } }",
       "write by p(a=0), r(s=1)", "write by p(a=1), r(s=0)"},
      // Rows of instances: O[8] and O[9] by 0 + 1 and 1 + 0.
      {"parallel p in [a] { serial q in [s] { parallel r in [b] { O(p.a * 8 + q.s * 8 + r.b).store(r.b) } } }",
       "write by p(a=0), q(s=1), r(b=0)", "write by p(a=1), q(s=0), r(b=0)"},
      // Nothing before round t = 2 interferes: there every instance stores to O[2].
      {"serial t in [s] { parallel p in [a] { O(ite(t.s == 2, 2, p.a + 10)).store(1) } }", "write by t(s=2), p(a=0)",
       "write by t(s=2), p(a=1)"},
      // All rounds of both store to O[0]: the first of each.
      {"parallel p in [a] { serial q in [s] { O(0).store(p.a) } }", "write by p(a=0), q(s=0)", "write by p(a=1), q(s=0)"},
      // Without a serial loop there is nothing to add.
      {"parallel p in [a] { O(0).store(p.a) }", "write by p(a=0)\n", "write by p(a=1)\n"}};
  for (const Case &c : cases) {
    f.file("k.tile", head + "  " + c.body + "\n}");
    const std::vector<std::string> run = {"run", "k.tile", "--fill", "zeros"};
    const Outcome o = f.tilenest(run);
    INFO(o.err);
    CHECK(o.status == 3);
    holds(o.err, "(1) " + c.earlier);
    holds(o.err, "(2) " + c.later);
    CHECK(f.tilenest({"run", "k.tile", "--fill", "zeros", "--replay", "reference"}).err == o.err);
    // The others of the commands that run it say the same.
    CHECK(f.tilenest({"judge", "k.tile", "--fill", "zeros"}).err == o.err);
    holds(f.tilenest({"explore", "k.tile", "--fill", "zeros"}).err, "(1) " + c.earlier);
  }
  // Along another order, too, and with the first report alone.
  f.file("k.tile", head + "  parallel p in [a] { serial q in [s] { O(p.a + q.s).store(q.s) } }\n}");
  for (const char *seed : {"seed=1", "seed=2", "seed=3"}) {
    const std::string err = f.tilenest({"run", "k.tile", "--fill", "zeros", "--first", "--schedule", seed}).err;
    INFO(err);
    // O[i]: the first access is by p(a=x), q(s=i-x).
    const std::size_t at = err.find("(1) write by p(a="), element = err.find("`O[");
    REQUIRE(at != std::string::npos);
    const std::string digits = {err[at + 17], err[at + 25]};
    CHECK(err[at + 18] == ')');
    CHECK(digits[0] - '0' + (digits[1] - '0') == err[element + 3] - '0');
  }
}

TEST_CASE("a view that an array's layout does not serve is refused by the name of the array", "[cli]") {
  const Folder f;
  f.file("k.tile", "kernel k(X: f32[2, 3], Y: out u8[2, 12]) {\n  axis a = 2, b = 12\n  U = X.view_as(u8)\n  Y((0, 0), "
                   "[a, b]).store(U[(0, 0), [a, b]])\n}");
  f.file("x.npy", npy("<f4", "(2, 3)", little(std::vector<float>{1, 2, 3, 4, 5, 6}), true));
  holds(f.tilenest({"run", "k.tile", "-i", "X=x.npy"}).err,
        "error[T0403]: `X` of f32 cannot be viewed as u8: its last axis is not contiguous\n");
}

TEST_CASE("--cover counts the stores of each element", "[cli][COVER]") {
  const Folder f;
  // Five items by three workers in steps of two: item 2 twice, item 4 never.
  f.file("work.tile", R"(kernel work(Y: out i32[5], Z: out f16[2, 3]) {
  axis w = 3, j = 2, r = 2, c = 3
  serial i in [w] { Y(i.w, [j]).store(zeros i32 [j]) }
  parallel p in [r] { Z((p.r, 0), [_, c]).store(zeros f16 [c]) }
})");
  const Outcome o = f.tilenest({"run", "work.tile", "--cover", "--allow-partial"});
  CHECK(o.status == 0);
  holds(o.out, "Y: 2 elements stored once, 1 never, 2 more than once; never Y[4]; 2 times Y[1]\n");
  holds(o.out, "Z: 6 elements stored once, 0 never, 0 more than once\n");
  const Json json = Json::parse(f.tilenest({"run", "work.tile", "--cover", "--allow-partial", "--json"}).out);
  CHECK(json["coverage"][0]["first_never"] == 4);
  CHECK(json["coverage"][0]["most"] == 2);
  CHECK(json["coverage"][1]["once"] == 6);
  CHECK(Json::parse(f.tilenest({"run", "work.tile", "--allow-partial", "--json"}).out)["coverage"].is_null());
}

TEST_CASE("arguments of four terabytes are checked where they are touched", "[cli][PAR-NI][COVER]" TILENEST_LONG) {
  const Folder f;
  f.file("huge.tile", R"(kernel far(X: f32[N], Y: out f32[N]) {
  axis t = 64, j = 8
  parallel p in [t] { Y(p.t * floordiv(N, 64), [j]).store(X[p.t * floordiv(N, 64), [j]] + 1) }
}
kernel races(X: f32[N], Y: out f32[N]) {
  axis t = 64, j = 9
  parallel p in [t] { Y(N - 1000 + p.t * 8, [j]).store(X[0, [j]]) }
}
kernel unset(Y: mut f32[N], Z: out f32[1]) {
  Y(N - 1).store(Y[N - 2])
})");
  const auto run = [&](const std::string &kernel) {
    return f.tilenest({"run", "huge.tile", "--kernel", kernel, "--shape", "N=1099511627776", "--fill", "zeros"});
  };
  const Outcome far = run("far");
  CHECK(far.status == 0);
  // 512 ones among 2^40 zeros.
  holds(far.out, "Y: f32 [1099511627776]  min 0.0  max 1.0  mean 4.65661e-10  NaN 0  never written 1099511627264");
  CHECK(far.peak < std::size_t{256} << 20);
  const Outcome races = run("races");
  CHECK(races.status == 3);
  holds(races.err, "interfere on `Y[1099511626784]`");
  CHECK(races.peak < std::size_t{256} << 20);
  holds(f.tilenest({"run", "huge.tile", "--kernel", "far", "--shape", "N=1099511627776", "--fill", "iota"}).err, "error[L0502]");
  const Outcome cover = f.tilenest({"run", "huge.tile", "--kernel", "far", "--shape", "N=1099511627776", "--fill", "0", "--cover"});
  CHECK(cover.status == 0);
  holds(cover.out, "Y: 512 elements stored once, 1099511627264 never, 0 more than once; never Y[8]\n");
  CHECK(f.tilenest({"run", "huge.tile", "--kernel", "far", "--shape", "N=1099511627776", "--fill", "zeros", "-o", "Y=y.npy"}).status == 6);
  CHECK(f.names() == std::vector<std::string>{"huge.tile"});
}
