// SPDX-License-Identifier: Apache-2.0
// ANC-LEAST and VAL-OWN on random kernels: the least solution of the constraints as the prose states them, by
// raising every anchor until nothing changes, against the anchors that are stored.
#include "semantics/judge.h"
#include "conformance/fuzz/concurrent_kernel.h"
#include <catch2/catch.hpp>

using namespace tilenest;
using namespace tilenest::oracle;

namespace {

class Least {
public:
  explicit Least(const TileProgram &p) : p_(p) {
    values_.assign(p.values.size(), TileProgram::root());
    owners_.assign(p.variables.size(), TileProgram::root());
    anchors_.assign(p.ops.size(), TileProgram::root());
    do {
      changed_ = false;
      region(p.body, TileProgram::root());
    } while (changed_);
  }
  LevelId anchor(OpId op) const { return anchors_[op.index]; }
  LevelId owner(VarId v) const { return owners_[v.index]; }

private:
  void raise(LevelId &at, LevelId to) {
    const LevelId joined = deeper(p_, at, to);
    changed_ |= joined != at;
    at = joined;
  }
  LevelId capped(LevelId level, LevelId limit) const {
    return p_.levels[level].depth > p_.levels[limit].depth ? limit : level;
  }
  LevelId of(ValueId v) const { return values_[v.index]; }

  // `under`: the join of the conditions, predicates and trip counts around.
  void region(RegionId r, LevelId under) {
    for (const OpId id : p_.regions[r].ops) op(id, under);
  }
  void op(OpId id, LevelId under) {
    const Op &o = p_.ops[id];
    LevelId &at = anchors_[id.index];
    raise(at, under);
    for (const ValueId v : o.operands) raise(at, of(v));
    if (const auto *a = std::get_if<AccessAttr>(&o.attr))
      raise(at, p_.objects[p_.views[a->view].object].owner);
    if (const auto *a = std::get_if<IndexedAttr>(&o.attr))
      raise(at, p_.objects[p_.views[a->view].object].owner);
    if (const auto *a = std::get_if<AssignAttr>(&o.attr)) {
      raise(owners_[a->var.index], capped(at, p_.variables[a->var].declared));
      raise(at, owners_[a->var.index]);
    }
    if (o.regions.empty()) {
      for (const ValueId v : o.results) raise(values_[v.index], at);
      return;
    }
    const std::size_t controls = o.control_operand_count();
    LevelId inside = under;
    for (std::size_t i = 0; i < controls; ++i) inside = deeper(p_, inside, of(o.operands[i]));
    if (o.kind == OpKind::while_) inside = deeper(p_, inside, of(p_.regions[o.regions[0]].yields[0]));
    const Region &first = p_.regions[o.regions[0]], &last = p_.regions[o.regions.back()];
    const std::size_t coordinates =
        first.args.size() - (o.kind == OpKind::if_ || o.kind == OpKind::switch_ ? 0 : o.carries.size());
    if (o.kind == OpKind::parallel)
      for (std::size_t i = 0; i < coordinates; ++i)
        raise(values_[first.args[i].index], std::get<ParallelAttr>(o.attr).level);
    for (const RegionId inner : o.regions) region(inner, inside);
    const LevelId outside = p_.regions[o.parent].level;
    for (std::size_t c = 0; c < o.carries.size(); ++c) {
      LevelId &result = values_[o.results[c].index];
      if (o.kind == OpKind::if_ || o.kind == OpKind::switch_) {
        for (const RegionId arm : o.regions) raise(result, of(p_.regions[arm].yields[c]));
        raise(result, inside);
        continue;
      }
      LevelId &arg = values_[first.args[coordinates + c].index];
      raise(arg, of(o.operands[controls + c]));
      if (o.kind == OpKind::parallel) {
        raise(result, of(o.operands[controls + c]));
        raise(result, capped(of(last.yields[c]), outside));
        continue;
      }
      raise(arg, of(last.yields[c]));
      raise(arg, inside);
      raise(result, arg);
    }
  }

  const TileProgram &p_;
  std::vector<LevelId> values_, owners_, anchors_;
  bool changed_ = false;
};

} // namespace

TEST_CASE("anchors and owners of random kernels are the least solution", "[oracle][ANC-LEAST][VAL-OWN]") {
  int checked = 0, lifted = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    conformance::ConcurrentKernel kernel = conformance::concurrent_kernel(seed);
    REQUIRE(kernel.program.ok());
    TileProgram p = std::move(*kernel.program);
    (void)judge(p);
    const Least least(p);
    INFO("seed " << seed);
    for (std::size_t i = 0; i < p.variables.size(); ++i) {
      INFO("variable " << p.variables[VarId(i)].name);
      CHECK(p.levels[least.owner(VarId(i))].name == p.levels[p.variables[VarId(i)].owner].name);
    }
    for_each_op(p, p.body, [&](const Op &op, OpId id) {
      const Form form = info(op.kind).form;
      const auto *indexed = std::get_if<IndexedAttr>(&op.attr);
      const bool atomic = op.kind == OpKind::atomic ||
                          (op.kind == OpKind::scatter && indexed->reducer); // ANC-ATOM: never lifted
      if (!op.regions.empty() || op.kind == OpKind::sync || op.kind == OpKind::memory || !op.anchor.valid())
        return;
      if (atomic) {
        CHECK(p.levels[op.anchor].name == p.levels[p.regions[op.parent].level].name);
        return;
      }
      INFO(info(op.kind).name << " of line " << p.site(op.site).line
                              << (form == Form::memory ? "" : ", a value"));
      CHECK(p.levels[least.anchor(id)].name == p.levels[op.anchor].name);
      ++checked;
      lifted += p.levels[op.anchor].depth < p.levels[p.regions[op.parent].level].depth;
    });
  }
  CHECK(checked > 10'000);
  CHECK(lifted > 1'000);
}
