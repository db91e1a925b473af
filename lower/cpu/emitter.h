// SPDX-License-Identifier: Apache-2.0
// A plan as one LLVM module: the host's block is the function `tilenest_plan(frame)`, each launch a function over a
// range of its instances that the runtime calls. Decides nothing: vectors, loops and orders are the plan's.
#pragma once
#include "lower/cpu/tables.h"
#include "lower/cpu/values.h"
#include <llvm/IR/Module.h>
#include <map>

namespace tilenest::cpu {

inline constexpr char entry_name[] = "tilenest_plan";

class Emitter {
public:
  Emitter(const plan::Plan &plan, const Tables &tables, llvm::Module &module, Features features);
  void emit();

private:
  using Value = llvm::Value;
  // What differs between the functions of the module.
  struct Function {
    llvm::Function *function = nullptr;
    llvm::Value *frame = nullptr;
    std::map<plan::Reg, Value *> registers;
    std::map<plan::BufferId, Value *> buffers;
  };

  // emit_function.cpp
  llvm::Function *begin_function(llvm::StringRef name, llvm::ArrayRef<llvm::Type *> params, bool is_entry);
  void emit_launch(const plan::Op &op);
  llvm::Function *emit_instances(const plan::Op &op, llvm::StructType *captures, const std::vector<plan::Reg> &captured);
  void place_buffers(plan::BlockId block); // alloca or arena: those of the block's accesses
  std::vector<plan::Reg> captured_by(plan::BlockId block) const;
  void repeat(plan::Reg r);
  bool repeatable(plan::Reg r) const; // cheaper to compute again in a launch than to hand over, and then a constant
  Value *from_frame(unsigned field, llvm::Type *type, std::size_t index);

  // emit_control.cpp
  void emit_block(plan::BlockId block);
  std::vector<Value *> emit_region(plan::BlockId block, llvm::ArrayRef<Value *> args); // what it yields
  void emit_op(plan::OpIndex index);
  void emit_for(const plan::Op &op);
  void emit_if(const plan::Op &op);
  void emit_while(const plan::Op &op);
  void emit_assert(plan::OpIndex index);
  Value *emit_shuffle(const plan::Op &op);
  // Runs `then` where the condition holds.
  template <class Then> void when(Value *condition, Then &&then);

  // emit_access.cpp
  bool in_hardware(ScalarType elem, Value *offset) const;
  template <class Access> Value *where_all(Value *mask, Access &&access);
  llvm::Instruction *of_buffer(plan::BufferId buffer, llvm::Instruction *access); // it overlaps no other
  void emit_load(const plan::Op &op);
  void emit_store(const plan::Op &op);
  void emit_atomic(const plan::Op &op);
  Value *load(const plan::AccessAttr &attr, plan::Type type, Value *offset, Value *mask);
  Value *load_halves(const plan::AccessAttr &attr, plan::Type type, Value *offset, Value *mask);
  void store(const plan::AccessAttr &attr, ScalarType elem, Value *offset, Value *value, Value *mask);
  void store_halves(const plan::AccessAttr &attr, Value *offset, Value *value, Value *mask);
  void read_modify_write(AtomicKind kind, ScalarType elem, Value *address, Value *value);
  llvm::Function *atomic_function(AtomicKind kind, ScalarType elem);
  Value *address(plan::BufferId buffer, ScalarType elem, Value *offset);
  llvm::Align alignment(plan::BufferId buffer, ScalarType elem) const;

  Value *reg(plan::Reg r);
  void set(plan::Reg r, Value *value) { now_.registers[r] = value; }
  llvm::BasicBlock *new_block() { return llvm::BasicBlock::Create(module_.getContext(), "", now_.function); }
  Value *i64(std::int64_t value) { return b_.getInt64(static_cast<std::uint64_t>(value)); }

  const plan::Plan &plan_;
  const Tables &tables_;
  llvm::Module &module_;
  llvm::IRBuilder<> b_;
  Values values_;
  Features features_;
  Function now_;
  std::vector<std::pair<llvm::MDNode *, llvm::MDNode *>> scopes_; // by buffer: itself, all others
  std::vector<plan::OpIndex> defined_by_; // by register; invalid for a block's argument
};

template <class Then> void Emitter::when(Value *condition, Then &&then) {
  llvm::BasicBlock *inside = new_block(), *after = new_block();
  b_.CreateCondBr(condition, inside, after);
  b_.SetInsertPoint(inside);
  then();
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
}

} // namespace tilenest::cpu
