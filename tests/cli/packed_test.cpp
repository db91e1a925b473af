// SPDX-License-Identifier: Apache-2.0
// 4-bit arrays on the command line: bytes in, bytes out, odd extents, generated values, summaries.
#include "tests/cli/command.h"
#include "tests/cli/npy_bytes.h"
#include "tests/cli/programs.h"
#include <catch2/catch.hpp>

using namespace tilenest::cli_test;

TEST_CASE("a u1 array of nibbles is read, summed up and written", "[cli][NUM-TYPES]") {
  const Folder f;
  f.file("copy.tile", copy2_of("i4"));
  const std::string bytes("\x21\x43\x85\x76\x98\xfa", 6); // rows 1 2 3 4 5 -8, 6 7 -8 -7 -6 -1
  f.file("a.npy", npy("|u1", "(2, 3)", bytes));
  f.file("signed.npy", npy("|i1", "(2, 3)", bytes));
  for (const char *name : {"a.npy", "signed.npy"}) {
    const Outcome o = f.tilenest({"run", "copy.tile", "-i", std::string("A=") + name, "-o", "B=b.npy"});
    CHECK(o.err == "");
    REQUIRE(o.status == 0);
    CHECK(holds(npy_header(f.read("b.npy")), "'descr': '|u1'"));
    CHECK(holds(npy_header(f.read("b.npy")), "'shape': (2, 3)"));
    CHECK(npy_data(f.read("b.npy")) == bytes);
  }
  const Outcome shown = f.tilenest({"run", "copy.tile", "-i", "A=a.npy"});
  CHECK(shown.err == "");
  // 1+2+3+4+5-8+6+7-8-7-6-1 = -2 over 12 elements
  CHECK(holds(shown.out, "B: i4 [2, 6]  min -8  max 7  mean -0.166667  NaN 0"));
}

TEST_CASE("an odd extent is given by name", "[cli][NUM-TYPES]") {
  const Folder f;
  f.file("copy.tile", copy2_of("u4"));
  f.file("a.npy", npy("|u1", "(2, 3)", std::string("\x21\x43\xf5\x76\x98\xfa", 6)));
  const Outcome o = f.tilenest({"run", "copy.tile", "-i", "A=a.npy", "--shape", "N=5", "-o", "B=b.npy"});
  CHECK(o.err == "");
  REQUIRE(o.status == 0);
  CHECK(npy_data(f.read("b.npy")) == std::string("\x21\x43\x05\x76\x98\x0a", 6)); // nothing behind the row's end
  const Outcome shown = f.tilenest({"run", "copy.tile", "-i", "A=a.npy", "--shape", "N=5"});
  CHECK(holds(shown.out, "B: u4 [2, 5]  min 1  max 10  mean 5.5  NaN 0"));
  const Outcome refused = f.tilenest({"run", "copy.tile", "-i", "A=a.npy", "--shape", "N=4"});
  CHECK(refused.status == 2);
  CHECK(holds(refused.err, "T1005"));
}

TEST_CASE("other arrays than bytes are no nibbles", "[cli][NUM-TYPES][T0901]") {
  const Folder f;
  f.file("copy.tile", copy_of("u4"));
  f.file("a.npy", npy("<i4", "(1,)", std::string(4, '\0')));
  const Outcome o = f.tilenest({"run", "copy.tile", "-i", "A=a.npy"});
  CHECK(o.status == 2);
  CHECK(holds(o.err, "T0901"));
  CHECK(holds(o.err, "two elements a byte"));
}

TEST_CASE("nibbles in Fortran order, generated nibbles, one nibble", "[cli][NUM-TYPES]") {
  const Folder f;
  f.file("copy2.tile", copy2_of("u4"));
  f.file("copy.tile", copy_of("i4"));
  // Column by column: the rows are 0x21 0x43 and 0x65 0x87.
  f.file("a.npy", npy("|u1", "(2, 2)", std::string("\x21\x65\x43\x87", 4), true));
  REQUIRE(f.tilenest({"run", "copy2.tile", "-i", "A=a.npy", "-o", "B=b.npy"}).status == 0);
  CHECK(npy_data(f.read("b.npy")) == std::string("\x21\x43\x65\x87", 4));
  REQUIRE(f.tilenest({"run", "copy.tile", "--shape", "M=5", "--fill", "iota", "-o", "B=b.npy"}).status == 0);
  CHECK(npy_data(f.read("b.npy")) == std::string("\x10\x32\x04", 3));
  REQUIRE(f.tilenest({"run", "copy.tile", "--shape", "M=3", "--fill", "-7", "-o", "B=b.npy"}).status == 0);
  CHECK(npy_data(f.read("b.npy")) == std::string("\x99\x09", 2)); // -7 is 1001
  CHECK(holds(f.tilenest({"run", "copy.tile", "--shape", "M=3", "--fill", "8"}).err, "T0103"));
  const Outcome random = f.tilenest({"run", "copy.tile", "--shape", "M=1000", "--random", "4"});
  CHECK(holds(random.out, "B: i4 [1000]  min -8  max 7"));
}

TEST_CASE("what a target declares", "[cli][NUM-TGT][P1201]") {
  const Folder f;
  f.file("mine.json", R"({"profile": "mine", "types": {"f32": {"flushes_subnormals": true, "errors": {"exp": {"ulps": 3, "per_magnitude": 2}}}}})");
  const Outcome o = f.tilenest({"ops", "--target", "mine.json"});
  CHECK(o.status == 0);
  CHECK(holds(o.out, "profile mine"));
  CHECK(holds(o.out, "f32: may flush subnormals\n  exp         3 + 2|x| ulps\n  else          exact"));
  CHECK(holds(o.out, "f64: keeps subnormals\n  else          exact"));
  CHECK(f.tilenest({"ops", "--target", "ieee"}).out.find("ulps") == std::string::npos);
  CHECK(holds(f.tilenest({"ops", "--target", "mine.json", "--json"}).out, "\"per_magnitude\": 2"));
  f.file("bad.json", "{");
  const Outcome bad = f.tilenest({"ops", "--target", "bad.json"});
  CHECK(bad.status == 2);
  CHECK(holds(bad.err, "error[P1201]"));
  CHECK(f.tilenest({"ops", "--target", "absent.json"}).status == 2);
}
