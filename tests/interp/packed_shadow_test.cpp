// SPDX-License-Identifier: Apache-2.0
// The shadow state of 4-bit elements: two of them share a number, yet each has its own state. What instances do to
// nibbles is reported as it is for bytes; the memory that it takes is bounded for elements of every size.
#include "interp/run.h"
#include "interp/shadow.h"
#include "semantics/judge.h"
#include "semantics/text/parser.h"
#include "tests/interp/tile_run.h"
#include "tests/volume.h"
#include <catch2/catch.hpp>
#include <fstream>
#include <random>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilenest;
using Bytes = std::vector<std::uint8_t>;

namespace {

std::shared_ptr<const TileProgram> parsed(const std::string &text) {
  ParsedFile file = parse_text("test.tile", text);
  REQUIRE_FALSE(has_error(file.diagnostics));
  REQUIRE_FALSE(has_error(judge(file.kernels.at(0))));
  return std::make_shared<const TileProgram>(std::move(file.kernels[0]));
}

// Codes, lines and counts, and what stands between quotes as the element.
std::string reports(const TileRun &r) {
  std::string out;
  for (const Diagnostic &d : r.diagnostics) {
    out += std::string(d.info().code) + "@" + std::to_string(d.sites[0].site.line) + "~" + std::to_string(d.sites.back().site.line) +
           " x" + std::to_string(d.count);
    for (const auto &[key, value] : d.args)
      if (key == "element") out += " " + value;
    out += "\n";
  }
  return out;
}

} // namespace

TEST_CASE("instances that write the two nibbles of a byte do not interfere", "[PAR-NI]") {
  const auto run = [](const std::string &body) {
    return run_tile("kernel k(C: mut u4[16]) {\n axis m = 3\n parallel p in [#0 = 4] {\n" + body + "\n }\n}",
                    {array("C", {16}, Bytes(8, 0), ScalarType::u4)}).codes();
  };
  CHECK(run("C(p.index()).store(1)") == "");
  CHECK(run("C(15 - p.index()).store(1)") == "");
  CHECK(run("C(p.index() / 2).store(1)") == "U0301@4");
  CHECK(run("C(p.index() * 3, [m]).store(full(u4 [m], 1))") == "");
  CHECK(run("C(p.index() * 2, [m]).store(full(u4 [m], 1))") == "U0301@4");
  CHECK(run("x = C[p.index() + 4]\nC(p.index()).store(x)") == "");
  CHECK(run("x = C[p.index() + 3]\nC(p.index()).store(x)") == "U0301@5");
  CHECK(run("if p.index() == 0 { C(2).store(1) }\nif p.index() == 1 { C(3).store(1) }") == "");
  CHECK(run("if p.index() == 0 { C(2).store(1) }\nif p.index() == 1 { C(2).store(1) }") == "U0301@5");
}

TEST_CASE("a byte interferes with either of its nibbles", "[PAR-NI]") {
  const auto run = [](int nibble) {
    return run_tile("kernel k(C: mut u8[4]) {\n h = C.view_as(u4)\n parallel p in [#0 = 2] {\n if p.index() == 0 { C(1).store(1) }\n"
                    " if p.index() == 1 { h(" + std::to_string(nibble) + ").store(2) }\n }\n}",
                    {array("C", Bytes(4, 0))}).codes();
  };
  CHECK(run(1) == "");
  CHECK(run(2) == "U0301@5");
  CHECK(run(3) == "U0301@5");
  CHECK(run(4) == "");
}

// The same random program on bytes is the model: no two elements share one there.
TEST_CASE("random programs report the same of nibbles as of bytes", "[PAR-NI]") {
  int interfering = 0;
  const int programs = volume(2000);
  for (int seed = 0; seed < programs; ++seed) {
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<std::uint32_t>(n)); };
    const int instances = 2 + below(5), width = 1 + below(5);
    const auto place = [&] {
      const std::string at = "p.index() * " + std::to_string(below(2) ? width : below(6)) + " + " + std::to_string(below(10));
      return below(4) ? at : "30 - (" + at + ")";
    };
    std::string body;
    for (int n = 1 + below(4); n > 0; --n) {
      const std::string guard = below(3) ? "" : "if p.index() " + std::string(below(2) ? "==" : "!=") + " " + std::to_string(below(instances)) + " { ";
      const std::string of = below(4) ? "C" : "M";
      switch (below(6)) {
      case 0: body += "sync p\n"; continue;
      case 1: body += guard + of + "(" + place() + ").store(TYPE(3))"; break;
      case 2: body += guard + of + "(" + place() + ").store(" + of + "[" + place() + "])"; break;
      case 3: body += guard + of + "(" + place() + ", [m]).store(" + of + "[" + place() + ", [m]])"; break;
      case 4: body += guard + "C.scatter(full(TYPE [m], 2), iota(m) * " + std::to_string(1 + below(2)) + " + " + place() + ")"; break;
      default: body += guard + of + "(" + place() + ", [m]).store(full(TYPE [m], 1))"; break;
      }
      body += guard.empty() ? "\n" : " }\n";
    }
    const std::string text = "kernel k(C: mut TYPE[64]) {\naxis m = " + std::to_string(width) +
                             ", all = 64\nM = memory TYPE [all]\nM(0, [all]).store(full(TYPE [all], 0))\nparallel p in [#0 = " + std::to_string(instances) +
                             "] {\n" + body + "}\n}\n";
    const auto of_type = [&](const std::string &type) {
      std::string t = text;
      for (std::size_t at = 0; (at = t.find("TYPE", at)) != std::string::npos;) t.replace(at, 4, type);
      return t;
    };
    TileRunOptions options;
    options.cause_limit = 100;
    const TileRun nibbles = run_tile(of_type("u4"), {array("C", {64}, Bytes(32, 0), ScalarType::u4)}, options);
    const TileRun bytes = run_tile(of_type("u8"), {array("C", Bytes(64, 0))}, options);
    INFO("seed " << seed << "\n" << of_type("u4"));
    CHECK(reports(nibbles) == reports(bytes));
    interfering += !bytes.codes().empty();
  }
  CHECK(interfering * 4 > programs);
  CHECK(interfering * 10 < programs * 9);
}

TEST_CASE("a pair of states is both of them", "[PAR-NI]") {
  const auto program = parsed("kernel k(C: mut i32[9000]) {\n parallel p in [#0 = 9000] { C(p.index()).store(1) }\n}");
  OpId store;
  OpId nest;
  for_each_op(*program, program->body, [&](const Op &op, OpId id) {
    if (op.kind == OpKind::store) store = id;
    if (op.kind == OpKind::parallel) nest = id;
  });
  Shadow shadow(*program);
  const Strand first = shadow.strands.fork(0, nest, 9000, shadow.strands.activation(), 0);
  std::mt19937 random(1);
  std::vector<std::array<AccessState, 3>> made; // low, high, pair; a pair may have two numbers
  for (int i = 0; i < 20'000; ++i) {
    const Strand a = random() % 9000, b = i % 3 ? std::min<Strand>(a + 1 + i / 5000, 8999) : random() % 9000;
    const AccessState low = i % 7 ? shadow.alone({store, first + a}) : 0, high = i % 11 ? shadow.alone({store, first + b}) : 0;
    made.push_back({low, high, shadow.pair(low, high)});
  }
  // A pair that is kept for its cell may stay where it is; one of neighbours is nobody's own.
  AccessState held = 0;
  for (int i = 0; i < 1000; ++i) {
    const AccessState low = shadow.alone({store, first + random() % 9000}), high = shadow.alone({store, first + random() % 9000});
    held = shadow.pair(low, high, held);
    CHECK(shadow.halves(held) == std::pair(low, high));
  }
  for (const auto &[low, high, pair] : made) {
    CHECK(shadow.halves(pair) == std::pair(low, high));
    CHECK(shadow.is_pair(pair) == (low != high));
  }
  shadow.order_all();
  for (const auto &[low, high, pair] : made) CHECK(shadow.halves(pair) == std::pair<AccessState, AccessState>(0, 0));
}

namespace {

long status_kib(const char *what) { // of this process
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind(what, 0) == 0) return std::stol(line.substr(std::string(what).size() + 1));
  return 0;
}

// What one checked run takes per byte of its argument C, beside it, in a process of its own.
double overhead(const std::string &text, std::size_t bytes) {
  const auto program = parsed(text);
  Result<BoundProgram> bound = bind(program, {}, {});
  REQUIRE(bound.ok());
  const Object &object = program->objects[program->arguments[0]];
  std::vector<std::byte> data(bytes, std::byte{1});
  Buffer buffer;
  for (const Extent &e : object.shape) buffer.shape.push_back(bound->extent(e));
  buffer.strides.resize(buffer.shape.size());
  auto stride = static_cast<std::int64_t>(byte_size(object.elem));
  for (std::size_t k = buffer.shape.size(); k-- > 0; stride *= buffer.shape[k]) buffer.strides[k] = stride;
  buffer.data = reinterpret_cast<std::uint8_t *>(data.data());
  buffer.defined = false;
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    const long before = status_kib("VmRSS:");
    RunOptions options;
    options.threads = 1;
    const RunResult result = run(*bound, {buffer}, options);
    const long grown = has_error(result.diagnostics) ? -1 : status_kib("VmHWM:") - before;
    _exit(write(ends[1], &grown, sizeof grown) == sizeof grown ? 0 : 1);
  }
  long grown = -1;
  REQUIRE(read(ends[0], &grown, sizeof grown) == sizeof grown);
  waitpid(child, nullptr, 0);
  close(ends[0]), close(ends[1]);
  REQUIRE(grown >= 0);
  return static_cast<double>(grown) * 1024 / static_cast<double>(bytes);
}

} // namespace

TEST_CASE("a checked run takes at most four bytes of shadow per byte", "[PAR-NI][limits]" TILENEST_LONG) {
  constexpr std::size_t bytes = std::size_t{8} << 20;
  struct Row {
    const char *type;
    std::size_t elements, bits_defined; // per byte
    double shadow;
  };
  // Without any regularity in which instances touch the halves of a byte: their two states in full.
  const double scattered = overhead("kernel k(C: out u4[16777216]) {\n parallel p in [#0 = 16777216] {\n y = p.index() ^ (p.index() >> 7)\n"
                                    " z = (y * 40503) % 16777216\n w = z ^ (z >> 9)\n C((w * 65539) % 16777216).store(1) }\n}", bytes);
  CHECK(scattered > 4);
  CHECK(scattered < 4 + 8 + 0.25 + 0.5);
  for (const Row &row : {Row{"u4", 2 * bytes, 2, 4}, Row{"u8", bytes, 1, 4}, Row{"i16", bytes / 2, 1, 2}, Row{"f32", bytes / 4, 1, 1}}) {
    const std::string n = std::to_string(row.elements), type = row.type, columns = std::to_string(row.elements / 1024);
    const std::string one = type == "f32" ? "1.0" : "1";
    const std::string programs[] = {
        "kernel k(C: out " + type + "[" + n + "]) {\n parallel p in [#0 = " + n + "] { C(p.index()).store(" + one + ") }\n}",
        "kernel k(C: out " + type + "[" + n + "]) {\n axis m = 64\n parallel p in [#0 = " + std::to_string(row.elements / 64) +
            "] { C(p.index() * 64, [m]).store(full(" + type + " [m], " + one + ")) }\n}",
        "kernel k(C: out " + type + "[1024, " + columns + "]) {\n axis i = " + columns + ", j = 1024\n parallel p in [i, j] { C((p.j, p.i)).store(" + one + ") }\n}"};
    for (const std::string &program : programs) {
      INFO(program);
      const double taken = overhead(program, bytes);
      CHECK(taken > 0.9 * row.shadow); // it is watched
      CHECK(taken < row.shadow + static_cast<double>(row.bits_defined) / 8 + 0.5); // the states themselves, and what is no shadow
    }
  }
}
