// SPDX-License-Identifier: Apache-2.0
// Evaluation, equality and text of maps.
#include "semantics/maps/map.h"
#include <algorithm>

namespace tilenest {

IndexExpr index_input(int i) {
  auto n = std::make_shared<IndexNode>();
  n->kind = IndexNode::Kind::input;
  n->input = i;
  return n;
}
IndexExpr index_extent(Extent e) {
  auto n = std::make_shared<IndexNode>();
  n->extent = std::move(e);
  return n;
}
IndexExpr index_binary(IndexNode::Kind kind, IndexExpr a, IndexExpr b) {
  auto n = std::make_shared<IndexNode>();
  n->kind = kind;
  n->left = std::move(a);
  n->right = std::move(b);
  return n;
}

bool same_index_expr(const IndexExpr &a, const IndexExpr &b) {
  if (a == b) return true;
  if (!a || !b || a->kind != b->kind) return false;
  switch (a->kind) {
  case IndexNode::Kind::input: return a->input == b->input;
  case IndexNode::Kind::extent: return a->extent == b->extent;
  default: return same_index_expr(a->left, b->left) && same_index_expr(a->right, b->right);
  }
}

Map Map::strided(std::vector<Extent> strides, Extent offset) {
  Map m;
  m.inputs_ = static_cast<int>(strides.size());
  m.strides_ = std::move(strides);
  m.offset_ = std::move(offset);
  return m;
}

Map Map::expressions(int inputs, std::vector<IndexExpr> outputs) {
  Map m;
  m.kind_ = Kind::index_expr;
  m.inputs_ = inputs;
  m.outputs_ = std::move(outputs);
  return m;
}

std::optional<Map> Map::row_major(std::span<const Extent> shape) {
  std::vector<Extent> strides(shape.size());
  Extent stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    if (const auto c = shape[i].constant())
      stride = stride.times(*c);
    else if (const auto s = stride.constant())
      stride = shape[i].times(*s);
    else if (i > 0)
      return std::nullopt;
  }
  return strided(std::move(strides));
}

namespace {
Map::Value constant_value(const Extent &e, const Extent::Lookup &lookup) {
  const auto v = e.evaluate(lookup);
  return {v.value_or(0), !v, false};
}

// rule: NUM-INT
Map::Value combined(IndexNode::Kind kind, const Map::Value &a, const Map::Value &b) {
  Map::Value r{0, a.wrapped || b.wrapped, a.undefined || b.undefined};
  switch (kind) {
  case IndexNode::Kind::add: r.wrapped |= __builtin_add_overflow(a.value, b.value, &r.value); return r;
  case IndexNode::Kind::sub: r.wrapped |= __builtin_sub_overflow(a.value, b.value, &r.value); return r;
  case IndexNode::Kind::mul: r.wrapped |= __builtin_mul_overflow(a.value, b.value, &r.value); return r;
  case IndexNode::Kind::min: r.value = std::min(a.value, b.value); return r;
  case IndexNode::Kind::max: r.value = std::max(a.value, b.value); return r;
  case IndexNode::Kind::bit_xor: r.value = a.value ^ b.value; return r;
  default: break;
  }
  if (b.value == 0) {
    r.undefined = true;
    return r;
  }
  const bool floor = kind == IndexNode::Kind::floordiv;
  if (b.value == -1) { // INT64_MIN / -1 is INT64_MIN
    r.wrapped |= floor && __builtin_sub_overflow(std::int64_t{0}, a.value, &r.value);
    return r;
  }
  std::int64_t q = a.value / b.value, m = a.value % b.value;
  if (m != 0 && (m < 0) != (b.value < 0)) q -= 1, m += b.value;
  r.value = floor ? q : m;
  return r;
}

Map::Value evaluate_expr(const IndexNode &n, std::span<const std::int64_t> in, const Extent::Lookup &lookup) {
  if (n.kind == IndexNode::Kind::input) return {in[static_cast<std::size_t>(n.input)], false, false};
  if (n.kind == IndexNode::Kind::extent) return constant_value(n.extent, lookup);
  return combined(n.kind, evaluate_expr(*n.left, in, lookup), evaluate_expr(*n.right, in, lookup));
}
} // namespace

Map::Value Map::evaluate(int output, std::span<const std::int64_t> in, const Extent::Lookup &lookup) const {
  if (kind_ == Kind::index_expr) return evaluate_expr(*outputs_[static_cast<std::size_t>(output)], in, lookup);
  Value sum = constant_value(offset_, lookup);
  for (std::size_t i = 0; i < in.size(); ++i)
    sum = combined(IndexNode::Kind::add, sum,
                   combined(IndexNode::Kind::mul, constant_value(strides_[i], lookup), {in[i], false, false}));
  return sum;
}

std::optional<std::vector<std::int64_t>> Map::evaluate(std::span<const std::int64_t> in,
                                                       const Extent::Lookup &lookup) const {
  if (in.size() != static_cast<std::size_t>(inputs_)) return std::nullopt;
  std::vector<std::int64_t> out;
  for (int i = 0; i < outputs(); ++i) {
    const Value v = evaluate(i, in, lookup);
    if (v.wrapped || v.undefined) return std::nullopt;
    out.push_back(v.value);
  }
  return out;
}

bool operator==(const Map &a, const Map &b) {
  if (a.kind_ != b.kind_ || a.inputs_ != b.inputs_) return false;
  if (a.kind_ == Map::Kind::strided) return a.strides_ == b.strides_ && a.offset_ == b.offset_;
  if (a.outputs_.size() != b.outputs_.size()) return false;
  for (std::size_t i = 0; i < a.outputs_.size(); ++i)
    if (!same_index_expr(a.outputs_[i], b.outputs_[i])) return false;
  return true;
}

std::string to_string(const IndexExpr &e, const std::function<std::string(int)> &input_name,
                      const std::function<std::string(ParamId)> &param_name) {
  auto side = [&](const IndexExpr &x) {
    const std::string s = to_string(x, input_name, param_name);
    const bool atom = x->kind == IndexNode::Kind::input ||
                      (x->kind == IndexNode::Kind::extent && x->extent.is_constant() &&
                       *x->extent.constant() >= 0) || x->kind >= IndexNode::Kind::floordiv;
    return atom ? s : "(" + s + ")";
  };
  auto call = [&](const char *name) {
    return std::string(name) + "(" + to_string(e->left, input_name, param_name) + ", " +
           to_string(e->right, input_name, param_name) + ")";
  };
  switch (e->kind) {
  case IndexNode::Kind::input: return input_name(e->input);
  case IndexNode::Kind::extent: return e->extent.to_string(param_name);
  case IndexNode::Kind::add: return side(e->left) + " + " + side(e->right);
  case IndexNode::Kind::sub: return side(e->left) + " - " + side(e->right);
  case IndexNode::Kind::mul: return side(e->left) + " * " + side(e->right);
  case IndexNode::Kind::floordiv: return call("floordiv");
  case IndexNode::Kind::mod: return call("mod");
  case IndexNode::Kind::min: return call("min");
  case IndexNode::Kind::max: return call("max");
  case IndexNode::Kind::bit_xor: return call("xor");
  }
  return {};
}

} // namespace tilenest
