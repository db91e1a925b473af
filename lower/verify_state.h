// SPDX-License-Identifier: Apache-2.0
// The verifier object, private to verify.cpp (the walk) and verify_op.cpp (the types of each operation).
#pragma once
#include "lower/verify.h"
#include <set>
#include <string>

namespace tilenest::plan {

struct Verifier {
  using Arguments = std::vector<std::pair<std::string, std::string>>;
  static constexpr std::size_t most_reports = 20;

  explicit Verifier(const Plan &plan)
      : p(plan), defined(plan.regs.size()), visible(plan.regs.size()), op_seen(plan.ops.size()),
        block_seen(plan.blocks.size()) {}
  void run();

  // --- verify.cpp ---
  void fault(std::string why); // of the operation `at`, or of the plan
  bool define(Reg r);
  bool use(Reg r);
  void walk(BlockId id);
  void block(BlockId id, const std::vector<Type> &args, const std::vector<Type> &yields, const char *what);
  static std::string counted(std::size_t n, const char *noun);
  void extent_ok(const Extent &e, const std::string &what);
  void unique(const std::string &name, const std::string &what);
  void buffers();

  // --- verify_op.cpp ---
  void check(const Op &op);
  bool shape_ok(const Op &op, std::size_t least, std::size_t most, std::size_t results, std::size_t blocks);
  template <class A> const A *attr(const Op &op);
  void is(Reg r, Type wanted, const std::string &what);
  void prim(const Op &op);
  void shuffle(const Op &op);
  void access(const Op &op);
  void touches(const Buffer &b, bool writes);
  void structure(const Op &op);
  void loop(const Op &op);

  Type type(Reg r) const { return p.regs[r]; }
  std::vector<Type> types(const std::vector<Reg> &rs, std::size_t first = 0) const {
    std::vector<Type> out;
    for (std::size_t i = first; i < rs.size(); ++i) out.push_back(type(rs[i]));
    return out;
  }

  const Plan &p;
  Diagnostics out;
  std::vector<bool> defined, visible; // by register
  std::vector<bool> op_seen, block_seen;
  std::vector<Reg> scope; // visible registers, in the order of definition
  std::set<std::string> names;
  OpIndex at;
  int depth = 0;
  bool in_launch = false, in_participants = false;
};

} // namespace tilenest::plan
