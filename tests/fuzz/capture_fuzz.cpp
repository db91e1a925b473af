// SPDX-License-Identifier: Apache-2.0
// Any bytes as a capture: they choose Builder's calls and their operands, in and out of scope, well typed or
// not. What is refused must be refused by a diagnostic; what is captured must be judged, bound and run, checked
// and unchecked, without a crash, and a run without reports gives the same bytes both ways.
#include "semantics/program/builder.h"
#include "tests/fuzz/both_ways.h"
#include <cstdlib>

using namespace tilenest;

namespace {

struct Bytes {
  const std::uint8_t *at, *end;
  unsigned next() { return at < end ? *at++ : 0; }
  unsigned below(std::size_t n) { return n == 0 ? 0 : next() % static_cast<unsigned>(n); }
  bool empty() const { return at >= end; }
};

struct Capture {
  Bytes in;
  Builder b{"fuzz"};
  std::vector<ValueId> values;
  std::vector<VarId> vars;
  std::vector<ViewId> views;
  std::vector<DimId> dims;
  std::vector<Scope> scopes;
  std::vector<bool> whiles; // open regions; true: a while whose condition is still to come
  int regions = 0;

  Extent extent() {
    const unsigned k = in.below(6);
    return k == 5 ? b.extent_param("N") : Extent(static_cast<std::int64_t>(k));
  }
  Space space(std::size_t most) {
    Space s;
    for (std::size_t n = in.below(most + 1); n > 0; --n) s.factors.push_back({dims[in.below(dims.size())], extent()});
    return s;
  }
  ValueId some() { return values[in.below(values.size())]; }
  Operand operand() {
    switch (in.below(8)) {
    case 0: return std::int64_t(in.below(5)) - 2;
    case 1: return in.below(4) * 0.5;
    case 2: return extent();
    default: return some();
    }
  }
  ScalarType type() { return static_cast<ScalarType>(in.below(scalar_type_count)); }
  void keep(ValueId v) { values.push_back(v); }
  Access access() {
    Access a;
    a.view = views[in.below(views.size())];
    for (std::size_t i = b.program().views[a.view].space.rank() + (in.below(16) == 0); i > 0; --i) {
      a.origin.push_back(operand());
      WindowAxis axis;
      axis.point = in.below(2);
      if (in.below(2)) axis.dim = dims[in.below(dims.size())];
      axis.extent = extent();
      a.window.push_back(axis);
    }
    if (in.below(3) == 0) a.window.clear();
    a.bounds = static_cast<Bounds>(in.below(3));
    if (a.bounds == Bounds::predicate) a.predicate = operand();
    return a;
  }
  std::vector<Operand> operands(std::size_t n) {
    std::vector<Operand> out;
    for (std::size_t i = 0; i < n; ++i) out.push_back(operand());
    return out;
  }
  void open(bool is_while) {
    ++regions;
    whiles.push_back(is_while);
  }

  void step() {
    const unsigned choice = in.below(32);
    if (whiles.size() >= 5 && choice >= 16 && choice <= 23) return;
    switch (choice) {
    default: {
      const OpKind kind = static_cast<OpKind>(in.below(op_count));
      if (info(kind).form != Form::elementwise) return;
      if (info(kind).result == OpResult::attribute)
        return keep(b.cast(kind, type(), operand()));
      return keep(b.elementwise(kind, operands(static_cast<std::size_t>(info(kind).arity))));
    }
    case 3: return keep(b.literal(type(), in.below(2) ? Operand(std::int64_t(in.next())) : Operand(in.next() * 0.25)));
    case 4: return keep(b.full(type(), operand(), space(3)));
    case 5: return keep(in.below(2) ? b.broadcast(operand(), space(3)) : b.reshape(some(), space(3)));
    case 6: {
      std::vector<DimId> order;
      for (std::size_t n = in.below(4); n > 0; --n) order.push_back(dims[in.below(dims.size())]);
      return keep(in.below(2) ? b.transpose(some(), order) : b.relabel(some(), order));
    }
    case 7: return keep(b.take(some(), operands(in.below(4))));
    case 8: return keep(b.insert(some(), operand(), operands(in.below(4))));
    case 9: return keep(b.restrict(some(), operand()));
    case 10: return keep(b.iota({dims[in.below(dims.size())], extent()}));
    case 11: {
      std::vector<DimId> over;
      for (std::size_t n = in.below(3); n > 0; --n) over.push_back(dims[in.below(dims.size())]);
      return keep(b.reduce(some(), over, static_cast<Reducer>(in.below(9)), static_cast<ReductionPolicy>(in.below(4))));
    }
    case 12: return keep(b.mma(some(), some(), some()));
    case 13: return keep(b.load(access()));
    case 14: return b.store(access(), operand());
    case 15: return b.atomic(access(), static_cast<AtomicKind>(in.below(6)), operand());
    case 16: {
      ParallelSpec s;
      s.domain = space(2);
      if (in.below(4) == 0) s.predicate = some();
      s.infer = in.below(16) == 0;
      scopes.push_back(b.begin_parallel(s));
      for (ValueId c : scopes.back().coords) keep(c);
      return open(false);
    }
    case 17:
    case 18:
    case 19: {
      LoopSpec s;
      s.domain = space(2);
      if (in.below(4) == 0) s.predicate = some();
      s.reduction = static_cast<ReductionPolicy>(in.below(4));
      scopes.push_back(choice == 17 ? b.begin_serial(s) : choice == 18 ? b.begin_pipeline(s) : b.begin_reduce(s));
      for (ValueId c : scopes.back().coords) keep(c);
      return open(false);
    }
    case 20: b.begin_if(some()); return open(false);
    case 21: return in.below(2) ? b.begin_else() : b.stage("s");
    case 22: b.begin_switch(some()); return open(false);
    case 23: return in.below(3) ? b.begin_case(in.below(3)) : b.begin_default();
    case 24: b.begin_while(); return open(true);
    case 25:
      if (!whiles.empty() && whiles.back()) whiles.back() = false, b.while_condition(some());
      return;
    case 26:
      if (whiles.empty()) return;
      whiles.pop_back();
      return b.end();
    case 27: vars.push_back(b.declare("v", some())); return;
    case 28:
      if (!vars.empty()) b.assign(vars[in.below(vars.size())], some());
      return;
    case 29:
      if (!vars.empty()) keep(b.read(vars[in.below(vars.size())]));
      return;
    case 30:
      if (!scopes.empty()) {
        const LevelId nest = scopes[in.below(scopes.size())].level;
        if (in.below(2)) return b.sync(nest);
        return keep(b.per(nest, some()));
      }
      return;
    case 31: {
      IndexedAccess a;
      a.view = views[in.below(views.size())];
      a.index = operands(b.program().views[a.view].space.rank());
      if (in.below(2)) return keep(b.gather(a));
      return b.scatter(a, operand(), in.below(2) ? std::optional(AtomicKind::add) : std::nullopt);
    }
    }
  }
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  Capture c{{data, data + (size < 400 ? size : 400)}};
  for (const char *name : {"i", "j", "k"}) c.dims.push_back(c.b.dim(name));
  c.dims.push_back(c.b.positional_dim(0));
  const Extent n = c.b.extent_param("N");
  c.views.push_back(c.b.argument("A", ScalarType::f32, {4, n}, ArgumentAccess::in));
  c.views.push_back(c.b.argument("B", ScalarType::i32, {n}, ArgumentAccess::mut));
  c.views.push_back(c.b.argument("C", ScalarType::f32, {3, 4}, ArgumentAccess::out));
  c.views.push_back(c.b.argument("D", ScalarType::i64, {}, ArgumentAccess::mut));
  c.views.push_back(c.b.view_as(c.views[2], ScalarType::u8, "bytes"));
  c.keep(c.b.literal(ScalarType::f32, 1.5));
  c.keep(c.b.literal(ScalarType::boolean, std::int64_t{1}));
  c.keep(c.b.iota({c.dims[0], 4}));
  while (!c.in.empty() && c.regions < 12) c.step();
  Result<TileProgram> program = c.b.finish();
  if (!program.ok()) {
    if (has_error(program.errors())) return 0;
    std::abort(); // refused without a reason
  }
  judge_bind_and_run(std::move(*program));
  return 0;
}
