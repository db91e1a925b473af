// SPDX-License-Identifier: Apache-2.0
// The labelled corpus (conformance/corpus): how large it is, that no two of its kernels are equal, and that neither the
// engine nor the second oracle contradicts a label, and that each of six weakened checkers does.
#include "interp/weakness.h"
#include "semantics/program/equality.h"
#include "semantics/text/parser.h"
#include "tests/corpus/corpus_run.h"
#include "tests/volume.h"
#include <catch2/catch.hpp>

using namespace tilenest;
using namespace tilenest::conformance;

namespace {

const std::vector<LabelledKernel> &corpus() {
  static const std::vector<LabelledKernel> kernels = read_corpus(TILENEST_SOURCE_DIR "/conformance/corpus/bases");
  return kernels;
}

// All of them, or in sanitized builds every tenth.
template <class F> void for_kernels(F &&f) {
  const auto step = 100 / static_cast<std::size_t>(volume(100));
  for (std::size_t i = 0; i < corpus().size(); i += step) f(corpus()[i]);
}

// Of the instances that are left the last one goes next.
struct LastFirst : Chooser {
  std::uint64_t choose(Freedom freedom, std::uint64_t ways) override { return freedom == Freedom::order ? ways - 1 : 0; }
};

// Equal for equal programs.
std::string outline(const TileProgram &p) {
  std::string out;
  for_each_op(p, p.body, [&](const Op &op, OpId) {
    out += static_cast<char>('!' + static_cast<int>(op.kind));
    out += static_cast<char>('0' + op.operands.size() % 64);
  });
  return out;
}

} // namespace

TEST_CASE("the corpus has the size that it says", "[corpus]") {
  std::set<std::string> bases, used;
  std::size_t planted = 0, indexed = 0;
  for (const LabelledKernel &k : corpus()) {
    bases.insert(k.base);
    if (!k.mutation.empty()) used.insert(k.mutation);
    planted += k.planted();
    indexed += k.indexed_by_data && !k.planted();
  }
  const std::size_t innocent = corpus().size() - planted;
  INFO(corpus().size() << " kernels, " << bases.size() << " bases, " << used.size() << " operators, " << planted << " planted, "
                       << indexed << " innocent with indices from data");
  CHECK(bases.size() >= 40);
  CHECK(used.size() >= 25);
  CHECK(used == operator_names());
  CHECK(planted >= 300);
  CHECK(innocent >= 300);
  CHECK(std::max(planted, innocent) - std::min(planted, innocent) <= corpus().size() / 20); // half and half
  CHECK(indexed >= 60);
}

TEST_CASE("no two kernels of the corpus are equal", "[corpus]") {
  std::map<std::string, std::vector<std::pair<const LabelledKernel *, TileProgram>>> alike;
  for_kernels([&](const LabelledKernel &k) {
    ParsedFile file = parse_text(k.name(), k.text);
    REQUIRE(file.kernels.size() == 1);
    auto &group = alike[outline(file.kernels[0])];
    for (const auto &[other, program] : group)
      if (equal(program, file.kernels[0])) FAIL_CHECK(other->name() + " and " + k.name() + " are equal:\n" + other->text + k.text);
    group.emplace_back(&k, std::move(file.kernels[0]));
  });
}

TEST_CASE("the engine reports what is planted in the corpus and nothing else", "[corpus][PAR-FREE]") {
  for_kernels([&](const LabelledKernel &k) {
    const Ready ready = make_ready(k);
    if (!ready.bound) {
      FAIL_CHECK(k.name() + " is refused:\n" + k.text + ready.refusal);
      return;
    }
    const Verdict v = engine_verdict(ready);
    if (!agrees(k, v)) FAIL_CHECK(k.name() + ":\n" + k.text + v.text);
    LastFirst order;
    const Verdict w = engine_verdict(ready, &order);
    if (!agrees(k, w)) FAIL_CHECK(k.name() + ", the last instance first:\n" + k.text + w.text);
  });
}

TEST_CASE("the second oracle agrees with the labels of the corpus", "[corpus][oracle]") {
  std::size_t asked = 0, answered = 0;
  for_kernels([&](const LabelledKernel &k) {
    const Ready ready = make_ready(k);
    if (!ready.bound) return;
    ++asked;
    const auto v = oracle_verdict(ready);
    if (!v) return;
    ++answered;
    if (!agrees(k, *v, true)) FAIL_CHECK(k.name() + ":\n" + k.text + v->text);
  });
  INFO(answered << " of " << asked);
  CHECK(answered * 5 >= asked * 4);
}

TEST_CASE("engine and oracle agree on kernels that several operators have changed", "[corpus][oracle]") {
  const char *more = std::getenv("TILENEST_MIXED_KERNELS");
  const std::size_t count = more ? std::stoul(more) : static_cast<std::size_t>(volume(1000));
  std::size_t compared = 0, violated = 0;
  for (const LabelledKernel &k : mixed_kernels(TILENEST_SOURCE_DIR "/conformance/corpus/bases", 1, count)) {
    const Ready ready = make_ready(k);
    if (!ready.bound) continue;
    const auto expected = oracle_verdict(ready);
    if (!expected || !expected->complete) continue;
    ++compared;
    violated += !expected->codes.empty();
    const Verdict v = engine_verdict(ready);
    if (!agree(*expected, v)) FAIL_CHECK(k.name() + ":\n" + k.text + expected->text + "\n" + v.text);
  }
  INFO(compared << " of " << count << ", " << violated << " with violations");
  CHECK(compared * 3 >= count);
}

#ifdef TILENEST_BREAKABLE_RULES
TEST_CASE("a checker that leaves out one part of PAR-NI is caught by the corpus", "[corpus][PAR-NI]") {
  const std::pair<Weakness, const char *> weaknesses[] = {
      {Weakness::no_sync, "no sync"},
      {Weakness::no_nesting, "no nesting"},
      {Weakness::elements_for_bits, "elements for bits"},
      {Weakness::last_reader_only, "last reader only"},
      {Weakness::no_collective, "no collective rule"},
      {Weakness::plain_atomics, "atomics as stores"}};
  std::vector<Ready> ready;
  for (const LabelledKernel &k : corpus()) ready.push_back(make_ready(k));
  for (const auto &[which, name] : weaknesses) {
    std::size_t missed = 0, invented = 0;
    weakness = which;
    for (std::size_t i = 0; i < ready.size(); ++i) {
      const LabelledKernel &k = corpus()[i];
      const Verdict v = engine_verdict(ready[i]);
      if (!agrees(k, v)) ++(k.planted() && v.codes.empty() ? missed : invented);
    }
    weakness = Weakness::none;
    INFO(name << ": " << missed << " missed, " << invented << " invented");
    CHECK(missed + invented >= 5);
  }
}
#endif
