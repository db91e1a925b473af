// SPDX-License-Identifier: Apache-2.0
// The walk over a plan: names, definitions, structure. The types of each operation stand in verify_op.cpp.
#include "lower/verify_state.h"
#include "lower/print.h"
#include "semantics/diag/codes.h"

namespace tilenest::plan {

void Verifier::fault(std::string why) {
  if (out.size() >= most_reports) return;
  if (at) why = "`" + op_text(p, at) + "`: " + why;
  out.emplace_back(Code::B1601, Site{}, Arguments{{"plan", p.name}, {"why", std::move(why)}});
}

bool Verifier::define(Reg r) {
  if (r.index >= p.regs.size()) return fault("it defines a register that is not in the table"), false;
  if (p.regs[r].lanes == 0) fault("a register has no lanes");
  if (defined[r.index]) return fault("a register is defined a second time"), false;
  defined[r.index] = visible[r.index] = true;
  scope.push_back(r);
  return true;
}

bool Verifier::use(Reg r) {
  if (r.index >= p.regs.size()) return fault("it uses a register that is not in the table"), false;
  if (!visible[r.index])
    return fault(defined[r.index] ? "a register is not visible here" : "a register is used before it is defined"),
           false;
  return true;
}

// Defines the arguments, walks the operations, and leaves the registers of the block visible for `yields`.
void Verifier::walk(BlockId id) {
  const OpIndex holder = at;
  const Block &b = p.blocks[id];
  for (Reg r : b.args) define(r);
  for (OpIndex i : b.ops) {
    at = i;
    if (i.index >= p.ops.size()) {
      at = holder;
      fault("a block holds an operation that is not in the table");
      continue;
    }
    if (op_seen[i.index]) {
      fault("the operation stands in the plan twice");
      continue;
    }
    op_seen[i.index] = true;
    check(p.ops[i]);
  }
  at = holder;
}

// One block of an operation; its yields have the types `yields`.
void Verifier::block(BlockId id, const std::vector<Type> &args, const std::vector<Type> &yields, const char *what) {
  if (id.index >= p.blocks.size()) return fault(std::string(what) + " is not in the table of blocks");
  if (block_seen[id.index]) return fault(std::string(what) + " stands in the plan twice");
  block_seen[id.index] = true;
  const Block &b = p.blocks[id];
  if (b.args.size() != args.size())
    fault(std::string(what) + " has " + counted(b.args.size(), "argument") + " where " + std::to_string(args.size()) +
          " are due");
  else
    for (std::size_t i = 0; i < args.size(); ++i)
      if (b.args[i].index < p.regs.size() && p.regs[b.args[i]] != args[i])
        fault("argument " + std::to_string(i) + " of " + what + " is " + type_text(p.regs[b.args[i]]) + ", not " +
              type_text(args[i]));
  if (++depth > max_nesting) {
    fault("blocks nest deeper than " + std::to_string(max_nesting));
  } else {
    const std::size_t before = scope.size();
    walk(id);
    if (b.yields.size() != yields.size())
      fault(std::string(what) + " yields " + counted(b.yields.size(), "value") + " where " +
            std::to_string(yields.size()) + " are due");
    for (std::size_t i = 0; i < b.yields.size(); ++i)
      if (use(b.yields[i]) && i < yields.size() && type(b.yields[i]) != yields[i])
        fault("value " + std::to_string(i) + " that " + what + " yields is " + type_text(type(b.yields[i])) + ", not " +
              type_text(yields[i]));
    for (; scope.size() > before; scope.pop_back()) visible[scope.back().index] = false;
  }
  --depth;
}

std::string Verifier::counted(std::size_t n, const char *noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

void Verifier::extent_ok(const Extent &e, const std::string &what) {
  if (e.overflowed()) fault(what + " does not fit 64 bits");
  std::vector<ParamId> params;
  e.collect_params(params);
  for (ParamId id : params)
    if (id.index >= p.params.size()) fault(what + " has a parameter that the plan lacks");
}

void Verifier::unique(const std::string &name, const std::string &what) {
  if (name.empty()) return fault(what + " has no name");
  if (!names.insert(name).second) fault("two things are named `" + name + "`");
}

void Verifier::buffers() {
  std::set<int> positions;
  for (const Buffer &b : p.buffers) {
    unique(b.name, "a buffer");
    const std::string what = "buffer `" + b.name + "`";
    for (const Extent &e : b.shape) extent_ok(e, "the shape of " + what);
    if (b.space == AddressSpace::argument) {
      if (b.argument < 0) fault(what + " is an argument without a position");
      else if (!positions.insert(b.argument).second) fault("two buffers are argument " + std::to_string(b.argument));
    } else if (b.argument != -1 || b.strided || b.overlapping || b.access != ArgumentAccess::in) {
      fault(what + " is no argument and has a position, an access or strides");
    }
  }
}

void Verifier::run() {
  std::set<std::string> params;
  for (const Param &param : p.params)
    if (param.name.empty() || !params.insert(param.name).second) fault("parameter names are not unique");
  buffers();
  block(p.body, {}, {}, "the body");
}

Diagnostics verify(const Plan &plan) {
  Verifier v(plan);
  v.run();
  return std::move(v.out);
}

} // namespace tilenest::plan
