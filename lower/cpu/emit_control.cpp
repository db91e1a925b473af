// SPDX-License-Identifier: Apache-2.0
// Structured control and the simple values. Loops are rotated: a guard, then a body that tests at its end. Nothing
// promises LLVM that a loop ends.
#include "lower/cpu/emitter.h"
#include "lower/cpu/runtime.h"
#include <algorithm>

namespace tilenest::cpu {

using llvm::Value;
using plan::Kind;
using plan::Op;

Value *Emitter::reg(plan::Reg r) { return now_.registers.at(r); }

void Emitter::emit_block(plan::BlockId block) {
  for (plan::OpIndex op : plan_.blocks[block].ops) emit_op(op);
}

std::vector<Value *> Emitter::emit_region(plan::BlockId block, llvm::ArrayRef<Value *> args) {
  const plan::Block &b = plan_.blocks[block];
  for (std::size_t i = 0; i < b.args.size(); ++i) set(b.args[i], args[i]);
  emit_block(block);
  std::vector<Value *> yields;
  for (plan::Reg r : b.yields) yields.push_back(reg(r));
  return yields;
}

void Emitter::emit_op(plan::OpIndex index) {
  const Op &op = plan_.ops[index];
  switch (op.kind) {
  case Kind::constant:
    return set(op.results[0], values_.constant(plan_.regs[op.results[0]], std::get<plan::ConstantAttr>(op.attr).bits));
  case Kind::extent:
    if (const auto known = std::get<ExtentAttr>(op.attr).extent.constant()) return set(op.results[0], i64(*known));
    return set(op.results[0], from_frame(1, b_.getInt64Ty(), tables_.extent_of.at(index)));
  case Kind::stride:
    return set(op.results[0], from_frame(2, b_.getInt64Ty(), tables_.stride_of(std::get<plan::StrideAttr>(op.attr))));
  case Kind::prim: {
    std::vector<Value *> x;
    for (plan::Reg r : op.operands) x.push_back(reg(r));
    const ScalarType in = plan_.regs[op.operands.back()].elem, out = plan_.regs[op.results[0]].elem;
    return set(op.results[0], values_.prim(std::get<plan::PrimAttr>(op.attr).primitive, in, out, x));
  }
  case Kind::shuffle: return set(op.results[0], emit_shuffle(op));
  case Kind::lane_ids: {
    std::vector<llvm::Constant *> ids;
    for (unsigned i = 0; i < plan_.regs[op.results[0]].lanes; ++i) ids.push_back(b_.getInt64(i));
    return set(op.results[0], ids.size() == 1 ? ids[0] : llvm::ConstantVector::get(ids));
  }
  case Kind::load: return emit_load(op);
  case Kind::store: return emit_store(op);
  case Kind::atomic: return emit_atomic(op);
  case Kind::for_: return emit_for(op);
  case Kind::if_: return emit_if(op);
  case Kind::while_: return emit_while(op);
  case Kind::launch: return emit_launch(op);
  case Kind::barrier: return; // one participant
  case Kind::assert_: return emit_assert(index);
  }
}

Value *Emitter::emit_shuffle(const Op &op) {
  const std::vector<std::uint16_t> &lanes = std::get<plan::ShuffleAttr>(op.attr).lanes;
  std::vector<Value *> x;
  for (plan::Reg r : op.operands) x.push_back(reg(r));
  unsigned first = Values::lanes_of(x[0]), widest = first;
  if (x.size() > 1) widest = std::max(widest, Values::lanes_of(x[1]));
  if (x.size() == 1 && first == 1) return lanes.size() == 1 ? x[0] : b_.CreateVectorSplat(static_cast<unsigned>(lanes.size()), x[0]);
  for (Value *&v : x) { // vectors of one width
    const unsigned have = Values::lanes_of(v);
    llvm::Type *wide = llvm::FixedVectorType::get(v->getType()->getScalarType(), widest);
    if (have == 1) {
      v = b_.CreateInsertElement(llvm::PoisonValue::get(wide), v, std::uint64_t{0});
    } else if (have < widest) {
      std::vector<int> widened(widest, -1);
      for (unsigned i = 0; i < have; ++i) widened[i] = static_cast<int>(i);
      v = b_.CreateShuffleVector(v, widened);
    }
  }
  std::vector<int> mask;
  for (std::uint16_t lane : lanes) mask.push_back(static_cast<int>(lane < first ? lane : lane - first + widest));
  if (mask.size() > 1) return x.size() == 1 ? b_.CreateShuffleVector(x[0], mask) : b_.CreateShuffleVector(x[0], x[1], mask);
  const auto lane = static_cast<unsigned>(mask[0]);
  return lane < widest ? b_.CreateExtractElement(x[0], lane) : b_.CreateExtractElement(x[1], lane - widest);
}

void Emitter::emit_for(const Op &op) {
  const std::int64_t step = std::get<plan::ForAttr>(op.attr).step;
  Value *lo = reg(op.operands[0]), *hi = reg(op.operands[1]);
  std::vector<Value *> inits;
  for (std::size_t i = 2; i < op.operands.size(); ++i) inits.push_back(reg(op.operands[i]));

  llvm::BasicBlock *guard = b_.GetInsertBlock(), *ahead = new_block(), *body = new_block(), *after = new_block();
  b_.CreateCondBr(b_.CreateICmpSLT(lo, hi), ahead, after);
  b_.SetInsertPoint(ahead);
  // How often the body follows itself; as an unsigned number the difference is exact.
  Value *repeats = step == 1 ? nullptr : b_.CreateUDiv(b_.CreateSub(b_.CreateSub(hi, lo), i64(1)), i64(step));
  b_.CreateBr(body);

  b_.SetInsertPoint(body);
  llvm::PHINode *iv = b_.CreatePHI(b_.getInt64Ty(), 2), *left = nullptr;
  iv->addIncoming(lo, ahead);
  if (repeats != nullptr) (left = b_.CreatePHI(b_.getInt64Ty(), 2))->addIncoming(repeats, ahead);
  std::vector<llvm::PHINode *> carried;
  std::vector<Value *> args{iv};
  for (Value *init : inits) {
    carried.push_back(b_.CreatePHI(init->getType(), 2));
    carried.back()->addIncoming(init, ahead);
    args.push_back(carried.back());
  }
  const std::vector<Value *> yields = emit_region(op.blocks[0], args);
  llvm::BasicBlock *latch = b_.GetInsertBlock();
  Value *next = b_.CreateAdd(iv, i64(step), "", false, step == 1); // below hi before, so no overflow for 1
  iv->addIncoming(next, latch);
  Value *again = step == 1 ? b_.CreateICmpSLT(next, hi) : b_.CreateICmpNE(left, i64(0));
  if (left != nullptr) left->addIncoming(b_.CreateSub(left, i64(1)), latch);
  for (std::size_t i = 0; i < carried.size(); ++i) carried[i]->addIncoming(yields[i], latch);
  b_.CreateCondBr(again, body, after);

  b_.SetInsertPoint(after);
  for (std::size_t i = 0; i < inits.size(); ++i) {
    llvm::PHINode *result = b_.CreatePHI(inits[i]->getType(), 2);
    result->addIncoming(inits[i], guard);
    result->addIncoming(yields[i], latch);
    set(op.results[i], result);
  }
}

void Emitter::emit_if(const Op &op) {
  llvm::BasicBlock *arms[2] = {new_block(), new_block()}, *after = new_block();
  b_.CreateCondBr(reg(op.operands[0]), arms[0], arms[1]);
  std::vector<Value *> yields[2];
  for (int i = 0; i < 2; ++i) {
    b_.SetInsertPoint(arms[i]);
    yields[i] = emit_region(op.blocks[static_cast<std::size_t>(i)], {});
    arms[i] = b_.GetInsertBlock();
    b_.CreateBr(after);
  }
  b_.SetInsertPoint(after);
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    llvm::PHINode *result = b_.CreatePHI(yields[0][i]->getType(), 2);
    for (int arm = 0; arm < 2; ++arm) result->addIncoming(yields[arm][i], arms[arm]);
    set(op.results[i], result);
  }
}

void Emitter::emit_while(const Op &op) {
  llvm::BasicBlock *before = b_.GetInsertBlock(), *test = new_block(), *body = new_block(), *after = new_block();
  b_.CreateBr(test);
  b_.SetInsertPoint(test);
  std::vector<llvm::PHINode *> carried;
  std::vector<Value *> args;
  for (plan::Reg r : op.operands) {
    carried.push_back(b_.CreatePHI(reg(r)->getType(), 2));
    carried.back()->addIncoming(reg(r), before);
    args.push_back(carried.back());
  }
  Value *condition = emit_region(op.blocks[0], args)[0];
  b_.CreateCondBr(condition, body, after);
  b_.SetInsertPoint(body);
  const std::vector<Value *> yields = emit_region(op.blocks[1], args);
  for (std::size_t i = 0; i < carried.size(); ++i) {
    carried[i]->addIncoming(yields[i], b_.GetInsertBlock());
    set(op.results[i], carried[i]);
  }
  b_.CreateBr(test);
  b_.SetInsertPoint(after);
}

// Each false lane is a failure.
void Emitter::emit_assert(plan::OpIndex index) {
  Value *failed = b_.CreateNot(reg(plan_.ops[index].operands[0]));
  Value *any = failed->getType()->isVectorTy() ? b_.CreateOrReduce(failed) : failed;
  when(any, [&] {
    Value *count = i64(1);
    if (failed->getType()->isVectorTy())
      count = b_.CreateAddReduce(b_.CreateZExt(failed, Values::like(failed, b_.getInt64Ty())));
    const auto callee = values_.runtime(runtime_assert, b_.getVoidTy(), {b_.getPtrTy(), b_.getInt64Ty(), b_.getInt64Ty()});
    b_.CreateCall(callee, {now_.frame, i64(static_cast<std::int64_t>(tables_.assert_of.at(index))), count});
  });
}

} // namespace tilenest::cpu
