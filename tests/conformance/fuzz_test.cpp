// SPDX-License-Identifier: Apache-2.0
// The fuzzer: its kernels are programs and reach every operation, type and kind of region; engines that take one operation for
// another are found, and what shows it is made small.
#include "conformance/fuzz/concurrent_kernel.h"
#include "conformance/fuzz/fuzz.h"
#include "conformance/fuzz/numeric_kernel.h"
#include "conformance/fuzz/random_case.h"
#include "conformance/fuzz/reduce_case.h"
#include "semantics/judge.h"
#include "tests/volume.h"
#include <catch2/catch.hpp>

using namespace tilenest;
using namespace tilenest::conformance;

namespace {

// The reference, but each operation is first seen by `mistake`.
class Mistaken : public Backend {
public:
  using Mistake = std::function<void(Op &, TileProgram &)>;
  explicit Mistaken(Mistake mistake) : mistake_(std::move(mistake)) {}
  std::string name() const override { return "mistaken"; }
  std::string kind() const override { return "plan"; }
  Attempt run(const Case &c, const BoundProgram &bound, const Arrays &arrays, std::uint64_t) const override {
    TileProgram program = *bound.program;
    for (std::size_t i = 0; i < program.ops.size(); ++i) mistake_(program.ops[OpId(static_cast<std::uint32_t>(i))], program);
    std::vector<ArgumentShape> shapes;
    for (const auto &[name, input] : c.inputs) shapes.push_back({name, input.elements.shape});
    const auto other = tilenest::bind(std::make_shared<const TileProgram>(std::move(program)), shapes, c.extents);
    if (!other) return {other.errors(), {}};
    RunOptions options;
    options.checked = false;
    options.threads = 1;
    return {tilenest::run(*other, arrays.buffers(), options).diagnostics, {}};
  }

private:
  Mistake mistake_;
};

Mistaken::Mistake takes_for(OpKind one, OpKind other) {
  return [=](Op &op, TileProgram &) {
    if (op.kind == one) op.kind = other;
  };
}

FuzzResult fuzz_with(Mistaken::Mistake mistake, std::uint64_t cases, bool strict = true) {
  std::vector<Contestant> contestants;
  contestants.push_back({std::make_unique<Mistaken>(std::move(mistake)), strict, "mistaken"});
  FuzzOptions options;
  options.cases = cases;
  return fuzz(contestants, options);
}

} // namespace

TEST_CASE("random cases are programs with inputs that fit, the same for a seed", "[fuzz]") {
  int runs = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(volume(400)); ++seed) {
    const Case c = random_case(seed);
    INFO(c.name << "\n" << c.program);
    CHECK(random_case(seed).program == c.program);
    const Front front = front_of(c);
    REQUIRE(front.program);
    CHECK(Arrays::misfit(c, *front.program) == "");
    const Arrays arrays(c, front.bound);
    RunOptions options;
    options.threads = 1;
    runs += !has_error(tilenest::run(front.bound, arrays.buffers(), options).diagnostics);
  }
  CHECK(runs * 2 > volume(400));
}

TEST_CASE("random kernels reach every operation on every type in every kind of region", "[fuzz]" TILENEST_LONG) {
  MetOperations met;
  for (std::uint64_t seed = 0; seed < 14'000; ++seed) met.add(*numeric_kernel(seed));
  std::string missing;
  for (const MetOperations::Cell &c : met.empty())
    missing += std::string(info(c.op).name) + " of " + std::string(to_string(c.type)) + " in " + info(c.region).name + "\n";
  INFO(missing);
  CHECK(missing.empty());
}

TEST_CASE("engines that take one operation for another are found, by at most ten statements", "[fuzz][ADM-CHECK]" TILENEST_LONG) {
  const auto backwards = [](Op &op, TileProgram &) {
    if (auto *scan = std::get_if<ReduceAttr>(&op.attr); scan && op.kind == OpKind::scan) scan->reverse = !scan->reverse;
  };
  const auto swapped = [](Op &op, TileProgram &) {
    if (op.kind == OpKind::sub) std::swap(op.operands[0], op.operands[1]);
  };
  const std::pair<const char *, Mistaken::Mistake> mistakes[] = {
      {"max", takes_for(OpKind::max, OpKind::min)}, {"lt", takes_for(OpKind::lt, OpKind::le)},       {"floor", takes_for(OpKind::floor, OpKind::ceil)},
      {"shr", takes_for(OpKind::shr, OpKind::shl)}, {"mod", takes_for(OpKind::mod, OpKind::rem)},    {"ge", takes_for(OpKind::ge, OpKind::gt)},
      {"minnum", takes_for(OpKind::minnum, OpKind::min)}, {"scan", backwards}, {"sub", swapped}};
  for (const auto &[name, mistake] : mistakes)
    for (const bool strict : {true, false}) {
      INFO(name << (strict ? ", strict" : ""));
      const FuzzResult r = fuzz_with(mistake, 2'000, strict);
      REQUIRE(r.findings.size() == 1);
      INFO(r.findings[0].what << "\n" << r.findings[0].reduced.program);
      CHECK(statements_of(r.findings[0].reduced) <= 10);
      CHECK(r.findings[0].reduced_what != "");
    }
}

TEST_CASE("an engine that is right is not accused", "[fuzz][ADM-CHECK]") {
  const FuzzResult r = fuzz_with([](Op &, TileProgram &) {}, static_cast<std::uint64_t>(volume(600)), false);
  for (const Finding &f : r.findings) UNSCOPED_INFO(f.what << "\n" << f.reduced.program);
  CHECK(r.findings.empty());
  CHECK(r.compared.at("mistaken") > static_cast<std::uint64_t>(volume(300)));
}
