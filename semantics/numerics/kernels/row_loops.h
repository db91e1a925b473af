// SPDX-License-Identifier: Apache-2.0
// The loops that run one op of scalar_ops.h over a row. Contiguous operands go straight; a broadcast or
// strided one is first copied to a block, so that one vectorised loop serves every stride (types of 4 and 8
// bytes also have loops with a broadcast operand held in a register). Compiled once per instruction set.
#pragma once
#include "semantics/numerics/kernels/scalar_ops.h"
#include "semantics/numerics/row_kernels.h"

// Element i of the output depends on element i of the operands only (out may be an operand).
#if defined(__clang__)
#define TILENEST_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define TILENEST_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace tilenest::TILENEST_ISA {
namespace {

constexpr std::size_t block_length = 256;

// One operand as contiguous elements, block by block.
template <class T> class ContiguousOperand {
public:
  TILENEST_INLINE ContiguousOperand(const RowOperand &operand, std::size_t n)
      : data_(static_cast<const T *>(operand.data)), step_(n == 1 ? 1 : operand.step) {
    if (step_ == 0) {
      const T value = *data_;
      const std::size_t count = n < block_length ? n : block_length;
      TILENEST_INDEPENDENT
      for (std::size_t i = 0; i < count; ++i) block_[i] = value;
    }
  }
  TILENEST_INLINE bool straight() const { return step_ == 1; }
  TILENEST_INLINE const T *at(std::size_t first, std::size_t count) {
    if (step_ == 1) return data_ + first;
    if (step_ != 0) {
      const T *from = data_ + static_cast<std::ptrdiff_t>(first) * step_;
      for (std::size_t i = 0; i < count; ++i) block_[i] = from[static_cast<std::ptrdiff_t>(i) * step_];
    }
    return block_;
  }

private:
  const T *data_;
  std::ptrdiff_t step_;
  alignas(64) T block_[block_length];
};

template <class Op> TILENEST_INLINE bool wants_effects(RowEffects effects) {
  return (Op::can_be_undefined && effects.undefined != nullptr) || (Op::can_wrap && effects.wrapped != nullptr);
}

template <class Op> bool unary_rows(std::size_t n, void *out, const RowOperand *operands, RowEffects effects) {
  using A = typename Op::A;
  ContiguousOperand<A> first(operands[0], n);
  const std::size_t length = first.straight() ? n : block_length;
  unsigned any = 0;
  for (std::size_t at = 0; at < n; at += length) {
    const std::size_t count = n - at < length ? n - at : length;
    const A *a = first.at(at, count);
    auto *r = static_cast<typename Op::R *>(out) + at;
    if constexpr (Op::can_be_undefined)
      if (effects.undefined != nullptr) {
        std::uint8_t *mark = effects.undefined + at;
        unsigned found = 0;
        TILENEST_INDEPENDENT
        for (std::size_t i = 0; i < count; ++i) {
          const std::uint8_t m = Op::undefined(a[i]);
          mark[i] |= m;
          found |= m;
        }
        any |= found;
      }
    if constexpr (Op::can_wrap)
      if (effects.wrapped != nullptr) {
        std::uint8_t *mark = effects.wrapped + at;
        unsigned found = 0;
        TILENEST_INDEPENDENT
        for (std::size_t i = 0; i < count; ++i) {
          const std::uint8_t m = Op::wrapped(a[i]);
          mark[i] |= m;
          found |= m;
        }
        any |= found;
      }
    TILENEST_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) r[i] = Op::apply(a[i]);
  }
  return any != 0;
}

template <class Op> bool binary_rows(std::size_t n, void *out, const RowOperand *operands, RowEffects effects) {
  using A = typename Op::A;
  using B = typename Op::B;
  using R = typename Op::R;
  if constexpr (sizeof(A) >= 4 && !Op::can_be_undefined) {
    if (!wants_effects<Op>(effects) && n > 1 && operands[0].step + operands[1].step == 1) {
      const A *a = static_cast<const A *>(operands[0].data);
      const B *b = static_cast<const B *>(operands[1].data);
      R *r = static_cast<R *>(out);
      if (operands[1].step == 0) {
        const B fixed = *b;
        TILENEST_INDEPENDENT
        for (std::size_t i = 0; i < n; ++i) r[i] = Op::apply(a[i], fixed);
        return false;
      }
      if (operands[0].step == 0) {
        const A fixed = *a;
        TILENEST_INDEPENDENT
        for (std::size_t i = 0; i < n; ++i) r[i] = Op::apply(fixed, b[i]);
        return false;
      }
    }
  }
  ContiguousOperand<A> first(operands[0], n);
  ContiguousOperand<B> second(operands[1], n);
  const std::size_t length = first.straight() && second.straight() ? n : block_length;
  unsigned any = 0;
  for (std::size_t at = 0; at < n; at += length) {
    const std::size_t count = n - at < length ? n - at : length;
    const A *a = first.at(at, count);
    const B *b = second.at(at, count);
    R *r = static_cast<R *>(out) + at;
    if constexpr (Op::can_be_undefined)
      if (effects.undefined != nullptr) {
        std::uint8_t *mark = effects.undefined + at;
        unsigned found = 0;
        TILENEST_INDEPENDENT
        for (std::size_t i = 0; i < count; ++i) {
          const std::uint8_t m = Op::undefined(a[i], b[i]);
          mark[i] |= m;
          found |= m;
        }
        any |= found;
      }
    if constexpr (Op::can_wrap)
      if (effects.wrapped != nullptr) {
        std::uint8_t *mark = effects.wrapped + at;
        unsigned found = 0;
        TILENEST_INDEPENDENT
        for (std::size_t i = 0; i < count; ++i) {
          const std::uint8_t m = Op::wrapped(a[i], b[i]);
          mark[i] |= m;
          found |= m;
        }
        any |= found;
      }
    TILENEST_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) r[i] = Op::apply(a[i], b[i]);
  }
  return any != 0;
}

// Ternary ops (select, fma) always have a result and never wrap.
template <class Op> bool ternary_rows(std::size_t n, void *out, const RowOperand *operands, RowEffects) {
  using A = typename Op::A;
  using B = typename Op::B;
  using C = typename Op::C;
  ContiguousOperand<A> first(operands[0], n);
  ContiguousOperand<B> second(operands[1], n);
  ContiguousOperand<C> third(operands[2], n);
  const std::size_t length = first.straight() && second.straight() && third.straight() ? n : block_length;
  for (std::size_t at = 0; at < n; at += length) {
    const std::size_t count = n - at < length ? n - at : length;
    const A *a = first.at(at, count);
    const B *b = second.at(at, count);
    const C *c = third.at(at, count);
    auto *r = static_cast<typename Op::R *>(out) + at;
    TILENEST_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) r[i] = Op::apply(a[i], b[i], c[i]);
  }
  return false;
}

template <class Op> constexpr RowKernel rows() {
  if constexpr (Op::arity == 1) return &unary_rows<Op>;
  else if constexpr (Op::arity == 2) return &binary_rows<Op>;
  else return &ternary_rows<Op>;
}

} // namespace
} // namespace tilenest::TILENEST_ISA
