// SPDX-License-Identifier: Apache-2.0
// What must hold of a program once every parameter has a number: its constraints, its extents, the sizes of its
// tiles, memories and domains, the layouts of its memories, the orders of its loops.
#include "semantics/diag/codes.h"
#include "semantics/maps/layout_check.h"
#include "semantics/maps/order_check.h"
#include "semantics/program/bind_detail.h"
#include "semantics/program/call_arguments.h"
#include "semantics/space/element_count.h"
#include "semantics/support/rule.h"
#include <algorithm>

namespace tilenest::bind_detail {

namespace {

// Elements that one tile, and one memory, may have. The machine holds them whole; nothing that these programs
// describe comes near.
constexpr std::int64_t tile_limit = std::int64_t{1} << 31;
constexpr std::int64_t memory_limit = std::int64_t{1} << 35;

// The product of the extents that are not zero, or nothing if 63 bits do not hold it; an extent is >= 0.
std::optional<std::int64_t> nonzero_product(std::span<const std::int64_t> extents) {
  std::int64_t product = 1;
  for (std::int64_t n : extents)
    if (n != 0 && __builtin_mul_overflow(product, n, &product)) return std::nullopt;
  return product;
}

bool is_empty(std::span<const std::int64_t> extents) { return std::find(extents.begin(), extents.end(), 0) != extents.end(); }

struct ExtentChecker {
  Binding &b;
  std::vector<std::pair<Extent, bool>> seen; // open extents and whether they are fine

  bool extent_ok(const Extent &e, const std::string &what, SiteId site, bool may_be_negative = false) {
    if (e.is_constant() && (may_be_negative || *e.constant() >= 0)) return true;
    for (const auto &[other, ok] : seen)
      if (!may_be_negative && other == e) return ok;
    const auto value = b.evaluate(e);
    const bool ok = value && (may_be_negative || *value >= 0);
    if (!may_be_negative) seen.emplace_back(e, ok);
    if (!ok)
      b.error(Code::T0204, site,
              {{"extent", value ? b.value_text(e) : e.overflowed() ? "expression" : b.p.extent_text(e)},
               {"what", what}, {"why", value ? "it is negative" : "64 bits do not hold it"}});
    return ok;
  }

  // Returns false where a factor is at fault, or the count is above the limit.
  bool space_ok(const Space &s, const std::string &what, SiteId site, std::int64_t limit) {
    std::vector<std::int64_t> extents;
    for (const Factor &f : s.factors) {
      if (!extent_ok(f.extent, "dim `" + b.p.dim_text(f.dim) + "` of " + what, site)) return false;
      extents.push_back(*b.evaluate(f.extent));
    }
    return count_ok(extents, what, site, limit);
  }

  // rule: SPC-UNIQ -- an empty space is fine, whatever its other extents are.
  bool count_ok(std::span<const std::int64_t> extents, const std::string &what, SiteId site, std::int64_t limit) {
    return (is_empty(extents) && !rule_broken(Rule::spc_uniq)) || nonzero_ok(extents, what, site, limit);
  }

  // Strides of an empty array are computed, too: there, extents that are zero do not excuse the others.
  bool nonzero_ok(std::span<const std::int64_t> extents, const std::string &what, SiteId site, std::int64_t limit) {
    const auto count = nonzero_product(extents);
    if (count && *count <= limit) return true;
    std::string text;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      if (i == 8 && extents.size() > 9) { // enough to find it
        text += " x ... (" + std::to_string(extents.size()) + " dims)";
        break;
      }
      text += (text.empty() ? "" : " x ") + std::to_string(extents[i]);
    }
    b.error(Code::L1001, site, {{"what", what}, {"count", text}, {"limit", std::to_string(limit)}});
    return false;
  }
};

// `zeros` and `full` are broadcasts of a scalar.
const char *written_as(const TileProgram &p, const Op &op) {
  if (op.kind != OpKind::broadcast || p.values[op.operands[0]].type.space.rank() > 0) return info(op.kind).name;
  const OpId from = p.values[op.operands[0]].op;
  const auto *literal = from.valid() ? std::get_if<LiteralAttr>(&p.ops[from].attr) : nullptr;
  const auto *zero = literal ? std::get_if<std::int64_t>(&literal->literal) : nullptr;
  return zero && *zero == 0 ? "zeros" : "full";
}

std::string tile_text(const TileProgram &p, const Value &v) {
  if (!v.name.empty()) return "`" + v.name + "`";
  if (!v.op.valid()) return "a tile";
  return std::string("the tile of `") + written_as(p, p.ops[v.op]) + "`";
}

void check_op_extents(ExtentChecker &c, const Op &op) {
  const TileProgram &p = c.b.p;
  if (const auto *a = std::get_if<LoopAttr>(&op.attr)) {
    c.space_ok(a->domain, "the domain of `" + a->name + "`", op.site, INT64_MAX);
  } else if (const auto *a = std::get_if<ParallelAttr>(&op.attr)) {
    const Level &level = p.levels[a->level];
    c.space_ok(level.domain, "the domain of `" + level.name + "`", op.site, INT64_MAX);
  } else if (const auto *a = std::get_if<AccessAttr>(&op.attr)) {
    c.space_ok(a->window, "the window of `" + p.views[a->view].name + "`", op.site, tile_limit);
  } else if (const auto *a = std::get_if<SpaceAttr>(&op.attr)) {
    c.space_ok(a->space, std::string("the space of `") + written_as(p, op) + "`", op.site, tile_limit);
  } else if (const auto *a = std::get_if<IotaAttr>(&op.attr)) {
    c.space_ok(Space{{a->factor}}, "`iota`", op.site, tile_limit);
  } else if (const auto *a = std::get_if<ExtentAttr>(&op.attr)) {
    c.extent_ok(a->extent, "a coordinate", op.site, true); // an i64 value like any other
  }
}

void check_expr(ExtentChecker &c, const IndexExpr &e, const std::string &what, SiteId site) {
  if (!e) return;
  if (e->kind == IndexNode::Kind::extent) c.extent_ok(e->extent, what, site, true);
  check_expr(c, e->left, what, site);
  check_expr(c, e->right, what, site);
}

std::string point_text(const std::vector<std::int64_t> &point) {
  std::string out;
  for (std::int64_t x : point) out += (out.empty() ? "" : ", ") + std::to_string(x);
  return "(" + out + ")";
}

} // namespace

void check_constraints(Binding &b) {
  if (rule_broken(Rule::spc_ext)) return;
  SiteId told; // the call whose expansion is reported: what else it says follows from that
  auto check = [&](const Constraint &c) {
    if (b.full() || (!c.from.empty() && told == c.site)) return;
    const auto left = b.evaluate(c.equation.left), right = b.evaluate(c.equation.right);
    if (left && right && (*left == *right || (c.at_most && *left < *right) || (c.equation.one_allowed && *left == 1))) return;
    const std::string l = b.value_text(c.equation.left), r = b.value_text(c.equation.right);
    const std::string dim = c.equation.dim.valid() ? b.p.dim_text(c.equation.dim) : "";
    Diagnostic &d = b.error(c.code, c.site,
                            {{"op", c.subject}, {"what", c.subject}, {"var", c.subject}, {"function", c.subject},
                             {"dim", dim}, {"left", c.code == Code::T0219 ? c.why + l : l}, {"right", r}, {"from", l}, {"to", r},
                             {"argument", c.argument}, {"value", r}, {"nest", c.subject},
                             {"why", c.code == Code::T0605 ? c.why + ": " + l + ", " + r : c.why},
                             {"expected", "a tile with " + r + " elements along `" + dim + "`" + c.why}, {"found", "one with " + l}});
    if (c.code == Code::T0215 && c.subject == "broadcast") d.args.emplace_back("as", " in `broadcast`");
    d.from_arguments(c.from);
    if (!c.from.empty()) told = c.site;
    if (c.equation.one_allowed && right == 1)
      d.note("the result's extent is " + b.p.extent_text(c.equation.right) +
             " for every binding; only the operand's may be 1");
  };
  for (const LibraryCall &call : b.p.calls)
    for (const Constraint &c : call.demands) check(c);
  if (!b.errors.empty()) return; // what an expansion says of a call that is refused follows from that
  for (const Constraint &c : b.p.constraints) check(c);
}

void check_extents(Binding &b) {
  const TileProgram &p = b.p;
  ExtentChecker c{b, {}};
  for (const Object &o : p.objects) {
    const std::string what = "`" + o.name + "`";
    std::vector<std::int64_t> extents;
    bool ok = true;
    for (const Extent &e : o.shape) {
      ok = ok && c.extent_ok(e, "an axis of " + what, o.site);
      if (ok) extents.push_back(*b.evaluate(e));
    }
    // Storage is addressed in bits (EFF-ORDER).
    if (ok)
      c.nonzero_ok(extents, what, o.site,
                   o.kind == ObjectKind::memory && !is_empty(extents) ? memory_limit : INT64_MAX / bit_width(o.elem));
    if (b.full()) return;
  }
  for (const View &v : p.views) {
    for (const Factor &f : v.space.factors)
      c.extent_ok(f.extent, "an axis of `" + v.name + "`", v.site);
    if (b.full()) return;
  }
  if (!b.errors.empty()) return;
  for_each_op(p, p.body, [&](const Op &op, OpId) {
    if (!b.full()) check_op_extents(c, op);
  });
  for (const Variable &v : p.variables)
    if (!b.full()) c.space_ok(v.type.space, "`" + v.name + "`", v.site, tile_limit);
  if (!b.errors.empty()) return;
  for_each_op(p, p.body, [&](const Op &op, OpId) {
    for (ValueId id : op.results)
      if (!b.full()) c.space_ok(p.values[id].type.space, tile_text(p, p.values[id]), op.site, tile_limit);
    // Counts that are no quasi-affine expression are compared here only.
    if (op.kind == OpKind::reshape && b.errors.empty() && !rule_broken(Rule::spc_ext)) {
      const Space &from = p.values[op.operands[0]].type.space, &to = std::get<SpaceAttr>(op.attr).space;
      auto count = [&](const Space &s) {
        std::vector<std::int64_t> extents;
        for (const Factor &f : s.factors) extents.push_back(*b.evaluate(f.extent));
        return element_count(extents);
      };
      if (count(from) != count(to))
        b.error(Code::T0206, op.site, {{"from", b.shape_text(from)}, {"to", b.shape_text(to)}})
            .from_arguments(from_arguments(p, op.call, op));
    }
  });
}

// rule: MEM-OWN
void check_maps(Binding &b) {
  const TileProgram &p = b.p;
  ExtentChecker c{b, {}};
  auto expressions_ok = [&](LayoutId id, const std::string &what, SiteId site) {
    const std::size_t before = b.errors.size();
    const Map &map = p.layouts[id];
    for (const Extent &e : map.strides()) c.extent_ok(e, what, site, true);
    c.extent_ok(map.offset(), what, site, true);
    for (const IndexExpr &e : map.output_expressions()) check_expr(c, e, what, site);
    return b.errors.size() == before;
  };
  for_each_op(p, p.body, [&](const Op &op, OpId) {
    if (const auto *a = std::get_if<MapAttr>(&op.attr)) expressions_ok(a->map, "a coordinate map", op.site);
  });
  const Extent::Lookup lookup = [&](ParamId id) { return b.params[id.index]; };
  for (const Object &o : p.objects) {
    if (!o.layout.valid() || b.full()) continue;
    if (!expressions_ok(o.layout, "the layout of `" + o.name + "`", o.site)) continue;
    std::vector<std::int64_t> shape;
    for (const Extent &e : o.shape) shape.push_back(*b.evaluate(e));
    const LayoutReport r = check_layout(p.layouts[o.layout], shape, lookup);
    auto refuse = [&](const std::string &why) {
      b.error(Code::T1010, o.site, {{"memory", o.name}, {"why", why}});
    };
    switch (r.verdict) {
    case LayoutReport::Verdict::ok:
      if (r.cosize > memory_limit)
        c.count_ok(std::vector<std::int64_t>{r.cosize}, "the storage of `" + o.name + "`", o.site, memory_limit);
      break;
    case LayoutReport::Verdict::not_total: refuse("it gives " + point_text(r.first) + " no place"); break;
    case LayoutReport::Verdict::out_of_bounds:
      refuse("it places " + point_text(r.first) + " at " + std::to_string(r.offset) + ", before its storage");
      break;
    case LayoutReport::Verdict::not_injective:
      refuse(r.first.empty() ? "it has more elements than places"
                             : "it places " + point_text(r.first) + " and " + point_text(r.second) + " both at " +
                                   std::to_string(r.offset));
      break;
    case LayoutReport::Verdict::undecided:
      b.error(Code::L1002, o.site,
              {{"memory", o.name}, {"limit", std::to_string(layout_enumeration_limit)}});
      break;
    }
  }
}

void check_orders(Binding &b) {
  if (rule_broken(Rule::ctx_ser)) return;
  const Extent::Lookup lookup = [&](ParamId id) { return b.params[id.index]; };
  for_each_op(b.p, b.p.body, [&](const Op &op, OpId) {
    const auto *loop = std::get_if<LoopAttr>(&op.attr);
    if (!loop || !loop->order.valid() || b.full()) return;
    std::vector<std::int64_t> shape;
    for (const Factor &f : loop->domain.factors) shape.push_back(*b.evaluate(f.extent));
    const OrderReport r = check_order(b.p.layouts[loop->order], shape, lookup);
    if (r.verdict == OrderReport::Verdict::not_bijection)
      b.error(Code::T0610, op.site, {{"loop", loop->name}, {"why", r.why}});
    else if (r.verdict == OrderReport::Verdict::undecided)
      b.error(Code::L0303, op.site, {{"what", "the domain of `" + loop->name + "`, which has an order of its own,"},
                                     {"count", std::to_string(element_count(shape))}, {"limit", std::to_string(order_enumeration_limit)}});
  });
}

} // namespace tilenest::bind_detail
