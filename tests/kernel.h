// SPDX-License-Identifier: Apache-2.0
// Kernel: a Builder with short names, for tests that build small programs in C++. Every statement gets a line
// of its own through `line`, so that a test can say where a report points.
#pragma once
#include "semantics/program/builder.h"
#include "semantics/typing/typing.h"
#include <catch2/catch.hpp>
#include <initializer_list>

namespace tilenest {

inline const LevelId root = TileProgram::root();

class Kernel {
public:
  Builder b{"k"};

  Kernel() { line(1); }
  void line(std::uint32_t n) { b.at({file_, n, 0, 0}); }

  // f32 arguments of one axis.
  ViewId input(const char *name, std::int64_t n) { return view(name, n, ArgumentAccess::in); }
  ViewId output(const char *name, std::int64_t n) { return view(name, n, ArgumentAccess::mut); }
  ViewId view(const char *name, std::int64_t n, ArgumentAccess access, ScalarType elem = ScalarType::f32) {
    return b.argument(name, elem, {Extent(n)}, access);
  }

  Space space(std::initializer_list<std::pair<DimId, std::int64_t>> factors) {
    Space s;
    for (const auto &[d, n] : factors) s.factors.push_back({d, Extent(n)});
    return s;
  }
  Space line_space(const char *label, std::int64_t n) { return space({{b.dim(label), n}}); }

  Scope parallel(const char *name, std::int64_t n, std::optional<ValueId> predicate = {}) {
    ParallelSpec s;
    s.name = name;
    s.domain = line_space(name, n);
    s.predicate = predicate;
    return b.begin_parallel(s);
  }
  Scope serial(const char *name, std::int64_t n, std::optional<ValueId> predicate = {}) {
    return b.begin_serial(loop(name, n, predicate));
  }
  Scope pipeline(const char *name, std::int64_t n, PipelinePolicy policy = {}) {
    LoopSpec s = loop(name, n, {});
    s.pipeline = policy;
    return b.begin_pipeline(s);
  }
  Scope reduce(const char *name, std::int64_t n, ReductionPolicy policy = ReductionPolicy::unordered_tree) {
    LoopSpec s = loop(name, n, {});
    s.reduction = policy;
    return b.begin_reduce(s);
  }
  void end() { b.end(); }

  ValueId op(OpKind kind, std::vector<Operand> operands) { return b.elementwise(kind, operands); }
  ValueId add(Operand x, Operand y) { return op(OpKind::add, {x, y}); }
  ValueId mul(Operand x, Operand y) { return op(OpKind::mul, {x, y}); }
  ValueId f32(double x) { return b.literal(ScalarType::f32, x); }
  ValueId i64(std::int64_t x) { return b.literal(ScalarType::i64, x); }
  ValueId insert(ValueId x, Operand piece, Operand origin) {
    const Operand at[] = {origin};
    return b.insert(x, piece, at);
  }

  // One element of a one-axis view.
  static Access at(ViewId v, Operand origin) {
    Access a;
    a.view = v;
    a.origin = {origin};
    return a;
  }
  ValueId load(ViewId v, Operand origin) { return b.load(at(v, origin)); }
  void store(ViewId v, Operand origin, Operand x) { b.store(at(v, origin), x); }
  void atomic_add(ViewId v, Operand origin, Operand x) { b.atomic(at(v, origin), AtomicKind::add, x); }
  // A window of a one-axis view with the factors' only dim.
  Access window(ViewId v, Operand origin, const Factor &f) {
    Access a = at(v, origin);
    a.window = {{false, f.dim, f.extent}};
    return a;
  }

  // What was captured; it is well typed.
  TileProgram take() {
    TileProgram p = take_unjudged();
    const Diagnostics ds = typing_ok(p);
    for (const Diagnostic &d : ds) UNSCOPED_INFO(d.info().code << ": " << d.message());
    CHECK(ds.empty());
    return p;
  }
  // What the builder accepted, which typing may still refuse.
  TileProgram take_unjudged() {
    auto program = b.finish();
    if (!program)
      for (const Diagnostic &d : program.errors()) UNSCOPED_INFO(d.info().code << ": " << d.message());
    REQUIRE(program.ok());
    return std::move(*program);
  }

private:
  std::shared_ptr<const SourceFile> file_ = std::make_shared<SourceFile>(SourceFile{"k.cpp", ""});
  LoopSpec loop(const char *name, std::int64_t n, std::optional<ValueId> predicate) {
    LoopSpec s;
    s.name = name;
    s.domain = line_space(name, n);
    s.predicate = predicate;
    return s;
  }
};

// The n-th operation of a kind, in program order; the test fails if there is none.
inline const Op &nth(const TileProgram &p, OpKind kind, int n = 0, OpId *id = nullptr) {
  const Op *found = nullptr;
  for_each_op(p, p.body, [&](const Op &op, OpId at) {
    if (op.kind != kind || n-- != 0) return;
    found = &op;
    if (id != nullptr) *id = at;
  });
  REQUIRE(found != nullptr);
  return *found;
}
// The n-th assignment of a variable, 0 being its declaration.
inline const Op &assignment(const TileProgram &p, VarId var, int n) {
  const Op *found = nullptr;
  for_each_op(p, p.body, [&](const Op &op, OpId) {
    const auto *a = std::get_if<AssignAttr>(&op.attr);
    if (a != nullptr && a->var == var && n-- == 0) found = &op;
  });
  REQUIRE(found != nullptr);
  return *found;
}
inline AssignRole role(const Op &op) { return std::get<AssignAttr>(op.attr).role; }

// "T0801@5 T0803@7": codes and lines, in order of report.
inline std::string codes(const Diagnostics &ds) {
  std::string out;
  for (const Diagnostic &d : ds) {
    if (!out.empty()) out += ' ';
    out += std::string(d.info().code) + "@" + std::to_string(d.sites.empty() ? 0 : d.sites[0].site.line);
  }
  return out;
}

} // namespace tilenest
