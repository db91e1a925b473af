// SPDX-License-Identifier: Apache-2.0
// Every exit status that a command can end with, and what is then said and written.
#include "tests/cli/command.h"
#include "tests/cli/npy_bytes.h"
#include "tests/cli/programs.h"
#include <catch2/catch.hpp>

using namespace tilenest::cli_test;

TEST_CASE("0: fine", "[cli][exit]") {
  const Folder f;
  f.file("copy.tile", copy_of("f32"));
  CHECK(f.tilenest({"run", "copy.tile", "--shape", "M=0", "--fill", "1"}).status == 0); // an empty array, too
  CHECK(f.tilenest({"check", "copy.tile"}).status == 0);
  CHECK(f.tilenest({"--version"}).status == 0);
  CHECK(f.tilenest({"run", "--help"}).status == 0);
}

TEST_CASE("1: an assertion of the program", "[cli][exit]") {
  const Folder f;
  f.file("one.tile", asserts_one);
  CHECK(f.tilenest({"run", "one.tile", "--fill", "1"}).status == 0);
  const Outcome o = f.tilenest({"run", "one.tile", "--fill", "2", "-o", "B=b.npy"});
  CHECK(o.status == 1);
  holds(o.err, "the first element is 1");
  CHECK(!f.exists("b.npy"));
}

TEST_CASE("2: text and typing", "[cli][exit]") {
  const Folder f;
  f.file("text.tile", "kernel k(A: f32[M]) {\n  axis\n}\n");
  const Outcome text = f.tilenest({"run", "text.tile", "--shape", "M=3", "--fill", "1"});
  CHECK(text.status == 2);
  holds(text.err, "error[P0");
  f.file("type.tile", "kernel k(A: f32[4], B: i32[4], C: out f32[4]) {\n"
                      "  axis m = 4\n"
                      "  C((0), [m]).store(A[(0), [m]] + B[(0), [m]])\n"
                      "}\n");
  const Outcome type = f.tilenest({"check", "type.tile"});
  CHECK(type.status == 2);
  holds(type.err, "error[T0101]");
  f.file("none.tile", "// nothing here\n");
  const Outcome none = f.tilenest({"check", "none.tile"});
  CHECK(none.status == 2);
  holds(none.err, "error[P1101]: `none.tile` has no kernel");
}

TEST_CASE("3: a violation, and nothing is written", "[cli][exit]") {
  const Folder f;
  f.file("q.tile", quotient);
  f.file("d.npy", npy("<i4", "(4,)", little(std::vector<std::int32_t>{1, 0, 2, 0})));
  f.file("b.npy", "what stood here");
  const std::vector<std::string> run = {"run", "q.tile", "-i", "D=d.npy", "--fill", "8", "-o", "B=b.npy"};
  const Outcome o = f.tilenest(run);
  CHECK(o.status == 3);
  holds(o.err, "error[U0101]");
  holds(o.err, "nothing is written");
  CHECK(f.read("b.npy") == "what stood here");
  CHECK(f.names() == std::vector<std::string>{"b.npy", "d.npy", "q.tile"});
  std::vector<std::string> unchecked = run;
  unchecked.push_back("--unchecked");
  CHECK(f.tilenest(unchecked).status == 0);
  const std::vector<std::int32_t> b = values_of<std::int32_t>(f.read("b.npy"));
  REQUIRE(b.size() == 4);
  CHECK(b[0] == 8);
  CHECK(b[2] == 4);
}

TEST_CASE("--first stops at the first violation", "[cli][exit]") {
  const Folder f;
  f.file("two.tile", "kernel two(A: i32[4], D: i32[4], B: mut i32[4]) {\n"
                     "  axis m = 4\n"
                     "  B((0), [m]).store(A[(0), [m]] / D[(0), [m]])\n"
                     "  B((0), [m]).store(A[(0), [m]] % D[(0), [m]])\n"
                     "}\n");
  auto causes = [](const std::string &text) {
    std::size_t n = 0;
    for (std::size_t at = text.find("error[U"); at != std::string::npos; at = text.find("error[U", at + 1)) ++n;
    return n;
  };
  const Outcome all = f.tilenest({"run", "two.tile", "--fill", "zeros"});
  const Outcome first = f.tilenest({"run", "two.tile", "--fill", "zeros", "--first"});
  CHECK(all.status == 3);
  CHECK(first.status == 3);
  CHECK(causes(all.err) == 2);
  CHECK(causes(first.err) == 1);
}

TEST_CASE("5: not supported", "[cli][exit]") {
  const Folder f;
  f.file("copy.tile", copy_of("f32"));
  // Zip method 12 is bzip2.
  f.file("a.npz", npz({{"a.npy", npy("<f4", "(1,)", little(std::vector<float>{1}))}}, 12));
  const Outcome o = f.tilenest({"run", "copy.tile", "-i", "A=a.npz"});
  CHECK(o.status == 5);
  holds(o.err, "error[N0501]");
}

TEST_CASE("6: a limit", "[cli][exit]") {
  const Folder f;
  f.file("copy.tile", copy_of("f32"));
  const Outcome petabyte = f.tilenest({"run", "copy.tile", "--shape", "M=1125899906842624", "--random", "1"});
  CHECK(petabyte.status == 6);
  holds(petabyte.err, "error[L05");
  const Outcome beyond = f.tilenest({"run", "copy.tile", "--shape", "M=9223372036854775807", "--random", "1"});
  CHECK(beyond.status == 6);
  holds(beyond.err, "error[L1001]");
}

TEST_CASE("64: usage", "[cli][exit]") {
  const Folder f;
  f.file("copy.tile", copy_of("f32"));
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"frobnicate"},
      {"run"},
      {"run", "copy.tile", "--no-such-option"},
      {"run", "copy.tile", "-i", "A"},
      {"run", "copy.tile", "-i", "=a.npy"},
      {"run", "copy.tile", "-i", "A="},
      {"run", "copy.tile", "-i", "A=a.npy", "-i", "A=b.npy"},
      {"run", "copy.tile", "-o", "B"},
      {"run", "copy.tile", "-o", "B=b.npz"},
      {"run", "copy.tile", "-o", "B=b.npy", "-o", "B=b.npy"},
      {"run", "copy.tile", "-o", "B=-"},
      {"run", "copy.tile", "--shape", "M"},
      {"run", "copy.tile", "--shape", "M=x"},
      {"run", "copy.tile", "--shape", "M=3.5"},
      {"run", "copy.tile", "--shape", "M=99999999999999999999"},
      {"run", "copy.tile", "--shape", "M=3,M=3"},
      {"run", "copy.tile", "--shape", "M=3,,N=4"},
      {"run", "copy.tile", "--shape", "M=3,"},
      {"run", "copy.tile", "--shape", ""},
      {"run", "copy.tile", "--shape", "M=3", "--fill", "1", "--kernel", ""},
      {"check", "copy.tile", "--kernel", ""},
      {"print", "copy.tile", "--kernel", ""},
      {"run", "copy.tile", "--shape", "M=3", "--fill", "1", "--first", "--unchecked"},
      {"run", "copy.tile", "--random", "x"},
      {"run", "copy.tile", "--random", "-1"},
      {"run", "copy.tile", "--random", "1", "--fill", "iota"},
      {"run", "copy.tile", "--engine", "quantum"},
      {"run", "copy.tile", "--fill", "many"},
      {"run", "copy.tile", "--fill", ""},
      {"run", "copy.tile", "--while-limit", "0"},
      {"run", "copy.tile", "--while-limit", "x"},
      {"run", "copy.tile", "--threads", "0"},
      {"run", "copy.tile", "--schedule", "seed"},
      {"run", "copy.tile", "--schedule", "seed=-1"},
      {"run", "copy.tile", "--schedule", "random"},
      {"run", "copy.tile", "--schedule", "groupings="},
      {"run", "copy.tile", "--schedule", "groupings=1,,2"},
      {"run", "copy.tile", "--schedule", "groupings=1,"},
      {"explore"},
      {"explore", "copy.tile", "--limit", "-1"},
      {"explore", "copy.tile", "-o", "B=b.npy"},
      {"run", "copy.tile", "--threads", "-1"},
      {"run", "copy.tile", "--threads", "1025"},
      {"check"},
      {"check", "copy.tile", "--kernel", "x"},
      {"print", "copy.tile", "--kernel", "x"},
      {"ops", "add", "extra"},
      {"explain", "X9999"},
      {"completion"},
      {"completion", "tcsh"},
  };
  for (const auto &words : wrong) {
    std::string line;
    for (const std::string &w : words) line += " " + w;
    INFO("tilenest" << line);
    const Outcome o = f.tilenest(words);
    CHECK(o.status == 64);
    CHECK(o.out == "");
    holds(o.err, "= help: ");
  }
}
