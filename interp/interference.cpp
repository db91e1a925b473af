// SPDX-License-Identifier: Apache-2.0
// PAR-NI on the machine: every access tells the shadow state which cells it touches, in which strand; what interferes is
// reported with both sites.
#include "interp/earlier_accesses.h"
#include "interp/machine.h"
#include "semantics/diag/codes.h"
#include "semantics/space/element_count.h"
#include <algorithm>

namespace tilenest {

void Machine::place_shadow() {
  shadow.reset();
  argument_cells_.clear();
  if (std::find(code.shadowed.begin(), code.shadowed.end(), 1) == code.shadowed.end()) return;
  shadow = std::make_unique<Shadow>(p);
  std::map<std::uint32_t, std::vector<ObjectId>> groups;
  for (ObjectId id : p.arguments)
    if (code.shadowed[code.storage[id.index]]) groups[code.storage[id.index]].push_back(id);
  for (const auto &[group, members] : groups) {
    std::uintptr_t begin = UINTPTR_MAX, end = 0;
    for (ObjectId id : members) {
      const ObjectStorage &s = arguments[id.index];
      const auto low = reinterpret_cast<std::uintptr_t>(s.base) + static_cast<std::uintptr_t>(s.low);
      begin = std::min(begin, low);
      end = std::max(end, low + s.bytes);
    }
    // Elements of all views lie in whole cells.
    int shift = code.cell_shift[group];
    const int byte_shift = code.halves ? 1 : 0;
    auto whole = [&](std::uintptr_t bytes) { return (bytes << byte_shift & ((std::uintptr_t{1} << shift) - 1)) == 0; };
    for (ObjectId id : members) {
      while (shift > byte_shift && !whole(reinterpret_cast<std::uintptr_t>(arguments[id.index].base) - begin)) --shift;
      for (std::size_t v = 0; v < p.views.size(); ++v)
        if (p.views[ViewId(v)].object == id && !is_packed(p.views[ViewId(v)].elem))
          for (std::int64_t stride : views[v].strides)
            while (shift > byte_shift && !whole(static_cast<std::uintptr_t>(stride))) --shift;
    }
    argument_cells_.push_back(std::make_unique<LazyArray<AccessState>>(CellRange::numbers(end - begin, code.halves, shift)));
    for (ObjectId id : members) {
      ObjectStorage &s = arguments[id.index];
      const auto from_base = static_cast<std::int64_t>(begin - reinterpret_cast<std::uintptr_t>(s.base));
      s.shadow = {argument_cells_.back()->data(), from_base << byte_shift, static_cast<std::uint8_t>(shift), code.halves,
                  CellRange::in_pairs(code.halves, shift)};
    }
  }
}

Strand Machine::strand(const Frame &f, std::uint32_t lane) const {
  for (std::size_t i = f.cursors.size(); i-- > 0;)
    if (f.cursors[i].contributions) return f.cursors[i].contributions + static_cast<Strand>(f.cursors[i].round);
  if (!f.lane_at.empty()) return f.strand - static_cast<Strand>(f.instance) + static_cast<Strand>(f.lane_at[lane]);
  if (f.strand) return f.strand + lane;
  return f.parent ? strand(*f.parent) : 0; // a nest in which nothing is watched
}

// rule: SYNC -- a phase of its own for what stands between two meetings.
void Machine::begin_phase(Activation &a) {
  if (a.phase > 0 && weakened(Weakness::no_sync)) return;
  const Strand parent = strand(*a.parent);
  if (a.phase > 0) order_strands(*a.parent);
  const std::uint32_t phase = rule_broken(Rule::sync) ? 0 : a.phase;
  a.strands = shadow->strands.fork(parent, a.instr->op, a.plan->total, a.id, phase);
}

// The instances of a parallel have met, or ended: what they did to memories of the frame around them is ordered before
// all that is still to be done to these; at the root that is so of everything.
void Machine::order_strands(Frame &around) {
  if (strand(around) != 0) {
    if (strand(around) != around.strand) return; // in a contribution, which is concurrent with others
    for (ObjectStorage &s : around.memories) s.shadow.live_from = shadow->next_state();
    return;
  }
  if (options.earlier) options.earlier->order_all();
  if (shadow->order_all()) return;
  place_shadow(); // the numbers of states are used up: all cells begin anew
  for (const auto &f : frames_)
    for (ObjectStorage &s : f->memories)
      if (s.shadow_owned) std::memset(s.shadow_owned.as<>(), 0, s.shadow_cells() * sizeof(AccessState));
}

void Machine::touch(Frame &f, const Instr &in, std::uint32_t lane, ViewId view, const CellRange &range, std::int64_t cell, std::int64_t count) {
  if (!logs_.empty()) logs_.back().push_back({&in, view, &range, cell, count, {}});
  touch_with(f, in, lane, view, range, cell, count, strand(f, lane));
}

// rule: PAR-NI
void Machine::touch_with(Frame &f, const Instr &in, std::uint32_t lane, ViewId view, const CellRange &range, std::int64_t cell,
                         std::int64_t count, Strand here) {
  if (options.earlier && options.earlier->recalling())
    options.earlier->touched({in.op, code.storage[p.views[view].object.index], cell}, count, here,
                             [&] { return where(f, lane); });
  if (!range.paired) return touch_states(f, in, lane, view, range, range.cells + cell, cell, 1, count, here);
  const std::int64_t end = cell + count;
  for (std::int64_t at = cell; at < end;) {
    AccessState *states = range.cells + (at >> 1);
    std::int64_t whole = 0; // pairs from here on that are touched in full and have one state each
    if (at % 2 == 0)
      while (at + 2 * whole + 1 < end && ((whole > 0 && states[whole] == states[whole - 1]) || !shadow->is_pair(states[whole]))) ++whole;
    if (whole > 0) {
      touch_states(f, in, lane, view, range, states, at, 2, whole, here);
      at += 2 * whole;
      continue;
    }
    auto [low, high] = shadow->halves(*states);
    if (at % 2 == 0) touch_states(f, in, lane, view, range, &low, at++, 1, 1, here);
    if (at % 2 == 1 && at < end) touch_states(f, in, lane, view, range, &high, at++, 1, 1, here);
    const AccessState live_from = std::max(shadow->epoch(), range.live_from); // a number's age is that of what it stands for
    *states = shadow->pair(low, high, *states >= live_from ? *states : 0);
  }
}

// `count` states of `width` cells each, from that of this cell on.
void Machine::touch_states(Frame &f, const Instr &in, std::uint32_t lane, ViewId view, const CellRange &range, AccessState *cells,
                           std::int64_t cell, std::int64_t width, std::int64_t count, Strand here) {
  const Touch mine{in.op, here};
  const AccessState live_from = std::max(shadow->epoch(), range.live_from);
  AccessState alone = 0;
  for (std::int64_t i = 0; i < count;) {
    const AccessState s = cells[i];
    std::int64_t end = i + 1;
    if (s < live_from) {
      while (end < count && cells[end] < live_from) ++end;
      if (!alone) alone = shadow->alone(mine);
      std::fill(cells + i, cells + end, alone);
    } else {
      while (end < count && cells[end] == s) ++end;
      const Shadow::Outcome &next = shadow->after(s, mine);
      if (next.state != s) std::fill(cells + i, cells + end, next.state);
      if (!next.interfering.empty()) {
        const std::vector<Touch> interfering = next.interfering;
        for (const Touch &earlier : interfering) interfere(f, in, lane, view, range, cell + i * width, earlier, (end - i) * width);
      }
    }
    i = end;
  }
}

void Machine::touch_lanes(Frame &f, const Instr &in, std::uint32_t lane, ViewId view, const CellRange &range, std::int64_t cell,
                          std::int64_t lanes) {
  const bool even = f.lane_at.empty() && logs_.empty() && !(options.earlier && options.earlier->recalling());
  const AccessState live_from = std::max(shadow->epoch(), range.live_from);
  if (range.paired) {
    for (std::int64_t i = 0; i < lanes;) {
      AccessState *pairs = range.cells + ((cell + i) >> 1);
      std::int64_t n = 0; // pairs of neighbours from here on
      if (even && (cell + i) % 2 == 0) {
        const AccessState s = shadow->alone({in.op, strand(f, lane + static_cast<std::uint32_t>(i))});
        const std::int64_t together = std::min(lanes - i, shadow->made_together(s)) / 2;
        AccessState p = together > 0 ? shadow->pair(s, s + 1) : 0; // the next one is the number after the next
        const std::int64_t most = together > 0 ? std::min(together, (shadow->pairs_together(p) + 1) / 2) : 0;
        for (; n < most && pairs[n] < live_from; p += 2) pairs[n++] = p;
      }
      if (n == 0) touch(f, in, lane + static_cast<std::uint32_t>(i), view, range, cell + i, 1);
      i += n > 0 ? 2 * n : 1;
    }
    return;
  }
  AccessState *cells = range.cells + cell;
  for (std::int64_t i = 0; i < lanes;) {
    if (!even || cells[i] >= live_from) {
      touch(f, in, lane + static_cast<std::uint32_t>(i), view, range, cell + i, 1);
      ++i;
      continue;
    }
    // The states of neighbours alone are neighbours, as far as they were made together.
    AccessState s = shadow->alone({in.op, strand(f, lane + static_cast<std::uint32_t>(i))});
    const std::int64_t together = std::min<std::int64_t>(lanes - i, shadow->made_together(s));
    std::int64_t n = 0;
    while (n < together && cells[i + n] < live_from) cells[i + n++] = s++;
    i += n;
  }
}

// A lifted event counts for each instance that reaches it (ANC-SHARE): this one has just recalled it.
void Machine::touch_again(Frame &f, Remembered &event) {
  const Strand here = strand(f);
  for (const LoggedTouch &t : event.touched)
    if (!t.range) touch_tile(f, t.instr->op, t.level, false, t.cell, t.count);
  if (!logs_.empty()) logs_.back().insert(logs_.back().end(), event.touched.begin(), event.touched.end());
  if (!shadow || !shadow->live(event.epoch)) return; // all that was before is ordered
  const std::uint64_t fork = shadow->strands.parting(event.first, here);
  if (fork == 0 || std::find(event.seen.begin(), event.seen.end(), fork) != event.seen.end()) return;
  event.seen.push_back(fork);
  for (const LoggedTouch &t : event.touched)
    if (t.range) touch_with(f, *t.instr, 0, t.view, *t.range, t.cell, t.count, here);
}

// "nest(gm=1, gn=0), r(k=3)": from the outside to the inside.
std::string Machine::strand_text(Strand s) const {
  std::string out;
  for (; s != 0; s = shadow->strands.of(s).parent) {
    const Op &op = p.ops[shadow->strands.of(s).op];
    const bool parallel = op.kind == OpKind::parallel;
    const Space &domain = parallel ? p.levels[std::get<ParallelAttr>(op.attr).level].domain : std::get<LoopAttr>(op.attr).domain;
    const std::string &name = parallel ? p.levels[std::get<ParallelAttr>(op.attr).level].name : std::get<LoopAttr>(op.attr).name;
    std::int64_t at[max_rank];
    coordinates(bound.shape(domain), Strands::offset(s), at);
    out = point_text(name, domain, at) + (out.empty() ? "" : ", ") + out;
  }
  return out.empty() ? "the kernel's root" : out;
}

// "C[7, 3]": the element of the view that holds the cell, where strides tell; else its byte.
std::string Machine::cell_text(ViewId view, const CellRange &range, std::int64_t cell) const {
  const View &v = p.views[view];
  const ViewAddress &address = views[view.index];
  const bool packed = is_packed(v.elem);
  std::int64_t offset = (cell << range.shift) + range.first; // in half bytes or bytes
  if (range.halves && !packed) offset >>= 1;
  const std::size_t rank = address.extents.size();
  std::vector<std::int64_t> at(rank, 0);
  if (address.table) {
    const auto &table = *address.table;
    const auto size = static_cast<std::int64_t>(byte_size(v.elem));
    for (std::size_t i = 0; i < table.size(); ++i)
      if (offset >= table[i] && offset < table[i] + (packed ? 1 : size)) return v.name + element_text(address.extents, static_cast<std::int64_t>(i));
  } else {
    std::vector<std::size_t> order(rank);
    for (std::size_t d = 0; d < rank; ++d) order[d] = d;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return std::abs(address.strides[a]) > std::abs(address.strides[b]); });
    std::int64_t left = offset;
    for (std::size_t d : order) { // negative strides count from the other end
      if (address.strides[d] < 0) left -= (address.extents[d] - 1) * address.strides[d];
    }
    for (std::size_t d : order) {
      const std::int64_t step = std::abs(address.strides[d]);
      if (address.extents[d] <= 1 || step == 0) continue;
      const std::int64_t k = std::min(left / step, address.extents[d] - 1);
      left -= k * step;
      at[d] = address.strides[d] < 0 ? address.extents[d] - 1 - k : k;
    }
    if (left >= 0 && left < (packed ? 1 : static_cast<std::int64_t>(byte_size(v.elem)))) {
      std::string s = v.name + (rank ? "[" : "");
      for (std::size_t d = 0; d < rank; ++d) s += (d ? ", " : "") + std::to_string(at[d]);
      return s + (rank ? "]" : "");
    }
  }
  return v.name + ", byte " + std::to_string(offset) + " from its first element";
}

namespace {

const char *doing(const Op &op) {
  switch (op.kind) {
  case OpKind::load:
  case OpKind::gather: return "read";
  case OpKind::atomic: return "atomic";
  case OpKind::scatter: return std::get<IndexedAttr>(op.attr).reducer ? "atomic" : "write";
  default: return "write";
  }
}

// Whether it stands in a loop whose rounds are no strands.
bool in_serial_loop(const TileProgram &p, const Op &op) {
  for (OpId at = p.regions[op.parent].op; at.valid(); at = p.regions[p.ops[at].parent].op)
    if (p.ops[at].kind == OpKind::serial || p.ops[at].kind == OpKind::pipeline) return true;
  return false;
}

} // namespace

void Machine::interfere(Frame &f, const Instr &in, std::uint32_t lane, ViewId view, const CellRange &range, std::int64_t cell,
                        const Touch &earlier, std::int64_t cells) {
  if (rule_broken(Rule::par_ni)) return;
  const std::int64_t width = range.width(byte_size(p.views[view].elem), is_packed(p.views[view].elem));
  const std::size_t before = diagnostics.size();
  const auto elements = static_cast<std::uint64_t>((cells + width - 1) / width);
  OpId a = earlier.op, b = in.op;
  if (b.index < a.index) std::swap(a, b);
  cause(Code::U0301, a, b, [&] {
    const Op &first = p.ops[earlier.op];
    Diagnostic d(Code::U0301, p.site(in.source->site),
                 {{"element", cell_text(view, range, cell)}, {"type", std::string(to_string(p.views[view].elem))}});
    d.label(std::string("(2) ") + doing(*in.source) + " by " + where(f, lane));
    std::string by;
    if (options.earlier && in_serial_loop(p, first))
      by = options.earlier->where({earlier.op, code.storage[p.views[view].object.index], cell}, earlier.strand);
    d.also(p.site(first.site), std::string("(1) ") + doing(first) + " by " +
                                   (by.empty() ? strand_text(earlier.strand) : by) +
                                   (earlier.many ? ", once for all instances that reach it" : ""));
    return d;
  });
  if (options.earlier && options.earlier->all_met()) stop = true;
  if (elements <= 1) return;
  if (diagnostics.size() > before) diagnostics.back().count += elements - 1;
  else if (const auto at = causes.find(Cause{Code::U0301, a, b}); at != causes.end()) diagnostics[at->second].count += elements - 1;
}

void Machine::report_repeated(Frame &f, const Instr &in, std::uint32_t lane, ViewId view, const CellRange &range, std::int64_t cell) {
  if (rule_broken(Rule::par_ni)) return;
  cause(Code::U0304, in.op, in.op, [&] {
    Diagnostic d(Code::U0304, p.site(in.source->site), {{"element", cell_text(view, range, cell)}});
    d.label("by " + where(f, lane));
    d.help = "give each element its own place, or a reducer: `scatter_add` and its kin";
    return d;
  });
}

// --- tiles of ancestors ---

void Machine::read_tiles(Frame &f, const Instr &in) {
  for (const TileUse &use : in.tile_uses) {
    if (in.source->kind == OpKind::take && use.operand == 0) continue; // element by element
    const Tile &t = get(f, in.operands[use.operand]);
    read_tile(f, in, use, t, 0, code.values[in.source->operands[use.operand]].count);
  }
}

// rule: UPD-JOIN -- an element that the instance has not written is read of the shared tile.
void Machine::read_tile(Frame &f, const Instr &in, const TileUse &use, const Tile &t, std::int64_t first, std::int64_t count) {
  for (const TileUse::Level &level : use.levels) {
    auto shared = [&](std::int64_t e) {
      if (t.active && !t.active.as<std::uint8_t>()[e]) return false;
      for (const WrittenSet &w : t.written)
        if (w.depth >= level.depth && w.writer(static_cast<std::size_t>(e))) return false;
      return true;
    };
    for (std::int64_t e = first; e < first + count;) {
      std::int64_t end = e;
      while (end < first + count && shared(end)) ++end;
      if (end > e) {
        if (!logs_.empty()) logs_.back().push_back({&in, {}, nullptr, e, end - e, level});
        touch_tile(f, in.op, level, false, e, end - e);
      }
      e = end + 1;
    }
  }
}

void Machine::touch_tile(Frame &f, OpId op, const TileUse::Level &level, bool write, std::int64_t first, std::int64_t count) {
  Frame *g = &f;
  while (p.levels[g->routine->level].depth > level.depth) g = g->parent;
  Activation &a = *g->activation;
  const std::int64_t elements = element_count(a.plan->carried_shapes[level.carry]);
  const std::int64_t instance = g->instance;
  a.touches[level.carry].touch(op, write, instance, first, count, elements, [&](std::int64_t element, const TileTouches::Other &other) {
    interfere_on_tile(a, instance, level.carry, element, op, write, other);
  });
}

void Machine::interfere_on_tile(const Activation &a, std::int64_t instance, std::size_t carry, std::int64_t element, OpId op,
                                bool write, const TileTouches::Other &other) {
  if (rule_broken(Rule::upd_join) || rule_broken(Rule::par_ni)) return;
  const tilenest::Code which = write && other.write ? Code::U0302 : Code::U0305;
  cause(which, std::min(op, other.op), std::max(op, other.op), [&] {
    Diagnostic d(which, p.site(p.ops[op].site),
                 {{"var", a.plan->carried[carry]}, {"element", element_text(a.plan->carried_shapes[carry], element)}});
    d.label(std::string(write ? "(2) written by " : "(2) read by ") + instance_text(a, instance));
    d.also(p.site(p.ops[other.op].site), std::string(other.write ? "(1) written by " : "(1) read by ") +
                                             (other.instance < 0 ? "another instance" : instance_text(a, other.instance)));
    return d;
  });
}

} // namespace tilenest
