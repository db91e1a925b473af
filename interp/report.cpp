// SPDX-License-Identifier: Apache-2.0
// What the machine says: names of instances and elements, marks observed and walked back to where they were made.
#include "interp/machine.h"
#include "semantics/diag/codes.h"
#include "semantics/library/function.h"
#include "semantics/numerics/scalar_apply.h"
#include "semantics/program/call_arguments.h"
#include <algorithm>

namespace tilenest {

namespace {
bool same_place(const Site &a, const Site &b) {
  return a.line != 0 && a.file == b.file && a.line == b.line && a.column == b.column && a.length == b.length;
}

// The predicates that say where an access, or the tile of a `take`, has elements.
std::vector<ValueId> deciding_predicates(const TileProgram &p, const Op &maker, NoteKind kind) {
  if (kind == NoteKind::inactive_point) return p.values[maker.operands[0]].type.active;
  if (kind != NoteKind::predicate_false) return {};
  const auto *window = std::get_if<AccessAttr>(&maker.attr);
  const auto *indexed = std::get_if<IndexedAttr>(&maker.attr);
  if (window && window->has_predicate) return {maker.operands[window->axes.size()]};
  if (indexed && indexed->has_predicate) return {maker.operands[p.views[indexed->view].space.rank()]};
  return {};
}
} // namespace

std::string wrap_text(Primitive primitive, ScalarType computes_in, std::span<const std::uint64_t> operands,
                      ScalarType result) {
  const ScalarOutcome r = apply_scalar(primitive, computes_in, result, operands);
  const int width = bit_width(result);
  std::string wrapped = std::to_string(static_cast<std::int64_t>(r.bits));
  if (is_signed(result) && width < 64)
    wrapped = std::to_string(static_cast<std::int64_t>(r.bits << (64 - width)) >> (64 - width));
  else if (!is_signed(result))
    wrapped = std::to_string(r.bits);
  return exact_result(primitive, computes_in, operands) + " became " + wrapped + " in " +
         std::string(to_string(result));
}

std::string Machine::element_text(const std::vector<std::int64_t> &shape, std::int64_t linear) {
  if (shape.empty()) return "";
  std::string out;
  for (std::size_t d = shape.size(); d-- > 0;) {
    out = std::to_string(linear % shape[d]) + (out.empty() ? "" : ", ") + out;
    linear /= shape[d];
  }
  return "[" + out + "]";
}

std::string Machine::point_text(const std::string &name, const Space &domain, const std::int64_t *at) const {
  std::string s = name + "(";
  for (std::size_t d = 0; d < domain.rank(); ++d) {
    const Dim &dim = p.dims[domain.factors[d].dim];
    s += (d ? ", " : "") + (dim.position < 0 ? dim.label + "=" : std::string()) + std::to_string(at[d]);
  }
  return s + ")";
}

std::string Machine::where(const Frame &f, std::uint32_t lane) const {
  std::string out;
  auto point = [&](const std::string &name, const Space &domain, const Frame &g, const Body &body, std::uint32_t l) {
    std::vector<std::int64_t> at;
    for (std::size_t d = 0; d < domain.rank(); ++d) {
      const Tile &t = g.slots[body.args[d]];
      at.push_back(t.data ? t.data.as<std::int64_t>()[t.lanes > 1 ? l : 0] : -1);
    }
    out += (out.empty() ? "" : ", ") + point_text(name, domain, at.data());
  };
  std::vector<const Frame *> chain;
  for (const Frame *g = &f; g; g = g->parent) chain.insert(chain.begin(), g);
  for (const Frame *g : chain) {
    const Level &level = p.levels[g->routine->level];
    if (g->parent) point(level.name, level.domain, *g, *g->routine->body, g == &f ? lane : 0);
    for (const Cursor &c : g->cursors) {
      if (!c.owner || !std::holds_alternative<LoopAttr>(c.owner->source->attr)) continue;
      if (c.body != c.owner->bodies[0].get()) continue; // a contract stands at no point
      const auto &loop = std::get<LoopAttr>(c.owner->source->attr);
      point(loop.name, loop.domain, *g, *c.body, 0);
    }
  }
  return out.empty() ? "the kernel's root" : out;
}

std::string Machine::instance_text(const Activation &a, std::int64_t instance) const {
  const Level &level = p.levels[a.plan->routine->level];
  std::vector<std::int64_t> at(a.plan->shape.size());
  coordinates(a.plan->shape, instance, at.data());
  const std::string own = point_text(level.name, level.domain, at.data());
  const bool root = !a.parent->parent && a.parent->cursors.size() <= 1;
  return root ? own : where(*a.parent, 0) + ", " + own;
}

Note Machine::make_note(Frame &f, const Instr &in, std::uint32_t lane, NoteKind kind, std::int64_t element,
                        std::string detail, int width) {
  // ANC-ONCE: an operation whose anchor lies above is one event, though the machine may repeat it.
  Note *shared = nullptr;
  if (const LevelId anchor = in.source->anchor; anchor.valid() && (in.lifted == 0 || in.repeatable)) {
    const int up = p.levels[f.routine->level].depth - p.levels[anchor].depth;
    if (up > 0) {
      Frame *home;
      auto key = lift_key(f, in, static_cast<std::uint16_t>(up), home);
      key.push_back(element);
      shared = &home->lifted_notes[std::move(key)];
      if (*shared) return *shared;
    }
  }
  NoteEntry e;
  e.kind = kind;
  e.op = in.op;
  e.element = element;
  e.width = static_cast<std::uint8_t>(width);
  const bool named = names_notes();
  ++notes_made;
  if (named) {
    e.where = where(f, lane);
    e.detail = std::move(detail);
  }
  pool.charge(sizeof(NoteEntry));
  const Note made = notes.add(std::move(e));
  if (shared) *shared = made;
  return made;
}

// rule: VAL-MARK
void Machine::observe(Frame &f, const Instr &in, std::uint32_t lane, Note note, const std::string &what) {
  if (!options.checked || note == 0) return;
  observe_cause(f, in, lane, note, what);
  for (Note n = note; n != 0; n = notes[n].from)
    if (const Note also = notes[n].also) observe(f, in, lane, also, what);
}

void Machine::observe_cause(Frame &f, const Instr &in, std::uint32_t lane, Note note, const std::string &what) {
  const Note origin = notes.origin(note);
  NoteEntry &made = notes[origin];
  if (made.reported && !rule_broken(Rule::out_cont)) return;
  constexpr tilenest::Code codes[] = {Code::U0101, Code::U0102, Code::U0103, Code::U0104,
                                      Code::U0105, Code::U0106, Code::U0107, Code::U0203};
  made.reported = true;
  const OpId made_at = made.op;
  const tilenest::Code which = codes[static_cast<int>(made.kind)];
  if (notes.is_wrap(note) && rule_broken(Rule::num_wrap)) return;
  cause(which, made_at, in.op, [&] {
    const Op &maker = p.ops[made_at];
    const auto &results = maker.results;
    const bool by_index = notes[origin].kind == NoteKind::out_of_tile;
    const library::Function *function = maker.call.valid() ? library::find(p.calls[maker.call].function) : nullptr;
    const std::string source = function && function->no_result ? "an element that `" + std::string(function->name) + "` has no value for: " + function->no_result
                                                               : "an element taken from outside its tile";
    Diagnostic d(which, p.site(p.ops[made_at].site), {{"what", what}, {"detail", notes[origin].detail}, {"element", source}});
    if (maker.call.valid()) d.from_arguments(from_arguments(p, maker.call, maker, by_index ? 1 : 0));
    std::string element;
    if (!results.empty()) element = element_text(code.values[results[0]].shape, notes[origin].element);
    d.label(std::string("(1) made here") + (notes[origin].where.empty() ? "" : " by " + notes[origin].where));
    if (!element.empty()) d.note("element " + element + " of the value");
    if (!notes.is_wrap(note) && !notes[origin].detail.empty()) d.note(notes[origin].detail);
    const std::vector<ValueId> predicates = deciding_predicates(p, maker, notes[origin].kind);
    for (const ValueId v : predicates) {
      const OpId made_by = p.values[v].op;
      if (!made_by.valid() || same_place(p.site(p.ops[made_by].site), d.sites[0].site)) continue;
      d.also(p.site(p.ops[made_by].site), predicates.size() == 1
                                              ? "the predicate, false there"
                                              : "one of the predicates, which are not all true there");
    }
    const Op &user = *in.source;
    if (user.call.valid() && user.call != maker.call) {
      // A mark among indices, or in a predicate, is used there and not passed on.
      const bool aside = user.kind == OpKind::take || user.kind == OpKind::restrict;
      if (const std::string from = from_arguments(p, user.call, user, aside ? 1 : 0); !from.empty())
        d.note("used in the expansion of `" + p.calls[user.call].function + "`, " + from);
    }
    // The chain in between, nearest to the origin first, at most a handful of steps.
    std::vector<OpId> chain;
    for (Note n = note; notes[n].from; n = notes[n].from) chain.push_back(notes[n].op);
    constexpr std::size_t longest = 6;
    for (std::size_t i = chain.size(); i-- > 0;) {
      if (chain.size() > longest && i < chain.size() - 3 && i > 2) continue;
      const Site &step = p.site(p.ops[chain[i]].site);
      const auto shown = [&](const LabelledSite &s) { return same_place(s.site, step); };
      if (std::none_of(d.sites.begin(), d.sites.end(), shown) && !same_place(p.site(in.source->site), step)) d.also(step, "passed through here");
    }
    if (in.op != made_at) d.also(p.site(in.source->site), "(2) used here by " + where(f, lane));
    return d;
  });
}

void Machine::observe_tile(Frame &f, const Instr &in, const Tile &t, std::int64_t count, const std::string &what) {
  for (std::uint32_t lane = 0; lane < t.lanes; ++lane)
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t at = lane * count + i;
      if (t.active && !t.active.as<std::uint8_t>()[at]) continue;
      const Note n = t.notes.as<Note>()[at];
      if (notes.is_mark(n)) observe(f, in, lane, n, what);
    }
}

} // namespace tilenest
