// SPDX-License-Identifier: Apache-2.0
// Loads, stores and atomics. Lanes that a mask leaves out touch no memory. Offsets count elements of the accessed
// type, so that an access of another type than the buffer's reads the same bytes as that type.
#include "lower/cpu/emitter.h"
#include "lower/cpu/runtime.h"
#include <llvm/IR/MDBuilder.h>

namespace tilenest::cpu {

using llvm::Value;
using plan::AccessAttr;

Value *Emitter::address(plan::BufferId buffer, ScalarType elem, Value *offset) {
  return b_.CreateGEP(values_.in_memory(elem), now_.buffers.at(buffer), offset);
}

// An argument may start anywhere; everything else is aligned to 64 bytes.
llvm::Align Emitter::alignment(plan::BufferId buffer, ScalarType elem) const {
  return llvm::Align(plan_.buffers[buffer].space == plan::AddressSpace::argument ? 1 : byte_size(elem));
}

// Buffers do not overlap (docs/plan.md), so a store to one leaves what was loaded from another.
llvm::Instruction *Emitter::of_buffer(plan::BufferId buffer, llvm::Instruction *access) {
  constexpr std::size_t most = 64; // the lists of the others grow with the square
  if (plan_.buffers.size() > most || plan_.buffers[buffer].overlapping) return access;
  if (scopes_.empty()) {
    llvm::MDBuilder make(module_.getContext());
    llvm::MDNode *domain = make.createAnonymousAliasScopeDomain();
    std::vector<llvm::Metadata *> all;
    for (const plan::Buffer &b : plan_.buffers) all.push_back(make.createAnonymousAliasScope(domain, b.name));
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::vector<llvm::Metadata *> others = all;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      scopes_.push_back({llvm::MDNode::get(module_.getContext(), {all[i]}), llvm::MDNode::get(module_.getContext(), others)});
    }
  }
  access->setMetadata(llvm::LLVMContext::MD_alias_scope, scopes_[buffer.index].first);
  access->setMetadata(llvm::LLVMContext::MD_noalias, scopes_[buffer.index].second);
  return access;
}

// Whether the processor has a masked access of this kind; LLVM makes a branch per lane of the others.
bool Emitter::in_hardware(ScalarType elem, Value *offset) const {
  if (offset->getType()->isVectorTy()) return true; // a gather or scatter is lane by lane anyway
  return byte_size(elem) >= 4 ? features_.wide_masks : features_.byte_masks;
}

// access(mask) where a lane of the mask is false, access(nullptr) where none is; what it yields, if it does.
template <class Access> Value *Emitter::where_all(Value *mask, Access &&access) {
  llvm::BasicBlock *blocks[2] = {new_block(), new_block()}, *after = new_block();
  b_.CreateCondBr(b_.CreateAndReduce(mask), blocks[0], blocks[1]);
  Value *results[2];
  for (int i = 0; i < 2; ++i) {
    b_.SetInsertPoint(blocks[i]);
    results[i] = access(i == 0 ? nullptr : mask);
    blocks[i] = b_.GetInsertBlock();
    b_.CreateBr(after);
  }
  b_.SetInsertPoint(after);
  if (results[0] == nullptr) return nullptr;
  llvm::PHINode *result = b_.CreatePHI(results[0]->getType(), 2);
  for (int i = 0; i < 2; ++i) result->addIncoming(results[i], blocks[i]);
  return result;
}

// --- loads ---

void Emitter::emit_load(const plan::Op &op) {
  const auto &attr = std::get<AccessAttr>(op.attr);
  Value *mask = attr.masked ? reg(op.operands[1]) : nullptr;
  set(op.results[0], load(attr, plan_.regs[op.results[0]], reg(op.operands[0]), mask));
}

Value *Emitter::load(const AccessAttr &attr, plan::Type type, Value *offset, Value *mask) {
  if (type.lanes == 1 && mask != nullptr) {
    llvm::BasicBlock *before = b_.GetInsertBlock(), *inside = new_block(), *after = new_block();
    Value *zero = llvm::Constant::getNullValue(values_.type(type.elem));
    b_.CreateCondBr(mask, inside, after);
    b_.SetInsertPoint(inside);
    Value *loaded = load(attr, type, offset, nullptr);
    llvm::BasicBlock *end = b_.GetInsertBlock();
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
    llvm::PHINode *result = b_.CreatePHI(zero->getType(), 2);
    result->addIncoming(zero, before);
    result->addIncoming(loaded, end);
    return result;
  }
  if (is_packed(type.elem)) return load_halves(attr, type, offset, mask);
  const llvm::Align align = alignment(attr.buffer, type.elem);
  llvm::Type *stored = values_.in_memory(type.elem, type.lanes);
  Value *at = address(attr.buffer, type.elem, offset);
  Value *zero = llvm::Constant::getNullValue(stored);
  const auto loaded = [&](Value *kept) -> Value * {
    if (at->getType()->isVectorTy()) return of_buffer(attr.buffer, b_.CreateMaskedGather(stored, at, align, kept, zero));
    if (kept != nullptr) return of_buffer(attr.buffer, b_.CreateMaskedLoad(stored, at, align, kept, zero));
    return of_buffer(attr.buffer, b_.CreateAlignedLoad(stored, at, align));
  };
  const bool branches = mask != nullptr && !in_hardware(type.elem, offset);
  return values_.from_memory(type.elem, branches ? where_all(mask, loaded) : loaded(mask));
}

Value *Emitter::load_halves(const AccessAttr &attr, plan::Type type, Value *offset, Value *mask) {
  if (type.lanes > 1 && !offset->getType()->isVectorTy()) {
    std::vector<llvm::Constant *> ids;
    for (unsigned i = 0; i < type.lanes; ++i) ids.push_back(b_.getInt64(i));
    offset = b_.CreateAdd(b_.CreateVectorSplat(type.lanes, offset), llvm::ConstantVector::get(ids));
  }
  Value *at = address(attr.buffer, ScalarType::u8, b_.CreateAShr(offset, 1));
  llvm::Type *stored = values_.type(ScalarType::u8, type.lanes);
  Value *byte = type.lanes == 1 ? static_cast<Value *>(b_.CreateAlignedLoad(stored, at, llvm::Align(1)))
                                : b_.CreateMaskedGather(stored, at, llvm::Align(1), mask, llvm::Constant::getNullValue(stored));
  Value *shift = b_.CreateShl(b_.CreateAnd(b_.CreateTrunc(offset, stored), llvm::ConstantInt::get(stored, 1)), 2);
  Value *half = b_.CreateAnd(b_.CreateLShr(byte, shift), llvm::ConstantInt::get(stored, 15));
  if (type.elem == ScalarType::u4) return half;
  llvm::Constant *eight = llvm::ConstantInt::get(stored, 8);
  return b_.CreateSub(b_.CreateXor(half, eight), eight);
}

// --- stores ---

void Emitter::emit_store(const plan::Op &op) {
  const auto &attr = std::get<AccessAttr>(op.attr);
  Value *mask = attr.masked ? reg(op.operands[2]) : nullptr;
  store(attr, plan_.regs[op.operands[1]].elem, reg(op.operands[0]), reg(op.operands[1]), mask);
}

void Emitter::store(const AccessAttr &attr, ScalarType elem, Value *offset, Value *value, Value *mask) {
  const unsigned lanes = Values::lanes_of(value);
  if (lanes == 1 && mask != nullptr) return when(mask, [&] { store(attr, elem, offset, value, nullptr); });
  if (is_packed(elem)) return store_halves(attr, offset, value, mask);
  const llvm::Align align = alignment(attr.buffer, elem);
  Value *stored = values_.to_memory(elem, value);
  Value *at = address(attr.buffer, elem, offset);
  const auto stores = [&](Value *kept) -> Value * {
    if (at->getType()->isVectorTy()) of_buffer(attr.buffer, b_.CreateMaskedScatter(stored, at, align, kept)); // in the order of the lanes
    else if (kept != nullptr) of_buffer(attr.buffer, b_.CreateMaskedStore(stored, at, align, kept));
    else of_buffer(attr.buffer, b_.CreateAlignedStore(stored, at, align));
    return nullptr;
  };
  if (mask != nullptr && !in_hardware(elem, offset)) where_all(mask, stores);
  else stores(mask);
}

void Emitter::store_halves(const AccessAttr &attr, Value *offset, Value *value, Value *mask) {
  const unsigned lanes = Values::lanes_of(value);
  if (lanes > 1 && !offset->getType()->isVectorTy()) {
    std::vector<llvm::Constant *> ids;
    for (unsigned i = 0; i < lanes; ++i) ids.push_back(b_.getInt64(i));
    offset = b_.CreateAdd(b_.CreateVectorSplat(lanes, offset), llvm::ConstantVector::get(ids));
  }
  Value *offsets = values_.scratch(b_.getInt64Ty(), lanes), *stored = values_.scratch(b_.getInt8Ty(), lanes);
  b_.CreateAlignedStore(offset, offsets, llvm::Align(64));
  b_.CreateAlignedStore(value, stored, llvm::Align(64));
  Value *kept = llvm::ConstantPointerNull::get(b_.getPtrTy());
  if (mask != nullptr) {
    kept = values_.scratch(b_.getInt8Ty(), lanes);
    b_.CreateAlignedStore(values_.to_memory(ScalarType::boolean, mask), kept, llvm::Align(64));
  }
  const auto callee = values_.runtime(runtime_store_halves, b_.getVoidTy(),
                                      {b_.getPtrTy(), b_.getInt64Ty(), b_.getPtrTy(), b_.getPtrTy(), b_.getPtrTy()});
  b_.CreateCall(callee, {now_.buffers.at(attr.buffer), i64(lanes), offsets, stored, kept});
}

// --- atomics ---

void Emitter::emit_atomic(const plan::Op &op) {
  const auto &attr = std::get<AccessAttr>(op.attr);
  const ScalarType elem = plan_.regs[op.operands[1]].elem;
  Value *value = reg(op.operands[1]), *mask = attr.masked ? reg(op.operands[2]) : nullptr;
  const unsigned lanes = Values::lanes_of(value);
  Value *offset = reg(op.operands[0]), *stored = values_.to_memory(elem, value);
  const auto one = [](Value *v, unsigned i, llvm::IRBuilder<> &b) {
    return v->getType()->isVectorTy() ? b.CreateExtractElement(v, i) : v;
  };
  for (unsigned i = 0; i < lanes; ++i) {
    const auto update = [&] {
      Value *at = offset->getType()->isVectorTy() ? b_.CreateExtractElement(offset, i) : b_.CreateAdd(offset, i64(i));
      read_modify_write(attr.atomic, elem, address(attr.buffer, elem, at), one(stored, i, b_));
    };
    if (mask != nullptr) when(one(mask, i, b_), update);
    else update();
  }
}

// Other instances may do the same at the same time; nothing else is ordered by it.
void Emitter::read_modify_write(AtomicKind kind, ScalarType elem, Value *address, Value *value) {
  if (is_float(elem) || elem == ScalarType::boolean) { // a byte that is no 0 or 1 counts as true
    b_.CreateCall(atomic_function(kind, elem), {address, value});
    return;
  }
  using R = llvm::AtomicRMWInst;
  const bool is_signed_type = is_signed(elem);
  const R::BinOp op = kind == AtomicKind::add       ? R::Add
                      : kind == AtomicKind::min     ? (is_signed_type ? R::Min : R::UMin)
                      : kind == AtomicKind::max     ? (is_signed_type ? R::Max : R::UMax)
                      : kind == AtomicKind::bit_and ? R::And
                      : kind == AtomicKind::bit_or  ? R::Or
                                                    : R::Xor;
  b_.CreateAtomicRMW(op, address, value, llvm::Align(byte_size(elem)), llvm::AtomicOrdering::Monotonic);
}

// void f(address, value) on a float or a bool: the primitive applied until nothing came between.
llvm::Function *Emitter::atomic_function(AtomicKind kind, ScalarType elem) {
  constexpr Primitive primitives[] = {Primitive::add, Primitive::min, Primitive::max, Primitive::bit_and, Primitive::bit_or, Primitive::bit_xor};
  const Primitive p = primitives[static_cast<int>(kind)];
  const bool boolean = elem == ScalarType::boolean;
  const std::string name = "atomic_" + std::string(to_string(p)) + "_" + std::string(to_string(elem));
  if (llvm::Function *known = module_.getFunction(name)) return known;
  llvm::Type *params[] = {b_.getPtrTy(), boolean ? b_.getInt8Ty() : values_.type(elem)};
  auto *function = llvm::Function::Create(llvm::FunctionType::get(b_.getVoidTy(), params, false),
                                          llvm::GlobalValue::InternalLinkage, name, module_);
  const llvm::IRBuilderBase::InsertPointGuard guard(b_);
  auto block = [&] { return llvm::BasicBlock::Create(module_.getContext(), "", function); };
  llvm::BasicBlock *entry = block(), *again = block(), *done = block();
  llvm::Type *word = b_.getIntNTy(static_cast<unsigned>(byte_size(elem)) * 8);
  const llvm::Align align(byte_size(elem));
  b_.SetInsertPoint(entry);
  llvm::LoadInst *first = b_.CreateAlignedLoad(word, function->getArg(0), align);
  first->setAtomic(llvm::AtomicOrdering::Monotonic);
  b_.CreateBr(again);
  b_.SetInsertPoint(again);
  llvm::PHINode *before = b_.CreatePHI(word, 2);
  before->addIncoming(first, entry);
  Value *next;
  if (boolean) {
    Value *old = b_.CreateZExt(b_.CreateIsNotNull(before), word), *value = function->getArg(1);
    next = p == Primitive::bit_and ? b_.CreateAnd(old, value) : p == Primitive::bit_or ? b_.CreateOr(old, value) : b_.CreateXor(old, value);
  } else {
    Value *old = b_.CreateBitCast(before, values_.type(elem));
    next = b_.CreateBitCast(values_.prim(p, elem, elem, {old, function->getArg(1)}), word);
  }
  Value *exchanged = b_.CreateAtomicCmpXchg(function->getArg(0), before, next, align, llvm::AtomicOrdering::Monotonic,
                                            llvm::AtomicOrdering::Monotonic);
  before->addIncoming(b_.CreateExtractValue(exchanged, 0), again);
  b_.CreateCondBr(b_.CreateExtractValue(exchanged, 1), done, again);
  b_.SetInsertPoint(done);
  b_.CreateRetVoid();
  return function;
}

} // namespace tilenest::cpu
