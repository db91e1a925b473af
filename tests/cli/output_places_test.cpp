// SPDX-License-Identifier: Apache-2.0
// Where results may go: two of them never to one file, never into archives, and whole or not at all where the system
// limits the size of files.
#include "tests/cli/command.h"
#include "tests/cli/programs.h"
#include <catch2/catch.hpp>

using namespace tilenest::cli_test;

namespace {

const std::string two_outputs = "kernel two(Y: out f32[2], Z: out f32[2]) {\n"
                                "  Y(0, [2]).store(full(f32 [2], 1))\n"
                                "  Z(0, [2]).store(full(f32 [2], 2))\n"
                                "}\n";

} // namespace

TEST_CASE("two results that would go to one file are refused, however it is spelled", "[cli]") {
  const Folder f;
  f.file("two.tile", two_outputs);
  f.file("there.npy", "kept");
  std::filesystem::create_directories(f.path("d/e"));
  std::filesystem::create_directory_symlink(f.path("d"), f.path("link"));
  std::filesystem::create_symlink(f.path("there.npy"), f.path("other.npy"));
  std::filesystem::create_hard_link(f.path("there.npy"), f.path("hard.npy"));
  const std::pair<std::string, std::string> same[] = {
      {"d/s.npy", "./d/s.npy"}, {"s.npy", f.path("s.npy")},  {"d/s.npy", "link/s.npy"}, {"s.npy", "d/e/../../s.npy"},
      {"d/s.npy", "d//s.npy"},  {"there.npy", "other.npy"}, {"there.npy", "hard.npy"}};
  for (const auto &[a, b] : same) {
    INFO(a << " and " << b);
    const Outcome o = f.tilenest({"run", "two.tile", "-o", "Y=" + a, "-o", "Z=" + b});
    CHECK(o.status == 64);
    holds(o.err, "`" + a + "` and `" + b + "` are the same file");
  }
  CHECK(f.read("there.npy") == "kept");
  CHECK(f.tilenest({"run", "two.tile", "-o", "Y=d/s.npy", "-o", "Z=s.npy"}).status == 0);
}

TEST_CASE("no result takes the place of the program, however its file is named", "[cli]") {
  const Folder f;
  f.file("two.tile", two_outputs);
  std::filesystem::create_directories(f.path("d"));
  std::filesystem::create_directory_symlink(f.path("d"), f.path("link"));
  std::filesystem::create_symlink(f.path("two.tile"), f.path("other.npy"));
  std::filesystem::create_hard_link(f.path("two.tile"), f.path("hard.npy"));
  for (const std::string &place :
       {std::string("two.tile"), std::string("./two.tile"), f.path("two.tile"), std::string("link/../two.tile"),
        std::string("other.npy"), std::string("hard.npy")}) {
    INFO(place);
    const Outcome o = f.tilenest({"run", "two.tile", "-o", "Y=" + place});
    CHECK(o.status == 64);
    holds(o.err, "-o: `" + place + "` is the program itself");
    CHECK(f.bash("$T run - -o Z='" + place + "' < two.tile").status == 64);
    CHECK(f.read("two.tile") == two_outputs);
  }
  // Another file of the same contents is none of it.
  f.file("copy.npy", two_outputs);
  CHECK(f.tilenest({"run", "two.tile", "-o", "Y=copy.npy"}).status == 0);
}

TEST_CASE("no report of the suite takes the place of what it is made from", "[cli]") {
  const Folder f;
  std::filesystem::create_directories(f.path("cases"));
  f.file("cases/a.json", "kept");
  f.file("expected.txt", "kept");
  f.file("target.json", "kept");
  f.file("backend", "kept");
  std::filesystem::create_hard_link(f.path("expected.txt"), f.path("hard.xml"));
  const std::vector<std::string> all[] = {{"--cases", "cases", "--junit", "cases/a.json"},
                                          {"--xfail", "expected.txt", "--junit", "hard.xml"},
                                          {"--target", "target.json", "--junit", "./target.json"},
                                          {"--engine", "exec:./backend", "--junit", "backend"}};
  for (std::vector<std::string> words : all) {
    INFO(words[0]);
    words.insert(words.begin(), "conform");
    const Outcome o = f.tilenest(words);
    CHECK(o.status == 64);
    holds(o.err, "which is read");
  }
  for (const char *file : {"cases/a.json", "expected.txt", "target.json", "backend"}) CHECK(f.read(file) == "kept");
}

TEST_CASE("no result takes the place of an archive under another name", "[cli]") {
  const Folder f;
  f.file("copy.tile", copy_of("f32"));
  f.file("in.npz", "kept");
  std::filesystem::create_symlink(f.path("in.npz"), f.path("b.npy"));
  for (const char *input : {"A=in.npz", "A=in.npz:a"}) {
    const Outcome o = f.tilenest({"run", "copy.tile", "-i", input, "-o", "B=b.npy"});
    CHECK(o.status == 64);
    holds(o.err, "is the archive `in.npz`");
  }
  CHECK(f.read("in.npz") == "kept");
}

TEST_CASE("no result goes into an archive", "[cli]") {
  const Folder f;
  f.file("two.tile", two_outputs);
  for (const char *place : {"Y=a.npz", "Y=a.npz:m"}) {
    const Outcome o = f.tilenest({"run", "two.tile", "-o", place});
    CHECK(o.status == 64);
    holds(o.err, "writes .npy files");
  }
  CHECK(f.names() == std::vector<std::string>{"two.tile"});
}

TEST_CASE("a result that is larger than files may be leaves nothing behind", "[cli]") {
  const Folder f;
  f.file("two.tile", "kernel big(Y: out f32[M]) { Y(0, [M]).store(full(f32 [M], 1)) }\n");
  const Outcome o = f.bash("ulimit -f 1000; $T run two.tile --shape M=500000 -o Y=y.npy"); // 2 MB, and 1 MB is allowed
  CHECK(o.status == 2);
  holds(o.err, "error[P0509]");
  CHECK(f.names() == std::vector<std::string>{"two.tile"});
}

TEST_CASE("numbers beyond 64 bits are called so", "[cli]") {
  const Folder f;
  f.file("copy.tile", copy_of("f32"));
  holds(f.tilenest({"run", "copy.tile", "--shape", "M=9223372036854775808", "--fill", "1"}).err, "`9223372036854775808` does not fit 64 bits");
  holds(f.tilenest({"run", "copy.tile", "--shape", "M=x", "--fill", "1"}).err, "`x` is not a whole number");
  for (const char *beyond : {"1e400", "-1e400", "1e-400"}) { // as in a program, where `inf` is written so
    const Outcome o = f.tilenest({"run", "copy.tile", "--shape", "M=3", "--fill", beyond});
    CHECK(o.status == 64);
    holds(o.err, "--fill");
  }
}
