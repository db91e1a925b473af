// SPDX-License-Identifier: Apache-2.0
// Random faults in the tables of random plans: the verifier and the printer survive them, and a plan that the verifier
// still accepts prints, parses and is equal to itself.
#include "lower/equality.h"
#include "lower/print.h"
#include "lower/verify.h"
#include "tests/lower/plan_text.h"
#include "tests/lower/random_plan.h"
#include "tests/volume.h"
#include <catch2/catch.hpp>
#include <random>

using namespace tilenest;

namespace {

struct Faults {
  plan::Plan &p;
  std::mt19937_64 random;

  std::size_t below(std::size_t n) { return n == 0 ? 0 : random() % n; }
  // An id of the table, or one behind its end, or none.
  template <class I> I id(std::size_t n) {
    const std::size_t kind = below(20);
    return kind == 0 ? I() : I(kind == 1 ? n + below(5) : below(n));
  }
  plan::Reg reg() { return id<plan::Reg>(p.regs.size()); }
  template <class T, class Make> void change(std::vector<T> &list, Make &&make) {
    const std::size_t what = below(4);
    if (what == 0 || list.empty()) list.insert(list.begin() + static_cast<std::ptrdiff_t>(below(list.size() + 1)), make());
    else if (what == 1) list.erase(list.begin() + static_cast<std::ptrdiff_t>(below(list.size())));
    else if (what == 2) list[below(list.size())] = make();
    else std::swap(list[below(list.size())], list[below(list.size())]);
  }

  void one() {
    plan::Op &op = p.ops[plan::OpIndex(below(p.ops.size()))];
    plan::Block &block = p.blocks[plan::BlockId(below(p.blocks.size()))];
    switch (below(12)) {
    case 0: change(op.operands, [&] { return reg(); }); break;
    case 1: change(op.results, [&] { return reg(); }); break;
    case 2: change(op.blocks, [&] { return id<plan::BlockId>(p.blocks.size()); }); break;
    case 3: op.kind = static_cast<plan::Kind>(below(static_cast<std::size_t>(plan::Kind::assert_) + 1)); break;
    case 4: op.attr = p.ops[plan::OpIndex(below(p.ops.size()))].attr; break;
    case 5: change(block.args, [&] { return reg(); }); break;
    case 6: change(block.yields, [&] { return reg(); }); break;
    case 7: change(block.ops, [&] { return id<plan::OpIndex>(p.ops.size()); }); break;
    case 8: p.regs[plan::Reg(below(p.regs.size()))].elem = static_cast<ScalarType>(below(scalar_type_count)); break;
    case 9: p.regs[plan::Reg(below(p.regs.size()))].lanes = static_cast<std::uint16_t>(below(6)); break;
    case 10:
      if (auto *a = std::get_if<plan::AccessAttr>(&op.attr)) a->buffer = id<plan::BufferId>(p.buffers.size());
      break;
    default: {
      plan::Buffer &b = p.buffers[plan::BufferId(below(p.buffers.size()))];
      b.space = static_cast<plan::AddressSpace>(below(4));
      b.argument = static_cast<int>(below(4)) - 1;
    }
    }
  }
};

} // namespace

TEST_CASE("faults in the tables of a plan", "[plan][verify]") {
  std::size_t refused = 0, fine = 0;
  for (int seed = 0; seed < volume(10000); ++seed) {
    plan::Plan p = random_plan(static_cast<std::uint64_t>(seed));
    Faults faults{p, std::mt19937_64(static_cast<std::uint64_t>(seed))};
    for (int n = 1 + seed % 3; n > 0; --n) faults.one();
    const Diagnostics said = plan::verify(p);
    const std::string text = plan::print(p);
    if (said.empty()) {
      ++fine;
      INFO(text);
      const plan::Plan back = plan_of(text);
      CHECK(plan::equal(p, back));
      CHECK(listed(plan::verify(back)) == "");
    } else {
      ++refused;
    }
  }
  CHECK(refused > static_cast<std::size_t>(volume(3000)));
  CHECK(fine > static_cast<std::size_t>(volume(300)));
}
