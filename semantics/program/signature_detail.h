// SPDX-License-Identifier: Apache-2.0
// The checker object that the signature functions of all forms share. Private to program/.
#pragma once
#include "semantics/program/signature.h"
#include <span>

namespace tilenest::signature_detail {

struct Checker {
  const TileProgram &p;
  const Op &op;
  Signature &out;

  const TileType &type(ValueId v) const { return p.values[v].type; }
  std::string text(ValueId v) const { return p.type_text(type(v)); }
  void error(Code code, std::vector<std::pair<std::string, std::string>> args, std::string help = {}) {
    out.errors.emplace_back(code, p.site(op.site), std::move(args), std::move(help));
  }
  void equation(const Extent &left, const Extent &right, DimId dim, Code code, const std::string &subject) {
    out.open.push_back({{left, right, dim}, code, op.site, subject});
  }
  bool require_scalar(ValueId v, const std::string &what);
  bool require_bool(ValueId v, const std::string &what);
  bool require_integer(ValueId v, const std::string &what);
  // Reports a type of storage alone where `what` computes; true if the type computes.
  bool require_computed(ScalarType type, const std::string &what);
  bool require_same_space(const Space &expected, const Space &found, const std::string &what);
  void check_space(const Space &space);
  void check_extent(const Extent &e, const std::string &what);
  void check_predicate(ValueId predicate, const Space &space);
  // Adds the operand's activity to the result's (IDX-PRED: active where all operands are).
  void join_active(ValueId v);
  void refuse_ragged(ValueId v);
  // Integer tiles joined like elementwise operands; the join is the result's space.
  void join_index_tiles(std::span<const ValueId> index, const std::string &of);
};

void memory(Checker &c); // signature_memory.cpp

} // namespace tilenest::signature_detail
