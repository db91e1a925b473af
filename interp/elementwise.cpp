// SPDX-License-Identifier: Apache-2.0
// Elementwise operations: the rule is run once over a recording algebra and gives a short list of row kernels;
// a step runs them row by row over the broadcast operands. Marks and wrapped integers are traced element by
// element only where one is present.
#include "interp/machine.h"
#include "semantics/numerics/literals.h"
#include "semantics/numerics/row_kernels.h"
#include "semantics/numerics/scalar_apply.h"
#include "semantics/rules/elementwise.h"

namespace tilenest {

namespace {

// One primitive applied to operands or earlier results: indices below the operand count are operands.
struct RowStep {
  Primitive primitive;
  ScalarType computes_in, result;
  RowKernel kernel;
  std::vector<int> inputs;
  bool may_be_undefined, may_wrap;
};

struct RecordingAlgebra {
  using Value = int;
  const std::vector<ScalarType> &operand_types;
  ScalarType result_type;
  std::vector<RowStep> steps;
  std::vector<ScalarType> types;
  bool missing = false;

  Value record(Primitive primitive, ScalarType result, std::vector<int> inputs) {
    const ScalarType t = types[inputs.back()];
    const RowKernel kernel = find_row_kernel(primitive, t, result);
    missing |= kernel == nullptr;
    steps.push_back({primitive, t, result, kernel, std::move(inputs), may_be_undefined(primitive, t, result),
                     may_wrap(primitive, t, result)});
    types.push_back(result);
    return static_cast<int>(types.size()) - 1;
  }
  template <class... X> Value apply(Primitive primitive, X... x) {
    std::vector<int> inputs{x...};
    const auto result = tilenest::result_type(primitive, types[inputs.back()]);
    return record(primitive, result ? *result : result_type, std::move(inputs));
  }
  Value convert(Primitive primitive, Value x) { return record(primitive, result_type, {x}); }
};

struct ElementwisePlan : Plan {
  std::vector<RowStep> steps;
  std::vector<std::size_t> operand_bytes;
  std::vector<std::int64_t> operand_counts;
  std::vector<std::vector<std::int64_t>> strides; // over the result's dims, per operand
  StridedLoops loops;
  std::vector<StridedLoops> onto; // [result, operand], per operand
  std::vector<std::int64_t> shape;
  std::int64_t count = 1;
  std::size_t bytes = 0;
  bool tracks_wrap = false;
  bool flat = false;         // every operand is the result's shape or one element
  bool may_be_undefined = false;
};

constexpr std::int64_t chunk = 1024;

// Runs the steps over `n` elements; temporaries of longer rules live in `temps`.
bool run_steps(const ElementwisePlan &plan, std::size_t n, std::byte *out, RowOperand *values,
               RowEffects effects, std::vector<std::vector<std::byte>> &temps) {
  bool noted = false;
  const std::size_t operands = plan.operand_bytes.size();
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    const RowStep &step = plan.steps[s];
    RowOperand in[3];
    for (std::size_t i = 0; i < step.inputs.size(); ++i) in[i] = values[step.inputs[i]];
    const bool final = s + 1 == plan.steps.size();
    std::byte *target = final ? out : temps[s].data();
    noted |= step.kernel(n, target, in, effects);
    values[operands + s] = {target, 1};
  }
  return noted;
}

NoteKind undefined_kind(const RowStep &step) {
  switch (step.primitive) {
  case Primitive::shl:
  case Primitive::shr: return NoteKind::shift_count;
  case Primitive::cast: return NoteKind::does_not_fit;
  default: return NoteKind::division_by_zero;
  }
}

// "the value is 300.0, i8 holds -128 to 127": why the step has no result, where its operation does not say it.
std::string undefined_text(const RowStep &step, std::span<const std::uint64_t> x) {
  const int width = bit_width(step.result);
  const std::string type(to_string(step.result));
  switch (undefined_kind(step)) {
  case NoteKind::shift_count:
    return "the count is " + scalar_text(step.computes_in, x[1]) + ", " + type + " has " + std::to_string(width) +
           " bits";
  case NoteKind::does_not_fit: {
    const std::uint64_t most = ~std::uint64_t{0} >> (64 - width + (is_signed(step.result) ? 1 : 0));
    const std::string least = is_signed(step.result) ? std::to_string(-static_cast<std::int64_t>(most) - 1) : "0";
    return "the value is " + scalar_text(step.computes_in, x[0]) + ", " + type + " holds " + least + " to " +
           std::to_string(most);
  }
  default: return {};
  }
}

// The number of operand `i`'s element for the result's element `linear` of `lane`.
std::int64_t operand_index(const ElementwisePlan &plan, std::span<const Tile *const> operands, std::size_t i, std::uint32_t lane,
                           std::int64_t linear) {
  std::int64_t at = 0, rest = linear;
  for (std::size_t d = plan.shape.size(); d-- > 0;) {
    at += rest % plan.shape[d] * plan.strides[i][d];
    rest /= plan.shape[d];
  }
  return at + (operands[i]->lanes > 1 ? lane * plan.operand_counts[i] : 0);
}

// The slow path: notes of the result, element by element.
struct NoteTracer {
  Machine &m;
  Frame &f;
  const Instr &in;
  const ElementwisePlan &plan;
  std::span<const Tile *const> operands;

  Note element(std::uint32_t lane, std::int64_t linear) {
    std::vector<Note> notes;
    std::vector<std::uint64_t> bits;
    const std::size_t n = operands.size();
    for (std::size_t i = 0; i < n; ++i) {
      const std::int64_t at = operand_index(plan, operands, i, lane, linear);
      notes.push_back(operands[i]->notes ? operands[i]->notes.as<Note>()[at] : 0);
      bits.push_back(load_bits(i + 1 == n ? plan.steps[0].computes_in
                                          : operand_type(plan.steps[0].primitive, static_cast<int>(i),
                                                         plan.steps[0].computes_in),
                               operands[i]->data.as<>() + at * static_cast<std::int64_t>(plan.operand_bytes[i])));
    }
    for (const RowStep &step : plan.steps) {
      std::vector<std::uint64_t> x;
      for (int i : step.inputs) x.push_back(bits[i]);
      const ScalarOutcome r = apply_scalar(step.primitive, step.computes_in, step.result, x);
      Note note = 0;
      if (step.primitive == Primitive::select && !rule_broken(Rule::val_mark)) {
        note = notes[step.inputs[0]] ? notes[step.inputs[0]] : notes[step.inputs[x[0] ? 1 : 2]];
      } else {
        for (int i : step.inputs) {
          if (m.notes.is_mark(notes[i])) note = m.notes.is_mark(note) ? m.notes.both(note, notes[i]) : notes[i];
          else if (note == 0 && m.notes.is_wrap(notes[i]) && remembers_wrap(step.primitive)) note = notes[i];
        }
      }
      if (note) note = m.notes.pass(note, in.op);
      if (r.undefined && m.options.checked && !m.notes.is_mark(note))
        note = m.make_note(f, in, lane, undefined_kind(step), linear, m.names_notes() ? undefined_text(step, x) : "");
      if (r.wrapped && plan.tracks_wrap && note == 0 && !rule_broken(Rule::num_wrap)) {
        note = m.make_note(f, in, lane, NoteKind::wrapped, linear,
                           m.names_notes() ? wrap_text(step.primitive, step.computes_in, x, step.result) : "",
                           bit_width(step.result));
      }
      bits.push_back(r.bits);
      notes.push_back(note);
    }
    return notes.back();
  }
};

// IDX-PRED: active where all operands are.
BlockRef joined_active(Machine &m, const ElementwisePlan &plan, std::span<const Tile *const> operands,
                       std::uint32_t lanes) {
  std::size_t ragged = 0, last = 0;
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (operands[i]->active) {
      ++ragged;
      last = i;
    }
  if (ragged == 0 || rule_broken(Rule::idx_pred)) return {};
  if (ragged == 1 && plan.operand_counts[last] == plan.count && operands[last]->lanes == lanes &&
      plan.onto[last].extents.size() == 1)
    return operands[last]->active; // as it is
  BlockRef out = m.block(static_cast<std::size_t>(plan.count * lanes));
  auto *to = out.as<std::uint8_t>();
  std::memset(to, 1, static_cast<std::size_t>(plan.count * lanes));
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i]->active) continue;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      const auto *from = operands[i]->active.as<std::uint8_t>() +
                         (operands[i]->lanes > 1 ? lane * plan.operand_counts[i] : 0);
      std::uint8_t *at = to + lane * plan.count;
      const StridedLoops &loops = plan.onto[i];
      const std::int64_t n = loops.extents.back(), step0 = loops.strides[0].back(), step1 = loops.strides[1].back();
      loops.for_rows([&](const std::int64_t *o) {
        for (std::int64_t j = 0; j < n; ++j) at[o[0] + j * step0] &= from[o[1] + j * step1];
      });
    }
  }
  return out;
}

// rule: ADM-SET -- the operation's rule over enclosures, where a freedom or a declared error has reached it.
void enclose_elements(Machine &m, const Instr &in, const ElementwisePlan &plan, std::span<const Tile *const> operands, Tile &out) {
  AdmittedSets &sets = *m.options.sets;
  bool reached = false;
  std::size_t open = operands.size();
  for (std::size_t i = 0; i < operands.size(); ++i) {
    reached |= static_cast<bool>(operands[i]->spread);
    if (operands[i]->open) open = i;
  }
  for (const RowStep &s : plan.steps)
    reached |= is_float(s.result) ? may_have_error(s.primitive) && declares(sets.profile, s.primitive, s.result)
                                  : s.primitive == Primitive::bitcast && is_float(s.computes_in);
  if (!reached) return;
  const std::size_t n = operands.size();
  ScalarType types[3] = {};
  for (std::size_t i = 0; i < n; ++i) types[i] = m.p.values[in.source->operands[i]].type.elem;
  const auto operand = [&](std::size_t i, std::int64_t linear) {
    return enclosure_of(*operands[i], types[i], operand_index(plan, operands, i, 0, linear));
  };
  const auto active = [&](std::int64_t i) { return !out.active || out.active.as<std::uint8_t>()[i] != 0; };
  if (open < n) { // a contribution to a state; RED-LAW lets nothing else use one
    out.spread = m.block(static_cast<std::size_t>(plan.count) * sizeof(OpenFold));
    out.open = true;
    for (std::int64_t i = 0; i < plan.count; ++i) {
      OpenFold &fold = out.spread.as<OpenFold>()[i];
      fold = operands[open]->spread.as<OpenFold>()[operand_index(plan, operands, open, 0, i)];
      if (!active(i)) continue;
      const Enclosure c = operand(1 - open, i);
      if (in.source->kind == OpKind::add) fold.sum.add(c);
      if (in.source->kind == OpKind::mul) fold.product.multiply(c);
      fold.known &= c.is_point() && c.number;
      const std::uint64_t x[] = {fold.chain, c.low};
      if (fold.known) fold.chain = apply_scalar(plan.steps[0].primitive, types[open], types[open], x).bits;
    }
    return;
  }
  EnclosureAlgebra algebra{sets.profile, m.p.values[in.source->results[0]].type.elem};
  BlockRef spread = m.spread_block(static_cast<std::size_t>(plan.count));
  bool any = false;
  EnclosureAlgebra::Value values[3];
  for (std::int64_t i = 0; i < plan.count; ++i) {
    Enclosure &e = spread.as<Enclosure>()[i];
    e = {0, 0, true, false};
    if (!active(i)) continue;
    for (std::size_t k = 0; k < n; ++k) values[k] = {operand(k, i), types[k]};
    e = rules::elementwise(algebra, in.source->kind, std::span<const EnclosureAlgebra::Value>(values, n)).set;
    any |= !e.is_point();
  }
  if (algebra.undefined)
    sets.undecided(in.op, "it decides whether `" + std::string(info(in.source->kind).name) + "` has a result");
  if (any) out.spread = std::move(spread);
}

void step_elementwise(Machine &m, Frame &f, const Instr &in) {
  const auto &plan = static_cast<const ElementwisePlan &>(*in.plan);
  const std::size_t n = in.operands.size();
  const Tile *operand_tiles[3];
  const std::span<const Tile *> operands(operand_tiles, n);
  Tile held[3]; // operands whose last use this is
  std::uint32_t lanes = 1;
  bool notes = false;
  for (std::size_t i = 0; i < n; ++i) {
    if (in.operands[i].last) {
      held[i] = m.take(f, in.operands[i]);
      operands[i] = &held[i];
    } else {
      operands[i] = &m.get(f, in.operands[i]);
    }
    lanes = std::max(lanes, operands[i]->lanes);
    notes |= static_cast<bool>(operands[i]->notes);
  }
  // An operand of the result's shape and width that nobody else holds gives its storage.
  Tile out;
  out.lanes = lanes;
  const std::size_t total = static_cast<std::size_t>(plan.count) * lanes;
  if (!notes && plan.steps.size() == 1)
    for (std::size_t i = 0; i < n && !out.data; ++i)
      if (held[i].data.unique() && plan.flat && plan.operand_counts[i] == plan.count && held[i].lanes == lanes &&
          plan.operand_bytes[i] == plan.bytes)
        out.data = held[i].data;
  if (!out.data) out.data = m.block(total * plan.bytes);

  static thread_local std::vector<std::uint8_t> undefined, wrapped;
  RowEffects effects;
  auto scratch = [](std::vector<std::uint8_t> &v, std::size_t size) {
    if (v.size() < size) v.resize(size, 0);
    return v.data();
  };
  const bool want_undefined = m.options.checked && plan.may_be_undefined;
  if (want_undefined) effects.undefined = scratch(undefined, total);
  if (plan.tracks_wrap) effects.wrapped = scratch(wrapped, total);
  // In-place results would destroy the operands that a tracer reads.
  if ((want_undefined || plan.tracks_wrap || m.options.sets) && out.data.as<>() != nullptr)
    for (std::size_t i = 0; i < n; ++i)
      if (held[i].data.as<>() == out.data.as<>() && held[i].data) {
        out.data = m.block(total * plan.bytes);
        break;
      }

  std::vector<std::vector<std::byte>> temps;
  for (std::size_t s = 0; s + 1 < plan.steps.size(); ++s)
    temps.emplace_back(static_cast<std::size_t>(chunk) * byte_size(plan.steps[s].result));

  bool noted = false;
  RowOperand values[8];
  auto row = [&](std::int64_t count, std::byte *to, const std::byte *const *base, const std::int64_t *step,
                 std::int64_t first) {
    const std::int64_t piece = plan.steps.size() == 1 ? count : chunk;
    for (std::int64_t at = 0; at < count; at += piece) {
      const std::int64_t now = std::min(piece, count - at);
      for (std::size_t i = 0; i < n; ++i)
        values[i] = {base[i] + at * step[i] * static_cast<std::int64_t>(plan.operand_bytes[i]), step[i]};
      RowEffects here = effects;
      if (here.undefined) here.undefined += first + at;
      if (here.wrapped) here.wrapped += first + at;
      noted |= run_steps(plan, static_cast<std::size_t>(now), to + at * static_cast<std::int64_t>(plan.bytes),
                         values, here, temps);
    }
  };
  const std::byte *base[3];
  std::int64_t step[3];
  bool one_row = plan.flat;
  for (std::size_t i = 0; i < n && one_row; ++i)
    one_row = lanes == 1 || operands[i]->lanes == lanes ? (plan.operand_counts[i] == plan.count || lanes == 1)
                                                        : plan.operand_counts[i] == 1;
  if (one_row) {
    for (std::size_t i = 0; i < n; ++i) {
      base[i] = operands[i]->data.as<>();
      step[i] = plan.operand_counts[i] == plan.count && operands[i]->lanes == lanes ? 1 : 0;
    }
    row(static_cast<std::int64_t>(total), out.data.as<>(), base, step, 0);
  } else {
    const std::int64_t length = plan.loops.extents.back();
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      std::int64_t first = lane * plan.count;
      plan.loops.for_rows([&](const std::int64_t *offset) {
        for (std::size_t i = 0; i < n; ++i) {
          const std::int64_t at = offset[i] + (operands[i]->lanes > 1 ? lane * plan.operand_counts[i] : 0);
          base[i] = operands[i]->data.as<>() + at * static_cast<std::int64_t>(plan.operand_bytes[i]);
          step[i] = plan.loops.strides[i].back();
        }
        row(length, out.data.as<>() + first * static_cast<std::int64_t>(plan.bytes), base, step, first);
        first += length;
      });
    }
  }
  out.active = joined_active(m, plan, operands, lanes);
  if (m.options.sets) enclose_elements(m, in, plan, operands, out);
  if (noted || notes) {
    if (effects.undefined) std::memset(effects.undefined, 0, total);
    if (effects.wrapped) std::memset(effects.wrapped, 0, total);
    BlockRef list = m.zeros(total * sizeof(Note));
    NoteTracer tracer{m, f, in, plan, operands};
    bool any = false;
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
      for (std::int64_t i = 0; i < plan.count; ++i) {
        const std::int64_t at = lane * plan.count + i;
        if (out.active && !out.active.as<std::uint8_t>()[at]) continue;
        const Note note = tracer.element(lane, i);
        list.as<Note>()[at] = note;
        any |= note != 0;
      }
    if (any) out.notes = std::move(list);
  }
  m.set(f, in, std::move(out));
}

} // namespace

void compile_elementwise(Compiler &c, const Op &op, Instr &in) {
  auto plan = std::make_unique<ElementwisePlan>();
  const ValueId result = op.results[0];
  const ValueInfo &info = c.info(result);
  std::vector<ScalarType> types;
  for (ValueId v : op.operands) {
    types.push_back(c.type(v).elem);
    plan->operand_bytes.push_back(c.info(v).bytes);
    plan->operand_counts.push_back(c.info(v).count);
    plan->strides.push_back(c.strides_over(v, c.type(result).space));
  }
  RecordingAlgebra algebra{types, c.type(result).elem, {}, types};
  std::vector<int> x(op.operands.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i);
  rules::elementwise<RecordingAlgebra>(algebra, op.kind, x);
  if (algebra.missing)
    return c.unsupported(op, "`" + std::string(tilenest::info(op.kind).name) + "` on " +
                                 std::string(to_string(types.back())));
  plan->steps = std::move(algebra.steps);
  plan->shape = info.shape;
  plan->count = info.count;
  plan->bytes = info.bytes;
  plan->tracks_wrap = info.tracks_wrap;
  for (const RowStep &s : plan->steps) plan->may_be_undefined |= s.may_be_undefined;
  if (plan->tracks_wrap) {
    bool can = false;
    for (const RowStep &s : plan->steps) can |= s.may_wrap;
    plan->tracks_wrap = can;
  }
  plan->loops = StridedLoops(info.shape, plan->strides);
  for (const auto &strides : plan->strides) plan->onto.emplace_back(info.shape, std::vector{row_major(info.shape), strides});
  plan->flat = plan->loops.extents.size() == 1;
  for (std::size_t i = 0; i < op.operands.size(); ++i)
    plan->flat &= plan->operand_counts[i] == 1 || plan->loops.strides[i].back() == 1;
  in.plan = std::move(plan);
  in.step = step_elementwise;
}

// Whether an element of the result may be a mark or a wrapped integer although the operands are neither.
bool Compiler::may_make_notes(const Op &op) const {
  std::vector<ScalarType> types;
  for (ValueId v : op.operands) types.push_back(type(v).elem);
  RecordingAlgebra algebra{types, type(op.results[0]).elem, {}, types};
  std::vector<int> x(op.operands.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i);
  rules::elementwise<RecordingAlgebra>(algebra, op.kind, x);
  for (const RowStep &s : algebra.steps)
    if ((checked && s.may_be_undefined) || (info(op.results[0]).tracks_wrap && s.may_wrap)) return true;
  return false;
}

} // namespace tilenest
