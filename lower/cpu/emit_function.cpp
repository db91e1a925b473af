// SPDX-License-Identifier: Apache-2.0
// The functions of the module: the host's block, and one per launch that runs a range of instances. A launch gets the
// host's registers that it uses in a struct; constants, extents and what follows from them it computes again.
#include "lower/cpu/emitter.h"
#include "lower/cpu/runtime.h"
#include <algorithm>
#include <set>

namespace tilenest::cpu {

using llvm::Value;
using plan::Kind;
using plan::Op;
using plan::Reg;

namespace {

// An instance's buffers that are small lie on the stack, the others in the thread's arena.
constexpr std::int64_t largest_on_stack = 16 << 10, most_on_stack = 128 << 10;

// Calls f(op, index) for the operations of a block and of those inside it; a launch's own only if asked for.
template <class F> void for_each_op(const plan::Plan &plan, plan::BlockId block, bool into_launches, F &&f) {
  for (plan::OpIndex index : plan.blocks[block].ops) {
    const Op &op = plan.ops[index];
    f(op, index);
    if (op.kind == Kind::launch && !into_launches) continue;
    for (plan::BlockId inner : op.blocks) for_each_op(plan, inner, into_launches, f);
  }
}

bool is_access(const Op &op) { return op.kind == Kind::load || op.kind == Kind::store || op.kind == Kind::atomic; }

} // namespace

Emitter::Emitter(const plan::Plan &plan, const Tables &tables, llvm::Module &module, Features features)
    : plan_(plan), tables_(tables), module_(module), b_(module.getContext()), values_(b_, features),
      features_(features), defined_by_(plan.regs.size()) {
  for_each_op(plan, plan.body, true, [&](const Op &op, plan::OpIndex index) {
    for (Reg r : op.results) defined_by_[r.index] = index;
  });
}

void Emitter::emit() {
  now_ = {};
  begin_function(entry_name, {b_.getPtrTy()}, true);
  place_buffers(plan_.body);
  emit_block(plan_.body);
  b_.CreateRetVoid();
}

llvm::Function *Emitter::begin_function(llvm::StringRef name, llvm::ArrayRef<llvm::Type *> params, bool is_entry) {
  const auto linkage = is_entry ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage;
  now_.function = llvm::Function::Create(llvm::FunctionType::get(b_.getVoidTy(), params, false), linkage, name, module_);
  now_.frame = now_.function->getArg(0);
  b_.SetInsertPoint(new_block());
  return now_.function;
}

// Element `index` of the array that a field of the frame (tables.h) points to. Both stay as they are for a run.
Value *Emitter::from_frame(unsigned field, llvm::Type *type, std::size_t index) {
  llvm::LoadInst *array = b_.CreateLoad(b_.getPtrTy(), b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), now_.frame, field));
  llvm::LoadInst *element = b_.CreateLoad(type, b_.CreateConstInBoundsGEP1_64(type, array, index));
  for (llvm::LoadInst *load : {array, element})
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(module_.getContext(), {}));
  return element;
}

void Emitter::place_buffers(plan::BlockId block) {
  std::set<plan::BufferId> used;
  for_each_op(plan_, block, false, [&](const Op &op, plan::OpIndex) {
    if (is_access(op)) used.insert(std::get<plan::AccessAttr>(op.attr).buffer);
  });
  std::int64_t on_stack = 0;
  std::vector<plan::BufferId> in_arena;
  for (plan::BufferId id : used) {
    const plan::Buffer &buffer = plan_.buffers[id];
    if (buffer.space == plan::AddressSpace::argument || buffer.space == plan::AddressSpace::scratch) {
      now_.buffers[id] = from_frame(0, b_.getPtrTy(), id.index);
      continue;
    }
    const std::optional<std::int64_t> bytes = constant_size(buffer);
    if (!bytes || *bytes > largest_on_stack || on_stack + *bytes > most_on_stack) {
      in_arena.push_back(id);
      continue;
    }
    on_stack += *bytes;
    now_.buffers[id] = values_.scratch(b_.getInt8Ty(), static_cast<unsigned>(std::max<std::int64_t>(*bytes, 64)));
  }
  if (in_arena.empty()) return;
  std::vector<Value *> offsets;
  Value *total = i64(0);
  for (plan::BufferId id : in_arena) {
    offsets.push_back(total);
    const std::optional<std::int64_t> bytes = constant_size(plan_.buffers[id]);
    total = b_.CreateAdd(total, bytes ? i64(*bytes) : from_frame(3, b_.getInt64Ty(), id.index));
  }
  const auto callee = values_.runtime(runtime_arena, b_.getPtrTy(), {b_.getPtrTy(), b_.getInt64Ty()});
  llvm::CallInst *base = b_.CreateCall(callee, {now_.frame, total});
  base->addRetAttr(llvm::Attribute::NoAlias);
  base->addRetAttr(llvm::Attribute::getWithAlignment(module_.getContext(), llvm::Align(64)));
  llvm::BasicBlock *none = new_block(), *some = new_block();
  b_.CreateCondBr(b_.CreateIsNull(base), none, some);
  b_.SetInsertPoint(none);
  b_.CreateRetVoid();
  b_.SetInsertPoint(some);
  for (std::size_t i = 0; i < in_arena.size(); ++i)
    now_.buffers[in_arena[i]] = b_.CreateGEP(b_.getInt8Ty(), base, offsets[i]);
}

// --- launches ---

bool Emitter::repeatable(Reg r) const {
  const plan::OpIndex index = defined_by_[r.index];
  if (!index) return false;
  const Op &op = plan_.ops[index];
  switch (op.kind) {
  case Kind::constant:
  case Kind::extent:
  case Kind::stride:
  case Kind::lane_ids: return true;
  case Kind::prim:
  case Kind::shuffle: return std::all_of(op.operands.begin(), op.operands.end(), [&](Reg x) { return repeatable(x); });
  default: return false;
  }
}

// The registers that a launch's body uses and does not define, each once, in order.
std::vector<Reg> Emitter::captured_by(plan::BlockId block) const {
  std::set<Reg> defined, used;
  const auto of_block = [&](plan::BlockId b) {
    defined.insert(plan_.blocks[b].args.begin(), plan_.blocks[b].args.end());
    used.insert(plan_.blocks[b].yields.begin(), plan_.blocks[b].yields.end());
  };
  of_block(block);
  for_each_op(plan_, block, true, [&](const Op &op, plan::OpIndex) {
    used.insert(op.operands.begin(), op.operands.end());
    defined.insert(op.results.begin(), op.results.end());
    for (plan::BlockId inner : op.blocks) of_block(inner);
  });
  std::vector<Reg> free;
  std::set_difference(used.begin(), used.end(), defined.begin(), defined.end(), std::back_inserter(free));
  return free;
}

void Emitter::emit_launch(const Op &op) {
  std::vector<Reg> captured;
  std::vector<llvm::Type *> types;
  for (Reg r : captured_by(op.blocks[0])) {
    if (repeatable(r)) continue;
    captured.push_back(r);
    types.push_back(values_.in_memory(plan_.regs[r].elem, plan_.regs[r].lanes));
  }
  llvm::StructType *layout = llvm::StructType::get(module_.getContext(), types);

  Function host;
  std::swap(host, now_);
  const llvm::IRBuilderBase::InsertPoint here = b_.saveIP();
  llvm::Function *instances = emit_instances(op, layout, captured);
  b_.restoreIP(here);
  std::swap(host, now_);

  Value *record = values_.scratch(layout, 1);
  for (unsigned i = 0; i < captured.size(); ++i) {
    Value *value = values_.to_memory(plan_.regs[captured[i]].elem, reg(captured[i]));
    b_.CreateStore(value, b_.CreateStructGEP(layout, record, i));
  }
  const auto rank = static_cast<unsigned>(op.operands.size());
  Value *extents = values_.scratch(b_.getInt64Ty(), rank);
  for (unsigned i = 0; i < rank; ++i)
    b_.CreateStore(reg(op.operands[i]), b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), extents, i));
  const auto callee = values_.runtime(runtime_launch, b_.getVoidTy(),
                                      {b_.getPtrTy(), b_.getPtrTy(), b_.getPtrTy(), b_.getInt64Ty(), b_.getPtrTy()});
  b_.CreateCall(callee, {now_.frame, instances, record, i64(rank), extents});
}

// void launch(frame, captured, extents, begin, end): runtime.h, Instances.
llvm::Function *Emitter::emit_instances(const Op &op, llvm::StructType *layout, const std::vector<Reg> &captured) {
  llvm::Type *ptr = b_.getPtrTy(), *index = b_.getInt64Ty();
  llvm::Function *function =
      begin_function("launch_" + std::get<plan::LaunchAttr>(op.attr).name, {ptr, ptr, ptr, index, index}, false);
  place_buffers(op.blocks[0]);
  for (unsigned i = 0; i < captured.size(); ++i) {
    const plan::Type type = plan_.regs[captured[i]];
    Value *at = b_.CreateStructGEP(layout, function->getArg(1), i);
    set(captured[i], values_.from_memory(type.elem, b_.CreateLoad(values_.in_memory(type.elem, type.lanes), at)));
  }
  for (Reg r : captured_by(op.blocks[0])) repeat(r);

  const std::size_t rank = op.operands.size();
  std::vector<Value *> extents(rank), first(rank);
  Value *rest = function->getArg(3), *end = function->getArg(4);
  for (std::size_t i = rank; i-- > 0;) {
    extents[i] = b_.CreateLoad(index, b_.CreateConstInBoundsGEP1_64(index, function->getArg(2), i));
    first[i] = i == 0 ? rest : b_.CreateURem(rest, extents[i]);
    if (i != 0) rest = b_.CreateUDiv(rest, extents[i]);
  }
  llvm::BasicBlock *before = b_.GetInsertBlock(), *body = new_block(), *after = new_block();
  b_.CreateCondBr(b_.CreateICmpSLT(function->getArg(3), end), body, after);
  b_.SetInsertPoint(body);
  llvm::PHINode *number = b_.CreatePHI(index, 2);
  number->addIncoming(function->getArg(3), before);
  std::vector<llvm::PHINode *> coordinates;
  for (std::size_t i = 0; i < rank; ++i) (coordinates.emplace_back(b_.CreatePHI(index, 2)))->addIncoming(first[i], before);
  emit_region(op.blocks[0], std::vector<Value *>(coordinates.begin(), coordinates.end()));
  // The next instance: the last axis counts fastest.
  Value *carry = b_.getTrue();
  for (std::size_t i = rank; i-- > 0;) {
    Value *next = b_.CreateAdd(coordinates[i], b_.CreateZExt(carry, index));
    if (i != 0) {
      carry = b_.CreateICmpEQ(next, extents[i]);
      next = b_.CreateSelect(carry, i64(0), next);
    }
    coordinates[i]->addIncoming(next, b_.GetInsertBlock());
  }
  Value *next = b_.CreateAdd(number, i64(1), "", false, true);
  number->addIncoming(next, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpSLT(next, end), body, after);
  b_.SetInsertPoint(after);
  b_.CreateRetVoid();
  return function;
}

// A repeatable register of the host, computed in this function.
void Emitter::repeat(Reg r) {
  if (now_.registers.count(r) != 0) return;
  const plan::OpIndex index = defined_by_[r.index];
  for (Reg x : plan_.ops[index].operands) repeat(x);
  emit_op(index);
}

} // namespace tilenest::cpu
