// SPDX-License-Identifier: Apache-2.0
// Counting by walking programs.
#include "conformance/fuzz/met_operations.h"
#include "semantics/program/signature.h"

namespace tilenest::conformance {

namespace {
constexpr OpKind regions[] = {OpKind::parallel, OpKind::serial, OpKind::reduce_region, OpKind::if_};
constexpr OpKind others[] = {OpKind::reduce, OpKind::scan, OpKind::mma, OpKind::load, OpKind::store};

// The element type that decides what the operation does.
ScalarType type_of(const TileProgram &p, const Op &op) {
  const bool first = op.kind == OpKind::store || info(op.kind).result == OpResult::boolean || info(op.kind).result == OpResult::attribute;
  return p.values[first ? op.operands[0] : op.results[0]].type.elem;
}
} // namespace

void MetOperations::add(const TileProgram &program) { add(program, program.body, OpKind::parallel); }

void MetOperations::add(const TileProgram &p, RegionId region, OpKind around) {
  for (const OpId id : p.regions[region].ops) {
    const Op &op = p.ops[id];
    const bool counted = info(op.kind).form == Form::elementwise || std::find(std::begin(others), std::end(others), op.kind) != std::end(others);
    if (counted) ++counts_[{op.kind, type_of(p, op), around}];
    const bool kind = std::find(std::begin(regions), std::end(regions), op.kind) != std::end(regions);
    for (const RegionId inner : op.regions) add(p, inner, kind ? op.kind : around);
  }
}

std::set<MetOperations::Cell> MetOperations::cells() {
  std::set<Cell> out;
  for (int t = 0; t < scalar_type_count; ++t) {
    const auto type = static_cast<ScalarType>(t);
    if (is_packed(type)) continue; // nothing computes in them
    for (const OpKind region : regions) {
      for (int k = 0; k < op_count; ++k)
        if (const auto op = static_cast<OpKind>(k); info(op).form == Form::elementwise && admits(info(op).operands, type) && !(op == OpKind::bitcast && type == ScalarType::boolean))
          out.insert({op, type, region});
      for (const OpKind op : others)
        if (op != OpKind::mma || type != ScalarType::boolean) out.insert({op, type, region});
    }
  }
  return out;
}

std::set<MetOperations::Cell> MetOperations::empty() const {
  std::set<Cell> out;
  for (const Cell &c : cells())
    if (!counts_.contains(c)) out.insert(c);
  return out;
}

std::uint64_t MetOperations::count(const Cell &cell) const {
  const auto at = counts_.find(cell);
  return at == counts_.end() ? 0 : at->second;
}

} // namespace tilenest::conformance
