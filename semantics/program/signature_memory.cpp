// SPDX-License-Identifier: Apache-2.0
// Signatures of the memory form: windows, index tiles, bounds policies, element types of views.
#include "semantics/diag/codes.h"
#include "semantics/program/signature_detail.h"
#include <algorithm>

namespace tilenest::signature_detail {

namespace {

std::string quoted(const std::string &name) { return "`" + name + "`"; }

// Whether the value is a float literal without a type of its own, perhaps as what a loop's variable starts from.
bool from_float_literal(const Checker &c, ValueId v) {
  for (;;) {
    const Value &value = c.p.values[v];
    if (!value.op.valid()) return false;
    const Op &op = c.p.ops[value.op];
    if (op.kind == OpKind::constant) return c.type(v).elem == ScalarType::f64;
    if (op.kind == OpKind::assign) {
      v = op.operands[0];
      continue;
    }
    const std::size_t before = op.control_operand_count(), at = before + static_cast<std::size_t>(value.index);
    if (op.carries.empty() || at >= op.operands.size()) return false;
    v = op.operands[at];
  }
}

void require_elem(Checker &c, ValueId value, const View &view, const char *what) {
  if (c.type(value).elem == view.elem) return;
  std::string help = "there is no implicit conversion: write `cast` where the precision may change";
  if (is_float(view.elem) && from_float_literal(c, value))
    help += "; a variable that starts from a literal is f64, unless it says its type: `t: " +
            std::string(to_string(view.elem)) + " = 0.0`";
  c.error(Code::T0402, {{"what", what}, {"found", std::string(to_string(c.type(value).elem))},
                        {"view", view.name}, {"expected", std::string(to_string(view.elem))}},
          std::move(help));
}

void require_writable(Checker &c, const View &view) {
  const Object &object = c.p.objects[view.object];
  if (object.kind == ObjectKind::argument && object.access == ArgumentAccess::in)
    c.error(Code::T0401, {{"view", view.name}}, "declare the argument `mut` or `out`");
}

void require_atomic_type(Checker &c, AtomicKind kind, const View &view) {
  if (!c.require_computed(view.elem, "an atomic")) return;
  const bool bits = kind >= AtomicKind::bit_and;
  const bool admitted = bits ? !is_float(view.elem) : view.elem != ScalarType::boolean;
  if (!admitted)
    c.error(Code::T0102, {{"op", "atomic"}, {"type", std::string(to_string(view.elem))}, {"operand", "the elements of `" + view.name + "`"}});
}

// Predicate and fallback operands from `at` on; returns the position behind them.
std::size_t policy_operands(Checker &c, std::size_t at, Bounds bounds, bool has_predicate, bool has_fallback,
                            const View &view, const Space &space, bool is_load) {
  if (has_predicate != (bounds == Bounds::predicate))
    c.error(Code::T0405, {{"what", "`bounds::predicate` and a predicate go together"}});
  if (has_predicate) c.check_predicate(c.op.operands[at++], space);
  if (has_fallback) {
    if (!is_load) c.error(Code::T0405, {{"what", "only a load has a fallback"}});
    if (bounds == Bounds::assume)
      c.error(Code::T0405, {{"what", "`bounds::assume` promises to be in bounds, a fallback contradicts it"}});
    const ValueId fallback = c.op.operands[at++];
    if (c.require_scalar(fallback, "a fallback")) require_elem(c, fallback, view, "a fallback");
  }
  return at;
}

void window_access(Checker &c) {
  const auto &attr = std::get<AccessAttr>(c.op.attr);
  const View &view = c.p.views[attr.view];
  const bool is_load = c.op.kind == OpKind::load;
  std::size_t at = is_load ? 0 : 1;
  c.check_space(attr.window);
  if (attr.axes.size() != view.space.rank())
    c.error(Code::T0209, {{"what", quoted(view.name)}, {"expected", std::to_string(view.space.rank()) + " coordinates"},
                          {"found", std::to_string(attr.axes.size())}});
  for (std::size_t i = 0; i < attr.axes.size(); ++i, ++at)
    if (c.require_scalar(c.op.operands[at], "an origin")) c.require_integer(c.op.operands[at], "an origin");
  at = policy_operands(c, at, attr.bounds, attr.has_predicate, attr.has_fallback, view, attr.window, is_load);
  if (is_load) {
    c.out.type.elem = view.elem;
    c.out.type.space = attr.window;
    for (; at < c.op.operands.size(); ++at) {
      c.check_predicate(c.op.operands[at], attr.window);
      c.out.type.active.push_back(c.op.operands[at]);
    }
    std::sort(c.out.type.active.begin(), c.out.type.active.end());
    return;
  }
  require_writable(c, view);
  require_elem(c, c.op.operands[0], view, "this access");
  c.require_same_space(attr.window, c.type(c.op.operands[0]).space, "the window of " + quoted(view.name));
  if (c.op.kind == OpKind::atomic) require_atomic_type(c, attr.atomic, view);
}

void indexed_access(Checker &c) {
  const auto &attr = std::get<IndexedAttr>(c.op.attr);
  const View &view = c.p.views[attr.view];
  const bool is_load = c.op.kind == OpKind::gather;
  const std::size_t first = is_load ? 0 : 1;
  const std::size_t policy = (attr.has_predicate ? 1 : 0) + (attr.has_fallback ? 1 : 0);
  const std::size_t count = c.op.operands.size() - first - policy;
  if (count != view.space.rank())
    c.error(Code::T0209, {{"what", quoted(view.name)}, {"expected", std::to_string(view.space.rank()) + " coordinates"},
                          {"found", std::to_string(count)}});
  c.join_index_tiles({c.op.operands.data() + first, count}, quoted(view.name));
  policy_operands(c, first + count, attr.bounds, attr.has_predicate, attr.has_fallback, view,
                  c.out.type.space, is_load);
  c.out.type.elem = view.elem;
  if (is_load) return;
  require_writable(c, view);
  require_elem(c, c.op.operands[0], view, "this access");
  c.require_same_space(c.out.type.space, c.type(c.op.operands[0]).space, "the value of a scatter");
  if (attr.reducer) require_atomic_type(c, *attr.reducer, view);
}

} // namespace

void memory(Checker &c) {
  switch (c.op.kind) {
  case OpKind::load:
  case OpKind::store:
  case OpKind::atomic: window_access(c); break;
  case OpKind::gather:
  case OpKind::scatter: indexed_access(c); break;
  default: break; // `memory` makes an object, no value
  }
}

} // namespace tilenest::signature_detail
