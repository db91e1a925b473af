// SPDX-License-Identifier: Apache-2.0
// Damaged programs: each is a captured program with one thing changed. Typing names it and never crashes.
#include "semantics/diag/codes.h"
#include "semantics/judge.h"
#include "tests/kernel.h"
#include <functional>
#include <random>

using namespace tilenest;

namespace {

// A program with every kind of region.
TileProgram sample() {
  Kernel k;
  const ViewId A = k.input("A", 64), C = k.output("C", 64);
  const Scope nest = k.parallel("nest", 4);
  const VarId acc = k.b.declare("acc", k.f32(0.0));
  const Scope s = k.serial("s", 2);
  const Scope p = k.pipeline("p", 2);
  k.b.stage("load");
  const ValueId x = k.load(A, k.add(s.coords[0], p.coords[0]));
  k.b.stage("use");
  k.b.assign(acc, k.add(k.b.read(acc), x));
  k.end();
  k.end();
  const Scope r = k.reduce("r", 4);
  k.b.assign(acc, k.add(k.b.read(acc), k.load(A, r.coords[0])));
  k.end();
  const VarId n = k.b.declare("n", k.i64(0));
  k.b.begin_while();
  k.b.while_condition(k.op(OpKind::lt, {k.b.read(n), 3}));
  k.b.assign(n, k.add(k.b.read(n), 1));
  k.end();
  k.b.begin_if(k.op(OpKind::lt, {nest.coords[0], 2}));
  k.b.assign(acc, k.f32(1.0));
  k.b.begin_else();
  k.b.begin_switch(k.b.read(n));
  k.b.begin_case(3);
  k.b.assign(acc, k.f32(2.0));
  k.end();
  k.end();
  k.b.sync(nest.level);
  k.store(C, nest.coords[0], k.b.read(acc));
  k.end();
  return k.take();
}

Op &op(TileProgram &p, OpKind kind, int n = 0) {
  OpId id;
  nth(p, kind, n, &id);
  return p.ops[id];
}

} // namespace

TEST_CASE("one changed thing is one named mistake") {
  struct Damage {
    const char *what;
    Code code;
    std::function<void(TileProgram &)> damage;
  };
  const Damage cases[] = {
      {"operand out of range", Code::T1301, [](auto &p) { op(p, OpKind::add).operands[0] = ValueId(100000); }},
      {"operand missing", Code::T1301, [](auto &p) { op(p, OpKind::add).operands.pop_back(); }},
      {"operand too many", Code::T1301, [](auto &p) { op(p, OpKind::store).operands.push_back(ValueId(0)); }},
      {"no attribute", Code::T1301, [](auto &p) { op(p, OpKind::load).attr = {}; }},
      {"another's attribute", Code::T1301, [](auto &p) { op(p, OpKind::load).attr = CastAttr{ScalarType::f32}; }},
      {"view out of range", Code::T1301,
       [](auto &p) { std::get<AccessAttr>(op(p, OpKind::load).attr).view = ViewId(99); }},
      {"axis of no factor", Code::T1301,
       [](auto &p) { std::get<AccessAttr>(op(p, OpKind::load).attr).axes[0] = 3; }},
      {"result missing", Code::T1301, [](auto &p) { op(p, OpKind::load).results.clear(); }},
      {"region missing", Code::T1301, [](auto &p) { op(p, OpKind::if_).regions.pop_back(); }},
      {"region twice", Code::T1301,
       [](auto &p) { op(p, OpKind::if_).regions[1] = op(p, OpKind::if_).regions[0]; }},
      {"yield missing", Code::T1301, [](auto &p) { p.regions[op(p, OpKind::serial).regions[0]].yields.clear(); }},
      {"yield out of range", Code::T1301,
       [](auto &p) { p.regions[op(p, OpKind::serial).regions[0]].yields[0] = ValueId(100000); }},
      {"argument missing", Code::T1301, [](auto &p) { p.regions[op(p, OpKind::serial).regions[0]].args.pop_back(); }},
      {"operation twice", Code::T1301,
       [](auto &p) { p.regions[p.body].ops.push_back(p.regions[p.body].ops.front()); }},
      {"body out of range", Code::T1301, [](auto &p) { p.body = RegionId(1000); }},
      {"wrong level", Code::T1301,
       [](auto &p) { p.regions[op(p, OpKind::serial).regions[0]].level = TileProgram::root(); }},
      {"a level without its parallel", Code::T1301,
       [](auto &p) { p.levels[LevelId(1)].op = OpId(1); }},
      {"a level cycle", Code::T1301, [](auto &p) { p.levels[LevelId(1)].parent = LevelId(1); }},
      {"carry out of range", Code::T1301, [](auto &p) { op(p, OpKind::serial).carries[0] = VarId(77); }},
      {"carry on a stage", Code::T1301, [](auto &p) { op(p, OpKind::stage).carries.push_back(VarId(0)); }},
      {"pinned to no level", Code::T1301,
       [](auto &p) {
         op(p, OpKind::load).anchor = LevelId(9);
         op(p, OpKind::load).pinned = true;
       }},
      {"states of a reduce", Code::T1301, [](auto &p) { p.algebras[AlgebraId(0)].states.clear(); }},
      {"a value from a closed region", Code::T0504,
       [](auto &p) { op(p, OpKind::store).operands[0] = op(p, OpKind::load).results[0]; }},
      {"a value before its definition", Code::T0504,
       [](auto &p) { op(p, OpKind::load).operands[0] = op(p, OpKind::add, 1).results[0]; }},
      {"another result type", Code::T1302,
       [](auto &p) { p.values[op(p, OpKind::load).results[0]].type.elem = ScalarType::f64; }},
      {"operand type", Code::T0101, [](auto &p) { op(p, OpKind::add, 1).operands[1] = op(p, OpKind::add).results[0]; }},
      {"condition no bool", Code::T0105,
       [](auto &p) { op(p, OpKind::if_).operands[0] = p.regions[op(p, OpKind::parallel).regions[0]].args[0]; }},
      {"selector a float", Code::T0107,
       [](auto &p) { op(p, OpKind::switch_).operands[0] = assignment(p, VarId(0), 0).results[0]; }},
      {"carry of another type", Code::T0501,
       [](auto &p) {
         const RegionId body = op(p, OpKind::serial).regions[0];
         p.regions[body].yields[0] = p.regions[body].args[0];
       }},
      {"input stored to", Code::T0401,
       [](auto &p) { p.objects[ObjectId(1)].access = ArgumentAccess::in; }},
  };
  for (const Damage &c : cases) {
    TileProgram p = sample();
    c.damage(p);
    const Diagnostics ds = judge(p);
    INFO(c.what << ": " << codes(ds));
    REQUIRE(!ds.empty());
    CHECK(ds[0].code == c.code);
  }
}

TEST_CASE("random damage is refused or judged, never a crash") {
  // Each round changes up to three things of the sample, ids in and out of range alike.
  std::mt19937 random(2026);
  auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % (n + n / 8 + 1)); };
  const TileProgram whole = sample();
  int refused = 0, accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    TileProgram p = whole;
    for (unsigned n = random() % 3 + 1; n-- > 0;) {
      Op &o = p.ops[OpId(random() % p.ops.size())];
      Value &v = p.values[ValueId(random() % p.values.size())];
      Region &r = p.regions[RegionId(random() % p.regions.size())];
      Level &l = p.levels[LevelId(random() % p.levels.size())];
      const Op &other = p.ops[OpId(random() % p.ops.size())];
      switch (random() % 22) {
      case 0: if (!o.operands.empty()) o.operands[random() % o.operands.size()] = ValueId(pick(p.values.size())); break;
      case 1: o.operands = other.operands; break;
      case 2: o.results = other.results; break;
      case 3: o.regions = other.regions; break;
      case 4: o.carries = other.carries; break;
      case 5: o.attr = other.attr; break;
      case 6: o.kind = static_cast<OpKind>(random() % op_count); break;
      case 7: o.parent = RegionId(pick(p.regions.size())); break;
      case 8: v.op = OpId(pick(p.ops.size())); break;
      case 9: v.region = RegionId(pick(p.regions.size())); break;
      case 10: v.index = static_cast<int>(random() % 4) - 1; break;
      case 11: v.type.elem = static_cast<ScalarType>(random() % scalar_type_count); break;
      case 12: v.type.active.push_back(ValueId(pick(p.values.size()))); break;
      case 13: v.type.space.factors.push_back({DimId(pick(p.dims.size())), Extent(3)}); break;
      case 14: r.yields.push_back(ValueId(pick(p.values.size()))); break;
      case 15: if (!r.yields.empty()) r.yields[0] = ValueId(pick(p.values.size())); break;
      case 16: r.ops.push_back(OpId(pick(p.ops.size()))); break;
      case 17: if (!r.ops.empty()) std::swap(r.ops[0], r.ops[random() % r.ops.size()]); break;
      case 18: r.level = LevelId(pick(p.levels.size())); break;
      case 19: l.op = OpId(pick(p.ops.size())); break;
      case 20: l.parent = LevelId(pick(p.levels.size())); break;
      default: if (!r.ops.empty()) r.ops.erase(r.ops.begin() + static_cast<std::ptrdiff_t>(random() % r.ops.size()));
      }
    }
    const Diagnostics ds = judge(p);
    ++(has_error(ds) ? refused : accepted);
  }
  CHECK(refused > 10000);
  CHECK(accepted > 100);
}

TEST_CASE("several mistakes are reported in one run") {
  Kernel k;
  const ViewId A = k.input("A", 8);
  k.line(2);
  const ValueId x = k.load(A, 1);
  k.line(3);
  const ValueId y = k.load(A, 2);
  TileProgram p = k.take();
  p.values[x].type.elem = ScalarType::f64;
  p.values[y].type.elem = ScalarType::f16;
  CHECK(codes(typing_ok(p)) == "T1302@2 T1302@3");
}

TEST_CASE("a memory's layout takes its coordinates", "[MEM-OWN]") {
  Kernel k;
  k.line(2);
  k.b.memory("t", ScalarType::f32, k.line_space("n", 8), Map::strided({Extent(1)}), "");
  TileProgram p = k.take();
  p.layouts[p.objects[ObjectId(0)].layout] = Map::strided({Extent(8), Extent(1)});
  CHECK(codes(typing_ok(p)) == "T0404@2");
}
