// SPDX-License-Identifier: Apache-2.0
// Index maps: they move elements and compute nothing. Copies with one stride list serve broadcast and
// transpose; reshape and relabel share storage.
#include "interp/copy.h"
#include "interp/machine.h"
#include "semantics/diag/codes.h"
#include "semantics/numerics/literals.h"
#include "semantics/numerics/scalar_apply.h"

namespace tilenest {

namespace {

void copy_strided(const StridedLoops &loops, std::byte *to, const std::byte *from, std::size_t bytes) {
  const std::int64_t n = loops.extents.back();
  loops.for_rows([&](const std::int64_t *o) {
    const auto size = static_cast<std::int64_t>(bytes);
    copy_row(to + o[0] * size, loops.strides[0].back() * size, from + o[1] * size, loops.strides[1].back() * size, n,
             bytes);
  });
}

struct CopyPlan : Plan {
  StridedLoops loops; // [result, operand]
  std::int64_t count, from_count;
  std::size_t bytes;
};

// One of the tile's blocks through the copy.
BlockRef copied(Machine &m, const CopyPlan &plan, const BlockRef &from, std::uint32_t lanes, std::size_t bytes) {
  if (!from) return {};
  BlockRef to = m.block(static_cast<std::size_t>(plan.count) * lanes * bytes);
  for (std::uint32_t lane = 0; lane < lanes; ++lane)
    copy_strided(plan.loops, to.as<>() + lane * plan.count * static_cast<std::int64_t>(bytes),
                 from.as<>() + lane * plan.from_count * static_cast<std::int64_t>(bytes), bytes);
  return to;
}

void step_copy(Machine &m, Frame &f, const Instr &in) {
  const auto &plan = static_cast<const CopyPlan &>(*in.plan);
  const Tile &x = m.get(f, in.operands[0]);
  Tile out;
  out.lanes = x.lanes;
  out.data = copied(m, plan, x.data, x.lanes, plan.bytes);
  out.active = copied(m, plan, x.active, x.lanes, 1);
  out.notes = copied(m, plan, x.notes, x.lanes, sizeof(Note));
  out.spread = copied(m, plan, x.spread, x.lanes, sizeof(Enclosure));
  m.set(f, in, std::move(out));
}

void step_share_elements(Machine &m, Frame &f, const Instr &in) { m.set(f, in, m.take(f, in.operands[0])); }

// --- take ---

struct TakePlan : Plan {
  std::vector<std::int64_t> source_shape, source_strides, shape;
  std::vector<std::vector<std::int64_t>> index_strides;
  std::vector<ScalarType> index_types;
  std::vector<std::int64_t> index_counts;
  std::int64_t count, source_count;
  std::size_t bytes;
};

std::string extents_text(const std::vector<std::int64_t> &extents) {
  std::string s = "[";
  for (std::size_t i = 0; i < extents.size(); ++i) s += (i ? ", " : "") + std::to_string(extents[i]);
  return s + "]";
}

void step_take(Machine &m, Frame &f, const Instr &in) {
  const auto &plan = static_cast<const TakePlan &>(*in.plan);
  const Tile &x = m.get(f, in.operands[0]);
  const std::size_t rank = plan.source_shape.size();
  std::uint32_t lanes = x.lanes;
  bool ragged = false;
  for (std::size_t i = 0; i < rank; ++i) {
    const Tile &index = m.get(f, in.operands[i + 1]);
    lanes = std::max(lanes, index.lanes);
    ragged |= static_cast<bool>(index.active);
  }
  Tile out;
  out.lanes = lanes;
  const std::size_t total = static_cast<std::size_t>(plan.count) * lanes;
  out.data = m.block(total * plan.bytes);
  if (ragged) {
    out.active = m.block(total);
    std::memset(out.active.as<>(), 1, total);
  }
  if (x.spread) out.spread = m.spread_block(total);
  auto note_at = [&](std::size_t at, Note n) {
    if (!n) return;
    if (!out.notes) out.notes = m.zeros(total * sizeof(Note));
    out.notes.as<Note>()[at] = n;
  };
  std::vector<std::uint64_t> taken(rank); // the index, as bits
  const auto taken_text = [&] {
    std::string s;
    for (std::size_t axis = 0; axis < rank; ++axis)
      s += (axis ? ", " : "[") + scalar_text(plan.index_types[axis], taken[axis]);
    return s + "]";
  };
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    std::vector<std::int64_t> at(plan.shape.size(), 0);
    for (std::int64_t i = 0; i < plan.count; ++i) {
      Note wrap = 0; // an index that is nowhere since it wrapped
      const std::size_t target = static_cast<std::size_t>(lane * plan.count + i);
      std::int64_t source = 0;
      bool inside = true, lost = false; // lost: its index was a mark, which is reported
      for (std::size_t axis = 0; axis < rank; ++axis) {
        const Tile &index = m.get(f, in.operands[axis + 1]);
        std::int64_t k = index.lanes > 1 ? lane * plan.index_counts[axis] : 0;
        for (std::size_t d = 0; d < at.size(); ++d) k += at[d] * plan.index_strides[axis][d];
        if (index.active && !index.active.as<std::uint8_t>()[k]) {
          out.active.as<std::uint8_t>()[target] = 0;
          inside = false;
          continue;
        }
        const Note note = index.notes ? index.notes.as<Note>()[k] : 0;
        if (m.wrapped_wide(note)) {
          inside = false;
          wrap = m.notes.origin(note);
        } else if (note && m.options.checked) {
          m.observe(f, in, lane, note, "an index of `take`");
          lost = true;
        }
        const std::size_t width = byte_size(plan.index_types[axis]);
        const std::uint64_t bits =
            load_bits(plan.index_types[axis], index.data.as<>() + k * static_cast<std::int64_t>(width));
        taken[axis] = bits;
        const std::int64_t c = value_as_i64(plan.index_types[axis], bits);
        const bool too_large = plan.index_types[axis] == ScalarType::u64 && c < 0;
        if (c < 0 || c >= plan.source_shape[axis] || too_large)
          inside = false;
        else
          source += c * plan.source_strides[axis];
      }
      std::byte *to = out.data.as<>() + target * plan.bytes;
      const bool active = !out.active || out.active.as<std::uint8_t>()[target];
      if (!inside || lost) {
        std::memset(to, 0, plan.bytes);
        if (out.spread) out.spread.as<Enclosure>()[target] = Enclosure{0, 0, true, false};
        if (active && m.options.checked) {
          std::string why;
          if (!lost && m.names_notes()) {
            why = "the index is " + taken_text() + ", the tile has extents " + extents_text(plan.source_shape);
            if (wrap) why += "; the index wrapped" + (m.notes[wrap].detail.empty() ? "" : ": " + m.notes[wrap].detail);
          }
          const Note note = m.make_note(f, in, lane, NoteKind::out_of_tile, i, std::move(why));
          if (lost) m.notes[note].reported = true;
          note_at(target, note);
        }
      } else {
        source += x.lanes > 1 ? lane * plan.source_count : 0;
        std::memcpy(to, x.data.as<>() + source * static_cast<std::int64_t>(plan.bytes), plan.bytes);
        if (out.spread) out.spread.as<Enclosure>()[target] = x.spread.as<Enclosure>()[source];
        for (const TileUse &use : in.tile_uses)
          if (use.operand == 0) m.read_tile(f, in, use, x, source, 1);
        if (x.active && !x.active.as<std::uint8_t>()[source]) {
          if (m.options.checked)
            note_at(target, m.make_note(f, in, lane, NoteKind::inactive_point, i,
                                        m.names_notes() ? "the point is " + taken_text() : ""));
        } else if (x.notes && x.notes.as<Note>()[source]) {
          note_at(target, m.notes.pass(x.notes.as<Note>()[source], in.op));
        }
      }
      for (std::size_t d = at.size(); d-- > 0;) {
        if (++at[d] < plan.shape[d]) break;
        at[d] = 0;
      }
    }
  }
  m.set(f, in, std::move(out));
}

// --- insert ---

struct InsertPlan : Plan {
  std::vector<std::int64_t> shape, strides, piece_window; // per axis of the tile; piece extent or 1
  std::vector<std::int64_t> piece_strides;                // per axis of the tile, 0 where the piece lacks it
  std::vector<ScalarType> origin_types;
  std::int64_t count, piece_count;
  std::size_t bytes;
  int written_depth = -1; // UPD-JOIN: record what this insert covers, for the instance at this depth
};

// rule: UPD-JOIN -- insert writes the window and passes the rest.
void step_insert(Machine &m, Frame &f, const Instr &in) {
  const auto &plan = static_cast<const InsertPlan &>(*in.plan);
  Tile out = m.take(f, in.operands[0]);
  const Tile &piece = m.get(f, in.operands[1]);
  const std::size_t rank = plan.shape.size();
  std::uint32_t lanes = std::max(out.lanes, piece.lanes);
  for (std::size_t a = 0; a < rank; ++a) lanes = std::max(lanes, m.get(f, in.operands[a + 2]).lanes);
  const std::size_t total = static_cast<std::size_t>(plan.count) * lanes;
  auto own = [&](BlockRef &b, std::size_t bytes) { // storage that this result alone holds
    if (b.unique() && out.lanes == lanes) return;
    BlockRef copy = m.block(total * bytes);
    const std::size_t one = static_cast<std::size_t>(plan.count) * bytes;
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
      std::memcpy(copy.as<>() + lane * one, b.as<>() + (out.lanes > 1 ? lane * one : 0), one);
    b = std::move(copy);
  };
  own(out.data, plan.bytes);
  if (out.notes) own(out.notes, sizeof(Note));
  if (piece.notes && !out.notes) out.notes = m.zeros(total * sizeof(Note));
  if (out.active && out.lanes != lanes) own(out.active, 1);
  const ScalarType type = m.p.values[in.source->results[0]].type.elem;
  if (out.spread) {
    own(out.spread, sizeof(Enclosure));
  } else if (piece.spread) {
    out.spread = m.spread_block(total);
    for (std::size_t e = 0; e < total; ++e)
      out.spread.as<Enclosure>()[e] = Enclosure::of(type, load_bits(type, out.data.as<>() + e * plan.bytes));
  }
  out.lanes = lanes;
  std::uint32_t *written = nullptr;
  if (plan.written_depth >= 0) {
    WrittenSet *set = nullptr;
    for (WrittenSet &w : out.written)
      if (w.depth == plan.written_depth) set = &w;
    if (!set) set = &out.written.emplace_back(WrittenSet{plan.written_depth, 0, {}});
    m.make_elements(*set, static_cast<std::size_t>(plan.count));
    written = set->elements.as<std::uint32_t>();
  }
  std::vector<std::int64_t> origin(rank), at(rank, 0);
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    bool nowhere = false, lost = false; // outside the tile whatever its value; a mark that is reported
    for (std::size_t a = 0; a < rank; ++a) {
      const Tile &o = m.get(f, in.operands[a + 2]);
      const std::int64_t k = o.lanes > 1 ? lane : 0;
      const std::uint64_t bits = load_bits(
          plan.origin_types[a], o.data.as<>() + k * static_cast<std::int64_t>(byte_size(plan.origin_types[a])));
      origin[a] = value_as_i64(plan.origin_types[a], bits);
      nowhere |= plan.origin_types[a] == ScalarType::u64 && bits > INT64_MAX;
      const Note note = o.notes ? o.notes.as<Note>()[k] : 0;
      if (m.wrapped_wide(note)) {
        nowhere = true;
      } else if (note && m.options.checked) {
        m.observe(f, in, lane, note, "an origin");
        lost = true;
      }
    }
    const std::int64_t base = lane * plan.count, piece_base = piece.lanes > 1 ? lane * plan.piece_count : 0;
    std::fill(at.begin(), at.end(), 0);
    bool outside = false;
    for (std::int64_t i = 0; i < plan.piece_count; ++i) {
      std::int64_t to = base, from = piece_base;
      bool inside = !nowhere && !lost;
      for (std::size_t a = 0; a < rank; ++a) {
        std::int64_t c;
        if (__builtin_add_overflow(origin[a], at[a], &c) || c < 0 || c >= plan.shape[a])
          inside = false;
        else
          to += c * plan.strides[a];
        from += at[a] * plan.piece_strides[a];
      }
      const bool active = !piece.active || piece.active.as<std::uint8_t>()[from];
      if (active && !inside) outside = true;
      if (active && inside) {
        std::memcpy(out.data.as<>() + to * static_cast<std::int64_t>(plan.bytes),
                    piece.data.as<>() + from * static_cast<std::int64_t>(plan.bytes), plan.bytes);
        if (out.spread) out.spread.as<Enclosure>()[to] = enclosure_of(piece, type, from);
        if (out.notes) out.notes.as<Note>()[to] = piece.notes ? piece.notes.as<Note>()[from] : 0;
        if (written) written[to - base] = in.op.index + 1;
      }
      for (std::size_t d = rank; d-- > 0;) {
        if (++at[d] < plan.piece_window[d]) break;
        at[d] = 0;
      }
    }
    if (!outside || lost || !m.options.checked || rule_broken(Rule::upd_join)) continue;
    // A lifted insert that the machine repeats is one event: one note, whose report is made once.
    const Note once = m.make_note(f, in, lane, NoteKind::out_of_tile, -1);
    if (!std::exchange(m.notes[once].reported, true))
      m.cause(Code::U0303, in.op, in.op, [&] {
        std::string origin_text;
        for (std::int64_t o : origin) origin_text += (origin_text.empty() ? "(" : ", ") + std::to_string(o);
        Diagnostic d(Code::U0303, m.p.site(in.source->site),
                     {{"origin", origin_text + ")"}, {"space", m.p.space_text(m.p.values[in.source->operands[0]].type.space)}});
        d.note("the window has extents " + extents_text(plan.piece_window) + ", the tile " + extents_text(plan.shape));
        d.note("by " + m.where(f, lane));
        return d;
      });
  }
  m.set(f, in, std::move(out));
}

// --- restrict ---

struct RestrictPlan : Plan {
  StridedLoops loops; // [result, predicate]
  std::int64_t count, predicate_count;
};

// rule: IDX-PRED
void step_restrict(Machine &m, Frame &f, const Instr &in) {
  const auto &plan = static_cast<const RestrictPlan &>(*in.plan);
  Tile out = m.take(f, in.operands[0]);
  const Tile &p = m.get(f, in.operands[1]);
  if (p.notes) m.observe_tile(f, in, p, plan.predicate_count, "a predicate");
  const std::uint32_t lanes = std::max(out.lanes, p.lanes);
  if (lanes != out.lanes) { // one value, many predicates
    auto repeat = [&](BlockRef &b, std::size_t bytes) {
      if (!b) return;
      const std::size_t one = static_cast<std::size_t>(plan.count) * bytes;
      BlockRef many = m.block(one * lanes);
      for (std::uint32_t lane = 0; lane < lanes; ++lane) std::memcpy(many.as<>() + lane * one, b.as<>(), one);
      b = std::move(many);
    };
    repeat(out.data, m.code.values[in.source->results[0]].bytes);
    repeat(out.notes, sizeof(Note));
  }
  // Active where the value is, where the predicate is, and where the predicate is true.
  const std::size_t count = static_cast<std::size_t>(plan.count);
  BlockRef active = m.block(count * lanes), decided = p.active ? m.block(count) : BlockRef{};
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    std::byte *to = active.as<>() + lane * plan.count;
    copy_strided(plan.loops, to, p.data.as<>() + (p.lanes > 1 ? lane * plan.predicate_count : 0), 1);
    if (decided)
      copy_strided(plan.loops, decided.as<>(), p.active.as<>() + (p.lanes > 1 ? lane * plan.predicate_count : 0), 1);
    const std::byte *before = out.active.as<>() ? out.active.as<>() + (out.lanes > 1 ? lane * plan.count : 0) : nullptr;
    for (std::int64_t i = 0; i < plan.count; ++i) {
      if (before) to[i] &= before[i];
      if (decided) to[i] &= decided.as<>()[i];
    }
  }
  // A predicate that holds everywhere leaves an ordinary tile.
  const bool gaps = std::memchr(active.as<>(), 0, static_cast<std::size_t>(plan.count) * lanes) != nullptr;
  if (!rule_broken(Rule::idx_pred)) out.active = gaps ? std::move(active) : BlockRef();
  out.lanes = lanes;
  m.set(f, in, std::move(out));
}

} // namespace

void compile_index_map(Compiler &c, const Op &op, Instr &in) {
  const ValueInfo &result = c.info(op.results[0]), &x = c.info(op.operands[0]);
  switch (op.kind) {
  case OpKind::broadcast:
  case OpKind::transpose: {
    if (x.shape == result.shape && op.kind == OpKind::broadcast && c.type(op.operands[0]).space == c.type(op.results[0]).space) {
      in.step = step_share_elements;
      return;
    }
    auto plan = std::make_unique<CopyPlan>();
    plan->loops = StridedLoops(result.shape, {row_major(result.shape),
                                              c.strides_over(op.operands[0], c.type(op.results[0]).space)});
    plan->count = result.count;
    plan->from_count = x.count;
    plan->bytes = result.bytes;
    in.plan = std::move(plan);
    in.step = step_copy;
    return;
  }
  case OpKind::reshape:
  case OpKind::relabel: in.step = step_share_elements; return;
  case OpKind::take: {
    auto plan = std::make_unique<TakePlan>();
    plan->source_shape = x.shape;
    plan->source_strides = row_major(x.shape);
    plan->shape = result.shape;
    plan->count = result.count;
    plan->source_count = x.count;
    plan->bytes = result.bytes;
    for (std::size_t i = 1; i < op.operands.size(); ++i) {
      plan->index_strides.push_back(c.strides_over(op.operands[i], c.type(op.results[0]).space));
      plan->index_types.push_back(c.type(op.operands[i]).elem);
      plan->index_counts.push_back(c.info(op.operands[i]).count);
    }
    in.plan = std::move(plan);
    in.step = step_take;
    return;
  }
  case OpKind::insert: {
    auto plan = std::make_unique<InsertPlan>();
    plan->shape = x.shape;
    plan->strides = row_major(x.shape);
    const TileType &piece = c.type(op.operands[1]);
    const auto own = row_major(c.info(op.operands[1]).shape);
    for (const Factor &f : c.type(op.operands[0]).space.factors) {
      const int at = piece.space.find(f.dim);
      plan->piece_window.push_back(at < 0 ? 1 : c.info(op.operands[1]).shape[at]);
      plan->piece_strides.push_back(at < 0 ? 0 : own[at]);
    }
    for (std::size_t i = 2; i < op.operands.size(); ++i) plan->origin_types.push_back(c.type(op.operands[i]).elem);
    plan->count = x.count;
    plan->piece_count = c.info(op.operands[1]).count;
    plan->bytes = x.bytes;
    plan->written_depth = c.window_depth(op);
    in.plan = std::move(plan);
    in.step = step_insert;
    return;
  }
  case OpKind::restrict: {
    auto plan = std::make_unique<RestrictPlan>();
    plan->loops = StridedLoops(result.shape, {row_major(result.shape),
                                              c.strides_over(op.operands[1], c.type(op.results[0]).space)});
    plan->count = result.count;
    plan->predicate_count = c.info(op.operands[1]).count;
    in.plan = std::move(plan);
    in.step = step_restrict;
    return;
  }
  default: return;
  }
}

} // namespace tilenest
