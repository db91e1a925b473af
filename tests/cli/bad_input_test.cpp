// SPDX-License-Identifier: Apache-2.0
// Bad input of every kind: the class of the diagnostic, the exit status, nothing written over.
#include "tests/cli/command.h"
#include "tests/cli/npy_bytes.h"
#include "tests/cli/programs.h"
#include <catch2/catch.hpp>
#include <filesystem>
#include <unistd.h>

using namespace tilenest::cli_test;

namespace {

// The run is refused with this code and status; the output file stays as it was.
void refused(const Folder &f, std::vector<std::string> words, int status, const std::string &code) {
  std::string line;
  for (const std::string &w : words) line += " " + w;
  INFO("tilenest" << line);
  f.file("out.npy", "what stood here");
  const auto before = f.names();
  const Outcome o = f.tilenest(words);
  INFO(o.err);
  CHECK(o.status == status);
  CHECK(o.out == "");
  holds(o.err, "error[" + code + "]");
  CHECK(f.read("out.npy") == "what stood here");
  CHECK(f.names() == before);
}

const std::vector<float> three = {1, 2, 3};

} // namespace

TEST_CASE("files that are not there or cannot be read", "[cli][bad]") {
  const Folder f;
  f.file("copy.tile", copy_of("f32"));
  std::filesystem::create_directory(f.path("folder"));
  refused(f, {"run", "missing.tile"}, 2, "P0501");
  refused(f, {"run", "folder"}, 2, "P0501");
  refused(f, {"check", "copy.tile/x"}, 2, "P0501");
  refused(f, {"run", "copy.tile", "-i", "A=missing.npy", "-o", "B=out.npy"}, 2, "P0501");
  refused(f, {"run", "copy.tile", "-i", "A=folder", "-o", "B=out.npy"}, 2, "P0501");
  refused(f, {"run", "copy.tile", "-i", "A=/dev/null", "-o", "B=out.npy"}, 2, "P0501");
  if (geteuid() != 0) {
    std::filesystem::permissions(f.file("secret.tile", copy_of("f32")), std::filesystem::perms::none);
    refused(f, {"run", "secret.tile"}, 2, "P0501");
  }
}

TEST_CASE("arrays that are malformed", "[cli][bad]") {
  const Folder f;
  f.file("copy.tile", copy_of("f32"));
  const std::string good = npy("<f4", "(3,)", little(three));
  for (const std::size_t length : {std::size_t{0}, std::size_t{5}, std::size_t{60}, good.size() - 1}) {
    f.file("cut.npy", good.substr(0, length));
    INFO(length << " bytes");
    const Outcome o = f.tilenest({"run", "copy.tile", "-i", "A=cut.npy", "-o", "B=out.npy"});
    CHECK(o.status == 2);
    holds(o.err, "error[P050");
    CHECK(!f.exists("out.npy"));
  }
  f.file("text.npy", "these are no numbers, whatever the name says");
  refused(f, {"run", "copy.tile", "-i", "A=text.npy", "-o", "B=out.npy"}, 2, "P0502");
  f.file("huge.npy", npy("<f4", "(1125899906842624,)", little(three)));
  refused(f, {"run", "copy.tile", "-i", "A=huge.npy", "-o", "B=out.npy"}, 2, "P0504");
}

TEST_CASE("arrays of the wrong type or shape", "[cli][bad]") {
  const Folder f;
  f.file("copy.tile", copy_of("f32"));
  f.file("copy2.tile", copy2_of("f32"));
  f.file("int.npy", npy("<i4", "(3,)", little(std::vector<std::int32_t>{1, 2, 3})));
  f.file("string.npy", npy("<U1", "(3,)", little(three)));
  f.file("three.npy", npy("<f4", "(3,)", little(three)));
  f.file("one_by_three.npy", npy("<f4", "(1, 3)", little(three)));
  refused(f, {"run", "copy.tile", "-i", "A=int.npy", "-o", "B=out.npy"}, 2, "T0901");
  refused(f, {"run", "copy.tile", "-i", "A=string.npy", "-o", "B=out.npy"}, 2, "T0902");
  refused(f, {"run", "copy.tile", "-i", "A=one_by_three.npy", "-o", "B=out.npy"}, 2, "T1002");
  refused(f, {"run", "copy2.tile", "-i", "A=three.npy", "-o", "B=out.npy"}, 2, "T1002");
  refused(f, {"run", "copy.tile", "-i", "A=three.npy", "--shape", "M=4", "-o", "B=out.npy"}, 2, "T1005");
}

TEST_CASE("two arrays that disagree are both named", "[cli][bad][SPC-EXT]") {
  const Folder f;
  f.file("sum.tile", "kernel sum(A: f32[K], B: f32[K], C: out f32[K]) {\n"
                     "  axis g = K\n"
                     "  parallel p in [g] { C((p.g)).store(A[(p.g)] + B[(p.g)]) }\n"
                     "}\n");
  f.file("a.npy", npy("<f4", "(3,)", little(three)));
  f.file("b.npy", npy("<f4", "(2,)", little(std::vector<float>{1, 2})));
  const Outcome o = f.tilenest({"run", "sum.tile", "-i", "A=a.npy", "-i", "B=b.npy"});
  CHECK(o.status == 2);
  holds(o.err, "error[T1005]: `K` is 3 by axis 0 of `A` and 2 by axis 0 of `B`");
  holds(o.err, "sum.tile:1");
}

TEST_CASE("arguments and parameters that are missing or unknown", "[cli][bad]") {
  const Folder f;
  f.file("copy.tile", copy_of("f32"));
  f.file("a.npy", npy("<f4", "(3,)", little(three)));
  refused(f, {"run", "copy.tile", "-o", "B=out.npy"}, 2, "T1102");
  refused(f, {"run", "copy.tile", "--shape", "M=3", "-o", "B=out.npy"}, 2, "T1102");
  refused(f, {"run", "copy.tile", "--random", "1", "-o", "B=out.npy"}, 2, "T1007");
  refused(f, {"run", "copy.tile", "-i", "A=a.npy", "-i", "Q=a.npy", "-o", "B=out.npy"}, 2, "T1001");
  refused(f, {"run", "copy.tile", "-i", "A=a.npy", "--shape", "Q=3", "-o", "B=out.npy"}, 2, "T1003");
  refused(f, {"run", "copy.tile", "--random", "1", "--shape", "M=-3", "-o", "B=out.npy"}, 2, "T1004");
  refused(f, {"run", "copy.tile", "-i", "A=a.npy", "-o", "Q=out.npy"}, 2, "T1001");
  refused(f, {"run", "copy.tile", "-i", "A=a.npy", "-o", "A=out.npy"}, 2, "T1101");
}

TEST_CASE("every argument at fault is reported", "[cli][bad]") {
  const Folder f;
  f.file("q.tile", quotient);
  const Outcome o = f.tilenest({"run", "q.tile", "-i", "A=missing.npy", "-o", "X=out.npy"});
  CHECK(o.status == 2);
  holds(o.err, "P0501");
  holds(o.err, "`D` has no values");
  holds(o.err, "no argument `X`");
}

TEST_CASE("folders that cannot be written", "[cli][bad]") {
  const Folder f;
  f.file("copy.tile", copy_of("f32"));
  const std::vector<std::string> run = {"run", "copy.tile", "--shape", "M=3", "--fill", "1", "-o"};
  auto to = [&](const std::string &place) {
    std::vector<std::string> words = run;
    words.push_back("B=" + place);
    return words;
  };
  refused(f, to("no/such/folder/out.npy"), 2, "P0509");
  refused(f, to("copy.tile/out.npy"), 2, "P0509");
  refused(f, to("/proc/out.npy"), 2, "P0509");
  std::filesystem::create_directory(f.path("folder"));
  refused(f, to("folder"), 2, "P0509");
  if (geteuid() != 0) {
    std::filesystem::permissions(f.path("folder"), std::filesystem::perms::owner_read);
    refused(f, to("folder/out.npy"), 2, "P0509");
    std::filesystem::permissions(f.path("folder"), std::filesystem::perms::owner_all);
  }
}

TEST_CASE("values that the type lacks", "[cli][bad]") {
  const Folder f;
  f.file("copy.tile", copy_of("u8", "mut"));
  for (const std::string value : {"1.5", "256", "-1"}) {
    const Outcome o = f.tilenest({"run", "copy.tile", "--shape", "M=3", "--fill", value});
    INFO("--fill " << value);
    CHECK(o.status == 2);
    holds(o.err, "error[T0103]");
  }
  CHECK(f.tilenest({"run", "copy.tile", "--shape", "M=3", "--fill", "255"}).status == 0);
}

TEST_CASE("text that is no program", "[cli][bad]") {
  const Folder f;
  auto check = [&](const std::string &text) {
    const Outcome o = f.tilenest({"check", "-"}, text);
    CHECK(o.out == "");
    return o;
  };
  CHECK(check(std::string("kernel k(\xff\xfe: f32[4]) {}\n")).status == 2);
  CHECK(check(std::string("kernel k(A: f32[4]) { \x80 }\n", 25)).status == 2);
  CHECK(check(std::string("kernel k(A: f32[4]) {\0}\n", 24)).status == 2);
  CHECK(check("kernel k(A: f32[").status == 2);
  CHECK(check("kernel k(A: f99[4]) {}").status == 2);
  CHECK(check("\x7f\x45LF").status == 2);
  const Outcome empty = check("");
  CHECK(empty.status == 2);
  holds(empty.err, "P1101");
}

TEST_CASE("a tile over a whole argument of absurd size, a layout too large to check", "[cli][bad]") {
  const Folder f;
  f.file("whole.tile", "kernel whole(A: f32[M], B: out f32[M]) {\n"
                       "  axis m = M\n"
                       "  B((0), [m]).store(A[(0), [m]])\n"
                       "}\n");
  refused(f, {"run", "whole.tile", "--shape", "M=3000000000", "--random", "1"}, 6, "L1001");
  auto swizzled = [](const std::string &rows) {
    return "kernel large(B: out f32[1]) {\n"
           "  axis i = " + rows + ", j = 1024\n"
           "  buf = memory f32 [i, j] layout (i, j) -> (i * 1024 + xor(j, mod(i, 8)))\n"
           "  B((0)).store(1.0)\n"
           "}\n";
  };
  CHECK(f.tilenest({"check", "-"}, swizzled("64")).status == 0);
  const Outcome large = f.tilenest({"check", "-"}, swizzled("8192"));
  CHECK(large.status == 6);
  holds(large.err, "error[L1002]");
}

TEST_CASE("deep nesting and wide spaces are limits", "[cli][bad]") {
  const Folder f;
  auto status = [&](const std::string &text) {
    const Outcome o = f.tilenest({"check", "-"}, text);
    INFO(o.err.substr(0, 500));
    holds(o.err, "error[L");
    return o.status;
  };
  std::string deep = "kernel k(A: out i64[1]) {\n  A((0)).store(";
  deep += std::string(100000, '(') + "1" + std::string(100000, ')') + ")\n}\n";
  CHECK(status(deep) == 6);
  std::string regions = "kernel k(A: out i64[1]) {\n";
  for (int i = 0; i < 5000; ++i) regions += "if true {\n";
  for (int i = 0; i < 5000; ++i) regions += "}\n";
  CHECK(status(regions + "}\n") == 6);
  std::string wide = "kernel k(A: f32[1";
  for (int i = 1; i < 10000; ++i) wide += ", 1";
  CHECK(status(wide + "]) {\n}\n") == 6);
  CHECK(status("// " + std::string(17 << 20, 'x') + "\n") == 6);
}

TEST_CASE("operands have at most 64 dims together", "[cli]") {
  const Folder f;
  const auto sum_of = [&](int dims) {
    std::string axes, terms;
    for (int i = 0; i < dims; ++i) {
      axes += (i ? ", d" : "d") + std::to_string(i) + " = 1";
      terms += (i ? " + iota(d" : "iota(d") + std::to_string(i) + ")";
    }
    f.file("k.tile", "kernel k(Y: out i64[1]) {\n  axis " + axes + "\n  y = " + terms + "\n  Y(0).store(sum(y))\n}");
    return f.tilenest({"run", "k.tile"});
  };
  CHECK(sum_of(64).status == 0);
  for (const int dims : {65, 3000}) {
    const Outcome o = sum_of(dims);
    CHECK(o.status == 6);
    holds(o.err, "error[L0102]: a space has more than 64 dims");
  }
}
