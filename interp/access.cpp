// SPDX-License-Identifier: Apache-2.0
// Loads, stores and atomics through views: windows and index tiles, the bounds policies, definedness. Whole
// in-bounds windows move row by row; everything else goes element by element.
#include "interp/access_plan.h"
#include "interp/copy.h"
#include "interp/machine.h"
#include "interp/window_rows.h"
#include "semantics/diag/codes.h"
#include "semantics/numerics/literals.h"
#include "semantics/numerics/row_kernels.h"
#include "semantics/numerics/scalar_apply.h"

namespace tilenest {

namespace {

// One access by one instruction in one frame.
struct Mover {
  Machine &m;
  Frame &f;
  const Instr &in;
  const AccessPlan &plan;
  const ViewAddress &address;
  ObjectStorage &storage;
  Tile out; // loads
  std::uint32_t lanes = 1;
  bool watched = false;                    // PAR-NI
  std::unordered_set<std::int64_t> stored; // by one lane of a `scatter`: cells

  Mover(Machine &machine, Frame &frame, const Instr &instr)
      : m(machine), f(frame), in(instr), plan(static_cast<const AccessPlan &>(*instr.plan)),
        address(machine.views[plan.view.index]), storage(machine.storage(frame, plan.view)) {
    for (Ref r : in.operands) lanes = std::max(lanes, m.get(f, r).lanes);
    // rule: ANC-ATOM -- once per active instance, uniform operands or not.
    if (plan.atomic) lanes = f.lanes;
    watched = plan.shadowed && m.shadow && storage.shadow.cells;
  }

  const Tile &operand(std::size_t i) const { return m.get(f, in.operands[i]); }

  // --- single elements of the storage ---

  bool is_defined(std::int64_t offset) const {
    return plan.packed ? storage.is_half_defined(offset) : storage.is_defined(offset, plan.bytes);
  }
  void define(std::int64_t offset) {
    plan.packed ? storage.define_half(offset) : storage.define(offset, plan.bytes);
  }
  // rule: NUM-TYPES -- a 4-bit element stands in a tile as one byte that holds its value.
  void read(std::byte *to, std::int64_t offset) const {
    if (!plan.packed) return void(std::memcpy(to, storage.base + offset, plan.bytes));
    const std::uint8_t half = load_half(storage.base, offset);
    *to = static_cast<std::byte>(is_signed(plan.elem) ? (half ^ 8) - 8 : half);
  }
  void write(std::int64_t offset, const std::byte *from) {
    if (!plan.packed) return void(std::memcpy(storage.base + offset, from, plan.bytes));
    store_half(storage.base, offset, static_cast<std::uint8_t>(*from));
  }

  // --- what PAR-NI is told ---

  // The first cell of an element, and how many it has.
  std::int64_t cell_of(std::int64_t offset) const {
    const CellRange &range = storage.shadow;
    if (weakened(Weakness::elements_for_bits))
      return (offset - (range.first >> int{range.halves && !plan.packed})) / static_cast<std::int64_t>(plan.bytes);
    return range.cell(offset, plan.packed);
  }
  std::int64_t cells_each() const {
    return weakened(Weakness::elements_for_bits) ? 1 : storage.shadow.width(plan.bytes, plan.packed);
  }
  void touch(std::uint32_t lane, std::int64_t offset) {
    if (!watched) return;
    const CellRange &range = storage.shadow;
    const std::int64_t cell = cell_of(offset);
    // The elements of one store are concurrent with each other; a window's are distinct.
    if (plan.indexed && plan.writes && !plan.atomic && !stored.insert(cell).second)
      m.report_repeated(f, in, lane, plan.view, range, cell);
    m.touch(f, in, lane, plan.view, range, cell, cells_each());
  }
  // n elements, `step` units apart.
  void touch_row(std::uint32_t lane, std::int64_t offset, std::int64_t step, std::int64_t n) {
    if (!watched) return;
    const CellRange &range = storage.shadow;
    if (step == (plan.packed ? 1 : static_cast<std::int64_t>(plan.bytes)))
      return m.touch(f, in, lane, plan.view, range, cell_of(offset), n * cells_each());
    for (std::int64_t j = 0; j < n; ++j) touch(lane, offset + j * step);
  }
  // One element of each lane, side by side.
  void touch_lanes(std::uint32_t lane, std::int64_t offset, std::int64_t n) {
    if (!watched) return;
    const CellRange &range = storage.shadow;
    if (cells_each() == 1 && !plan.indexed) return m.touch_lanes(f, in, lane, plan.view, range, cell_of(offset), n);
    for (std::int64_t j = 0; j < n; ++j)
      m.touch(f, in, lane + static_cast<std::uint32_t>(j), plan.view, range, cell_of(offset) + j * cells_each(), cells_each());
  }

  // --- coordinates ---

  // Where an access goes: to a coordinate; `nowhere` in bounds; `lost`: a mark made its coordinate, which is
  // reported, so that nothing more is said about it (OUT-CONT).
  enum class Place : std::uint8_t { somewhere, nowhere, lost };

  // What wrapped in the coordinate that was last found nowhere; 0 where it is an u64 of 2^63 or more.
  Note wrap = 0;

  // An integer operand's value at one of its elements. A 64-bit value that wrapped is nowhere in bounds; a
  // narrower one is a violation (NUM-WRAP).
  std::int64_t coordinate(std::size_t i, std::uint32_t lane, std::int64_t element, Place &place) {
    const Tile &t = operand(i);
    const std::int64_t k = element + (t.lanes > 1 ? lane * plan.operand_counts[i] : 0);
    const ScalarType type = plan.operand_types[i];
    const std::uint64_t bits =
        load_bits(type, t.data.as<>() + k * static_cast<std::int64_t>(byte_size(type)));
    if (t.notes) {
      const Note note = t.notes.as<Note>()[k];
      if (m.wrapped_wide(note)) {
        place = std::max(place, Place::nowhere);
        wrap = m.notes.origin(note);
      } else if (note && m.options.checked) {
        m.observe(f, in, lane, note, "a coordinate");
        place = Place::lost;
      }
    }
    if (type == ScalarType::u64 && bits > INT64_MAX) {
      place = std::max(place, Place::nowhere);
      wrap = 0;
    }
    return value_as_i64(type, bits);
  }

  // --- policies, element by element ---

  bool flag(std::size_t i, std::uint32_t lane, const std::int64_t *at) {
    const Tile &t = operand(i);
    std::int64_t k = t.lanes > 1 ? lane * plan.operand_counts[i] : 0;
    for (std::size_t d = 0; d < plan.shape.size(); ++d) k += at[d] * plan.operand_strides[i][d];
    if (t.notes) m.observe_mark(f, in, lane, t.notes.as<Note>()[k], "a predicate");
    return t.data.as<std::uint8_t>()[k] != 0;
  }

  std::string element_name(const std::int64_t *c) const {
    std::string s = "[";
    for (std::size_t i = 0; i < plan.rank; ++i) s += (i ? ", " : "") + std::to_string(c[i]);
    return s + "]";
  }

  void out_of_bounds(tilenest::Code code, std::uint32_t lane, const std::int64_t *c, Place place) {
    m.cause(code, in.op, in.op, [&] {
      const View &view = m.p.views[plan.view];
      Diagnostic d(code, m.p.site(in.source->site),
                   {{"access", plan.writes ? "a write" : "a read"}, {"view", view.name}, {"element", element_name(c)}});
      std::string shape;
      for (std::int64_t e : address.extents) shape += (shape.empty() ? "" : ", ") + std::to_string(e);
      d.note("`" + view.name + "` has extents [" + shape + "]");
      if (place == Place::nowhere) {
        const std::string detail = wrap ? m.notes[wrap].detail : "";
        d.note(wrap ? "a coordinate wrapped, so that it is in no bounds (NUM-WRAP)" + (detail.empty() ? detail : ": " + detail)
                    : "a coordinate, of type u64, is 2^63 or more");
      }
      d.note("by " + m.where(f, lane));
      return d;
    });
  }

  void note_out(std::int64_t at, Note note) {
    if (!note) return;
    if (!out.notes) out.notes = m.zeros(static_cast<std::size_t>(plan.count) * lanes * sizeof(Note));
    out.notes.as<Note>()[at] = note;
  }

  // --- admitted results ---

  // ATOM: what was added to the element comes to a sum before anything else touches it.
  void settle(std::int64_t offset) {
    if (m.updates && !m.updates->empty()) m.updates->settle(storage.base + (plan.packed ? offset >> 1 : offset), plan.packed ? 1 : plan.bytes);
  }
  // Half bytes of the address space.
  std::uint64_t place_of(std::int64_t offset) const {
    const auto base = reinterpret_cast<std::uint64_t>(storage.base);
    return 2 * base + static_cast<std::uint64_t>(plan.packed ? offset : 2 * offset);
  }
  // ADM-SET: what the loaded element `i` may be. Before the first that is no point all are what they are.
  void spread_out(std::int64_t i, const Enclosure &e) {
    if (!out.spread) {
      if (e.is_point()) return;
      out.spread = m.spread_block(static_cast<std::size_t>(plan.count));
      for (std::int64_t k = 0; k < plan.count; ++k) out.spread.as<Enclosure>()[k] = {0, 0, true, false};
      for (std::int64_t k = 0; k < i; ++k)
        out.spread.as<Enclosure>()[k] = Enclosure::of(plan.elem, load_bits(plan.elem, out.data.as<>() + k * static_cast<std::int64_t>(plan.bytes)));
    }
    out.spread.as<Enclosure>()[i] = e;
  }

  // A mark whose cause is reported already.
  Note reported_mark(std::uint32_t lane, std::int64_t element) {
    const Note n = m.make_note(f, in, lane, NoteKind::predicate_false, element);
    m.notes[n].reported = true;
    return n;
  }

  // One active element that the access's predicate, if any, allows: `c` its coordinate in the view, `i` its
  // number in the tile.
  void element(std::uint32_t lane, const std::int64_t *c, Place place, std::int64_t i) {
    bool inside = place == Place::somewhere;
    for (std::size_t a = 0; a < plan.rank && inside; ++a) inside = c[a] >= 0 && c[a] < address.extents[a];
    const std::int64_t slot = lane * plan.count + i;
    // A violation's value is a mark whose cause is reported; a lifted load that is repeated reports it once.
    Note violation = 0;
    if (place == Place::lost) {
      if (!plan.writes) violation = reported_mark(lane, i);
    } else if (!inside && plan.bounds != Bounds::zero && m.options.checked) {
      bool again = false;
      if (!plan.writes) {
        violation = m.make_note(f, in, lane, NoteKind::predicate_false, i);
        again = std::exchange(m.notes[violation].reported, true);
      }
      // rule: BND-PRED
      if (!again && plan.bounds == Bounds::predicate && !rule_broken(Rule::bnd_pred)) out_of_bounds(Code::U0202, lane, c, place);
      // rule: BND-ASSUME
      if (!again && plan.bounds == Bounds::assume && !rule_broken(Rule::bnd_assume)) out_of_bounds(Code::U0201, lane, c, place);
    }
    if (plan.writes) {
      if (inside) write_element(lane, c, i);
      return;
    }
    std::byte *to = out.data.as<>() + slot * static_cast<std::int64_t>(plan.bytes);
    if (inside) {
      const std::int64_t offset = address.offset(c);
      if (storage.residence) storage.residence->touch(offset, plan.bytes);
      touch(lane, offset);
      settle(offset);
      // rule: MEM-INIT
      if (is_defined(offset) || rule_broken(Rule::mem_init)) {
        read(to, offset);
        if (m.options.sets) spread_out(i, m.options.sets->load(place_of(offset), plan.elem, load_bits(plan.elem, to)));
      } else {
        std::memset(to, 0, plan.bytes);
        if (m.options.checked)
          note_out(slot, m.make_note(f, in, lane, NoteKind::undefined_element, i,
                                     "of `" + m.p.views[plan.view].name + element_name(c) + "`"));
      }
      return;
    }
    outside(lane, slot);
    if (plan.fallback < 0 || place == Place::lost) note_out(slot, violation);
  }

  // rule: BND-ZERO -- what a load has where it does not read.
  void outside(std::uint32_t lane, std::int64_t slot) {
    std::byte *to = out.data.as<>() + slot * static_cast<std::int64_t>(plan.bytes);
    if (plan.fallback < 0) {
      std::memset(to, rule_broken(Rule::bnd_zero) ? 0x3f : 0, plan.bytes);
      if (m.options.sets) spread_out(slot, Enclosure::of(plan.elem, 0));
      return;
    }
    const Tile &t = operand(static_cast<std::size_t>(plan.fallback));
    const std::int64_t k = t.lanes > 1 ? lane : 0;
    if (m.options.sets) spread_out(slot, enclosure_of(t, plan.elem, k));
    std::memcpy(to, t.data.as<>() + k * static_cast<std::int64_t>(plan.bytes), plan.bytes);
    if (t.notes) note_out(slot, t.notes.as<Note>()[k]);
  }

  // rule: BND-PRED -- an element that the access's predicate forbids: masked, or the fallback, or a mark.
  void forbidden(std::uint32_t lane, std::int64_t i, const std::int64_t *at) {
    if (plan.writes) return;
    const std::int64_t slot = lane * plan.count + i;
    outside(lane, slot);
    if (plan.fallback < 0 && m.options.checked)
      note_out(slot,
               m.make_note(f, in, lane, NoteKind::predicate_false, i,
                           m.names_notes() ? "of `" + m.p.views[plan.view].name + "` at " + point_text(lane, at) : ""));
  }

  // The coordinate in the view of the tile's point `at`, of which nothing is observed.
  std::string point_text(std::uint32_t lane, const std::int64_t *at) const {
    std::int64_t c[max_rank];
    std::size_t window = 0;
    for (std::size_t a = 0; a < plan.rank; ++a) {
      const std::size_t o = plan.first_coordinate + a;
      const Tile &t = operand(o);
      std::int64_t k = t.lanes > 1 ? lane * plan.operand_counts[o] : 0;
      for (std::size_t d = 0; plan.indexed && d < plan.shape.size(); ++d) k += at[d] * plan.operand_strides[o][d];
      const ScalarType type = plan.operand_types[o];
      c[a] = value_as_i64(type, load_bits(type, t.data.as<>() + k * static_cast<std::int64_t>(byte_size(type))));
      if (!plan.indexed && plan.axis_is_window[a])
        c[a] = static_cast<std::int64_t>(static_cast<std::uint64_t>(c[a]) + static_cast<std::uint64_t>(at[window++]));
    }
    return element_name(c);
  }

  void write_element(std::uint32_t lane, const std::int64_t *c, std::int64_t i) {
    const Tile &value = operand(0);
    const std::int64_t k = i + (value.lanes > 1 ? lane * plan.count : 0), offset = address.offset(c);
    auto target = [&] {
      return (plan.atomic ? "an atomic on `" : "a store to `") + m.p.views[plan.view].name + element_name(c) + "`";
    };
    if (value.notes && m.notes.is_mark(value.notes.as<Note>()[k]))
      m.observe_mark(f, in, lane, value.notes.as<Note>()[k], target());
    const std::byte *from = value.data.as<>() + k * static_cast<std::int64_t>(plan.bytes);
    if (storage.residence) storage.residence->touch(offset, plan.bytes);
    touch(lane, offset);
    if (storage.stores && !rule_broken(Rule::cover)) // rule: COVER
      storage.stores->add(static_cast<std::size_t>((plan.packed ? offset : 2 * offset) - 2 * storage.low), plan.packed ? 1 : 2 * plan.bytes);
    const bool unordered = plan.atomic && is_float(plan.elem) && plan.atomic_by == Primitive::add; // and a sum depends on the order
    if (!unordered) settle(offset);
    const Enclosure set = m.options.sets ? enclosure_of(value, plan.elem, k) : Enclosure{};
    if (!plan.atomic || rule_broken(Rule::atom)) {
      write(offset, from);
      if (m.options.sets) m.options.sets->store(place_of(offset), plan.elem, set);
      return define(offset);
    }
    std::byte *to = storage.base + offset; // no atomic takes a packed type
    // rule: ATOM
    if (!storage.is_defined(offset, plan.bytes)) {
      if (m.options.checked)
        m.observe(f, in, lane,
                  m.make_note(f, in, lane, NoteKind::undefined_element, i,
                              "of `" + m.p.views[plan.view].name + element_name(c) + "`"),
                  target());
      std::memset(to, 0, plan.bytes);
      storage.define(offset, plan.bytes);
    }
    if (m.options.sets) m.options.sets->update(place_of(offset), plan.elem, plan.atomic_by, load_bits(plan.elem, to), set);
    if (unordered && m.updates && m.updates->add(to, plan.elem, load_bits(plan.elem, from))) return;
    alignas(8) std::byte cell[8], operand_value[8];
    std::memcpy(cell, to, plan.bytes);
    if (plan.any_byte) cell[0] = std::byte{cell[0] != std::byte{0}};
    std::memcpy(operand_value, from, plan.bytes);
    const RowOperand operands[2] = {{cell, 1}, {operand_value, 1}};
    alignas(8) std::byte result[8];
    plan.atomic(1, result, operands, {});
    std::memcpy(to, result, plan.bytes);
  }

  // --- whole windows ---

  void fill_outside(std::uint32_t lane) {
    std::byte *to = out.data.as<>() + lane * plan.count * static_cast<std::int64_t>(plan.bytes);
    if (plan.fallback < 0) {
      std::memset(to, rule_broken(Rule::bnd_zero) ? 0x3f : 0, static_cast<std::size_t>(plan.count) * plan.bytes);
      return;
    }
    const Tile &t = operand(static_cast<std::size_t>(plan.fallback));
    copy_row(to, static_cast<std::int64_t>(plan.bytes), t.data.as<>() + (t.lanes > 1 ? lane : 0) * plan.bytes, 0,
             plan.count, plan.bytes);
  }

  // True if the access was done by rows.
  bool by_rows(std::uint32_t lane, const std::int64_t *origin, Place place) {
    if (plan.predicate >= 0 || !plan.active.empty() || address.table || plan.rank == 0 || plan.atomic ||
        plan.indexed || place == Place::lost || m.options.sets || (m.updates && !m.updates->empty()) || storage.residence || (storage.stores && plan.writes))
      return false;
    std::int64_t low[max_rank], high[max_rank];
    const bool whole = rectangle(plan, address, origin, place == Place::somewhere, low, high);
    if (!whole && plan.bounds == Bounds::assume && m.options.checked) return false;
    const std::size_t last = plan.rank - 1;
    const auto size = static_cast<std::int64_t>(plan.bytes);
    const std::int64_t view_step = address.strides[last], tile_step = plan.tile_strides[last] * size;
    if (plan.writes) {
      const Tile &value = operand(0);
      if (value.active || value.notes) return false;
      const std::byte *from = value.data.as<>() + (value.lanes > 1 ? lane * plan.count : 0) * size;
      if (plan.packed) {
        for_rectangle(plan, address, origin, low, high, [&](std::int64_t offset, std::int64_t tile, std::int64_t n) {
          touch_row(lane, offset, view_step, n);
          for (std::int64_t j = 0; j < n; ++j, offset += view_step, tile += tile_step) {
            write(offset, from + tile);
            define(offset);
          }
        });
        return true;
      }
      for_rectangle(plan, address, origin, low, high, [&](std::int64_t offset, std::int64_t tile, std::int64_t n) {
        touch_row(lane, offset, view_step, n);
        copy_row(storage.base + offset, view_step, from + tile * size, tile_step, n, plan.bytes);
        if (!storage.defined) return;
        if (view_step == size)
          storage.define(offset, static_cast<std::size_t>(n) * plan.bytes);
        else
          for (std::int64_t j = 0; j < n; ++j) storage.define(offset + j * view_step, plan.bytes);
      });
      return true;
    }
    if (storage.defined) {
      bool all = true;
      for_rectangle(plan, address, origin, low, high, [&](std::int64_t offset, std::int64_t, std::int64_t n) {
        if (view_step == size && !plan.packed)
          all = all && storage.is_defined(offset, static_cast<std::size_t>(n) * plan.bytes);
        else
          for (std::int64_t j = 0; j < n && all; ++j) all = is_defined(offset + j * view_step);
      });
      if (!all) return false;
    }
    if (plan.fallback >= 0 && operand(static_cast<std::size_t>(plan.fallback)).notes && !whole) return false;
    if (!whole) fill_outside(lane);
    std::byte *to = out.data.as<>() + lane * plan.count * size;
    for_rectangle(plan, address, origin, low, high, [&](std::int64_t offset, std::int64_t tile, std::int64_t n) {
      touch_row(lane, offset, view_step, n);
      for (std::int64_t j = 0; plan.packed && j < n; ++j) read(to + tile + j * tile_step, offset + j * view_step);
      if (plan.packed) return;
      copy_row(to + tile * size, tile_step, storage.base + offset, view_step, n, plan.bytes);
    });
    return true;
  }

  // Single elements for a row of instances: the leaf nest's inner loop. False if something needs a closer look;
  // a load may then have filled part of its result.
  bool by_lanes() {
    if (lanes == 1 || plan.packed || storage.residence || (storage.stores && plan.writes) || plan.rank == 0 || plan.count != 1 || plan.predicate >= 0 || !plan.active.empty() || plan.atomic ||
        address.table || plan.bounds == Bounds::assume)
      return false;
    const std::int64_t *c[max_rank];
    std::int64_t step[max_rank];
    for (std::size_t a = 0; a < plan.rank; ++a) {
      const Tile &t = operand(plan.first_coordinate + a);
      if (t.notes || plan.operand_types[plan.first_coordinate + a] != ScalarType::i64) return false;
      c[a] = t.data.as<std::int64_t>();
      step[a] = t.lanes > 1 ? 1 : 0;
    }
    const std::byte *fallback = nullptr;
    std::size_t fallback_step = 0;
    alignas(8) static const std::byte zero[8] = {};
    if (plan.writes) {
      const Tile &value = operand(0);
      if (value.active || value.notes) return false;
    } else if (plan.fallback >= 0) {
      const Tile &t = operand(static_cast<std::size_t>(plan.fallback));
      if (t.notes) return false;
      fallback = t.data.as<>();
      fallback_step = t.lanes > 1 ? plan.bytes : 0;
    } else {
      fallback = zero;
    }
    auto run = [&](auto unit) {
      constexpr std::size_t size = sizeof(unit);
      const std::byte *value = plan.writes ? operand(0).data.as<>() : nullptr;
      const std::size_t value_step = plan.writes && operand(0).lanes > 1 ? size : 0;
      std::byte *to = plan.writes ? nullptr : out.data.as<>();
      const std::size_t last = plan.rank - 1;
      for (std::uint32_t lane = 0; lane < lanes;) {
        std::int64_t offset = 0;
        bool inside = true;
        for (std::size_t a = 0; a < plan.rank; ++a) {
          const std::int64_t x = c[a][lane * step[a]];
          inside &= static_cast<std::uint64_t>(x) < static_cast<std::uint64_t>(address.extents[a]);
          offset += static_cast<std::int64_t>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(address.strides[a]));
        }
        // A run of neighbours along the last axis moves at once.
        std::uint32_t n = 1;
        if (inside && plan.rank > 0 && step[last] == 1 && address.strides[last] == static_cast<std::int64_t>(size) &&
            (!plan.writes || value_step != 0)) {
          const std::int64_t x = c[last][lane];
          const auto most = static_cast<std::uint32_t>(std::min<std::int64_t>(lanes - lane, address.extents[last] - x));
          while (n < most && c[last][lane + n] == x + n) ++n;
          for (std::size_t a = 0; a < last; ++a) {
            if (step[a] == 0) continue;
            std::uint32_t same = 1;
            while (same < n && c[a][lane + same] == c[a][lane]) ++same;
            n = same;
          }
        }
        if (plan.writes) {
          if (inside) std::memcpy(storage.base + offset, value + lane * value_step, n == 1 ? size : n * size);
          if (inside) storage.define(offset, n * size);
          if (inside) touch_lanes(lane, offset, n);
        } else {
          if (inside && !storage.is_defined(offset, n * size)) return false;
          if (inside) touch_lanes(lane, offset, n);
          std::memcpy(to + lane * size, inside ? storage.base + offset : fallback + lane * fallback_step,
                      n == 1 ? size : n * size);
        }
        lane += n;
      }
      return true;
    };
    switch (plan.bytes) {
    case 1: return run(std::uint8_t{});
    case 2: return run(std::uint16_t{});
    case 4: return run(std::uint32_t{});
    default: return run(std::uint64_t{});
    }
  }

  void run() {
    if (!plan.writes) {
      out.lanes = lanes;
      out.data = m.block(static_cast<std::size_t>(plan.count) * lanes * plan.bytes);
    }
    if (rule_broken(Rule::upd_mem) && plan.writes && f.parent) return;
    if (!by_lanes()) {
      if (!plan.active.empty() || plan.indexed) find_active();
      for (std::uint32_t lane = 0; lane < lanes; ++lane) one_lane(lane);
    }
    if (plan.any_byte && !plan.writes)
      for (std::int64_t i = 0; i < plan.count * lanes; ++i) out.data.as<std::uint8_t>()[i] = out.data.as<std::uint8_t>()[i] != 0;
    if (!plan.writes) m.set(f, in, std::move(out));
  }

  // IDX-PRED: where the loaded tile has values; index tiles pass on their own activity.
  void find_active() {
    std::vector<std::size_t> from(plan.active);
    std::vector<const std::uint8_t *> bytes;
    if (plan.indexed)
      for (std::size_t a = 0; a < plan.rank; ++a)
        if (operand(plan.first_coordinate + a).active) from.push_back(plan.first_coordinate + a);
    if (from.empty() || (plan.writes && !plan.indexed)) return;
    active_ = m.block(static_cast<std::size_t>(plan.count) * lanes);
    std::int64_t at[max_rank];
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      std::fill(at, at + plan.shape.size(), 0);
      for (std::int64_t i = 0; i < plan.count; ++i) {
        bool all = true;
        for (std::size_t o : from) {
          const Tile &t = operand(o);
          std::int64_t k = t.lanes > 1 ? lane * plan.operand_counts[o] : 0;
          for (std::size_t d = 0; d < plan.shape.size(); ++d) k += at[d] * plan.operand_strides[o][d];
          const bool is_index = o >= plan.first_coordinate && o < plan.first_coordinate + plan.rank && plan.indexed;
          if (!is_index && t.notes) m.observe_mark(f, in, lane, t.notes.as<Note>()[k], "a predicate");
          all &= is_index ? t.active.as<std::uint8_t>()[k] != 0 : t.data.as<std::uint8_t>()[k] != 0;
        }
        active_.as<std::uint8_t>()[lane * plan.count + i] = all;
        for (std::size_t d = plan.shape.size(); d-- > 0;) {
          if (++at[d] < plan.shape[d]) break;
          at[d] = 0;
        }
      }
    }
    if (!plan.writes) out.active = active_;
  }

  void one_lane(std::uint32_t lane) {
    if (plan.count == 0) return;
    stored.clear();
    std::int64_t origin[max_rank], c[max_rank], at[max_rank] = {};
    Place place = Place::somewhere;
    bool located = false; // the origins of a window are read where it first takes an element
    auto locate = [&] {
      for (std::size_t a = 0; a < plan.rank; ++a) origin[a] = coordinate(plan.first_coordinate + a, lane, 0, place);
      located = true;
    };
    const std::uint8_t *taken = active_ ? active_.as<std::uint8_t>() + lane * plan.count : nullptr;
    const std::uint8_t *valued = nullptr; // IDX-PRED: a store takes the points where its value is active
    if (plan.writes && operand(0).active && !rule_broken(Rule::idx_pred))
      valued = operand(0).active.as<std::uint8_t>() + (operand(0).lanes > 1 ? lane * plan.count : 0);
    if (!plan.indexed && plan.predicate < 0 && !taken && !valued) {
      locate();
      if (by_rows(lane, origin, place)) return;
    }
    for (std::int64_t i = 0; i < plan.count; ++i) {
      const bool active = (!taken || taken[i]) && (!valued || valued[i]);
      if (!active) {
        if (!plan.writes)
          std::memset(out.data.as<>() + (lane * plan.count + i) * static_cast<std::int64_t>(plan.bytes), 0, plan.bytes);
      } else if (plan.predicate >= 0 && !flag(static_cast<std::size_t>(plan.predicate), lane, at)) {
        forbidden(lane, i, at);
      } else {
        Place here = Place::somewhere;
        if (plan.indexed) {
          for (std::size_t a = 0; a < plan.rank; ++a) {
            const std::size_t o = plan.first_coordinate + a;
            std::int64_t k = 0;
            for (std::size_t d = 0; d < plan.shape.size(); ++d) k += at[d] * plan.operand_strides[o][d];
            c[a] = coordinate(o, lane, k, here);
          }
        } else {
          if (!located) locate();
          here = place;
          std::size_t d = 0;
          for (std::size_t a = 0; a < plan.rank; ++a) {
            c[a] = origin[a];
            // The window's dims stand in the order of the view's axes. Exact: what leaves 64 bits is nowhere.
            if (plan.axis_is_window[a] && __builtin_add_overflow(origin[a], at[d++], &c[a]))
              here = std::max(here, Place::nowhere);
          }
        }
        element(lane, c, here, i);
      }
      for (std::size_t d = plan.shape.size(); d-- > 0;) {
        if (++at[d] < plan.shape[d]) break;
        at[d] = 0;
      }
    }
  }

  BlockRef active_;
};

} // namespace

// rule: UPD-MEM -- views have no private copies: an access goes to the one storage behind the view.
void step_access(Machine &m, Frame &f, const Instr &in) { Mover(m, f, in).run(); }

} // namespace tilenest
