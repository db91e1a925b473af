// SPDX-License-Identifier: Apache-2.0
// mma on the machine: the reference chain over ascending k, without fma or widening (ADM-SET's reference run).
// Operands that are not already in the kernel's order are packed. A ragged left input goes by runs of active
// points, a ragged right input and everything that is traced product by product.
#include "interp/contract_plan.h"
#include "interp/copy.h"
#include "semantics/numerics/literals.h"
#include "semantics/numerics/scalar_apply.h"
#include "semantics/program/signature.h"
#include "semantics/space/element_count.h"
#include <cmath>
#include <optional>

namespace tilenest {

std::vector<std::int64_t> batch_offsets(const Part &p) {
  std::vector<std::int64_t> out;
  const StridedLoops loops(p.extents, {p.strides});
  loops.for_rows([&](const std::int64_t *o) {
    for (std::int64_t i = 0; i < loops.extents.back(); ++i) out.push_back(o[0] + i * loops.strides[0].back());
  });
  return out;
}

std::vector<std::int64_t> offsets(const PackedOperand &o, std::size_t first, std::size_t n) {
  Part p;
  p.extents.assign(o.extents.begin() + first, o.extents.begin() + first + n);
  p.strides.assign(o.strides.begin() + first, o.strides.begin() + first + n);
  return batch_offsets(p);
}

namespace {

// Even stride over several dims, or -1: the dims, outermost first, are one dim of that stride.
std::int64_t even_stride(const std::vector<std::int64_t> &extents, const std::vector<std::int64_t> &strides) {
  const StridedLoops loops(extents, {strides});
  return loops.extents.size() == 1 ? loops.strides[0][0] : -1;
}

Part part_of(const Compiler &c, ValueId v, const std::vector<DimId> &dims) {
  Part out;
  const Space &s = c.type(v).space;
  const std::vector<std::int64_t> own = row_major(c.info(v).shape);
  for (DimId d : dims) {
    const int at = s.find(d);
    out.extents.push_back(c.info(v).shape[at]);
    out.strides.push_back(own[at]);
  }
  return out;
}

PackedOperand make_operand(const Compiler &c, ValueId v, const Part &outer, const Part &inner, bool inner_contiguous) {
  PackedOperand o;
  o.extents = outer.extents;
  o.extents.insert(o.extents.end(), inner.extents.begin(), inner.extents.end());
  o.strides = outer.strides;
  o.strides.insert(o.strides.end(), inner.strides.begin(), inner.strides.end());
  o.count = c.info(v).count;
  o.packing = StridedLoops(o.extents, {row_major(o.extents), o.strides});
  o.outer_stride = even_stride(outer.extents, outer.strides);
  o.inner_stride = even_stride(inner.extents, inner.strides);
  const bool one_inner = element_count(inner.extents) == 1;
  o.direct = o.outer_stride >= 0 && o.inner_stride >= 0 && (!inner_contiguous || o.inner_stride == 1 || one_inner);
  return o;
}

// One batch of an operand, packed row by row.
void pack(const PackedOperand &o, const std::byte *from, std::byte *to, std::int64_t size) {
  const StridedLoops &loops = o.packing;
  loops.for_rows([&](const std::int64_t *at) {
    copy_row(to + at[0] * size, loops.strides[0].back() * size, from + at[1] * size, loops.strides[1].back() * size,
             loops.extents.back(), static_cast<std::size_t>(size));
  });
}
void unpack(const PackedOperand &o, const std::byte *from, std::byte *to, std::int64_t size) {
  const StridedLoops &loops = o.packing;
  loops.for_rows([&](const std::int64_t *at) {
    copy_row(to + at[1] * size, loops.strides[1].back() * size, from + at[0] * size, loops.strides[0].back() * size,
             loops.extents.back(), static_cast<std::size_t>(size));
  });
}

// The operand's values in the accumulator's type; its layout stays.
BlockRef converted(Machine &m, const PackedOperand &o, const Tile &t, std::size_t bytes) {
  if (!o.convert) return t.data;
  const std::size_t n = static_cast<std::size_t>(o.count) * t.lanes;
  BlockRef out = m.block(n * bytes);
  const RowOperand in{t.data.as<>(), 1};
  o.convert(n, out.as<>(), &in, {});
  return out;
}

struct Element { // of a tile: activity and note
  const std::uint8_t *active;
  const Note *notes;
  explicit Element(const Tile &t, std::int64_t base)
      : active(t.active ? t.active.as<std::uint8_t>() + base : nullptr),
        notes(t.notes ? t.notes.as<Note>() + base : nullptr) {}
};

void step_contract(Machine &m, Frame &f, const Instr &in) {
  const auto &plan = static_cast<const ContractPlan &>(*in.plan);
  const Tile &ta = m.get(f, in.operands[0]), &tb = m.get(f, in.operands[1]);
  Tile out = m.take(f, in.operands[2]);
  const bool chosen = m.options.chooser && freedoms_of(*in.source, plan.type).any();
  const Tile before = m.options.sets || chosen ? out : Tile{}; // also keeps its data from being overwritten
  const std::uint32_t lanes = std::max({ta.lanes, tb.lanes, out.lanes});
  if (!out.data.unique() || out.lanes != lanes) {
    BlockRef copy = m.block(static_cast<std::size_t>(plan.count) * lanes * plan.bytes);
    const std::size_t one = static_cast<std::size_t>(plan.count) * plan.bytes;
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
      std::memcpy(copy.as<>() + lane * one, out.data.as<>() + (out.lanes > 1 ? lane * one : 0), one);
    out.data = std::move(copy);
    out.lanes = lanes;
  }
  if (out.notes && !out.notes.unique())
    out.notes = m.private_copy(out.notes, static_cast<std::size_t>(plan.count) * lanes * sizeof(Note));
  const BlockRef a = converted(m, plan.a, ta, plan.bytes), b = converted(m, plan.b, tb, plan.bytes);
  const auto size = static_cast<std::int64_t>(plan.bytes);
  auto has_gaps = [](const Tile &t, std::int64_t count) {
    return t.active && std::memchr(t.active.as<>(), 0, static_cast<std::size_t>(count) * t.lanes) != nullptr;
  };
  const bool gaps_a = has_gaps(ta, plan.a.count) && !rule_broken(Rule::idx_pred), gaps_b = has_gaps(tb, plan.b.count);
  BlockRef packed_a, packed_b, packed_acc;
  const bool traced = ta.notes || tb.notes || plan.tracks_wrap;
  // Whether this product or its sum with the accumulator's element wraps, and how.
  auto wraps = [&](const std::byte *x, const std::byte *y, const std::byte *sum) -> std::optional<std::string> {
    const std::uint64_t factors[] = {load_bits(plan.type, x), load_bits(plan.type, y)};
    const ScalarOutcome product = apply_scalar(Primitive::mul, plan.type, plan.type, factors);
    const std::uint64_t terms[] = {load_bits(plan.type, sum), product.bits};
    if (!product.wrapped && !apply_scalar(Primitive::add, plan.type, plan.type, terms).wrapped) return std::nullopt;
    if (!m.names_notes()) return std::string();
    return product.wrapped ? wrap_text(Primitive::mul, plan.type, factors, plan.type) + ", a product of `mma`"
                           : wrap_text(Primitive::add, plan.type, terms, plan.type) + ", a sum of `mma`";
  };
  for (std::uint32_t lane = 0; lane < lanes && plan.count > 0; ++lane)
    for (std::int64_t batch = 0; batch < plan.batch; ++batch) {
      const std::int64_t at_a = plan.batch_a[batch] + (ta.lanes > 1 ? lane * plan.a.count : 0);
      const std::int64_t at_b = plan.batch_b[batch] + (tb.lanes > 1 ? lane * plan.b.count : 0);
      const std::int64_t at_acc = plan.batch_acc[batch] + lane * plan.count;
      std::byte *c = out.data.as<>() + at_acc * size;
      if (gaps_b || traced) {
        const auto ai = offsets(plan.a, 0, plan.a_outer), ak = offsets(plan.a, plan.a_outer, plan.a.extents.size() - plan.a_outer);
        const auto bk = offsets(plan.b, 0, plan.b_outer), bj = offsets(plan.b, plan.b_outer, plan.b.extents.size() - plan.b_outer);
        const auto ci = offsets(plan.acc, 0, plan.acc_outer),
                   cj = offsets(plan.acc, plan.acc_outer, plan.acc.extents.size() - plan.acc_outer);
        const Element ea(ta, at_a), eb(tb, at_b);
        for (std::size_t i = 0; i < ai.size(); ++i)
          for (std::size_t j = 0; j < bj.size(); ++j)
            for (std::size_t k = 0; k < ak.size(); ++k) {
              const std::int64_t xa = ai[i] + ak[k], xb = bk[k] + bj[j];
              if (!rule_broken(Rule::idx_pred) && ((ea.active && !ea.active[xa]) || (eb.active && !eb.active[xb]))) continue;
              std::byte *sum = c + (ci[i] + cj[j]) * size;
              const std::byte *x = a.as<>() + (at_a + xa) * size, *y = b.as<>() + (at_b + xb) * size;
              const std::optional<std::string> wrapped = plan.tracks_wrap ? wraps(x, y, sum) : std::nullopt;
              plan.kernel(1, 1, 1, sum, 1, x, 1, 1, y, 1);
              const Note na = ea.notes ? ea.notes[xa] : 0, nb = eb.notes ? eb.notes[xb] : 0;
              Note note = m.notes.is_mark(na) && m.notes.is_mark(nb) ? m.notes.both(na, nb) : na ? na : nb;
              if (note)
                note = m.notes.pass(note, in.op);
              else if (wrapped)
                note =
                    m.make_note(f, in, lane, NoteKind::wrapped, at_acc + ci[i] + cj[j], *wrapped, bit_width(plan.type));
              if (!note) continue;
              if (!out.notes) out.notes = m.zeros(static_cast<std::size_t>(plan.count) * lanes * sizeof(Note));
              Note &mine = out.notes.as<Note>()[at_acc + ci[i] + cj[j]];
              mine = m.notes.is_mark(mine) && m.notes.is_mark(note) ? m.notes.both(mine, note) : mine ? mine : note;
            }
        continue;
      }
      const std::byte *x = a.as<>() + at_a * size, *y = b.as<>() + at_b * size;
      std::int64_t x_row = plan.a.outer_stride, x_k = plan.a.inner_stride, y_k = plan.b.outer_stride,
                   c_row = plan.acc.outer_stride;
      if (!plan.a.direct) {
        if (!packed_a) packed_a = m.block(static_cast<std::size_t>(plan.rows * plan.depth * size));
        pack(plan.a, x, packed_a.as<>(), size);
        x = packed_a.as<>();
        x_row = plan.depth;
        x_k = 1;
      }
      if (!plan.b.direct) {
        if (!packed_b) packed_b = m.block(static_cast<std::size_t>(plan.cols * plan.depth * size));
        pack(plan.b, y, packed_b.as<>(), size);
        y = packed_b.as<>();
        y_k = plan.cols;
      }
      std::byte *target = c;
      if (!plan.acc.direct) {
        if (!packed_acc) packed_acc = m.block(static_cast<std::size_t>(plan.rows * plan.cols * size));
        pack(plan.acc, c, packed_acc.as<>(), size);
        target = packed_acc.as<>();
        c_row = plan.cols;
      }
      if (!gaps_a) {
        plan.kernel(static_cast<std::size_t>(plan.rows), static_cast<std::size_t>(plan.cols),
                    static_cast<std::size_t>(plan.depth), target, c_row, x, x_row, x_k, y, y_k);
      } else { // IDX-PRED: each row's chain goes on over its runs of active points
        const std::uint8_t *active = ta.active.as<std::uint8_t>() + at_a;
        for (std::int64_t i = 0; i < plan.rows; ++i)
          for (std::int64_t k = 0; k < plan.depth; ++k) {
            const std::int64_t first = k;
            while (k < plan.depth && active[plan.a_rows[i] + plan.a_depths[k]]) ++k;
            if (k > first)
              plan.kernel(1, static_cast<std::size_t>(plan.cols), static_cast<std::size_t>(k - first),
                          target + i * c_row * size, c_row, x + (i * x_row + first * x_k) * size, x_row, x_k,
                          y + first * y_k * size, y_k);
          }
      }
      if (!plan.acc.direct) unpack(plan.acc, target, c, size);
    }
  if (m.options.sets) enclose_contract(m, in, plan, ta, tb, before, out);
  if (chosen) choose_contract(m, in, plan, ta, tb, a, b, before, out);
  m.set(f, in, std::move(out));
}

} // namespace

void compile_contract(Compiler &c, const Op &op, Instr &in) {
  auto plan = std::make_unique<ContractPlan>();
  const ValueId a = op.operands[0], b = op.operands[1], acc = op.operands[2];
  const MmaDims dims = mma_dims(c.type(a).space, c.type(b).space, c.type(acc).space);
  const Part rows_a = part_of(c, a, dims.rows), k_a = part_of(c, a, dims.contracted);
  const Part k_b = part_of(c, b, dims.contracted), cols_b = part_of(c, b, dims.cols);
  const Part rows_acc = part_of(c, acc, dims.rows), cols_acc = part_of(c, acc, dims.cols);
  plan->count = c.info(acc).count;
  plan->bytes = c.info(acc).bytes;
  plan->kernel = find_contract_kernel(c.type(acc).elem);
  if (!plan->kernel) return c.unsupported(op, "`mma` on " + std::string(to_string(c.type(acc).elem)));
  in.step = step_contract;
  if (plan->count == 0) { // the other extents may have no product
    plan->batch = 0;
    plan->a.count = c.info(a).count;
    plan->b.count = c.info(b).count;
    plan->type = c.type(acc).elem;
    in.plan = std::move(plan);
    return;
  }
  plan->rows = element_count(rows_acc.extents);
  plan->cols = element_count(cols_acc.extents);
  plan->depth = element_count(k_a.extents);
  plan->a = make_operand(c, a, rows_a, k_a, false);
  plan->b = make_operand(c, b, k_b, cols_b, true);
  plan->acc = make_operand(c, acc, rows_acc, cols_acc, true);
  plan->a_outer = dims.rows.size();
  plan->b_outer = dims.contracted.size();
  plan->acc_outer = dims.rows.size();
  plan->a_rows = batch_offsets(rows_a);
  plan->a_depths = batch_offsets(k_a);
  plan->batch_a = batch_offsets(part_of(c, a, dims.batch));
  plan->batch_b = batch_offsets(part_of(c, b, dims.batch));
  plan->batch_acc = batch_offsets(part_of(c, acc, dims.batch));
  plan->batch = static_cast<std::int64_t>(plan->batch_acc.size());
  const ScalarType type = plan->type = c.type(acc).elem;
  plan->tracks_wrap = c.info(op.results[0]).tracks_wrap && is_integer(type) && !rule_broken(Rule::num_wrap);
  if (c.type(a).elem != type) plan->a.convert = find_row_kernel(Primitive::cast, c.type(a).elem, type);
  if (c.type(b).elem != type) plan->b.convert = find_row_kernel(Primitive::cast, c.type(b).elem, type);
  in.plan = std::move(plan);
}

} // namespace tilenest
