// SPDX-License-Identifier: Apache-2.0
// check, print, ops, explain, completion, help, version; JSON documents; standard output that cannot be written.
#include "semantics/library/function.h"
#include "semantics/op_table.h"
#include "tests/cli/command.h"
#include "tests/cli/npy_bytes.h"
#include "tests/cli/programs.h"
#include "tests/cli/terminal.h"
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace tilenest::cli_test;
using Json = nlohmann::json;

TEST_CASE("help has examples everywhere", "[cli][help]") {
  const Folder f;
  for (const std::string command : {"", "run", "check", "print", "conform", "fuzz", "ops", "explain", "completion"}) {
    INFO(command);
    std::vector<std::string> words;
    if (!command.empty()) words.push_back(command);
    words.push_back("--help");
    const Outcome o = f.tilenest(words);
    CHECK(o.status == 0);
    CHECK(o.err == "");
    holds(o.out, "Examples:\n  ");
    holds(o.out, "tilenest " + command);
  }
  const std::string run = f.tilenest({"run", "--help"}).out;
  for (const char *option : {"--kernel", "--input", "--output", "--shape", "--random", "--fill", "--engine",
                             "--while-limit", "--threads", "--schedule", "--unchecked", "--first", "--allow-partial", "--json"})
    holds(run, option);
  CHECK(f.tilenest({"--version"}).out.rfind("tilenest ", 0) == 0);
}

TEST_CASE("check judges and does not run", "[cli]") {
  const Folder f;
  f.file("two.tile", copy_of("f32") + copy2_of("i32"));
  const Outcome o = f.tilenest({"check", "two.tile"});
  CHECK(o.status == 0);
  CHECK(o.out == "copy: fine\ncopy2: fine\n");
  const Outcome one = f.tilenest({"check", "two.tile", "--kernel", "copy2", "--json"});
  CHECK(one.status == 0);
  const Json json = Json::parse(one.out);
  CHECK(json.at("schema") == "tilenest-check-1");
  CHECK(json.at("exit_status") == 0);
  CHECK(json.at("diagnostics") == Json::array());
  REQUIRE(json.at("kernels").size() == 1);
  const Json &kernel = json.at("kernels").at(0);
  CHECK(kernel.at("name") == "copy2");
  CHECK(kernel.at("parameters") == Json::array({"M", "N"}));
  CHECK(kernel.at("arguments").at(1).at("name") == "B");
  CHECK(kernel.at("arguments").at(1).at("access") == "out");
  CHECK(kernel.at("arguments").at(1).at("type") == "i32");
  CHECK(kernel.at("arguments").at(1).at("shape") == Json::array({"M", "N"}));
  // A violation at run time is no matter of check.
  CHECK(f.tilenest({"check", f.file("q.tile", quotient)}).status == 0);
}

TEST_CASE("check of a closed kernel includes its one binding", "[cli][MEM-OWN]") {
  const Folder f;
  f.file("closed.tile", "kernel closed(B: out f32[8]) {\n"
                        "  axis i = 2, j = 4\n"
                        "  buf = memory f32 [i, j] layout strides (3, 1)\n"
                        "}\n");
  const Outcome o = f.tilenest({"check", "closed.tile"});
  CHECK(o.status == 2);
  holds(o.err, "error[T1010]");
}

TEST_CASE("JSON holds the diagnostics, and standard error stays empty", "[cli][json]") {
  const Folder f;
  f.file("q.tile", quotient);
  const Outcome violation = f.tilenest({"run", "q.tile", "--fill", "zeros", "--json"});
  CHECK(violation.status == 3);
  CHECK(violation.err == "");
  const Json v = Json::parse(violation.out);
  CHECK(v.at("schema") == "tilenest-run-1");
  CHECK(v.at("exit_status") == 3);
  CHECK(v.at("kernel") == "quotient");
  CHECK(v.at("outputs") == Json::array());
  REQUIRE(v.at("diagnostics").size() == 1);
  CHECK(v.at("diagnostics").at(0).at("code") == "U0101");
  CHECK(v.at("diagnostics").at(0).at("sites").at(0).at("line") == 3);

  const Outcome text = f.tilenest({"check", "-", "--json"}, "kernel k(\xff) {}\n");
  CHECK(text.status == 2);
  CHECK(text.err == "");
  CHECK(Json::parse(text.out).at("diagnostics").at(0).at("class") == "text");

  const Outcome missing = f.tilenest({"run", "none.tile", "--json"});
  CHECK(missing.status == 2);
  CHECK(Json::parse(missing.out).at("kernel").is_null());

  f.file("copy.tile", copy_of("f32"));
  const Outcome fine = f.tilenest({"run", "copy.tile", "--shape", "M=5", "--fill", "1", "-o", "B=b.npy", "--json"});
  CHECK(fine.status == 0);
  const Json ok = Json::parse(fine.out);
  CHECK(ok.at("parameters") == Json({{"M", 5}}));
  CHECK(ok.at("outputs").at(0).at("file") == "b.npy");
  CHECK(f.exists("b.npy"));
}

TEST_CASE("print gives back a program", "[cli]") {
  const Folder f;
  f.file("two.tile", copy_of("f32") + copy2_of("i32"));
  const Outcome first = f.tilenest({"print", "two.tile"});
  CHECK(first.status == 0);
  holds(first.out, "kernel copy(");
  holds(first.out, "kernel copy2(");
  const Outcome again = f.tilenest({"print", "-"}, first.out);
  CHECK(again.status == 0);
  CHECK(again.out == first.out);
  const Outcome one = f.tilenest({"print", "two.tile", "--kernel", "copy2", "--expand"});
  CHECK(one.out.find("kernel copy(") == std::string::npos);
  const Outcome anchors = f.tilenest({"print", "two.tile", "--kernel", "copy", "--anchors"});
  CHECK(anchors.status == 0);
  holds(anchors.out, "@anchor(p)");
  CHECK(f.tilenest({"check", "-"}, anchors.out).status == 0);
  CHECK(f.tilenest({"print", "-"}, "kernel").status == 2);
}

TEST_CASE("ops lists the table", "[cli]") {
  const Folder f;
  const Outcome text = f.tilenest({"ops"});
  CHECK(text.status == 0);
  const Outcome machine = f.tilenest({"ops", "--json"});
  const Json json = Json::parse(machine.out);
  CHECK(json.at("schema") == "tilenest-ops-1");
  REQUIRE(json.at("operations").size() == static_cast<std::size_t>(tilenest::op_count));
  for (int i = 0; i < tilenest::op_count; ++i) {
    CHECK(json.at("operations").at(i).at("name") == tilenest::op_table[i].name);
    holds(text.out, tilenest::op_table[i].summary);
  }
  std::size_t functions = 0;
  for (const tilenest::library::Family &family : tilenest::library::families())
    for (const tilenest::library::Function &function : family.functions) {
      CHECK(json.at("functions").at(functions++).at("name") == function.name);
      holds(text.out, function.summary);
    }
  CHECK(json.at("functions").size() == functions);
}

TEST_CASE("ops shows an operation or a function", "[cli]") {
  const Folder f;
  const Outcome function = f.tilenest({"ops", "softmax"});
  CHECK(function.status == 0);
  CHECK(function.out.rfind("# softmax\n", 0) == 0);
  holds(function.out, "softmax(x, dim)");
  // What takes all by position leaves the rest to names.
  holds(f.tilenest({"ops", "concat"}).out, "`concat(parts..., dim = ...)`");
  holds(f.tilenest({"ops", "rms_norm"}).out, "`rms_norm(x, dims..., [weight = ...], eps = 1e-5)`");
  holds(f.tilenest({"ops", "topk"}).out, "topk(x, dim, k, descending = true)`");
  holds(f.tilenest({"ops", "add"}).out, "`x + y`");
  holds(f.tilenest({"ops", "meta"}).out, "## per");
  const Outcome none = f.tilenest({"ops", "softmaxx"});
  CHECK(none.status == 64);
  holds(none.err, "softmax");
  CHECK(f.tilenest({"ops", "nothing-like-it", "--markdown"}).status == 64);
}

TEST_CASE("docs/operations is what the tables say", "[cli]") {
  const Folder f;
  auto page = [](const std::string &name) {
    std::ifstream in(std::string(TILENEST_SOURCE_DIR) + "/docs/operations/" + name + ".md");
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string index = f.tilenest({"ops", "--markdown"}).out;
  INFO("scripts/operation_pages.sh writes the pages");
  CHECK(page("README") == index);
  std::size_t pages = 1;
  for (std::size_t at = index.find("\n| ["); at != std::string::npos; at = index.find("\n| [", at + 1), ++pages) {
    const std::string name = index.substr(at + 4, index.find(']', at) - at - 4);
    INFO(name);
    CHECK(page(name) == f.tilenest({"ops", name, "--markdown"}).out);
  }
  std::size_t files = 0;
  for (const auto &entry : std::filesystem::directory_iterator(std::string(TILENEST_SOURCE_DIR) + "/docs/operations")) files += entry.is_regular_file();
  CHECK(files == pages);
}

TEST_CASE("explain shows a page or the list", "[cli]") {
  const Folder f;
  const Outcome page = f.tilenest({"explain", "T1005"});
  CHECK(page.status == 0);
  CHECK(page.out.rfind("# T1005: ", 0) == 0);
  holds(page.out, "## Failing");
  CHECK(f.tilenest({"explain", "t1005"}).out == page.out);
  const Outcome list = f.tilenest({"explain"});
  CHECK(list.status == 0);
  holds(list.out, "\nT1005: ");
  const Outcome rule = f.tilenest({"explain", "bnd-assume"});
  CHECK(rule.status == 0);
  CHECK(rule.out.rfind("**BND-ASSUME** With `bounds::assume`", 0) == 0);
  holds(rule.out, "that is sure to happen is refused.\n");
  CHECK(rule.out.find("MEM-OWN") == std::string::npos); // the next rule is another one
  for (const char *id : {
#define RULE(name, text) text,
#include "semantics/support/rules.def"
#undef RULE
       }) {
    INFO(id);
    CHECK(f.tilenest({"explain", id}).status == 0);
  }
}

TEST_CASE("misspelt commands and options", "[cli]") {
  const Folder f;
  f.file("copy.tile", copy_of("f32"));
  const Outcome command = f.tilenest({"rum", "x"});
  CHECK(command.status == 64);
  holds(command.err, "unknown command `rum`, did you mean `run`?");
  const Outcome option = f.tilenest({"run", "copy.tile", "--kernal=copy"});
  CHECK(option.status == 64);
  holds(option.err, "unknown option `--kernal`, did you mean `--kernel`?");
  const Outcome global = f.tilenest({"--versoin"});
  CHECK(global.status == 64);
  holds(global.err, "unknown option `--versoin`, did you mean `--version`?");
  const Outcome far = f.tilenest({"frobnicate"});
  holds(far.err, "unknown command `frobnicate`\n");
}

TEST_CASE("--fill with no value is one usage error, --while-limit ends a loop", "[cli]") {
  const Folder f;
  f.file("two.tile", "kernel two(A: f32[M], B: i32[M], C: out f32[M]) {\n}\n");
  const Outcome fill = f.tilenest({"run", "two.tile", "--shape", "M=3", "--fill", "abc"});
  CHECK(fill.status == 64);
  const std::size_t first = fill.err.find("`abc`");
  CHECK(first != std::string::npos);
  CHECK(fill.err.find("`abc`", first + 1) == std::string::npos);
  f.file("ten.tile", "kernel ten(C: out i64[1]) {\n  n = 0\n  while n < 10 { n = n + 1 }\n  C(0).store(n)\n}\n");
  CHECK(f.tilenest({"run", "ten.tile", "--while-limit", "11"}).status == 0);
  const Outcome limited = f.tilenest({"run", "ten.tile", "--while-limit", "5"});
  CHECK(limited.status == 6);
  holds(limited.err, "error[L0302]");
}

TEST_CASE("completion scripts", "[cli]") {
  const Folder f;
  const Outcome fish = f.tilenest({"completion", "fish"}), zsh = f.tilenest({"completion", "zsh"});
  holds(fish.out, "-l allow-partial");
  holds(zsh.out, "--allow-partial");
  // bash completes for real.
  const Outcome bash = f.bash("eval \"$($T completion bash)\"\n"
                              "try() { COMP_WORDS=(tilenest \"$@\"); COMP_CWORD=$#; _tilenest; echo \"${COMPREPLY[*]}\"; }\n"
                              "try ru\ntry run x.tile --allow\ntry run x.tile --fill i\ntry completion z\ntry check --js\n"
                              "try check --he\ntry run x.tile --engine ''\ntry explain T1005\n"
                              "touch other.tile\ntry print x.tile --emit ''\ntry run x.tile --vector ''\ntry run x.tile --schedule ''\n"
                              "try run x.tile --schedule s\ntry run x.tile --shape ''\ntry judge x.tile --target cp\n");
  CHECK(bash.status == 0);
  CHECK(bash.out == "run\n--allow-partial\niota\nzsh\n--json\n--help\ninterp plan cpu\nT1005\n"
                    "program plan llvm asm\n128 256 512\nreference seed= groupings=\nseed=\n\ncpu\n");
}

TEST_CASE("a reader that goes away is no fault, a full disk is", "[cli]") {
  const Folder f;
  const Outcome pipe = f.bash("set -o pipefail; for i in 1 2 3 4 5; do $T ops --json | head -c 1 > /dev/null; done; "
                              "$T ops --json | true; echo $?");
  CHECK(pipe.out == "0\n");
  CHECK(pipe.err == "");
  const Outcome full = f.bash("$T ops > /dev/full; echo $?");
  CHECK(full.out == "2\n");
  holds(full.err, "cannot write standard output");
  const Outcome closed = f.bash("$T run nothing.tile 2>&-; echo $?");
  CHECK(closed.out == "2\n");
}

TEST_CASE("a closed standard stream is not taken for a file's", "[cli]") {
  const Folder f;
  f.file("copy.tile", copy_of("i32"));
  const std::string run = "$T run copy.tile --shape M=3 --fill 7 --json -o B=b.npy";
  CHECK(f.bash(run + " >&-; echo $?").out == "2\n"); // the document could not be written
  CHECK(values_of<std::int32_t>(f.read("b.npy")) == std::vector<std::int32_t>{7, 7, 7});
  CHECK(f.bash(run + " >&- 2>&- <&-; echo $?").out == "2\n");
  CHECK(f.bash("$T check - <&- 2>/dev/null; echo $?").out == "2\n");
  CHECK(f.names() == std::vector<std::string>{"b.npy", "copy.tile"});
}

TEST_CASE("a run of more than two seconds shows that it goes on, on a terminal only", "[cli]") {
  const Folder f;
  f.file("long.tile", "kernel long(C: out i64[1]) {\n"
                      "  axis t = 1000000000\n"
                      "  n = 0\n"
                      "  serial i in [t] { n = n + i.t }\n"
                      "  C((0)).store(n)\n"
                      "}\n");
  Terminal redirected(f, {"run", "long.tile"}, "err"); // its standard error is no terminal
  Terminal terminal(f, {"run", "long.tile"});
  REQUIRE(terminal.shows("running `long`: 2 s", 120));
  // The other began before and has had time enough when this one shows a second more.
  REQUIRE(terminal.shows("running `long`: 3 s", 120));
  // Ctrl-C clears the line, and the run dies by it.
  terminal.interrupt();
  CHECK(terminal.status(120) == 130);
  holds(terminal.shown(), "\r\033[K");
  redirected.interrupt();
  CHECK(redirected.status(120) == 130);
  CHECK(f.read("err") == "");
}
