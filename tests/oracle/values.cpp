// SPDX-License-Identifier: Apache-2.0
// Chapters 1 and 9: operations on tiles, element by element.
#include "tests/oracle/machine.h"
#include <algorithm>

namespace tilenest::oracle {

Tile Machine::empty_tile(ScalarType elem, const Space &space) const {
  Tile t{elem, {}, bound_.shape(space), {}};
  for (const Factor &f : space.factors) t.dims.push_back(f.dim);
  return t;
}

// BCAST: an operand that lacks a dim of the result is repeated along it, and one of extent 1 there, too.
const Element &Machine::at(const Tile &t, const Tile &frame, const Point &point) const {
  std::size_t k = 0;
  for (std::size_t i = 0; i < t.dims.size(); ++i) {
    const auto found = std::find(frame.dims.begin(), frame.dims.end(), t.dims[i]);
    if (found == frame.dims.end()) throw Refused{"a dim that the result lacks"};
    const std::int64_t c = t.shape[i] == 1 ? 0 : point[static_cast<std::size_t>(found - frame.dims.begin())];
    k = k * static_cast<std::size_t>(t.shape[i]) + static_cast<std::size_t>(c);
  }
  return t.e.at(k);
}

// An element of a tile variable, touched by this instance: an event of its own, or one with the touch before.
void Machine::touch(OpId id, Instance &in, const Touch &t) {
  std::vector<Event> &events = out_.events;
  if (events.empty() || events.back().op != id || !events.back().tile || events.back().reaches[0] != in.path)
    events.push_back({id, depth(id), true, {in.path}, {}});
  std::vector<Touch> &touches = events.back().touches;
  if (std::find(touches.begin(), touches.end(), t) == touches.end()) touches.push_back(t);
}

// "Taking an element that the instance has not written reads `v`."
const Element &Machine::read(OpId id, Instance &in, const Element &e) {
  for (const Touch &t : e.shared)
    if (e.active) touch(id, in, t);
  return e;
}

// `lost`: the marks of a coordinate. They are reported there, and what comes of them has no other cause (OUT-CONT).
std::int64_t Machine::coordinate(OpId id, Instance &in, const Element &e, Marks &lost) {
  observe(read(id, in, e).marks);
  lost.insert(e.marks.begin(), e.marks.end());
  return e.marks.empty() ? whole(e.value) : 0;
}

// A predicate's element.
bool Machine::holds(OpId id, Instance &in, const Element &e) {
  observe(read(id, in, e).marks);
  return e.active && e.marks.empty() && e.value != 0;
}

// An element of a pure operation's result.
Element Machine::computed(OpId id, Instance &in, const Tile &out, const Point &point) {
  const Op &op = p_.ops[id];
  if (op.kind == OpKind::constant) {
    const auto &attr = std::get<LiteralAttr>(op.attr);
    return fresh(checked(attr.type, std::visit([](auto literal) { return Rational(literal); }, attr.literal)));
  }
  if (op.kind == OpKind::iota) return fresh(point[0]);
  if (op.kind == OpKind::extent) return fresh(bound_.extent(std::get<ExtentAttr>(op.attr).extent));
  if (op.kind == OpKind::take) return taken(id, in, out, point);
  if (op.kind == OpKind::insert) return inserted(id, in, out, point);
  if (op.kind == OpKind::reduce || op.kind == OpKind::mma) return folded(id, in, out, point);
  const bool restricts = op.kind == OpKind::restrict, moves = restricts || op.kind == OpKind::broadcast;
  if (!moves && info(op.kind).form != Form::elementwise) throw Refused{info(op.kind).name};
  std::vector<const Element *> x;
  for (const ValueId v : op.operands) x.push_back(&at(value(v, in), out, point));
  Marks marks;
  bool active = !restricts || holds(id, in, *x.at(1));
  for (const Element *e : x) active &= e->active;
  if (!active) return inactive;
  for (const Element *e : x) marks.insert(read(id, in, *e).marks.begin(), e->marks.end());
  if (moves) return fresh(x[0]->value, x[0]->marks);
  if (op.kind == OpKind::ite) { // only the selected arm's marks
    const Element &chosen = *x[!x[0]->marks.empty() ? 0 : x[0]->value != 0 ? 1 : 2];
    return fresh(chosen.value, chosen.marks);
  }
  if (!marks.empty()) return fresh(0, marks);
  const Scalar s = apply(op.kind, value(op.operands[0], in).elem, out.elem, x[0]->value, x.back()->value);
  return fresh(s.value, s.mark == nullptr ? Marks{} : Marks{{s.mark, id}});
}

Element Machine::taken(OpId id, Instance &in, const Tile &out, const Point &point) {
  const Op &op = p_.ops[id];
  const Tile &x = value(op.operands[0], in);
  Point from;
  bool inside = true;
  Marks lost;
  for (std::size_t i = 0; i < x.shape.size(); ++i) {
    const Element &index = at(value(op.operands[i + 1], in), out, point);
    if (!index.active) return inactive;
    from.push_back(coordinate(id, in, index, lost));
    inside &= from[i] >= 0 && from[i] < x.shape[i];
  }
  if (!lost.empty()) return fresh(0, lost);
  if (!inside) return fresh(0, {{"U0104", id}});
  const Element &e = read(id, in, x.e[position(x.shape, from)]);
  return e.active ? fresh(e.value, e.marks) : fresh(0, {{"U0107", id}});
}

// "writes the window and passes the rest"
Element Machine::inserted(OpId id, Instance &in, const Tile &out, const Point &point) {
  const Op &op = p_.ops[id];
  const Tile &before = value(op.operands[0], in), &piece = value(op.operands[1], in);
  Point from(piece.dims.size());
  bool in_window = true;
  Marks lost;
  for (std::size_t i = 0; i < out.shape.size(); ++i) {
    const std::int64_t origin = coordinate(id, in, value(op.operands[2 + i], in).e[0], lost);
    std::int64_t local = point[i] - origin, n = 1;
    for (std::size_t k = 0; k < from.size(); ++k)
      if (piece.dims[k] == out.dims[i]) from[k] = local, n = piece.shape[k];
    in_window &= local >= 0 && local < n;
    if (origin < 0 || origin + n > out.shape[i]) observe({{"U0303", id}});
  }
  if (!lost.empty()) throw Stop{};
  const Element &passed = before.e[position(out.shape, point)];
  if (!in_window) return passed;
  const Element &e = read(id, in, piece.e[position(piece.shape, from)]);
  if (!e.active || !passed.active) throw Refused{"an insert that is ragged"};
  return fresh(e.value, e.marks);
}

// reduce and mma: over the dims of the first operand that the result lacks.
Element Machine::folded(OpId id, Instance &in, const Tile &out, const Point &point) {
  const Op &op = p_.ops[id];
  const bool is_mma = op.kind == OpKind::mma;
  const OpKind kind = is_mma ? OpKind::add : folding_op(std::get<ReduceAttr>(op.attr).reducer);
  const Tile &a = value(op.operands[0], in);
  Tile frame{out.elem, out.dims, {}, {}};
  std::vector<std::int64_t> lacking;
  for (std::size_t i = 0; i < a.dims.size(); ++i) {
    if (std::find(out.dims.begin(), out.dims.end(), a.dims[i]) != out.dims.end()) continue;
    frame.dims.push_back(a.dims[i]);
    lacking.push_back(a.shape[i]);
  }
  std::optional<Rational> sum;
  Marks marks;
  if (is_mma) {
    const Element &start = read(id, in, at(value(op.operands[2], in), out, point));
    if (!start.active) return inactive;
    sum = start.value;
    marks = start.marks;
  }
  for (Point k : points(lacking)) {
    k.insert(k.begin(), point.begin(), point.end());
    const Element &x = at(a, frame, k), &y = is_mma ? at(value(op.operands[1], in), frame, k) : x;
    if (!x.active || !y.active) continue;
    marks.insert(read(id, in, x).marks.begin(), x.marks.end());
    marks.insert(read(id, in, y).marks.begin(), y.marks.end());
    if (!is_mma) observe(x.marks); // a contribution
    if (!marks.empty()) continue;
    Rational c = x.value; // as the accumulator's type
    if (is_mma) c = apply(OpKind::mul, out.elem, out.elem, checked(out.elem, c), checked(out.elem, y.value)).value;
    sum = sum ? apply(kind, out.elem, out.elem, *sum, c).value : c;
  }
  if (!sum && marks.empty()) throw Refused{"a fold of nothing"};
  return fresh(sum.value_or(0), marks);
}

} // namespace tilenest::oracle
