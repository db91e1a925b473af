// SPDX-License-Identifier: Apache-2.0
// print and parse are inverse on random programs, which reach every operation, region kind and attribute.
#include "tests/volume.h"
#include "semantics/library/contracts.h"
#include "semantics/library/function.h"
#include "semantics/text/printer.h"
#include "tests/text/random_program.h"
#include "tests/text/round_trip.h"
#include <catch2/catch.hpp>
#include <map>

using namespace tilenest;

namespace {

// What a program uses, by name. `expected` names everything there is.
using Features = std::map<std::string, int>;

void add_index(const IndexExpr &e, Features &f) {
  static const char *const kinds[] = {"input", "extent", "add", "sub", "mul", "floordiv", "mod", "min", "max", "xor"};
  f[std::string("index ") + kinds[static_cast<int>(e->kind)]]++;
  if (e->left) add_index(e->left, f);
  if (e->right) add_index(e->right, f);
}

const char *const bounds_name[] = {"zero", "predicate", "assume"};
const char *const access_name[] = {"in", "mut", "out"};

void add_features(const TileProgram &p, Features &f) {
  for (const LibraryCall &c : p.calls) f["call of " + c.function]++;
  for (ObjectId id : p.arguments) f[std::string("argument ") + access_name[static_cast<int>(p.objects[id].access)]]++;
  for (const Map &m : p.layouts) {
    f[m.kind() == Map::Kind::strided ? "map strided" : "map expressions"]++;
    for (const IndexExpr &e : m.output_expressions()) add_index(e, f);
  }
  for (const Variable &v : p.variables) f["variable of " + std::string(to_string(v.type.elem))]++;
  for_each_op(p, p.body, [&](const Op &op, OpId) {
    const std::string name = info(op.kind).name;
    f[name]++;
    if (op.pinned) f["pinned"]++;
    if (const auto *a = std::get_if<AccessAttr>(&op.attr)) {
      f[name + " " + bounds_name[static_cast<int>(a->bounds)]]++;
      if (a->has_fallback) f[name + " fallback"]++;
      if (op.kind == OpKind::load && op.operands.size() > a->axes.size() + a->has_predicate + a->has_fallback) f["load where"]++;
      if (op.kind == OpKind::atomic) f["atomic " + std::to_string(static_cast<int>(a->atomic))]++;
      f["view of " + std::string(to_string(p.views[a->view].elem))]++;
    }
    if (const auto *a = std::get_if<IndexedAttr>(&op.attr)) {
      f[name + " " + bounds_name[static_cast<int>(a->bounds)]]++;
      if (a->has_fallback) f[name + " fallback"]++;
      if (op.kind == OpKind::scatter) f["scatter " + (a->reducer ? std::to_string(static_cast<int>(*a->reducer)) : "plain")]++;
    }
    if (const auto *a = std::get_if<ReduceAttr>(&op.attr); a && op.kind == OpKind::scan) {
      f["scan reducer " + std::to_string(static_cast<int>(a->reducer))]++;
      if (a->exclusive) f["scan exclusive"]++;
      if (a->reverse) f["scan reverse"]++;
      if (a->policy == ReductionPolicy::fold_left) f["scan fold_left"]++;
    } else if (a) {
      f["reducer " + std::to_string(static_cast<int>(a->reducer))]++;
      f["reduce policy " + std::to_string(static_cast<int>(a->policy))]++;
      if (a->wide_accumulation) f["reduce wide"]++;
    }
    if (const auto *a = std::get_if<MmaAttr>(&op.attr))
      f["mma " + std::to_string(a->allow_reassociation) + std::to_string(a->allow_contraction) + std::to_string(a->wide_accumulation)]++;
    if (const auto *a = std::get_if<CastAttr>(&op.attr)) f[name + " to " + std::string(to_string(a->to))]++;
    if (const auto *a = std::get_if<LiteralAttr>(&op.attr)) f["literal " + std::string(to_string(a->type))]++;
    if (const auto *a = std::get_if<LoopAttr>(&op.attr)) {
      if (op.control_operand_count() > 0) f[name + " where"]++;
      if (a->order.valid()) f["order"]++;
      if (a->algebra.valid()) {
        f["region policy " + std::to_string(static_cast<int>(p.algebras[a->algebra].policy))]++;
        for (const ReductionAlgebra::Contract &c : p.algebras[a->algebra].contracts)
          f["contract " + c.name]++, f[c.commutative ? "contract commutes" : "contract in order"]++;
        if (p.algebras[a->algebra].contracts.size() > 1) f["two contracts"]++;
      }
      if (a->pipeline.valid()) {
        const PipelinePolicy &pi = p.policies[a->pipeline];
        if (pi.stages) f["pipeline stages"]++;
        if (pi.initiation_interval) f["pipeline ii"]++;
        if (pi.max_in_flight) f["pipeline max_in_flight"]++;
      }
      if (!op.carries.empty()) f[name + " carries"]++;
    }
    if (op.kind == OpKind::parallel) {
      const Level &l = p.levels[std::get<ParallelAttr>(op.attr).level];
      if (op.control_operand_count() > 0) f["parallel where"]++;
      if (l.scope) f["parallel scope"]++;
      if (l.map.valid()) f["parallel layout"]++;
      if (l.inferred) f["parallel inferred"]++;
      if (!op.carries.empty()) f["parallel carries"]++;
    }
    if (const auto *a = std::get_if<MemoryAttr>(&op.attr)) {
      if (p.objects[a->object].layout.valid()) f["memory layout"]++;
      if (!p.objects[a->object].resource.empty()) f["memory resource"]++;
    }
    if (op.kind == OpKind::assign && op.operands.size() == 1 && !std::get<AssignAttr>(op.attr).declares) f["assign local to a contribution"]++;
    if (op.kind == OpKind::if_ || op.kind == OpKind::switch_ || op.kind == OpKind::while_)
      if (!op.carries.empty()) f[name + " carries"]++;
  });
}

Features expected() {
  Features f;
  for (const OpInfo &row : op_table) f[row.name];
  for (const std::string &name : library::function_names()) f["call of " + name], f["call of " + name + " printed"];
  for (const char *a : access_name) f[std::string("argument ") + a];
  for (const char *k : {"input", "extent", "add", "sub", "mul", "floordiv", "mod", "min", "max", "xor"}) f[std::string("index ") + k];
  for (int i = 0; i < scalar_type_count; ++i) {
    const std::string t(to_string(static_cast<ScalarType>(i)));
    f["variable of " + t], f["view of " + t], f["literal " + t], f["cast to " + t];
    if (i != 0 && !is_packed(static_cast<ScalarType>(i))) f["bitcast to " + t];
    if (i != 0) f["cast_sat to " + t];
  }
  for (const char *b : bounds_name)
    for (const char *op : {"load", "store", "atomic", "gather", "scatter"}) f[std::string(op) + " " + b];
  for (int i = 0; i < 6; ++i) f["atomic " + std::to_string(i)], f["scatter " + std::to_string(i)];
  for (int i = 0; i < 9; ++i) f["reducer " + std::to_string(i)], f["scan reducer " + std::to_string(i)];
  for (int i = 0; i < 4; ++i) f["reduce policy " + std::to_string(i)], f["region policy " + std::to_string(i)];
  for (int i = 0; i < 8; ++i) f["mma " + std::to_string(i >> 2 & 1) + std::to_string(i >> 1 & 1) + std::to_string(i & 1)];
  for (const char *s : {"map strided", "map expressions", "pinned", "load where", "load fallback", "gather fallback", "scatter plain",
                        "reduce wide", "scan exclusive", "scan reverse", "scan fold_left", "serial where", "pipeline where", "reduce_region where", "order", "pipeline stages",
                        "pipeline ii", "pipeline max_in_flight", "serial carries", "pipeline carries", "reduce_region carries",
                        "parallel where", "parallel scope", "parallel layout", "parallel inferred", "parallel carries",
                        "memory layout", "memory resource", "if_ carries", "switch_ carries", "while_ carries",
                        "assign local to a contribution", "contract ", "contract commutes", "contract in order", "two contracts"})
    f[s];
  for (const library::Contract &c : library::contracts()) f[std::string("contract ") + c.name];
  return f;
}

// Seeds first to last - 1; fills what they used.
void check_seeds(std::uint64_t first, std::uint64_t last, Features &features, text::ProductionCounts &counts) {
  for (std::uint64_t seed = first; seed < last; ++seed) {
    const Result<TileProgram> p = random_program(seed);
    INFO("seed " << seed);
    if (!p.ok()) FAIL("the generator made a program that the builder refuses:\n" << listing(p.errors()));
    add_features(*p, features);
    const std::string fault = round_trip_fault(*p, {}, &counts);
    if (!fault.empty()) FAIL(fault);
    if (!p->calls.empty()) {
      const std::string shown = print(*p);
      for (const LibraryCall &c : p->calls)
        if (shown.find(c.function + "(") != std::string::npos) features["call of " + c.function + " printed"]++;
      const std::string expanded = round_trip_fault(*p, {.expand = true}, &counts);
      if (!expanded.empty()) FAIL("expanded: " << expanded);
    }
    if (seed % 8 == 0) {
      // With every anchor written: the printed program pins each, the original says where.
      TileProgram pinned = *p;
      for_each_op(*p, p->body, [&](const Op &, OpId id) {
        Op &op = pinned.ops[id];
        if (!op.anchor.valid()) op.anchor = pinned.regions[op.parent].level;
        op.pinned = true;
      });
      const std::string anchored = round_trip_fault(pinned, {true}, &counts);
      if (!anchored.empty()) FAIL("with anchors: " << anchored);
    }
  }
}

} // namespace

TEST_CASE("2,000 random programs print and parse back equal, and reach everything", "[text]") {
  Features features = expected();
  text::ProductionCounts counts{};
  check_seeds(0, volume(2000), features, counts);
#ifndef TILENEST_SANITIZED
  for (const auto &[name, n] : features) {
    INFO(name);
    CHECK(n > 0);
  }
  // The other productions are notations that the printer does not use; these files do.
  for (const char *folder : {"examples", "tests"})
    for (const std::string &path : tile_files(folder)) (void)parse(read_source(path), &counts);
  for (std::size_t i = 0; i < text::production_count; ++i) {
    INFO("production " << text::production_names[i]);
    CHECK(counts[i] > 0);
  }
#endif
}

TEST_CASE("8,000 more random programs print and parse back equal", "[text]" TILENEST_LONG) {
  Features features;
  text::ProductionCounts counts{};
  check_seeds(2000, 10000, features, counts);
}
