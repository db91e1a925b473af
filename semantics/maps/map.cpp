// SPDX-License-Identifier: Apache-2.0
// Evaluation, equality and text of maps.
#include "semantics/maps/map.h"

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
std::optional<std::int64_t> evaluate_expr(const IndexNode &n, std::span<const std::int64_t> in,
                                          const Extent::Lookup &lookup) {
  if (n.kind == IndexNode::Kind::input) return in[static_cast<std::size_t>(n.input)];
  if (n.kind == IndexNode::Kind::extent) return n.extent.evaluate(lookup);
  const auto a = evaluate_expr(*n.left, in, lookup), b = evaluate_expr(*n.right, in, lookup);
  if (!a || !b) return std::nullopt;
  std::int64_t r = 0;
  switch (n.kind) {
  case IndexNode::Kind::add: return __builtin_add_overflow(*a, *b, &r) ? std::nullopt : std::optional(r);
  case IndexNode::Kind::sub: return __builtin_sub_overflow(*a, *b, &r) ? std::nullopt : std::optional(r);
  case IndexNode::Kind::mul: return __builtin_mul_overflow(*a, *b, &r) ? std::nullopt : std::optional(r);
  case IndexNode::Kind::min: return *a < *b ? *a : *b;
  case IndexNode::Kind::max: return *a < *b ? *b : *a;
  case IndexNode::Kind::bit_xor: return *a ^ *b;
  default: break;
  }
  if (*b == 0 || (*b == -1 && *a == INT64_MIN)) return std::nullopt;
  std::int64_t q = *a / *b, m = *a % *b;
  if (m != 0 && (m < 0) != (*b < 0)) q -= 1, m += *b;
  return n.kind == IndexNode::Kind::floordiv ? q : m;
}
} // namespace

std::optional<std::vector<std::int64_t>> Map::evaluate(std::span<const std::int64_t> in,
                                                       const Extent::Lookup &lookup) const {
  if (in.size() != static_cast<std::size_t>(inputs_)) return std::nullopt;
  if (kind_ == Kind::index_expr) {
    std::vector<std::int64_t> out;
    for (const IndexExpr &e : outputs_) {
      const auto v = evaluate_expr(*e, in, lookup);
      if (!v) return std::nullopt;
      out.push_back(*v);
    }
    return out;
  }
  auto sum = offset_.evaluate(lookup);
  for (std::size_t i = 0; sum && i < in.size(); ++i) {
    const auto stride = strides_[i].evaluate(lookup);
    std::int64_t product;
    if (!stride || __builtin_mul_overflow(*stride, in[i], &product) ||
        __builtin_add_overflow(*sum, product, &*sum))
      return std::nullopt;
  }
  if (!sum) return std::nullopt;
  return std::vector<std::int64_t>{*sum};
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
