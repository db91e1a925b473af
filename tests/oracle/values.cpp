// SPDX-License-Identifier: Apache-2.0
// Chapters 1 and 9: operations on tiles, element by element.
#include "tests/oracle/machine.h"
#include <algorithm>

namespace tilenest::oracle {

const Tile &Machine::value(ValueId v, Instance &in) const {
  const auto found = in.values.find(v);
  if (found == in.values.end()) throw Refused{"a value that was never computed"};
  return found->second;
}
const Element &Machine::scalar(ValueId v, Instance &in) const { return value(v, in).e.at(0); }

Element Machine::fresh(Rational v, int mark) {
  Element e;
  e.value = std::move(v);
  e.mark = mark;
  e.stamp = next_stamp_++;
  return e;
}

Tile Machine::empty_tile(ValueId v) const {
  const TileType &type = p_.values[v].type;
  Tile t;
  t.elem = type.elem;
  for (const Factor &f : type.space.factors) t.dims.push_back(f.dim);
  t.shape = bound_.shape(type.space);
  t.e.resize(static_cast<std::size_t>(bound_.count(type.space)));
  return t;
}

// BCAST: "An operand that lacks a dim of the result is repeated along it", and one of extent 1 there, too.
const Element &Machine::at(const Tile &t, const Tile &frame, const Point &point) const {
  Point mine;
  for (std::size_t i = 0; i < t.dims.size(); ++i) {
    const auto found = std::find(frame.dims.begin(), frame.dims.end(), t.dims[i]);
    if (found == frame.dims.end()) throw Refused{"a dim that the result lacks"};
    const std::int64_t c = point[static_cast<std::size_t>(found - frame.dims.begin())];
    mine.push_back(t.shape[i] == 1 ? 0 : c);
  }
  return t.e.at(position(t.shape, mine));
}

std::optional<std::int64_t> Machine::coordinate(OpId id, Instance &in, const Element &e) {
  read(id, in, e);
  observe(e);
  if (e.mark >= 0 || !e.active) return std::nullopt;
  return whole(e.value);
}

void Machine::simple(OpId id, Instance &in) {
  const Op &op = p_.ops[id];
  switch (info(op.kind).form) {
  case Form::memory:
    return op.kind == OpKind::memory ? memory(id, in) : access(id, in);
  case Form::control:
    if (op.kind != OpKind::assign) throw Refused{info(op.kind).name};
    return assign(id, in);
  case Form::meta:
    throw Refused{info(op.kind).name};
  default:
    break;
  }
  Tile t = pure(id, in);
  in.values[op.results[0]] = std::move(t);
}

Tile Machine::pure(OpId id, Instance &in) {
  const Op &op = p_.ops[id];
  Tile out = empty_tile(op.results[0]);
  const auto moved = [&](auto &&from) { // from(point of the result): the operand's element
    each_point(out.shape, [&](const Point &point) {
      const Element &e = from(point);
      read(id, in, e);
      Element mine = fresh(e.value, e.mark);
      mine.active = e.active;
      out.e[position(out.shape, point)] = std::move(mine);
    });
    return out;
  };
  switch (op.kind) {
  case OpKind::constant: {
    const auto &attr = std::get<LiteralAttr>(op.attr);
    const Rational v = std::visit([](auto literal) { return Rational(literal); }, attr.literal);
    out.e[0] = fresh(checked(attr.type, v));
    return out;
  }
  case OpKind::iota:
    each_point(out.shape, [&](const Point &point) { out.e[position(out.shape, point)] = fresh(point[0]); });
    return out;
  case OpKind::extent:
    out.e[0] = fresh(bound_.extent(std::get<ExtentAttr>(op.attr).extent));
    return out;
  case OpKind::broadcast:
  case OpKind::transpose: {
    const Tile &x = value(op.operands[0], in);
    return moved([&](const Point &point) -> const Element & { return at(x, out, point); });
  }
  case OpKind::reshape:
  case OpKind::relabel: {
    const Tile &x = value(op.operands[0], in);
    return moved([&](const Point &point) -> const Element & { return x.e.at(position(out.shape, point)); });
  }
  case OpKind::restrict: {
    const Tile &x = value(op.operands[0], in), &where = value(op.operands[1], in);
    each_point(out.shape, [&](const Point &point) {
      const Element &e = at(x, out, point), &c = at(where, out, point);
      read(id, in, c);
      observe(c);
      Element mine = fresh(e.value, e.mark);
      mine.active = e.active && c.mark < 0 && c.value != 0;
      if (mine.active) read(id, in, e);
      out.e[position(out.shape, point)] = std::move(mine);
    });
    return out;
  }
  case OpKind::take:
    return take(id, in, std::move(out));
  case OpKind::insert:
    return insert(id, in);
  case OpKind::reduce:
    return reduce(id, in, std::move(out));
  case OpKind::mma:
    return contract(id, in, std::move(out));
  default:
    break;
  }
  if (info(op.kind).form != Form::elementwise) throw Refused{info(op.kind).name};
  return elementwise(id, in, std::move(out));
}

Tile Machine::elementwise(OpId id, Instance &in, Tile out) {
  const Op &op = p_.ops[id];
  each_point(out.shape, [&](const Point &point) {
    std::vector<const Element *> from;
    bool active = true;
    int mark_of = -1;
    for (const ValueId v : op.operands) {
      from.push_back(&at(value(v, in), out, point));
      active &= from.back()->active;
    }
    Element e = fresh(0);
    e.active = active;
    if (active) {
      std::vector<Rational> numbers;
      for (const Element *x : from) {
        read(id, in, *x);
        mark_of = both(mark_of, x->mark);
        numbers.push_back(x->value);
      }
      if (op.kind == OpKind::ite) { // only the selected arm's mark
        const Element &chosen = *from[from[0]->value != 0 ? 1 : 2];
        mark_of = from[0]->mark >= 0 ? from[0]->mark : chosen.mark;
        e.value = chosen.value;
      } else if (mark_of < 0) {
        Scalar s = apply(op.kind, value(op.operands[0], in).elem, out.elem, numbers);
        e.value = std::move(s.value);
        if (s.mark != nullptr) mark_of = mark(s.mark, id);
      }
      e.mark = mark_of;
    }
    out.e[position(out.shape, point)] = std::move(e);
  });
  return out;
}

Tile Machine::take(OpId id, Instance &in, Tile out) {
  const Op &op = p_.ops[id];
  const Tile &x = value(op.operands[0], in);
  each_point(out.shape, [&](const Point &point) {
    Point source;
    bool inside = true, active = true;
    int lost = -1; // the mark of a coordinate
    for (std::size_t i = 0; i < x.shape.size(); ++i) {
      const Element &index = at(value(op.operands[i + 1], in), out, point);
      active &= index.active;
      if (!index.active) continue;
      const auto c = coordinate(id, in, index);
      if (!c) lost = index.mark;
      source.push_back(c.value_or(0));
      inside &= source.back() >= 0 && source.back() < x.shape[i];
    }
    Element e = fresh(0);
    e.active = active;
    if (active && (!inside || lost >= 0)) {
      e.mark = lost >= 0 ? lost : mark("U0104", id);
    } else if (active) {
      const Element &from = x.e[position(x.shape, source)];
      read(id, in, from);
      e.value = from.value;
      e.mark = from.active ? from.mark : mark("U0107", id);
    }
    out.e[position(out.shape, point)] = std::move(e);
  });
  return out;
}

// "writes the window and passes the rest"
Tile Machine::insert(OpId id, Instance &in) {
  const Op &op = p_.ops[id];
  Tile out = value(op.operands[0], in);
  const Tile &piece = value(op.operands[1], in);
  Point origin;
  for (std::size_t i = 0; i < out.shape.size(); ++i) {
    const auto c = coordinate(id, in, scalar(op.operands[2 + i], in));
    if (!c) throw Stop{};
    origin.push_back(*c);
  }
  each_point(piece.shape, [&](const Point &point) {
    const Element &from = piece.e[position(piece.shape, point)];
    read(id, in, from);
    if (!from.active) throw Refused{"a ragged piece"};
    Point to = origin;
    bool inside = true;
    for (std::size_t i = 0; i < out.shape.size(); ++i) {
      const auto found = std::find(piece.dims.begin(), piece.dims.end(), out.dims[i]);
      if (found != piece.dims.end()) to[i] += point[static_cast<std::size_t>(found - piece.dims.begin())];
      inside &= to[i] >= 0 && to[i] < out.shape[i];
    }
    if (!inside) return violation("U0303", id);
    Element &target = out.e[position(out.shape, to)];
    if (!target.active) throw Refused{"an insert into a ragged tile"};
    target = fresh(from.value, from.mark);
  });
  return out;
}

Tile Machine::reduce(OpId id, Instance &in, Tile out) {
  const Op &op = p_.ops[id];
  const auto &attr = std::get<ReduceAttr>(op.attr);
  const Tile &x = value(op.operands[0], in);
  std::vector<bool> any(out.e.size(), false);
  for (Element &e : out.e) e = fresh(0);
  each_point(x.shape, [&](const Point &point) {
    const Element &c = x.e[position(x.shape, point)];
    if (!c.active) return;
    read(id, in, c);
    observe(c);
    Point to;
    for (std::size_t i = 0; i < x.dims.size(); ++i)
      if (std::find(attr.dims.begin(), attr.dims.end(), x.dims[i]) == attr.dims.end()) to.push_back(point[i]);
    const std::size_t k = position(out.shape, to);
    Element &s = out.e[k];
    if (s.mark < 0) s.mark = c.mark;
    if (s.mark < 0) s.value = any[k] ? fold(attr.reducer, x.elem, s.value, c.value) : c.value;
    any[k] = true;
  });
  for (std::size_t k = 0; k < out.e.size(); ++k)
    if (!any[k]) {
      if (is_float(x.elem) && attr.reducer != Reducer::mul) throw Refused{"the fold of no floats"};
      out.e[k].value = identity(attr.reducer, x.elem);
    }
  return out;
}

Tile Machine::contract(OpId id, Instance &in, Tile out) {
  const Op &op = p_.ops[id];
  const Tile &a = value(op.operands[0], in), &b = value(op.operands[1], in), &acc = value(op.operands[2], in);
  Tile frame = out; // the dims of the accumulator, then what is contracted
  Tile inner;
  for (std::size_t i = 0; i < a.dims.size(); ++i)
    if (std::find(out.dims.begin(), out.dims.end(), a.dims[i]) == out.dims.end()) {
      frame.dims.push_back(a.dims[i]);
      inner.shape.push_back(a.shape[i]);
    }
  each_point(out.shape, [&](const Point &point) {
    const Element &start = at(acc, out, point);
    read(id, in, start);
    Element s = fresh(start.value, start.mark);
    s.active = start.active;
    each_point(inner.shape, [&](const Point &k) {
      Point whole_point = point;
      whole_point.insert(whole_point.end(), k.begin(), k.end());
      const Element &x = at(a, frame, whole_point), &y = at(b, frame, whole_point);
      if (!x.active || !y.active || !s.active) return;
      for (const Element *e : {&x, &y}) {
        read(id, in, *e);
        s.mark = both(s.mark, e->mark);
      }
      if (s.mark >= 0) return;
      const Rational product[] = {checked(out.elem, x.value), checked(out.elem, y.value)};
      const Rational sum[] = {s.value, apply(OpKind::mul, out.elem, out.elem, product).value};
      s.value = apply(OpKind::add, out.elem, out.elem, sum).value;
    });
    out.e[position(out.shape, point)] = std::move(s);
  });
  return out;
}

} // namespace tilenest::oracle
