// SPDX-License-Identifier: Apache-2.0
// What a command says of words that name more than there is, or several things.
#include "tests/cli/command.h"
#include "tests/cli/programs.h"
#include <catch2/catch.hpp>

using namespace tilenest::cli_test;

TEST_CASE("groupings that a run has no use for are told", "[cli]") {
  const Folder f;
  f.file("copy.tile", copy_of("f32"));
  f.file("sum.tile", "kernel s(X: f32[3], Y: out f32[1]) { axis n = 3; acc = f32(0); reduce r in [n] ordered_tree { acc = acc + X[r.n] }; Y(0).store(acc) }\n");
  auto err = [&](const std::string &file, const std::string &schedule) {
    std::vector<std::string> words{"run", file, "--fill", "1", "--schedule", schedule, "--unchecked"};
    if (file == "copy.tile") words.insert(words.end(), {"--shape", "M=3"});
    const Outcome o = f.tilenest(words);
    CHECK(o.status == 0);
    return o.err;
  };
  holds(err("copy.tile", "groupings=99"), "the last 1 of the groupings stand for no choice of this run");
  holds(err("sum.tile", "groupings=99"), "1 of the groupings are beyond the last one there is, which was taken");
  CHECK(err("sum.tile", "groupings=0") == "");
  CHECK(err("sum.tile", "reference") == "");
}

TEST_CASE("`ops` shows a function and the contract of its name", "[cli]") {
  const Folder f;
  for (const std::string name : {"logsumexp", "argmax", "argmin"}) {
    const std::string out = f.tilenest({"ops", name}).out;
    holds(out, "`" + name + "(x, ");
    holds(out, "with " + name + "(");
  }
}

TEST_CASE("bash completes names of operations, and programs where one stands", "[cli]") {
  const Folder f;
  f.file("copy.tile", copy_of("f32"));
  f.file("copy.npy", "");
  std::filesystem::create_directory(f.path("copies"));
  const std::string complete = "eval \"$($T completion bash)\"; complete_at() { COMP_WORDS=(tilenest \"$@\"); COMP_CWORD=$#; _tilenest; "
                               "printf '%s\\n' \"${COMPREPLY[@]}\"; }; ";
  CHECK(f.bash(complete + "complete_at ops soft").out == "softmax\n");
  CHECK(f.bash(complete + "complete_at ops welf").out == "welford\n");
  CHECK(f.bash(complete + "complete_at run cop").out == "copy.tile\ncopies\n");
}
