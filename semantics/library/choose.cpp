// SPDX-License-Identifier: Apache-2.0
// Choosing by conditions and by labels.
#include "semantics/library/families.h"

namespace tilenest::library {

namespace {

std::vector<ValueId> select(Call &c) {
  const Operand x = c.operand("x"), y = c.operand("y");
  const auto *left = std::get_if<ValueId>(&x), *right = std::get_if<ValueId>(&y);
  if (left && right && c.elem(*left) != c.elem(*right)) {
    c.refuse_option("y", "a tile of " + std::string(to_string(c.elem(*right))), "`x` is of " + std::string(to_string(c.elem(*left))));
    return {};
  }
  return {c.op(OpKind::ite, {c.tile("condition"), x, y})};
}

ValueId as_index(Call &c, ValueId labels) {
  return c.elem(labels) == ScalarType::i64 ? labels : c.b.cast(OpKind::cast, ScalarType::i64, labels);
}

std::vector<ValueId> one_hot(Call &c) {
  const ValueId labels = c.tile("labels");
  const Factor classes = c.axis("classes");
  if (c.space(labels).find(classes.dim) >= 0) {
    c.refuse_option("classes", "`" + c.b.program().dim_text(classes.dim) + "`", "`labels` has this dim already");
    return {};
  }
  const ValueId hit = c.op(OpKind::eq, {as_index(c, labels), c.b.iota(classes)});
  return {c.b.cast(OpKind::cast, c.element("type"), hit)};
}

// The logarithm of the sum of exponentials less the logit of the label.
std::vector<ValueId> cross_entropy(Call &c) {
  const ValueId labels = c.tile("labels"), given = c.tile("logits");
  const DimId dims[] = {c.dim()};
  Space rest;
  for (const Factor &f : c.space(given).factors)
    if (f.dim != c.dim()) rest.factors.push_back(f);
  bool fits = c.space(labels).rank() == rest.rank();
  for (const Factor &f : c.space(labels).factors) fits = fits && rest.find(f.dim) >= 0;
  if (!fits) {
    c.refuse_tile("labels", "a tile over " + c.b.program().space_text(rest));
    return {};
  }
  const ValueId logits = widened(c, "logits");
  std::vector<Operand> at;
  for (const Factor &f : c.space(logits).factors) at.push_back(f.dim == c.dim() ? as_index(c, labels) : c.b.iota(f));
  const ValueId chosen = c.b.take(logits, at);
  const ValueId loss = c.op(OpKind::sub, {log_sum_exp(c, logits, dims), chosen});
  return rounded(c, loss, "logits");
}

constexpr Function choose_table[] = {
    {"select", {tile("condition", OpOperands::boolean), operand("x", OpOperands::computed), operand("y", OpOperands::computed)}, "z", select, "x where the condition holds, else y",
     "condition: a bool tile; x, y: tiles, literals or extents of one type, joined by dims with the condition. Only the chosen "
     "element's mark passes", "exact",
     "kernel k(X: f32[4, 6], Y: out f32[4, 6]) { axis m = 4, n = 6; x = X[(0, 0), [m, n]]; Y((0, 0), [m, n]).store(select(x > 2, x, 0.5)) }"},
    {"one_hot", {tile("labels", OpOperands::integer), axis("classes"), element("type", "f32")}, "y", one_hot,
     "1 where the label is the coordinate along classes, else 0",
     "labels: any space; the result has the dim of classes after the dims of labels. A label outside gives zeros. Refused: classes "
     "over a dim of labels", "exact",
     "kernel k(L: i32[4], Y: out f32[4, 8]) { axis m = 4, c = 8; Y((0, 0), [m, c]).store(one_hot(L[(0), [m]], c)) }"},
    {"cross_entropy", {tile("logits", OpOperands::floating), tile("labels", OpOperands::integer), dim()}, "loss", cross_entropy,
     "logsumexp(logits) along dim, less the logit of the label",
     "logits: any space with dim; labels: the other dims of logits; the result has these. Using the loss of a label outside the "
     "classes is a violation (U0104). Refused: labels over other dims",
     "composition: each step correctly rounded in the type of logits, the sum in any grouping; f16, bf16 and f8 in f32, rounded once at "
     "the end",
     "kernel k(X: f32[4, 8], L: i32[4], Y: out f32[4]) { axis m = 4, c = 8; Y((0), [m]).store(cross_entropy(X[(0, 0), [m, c]], mod(L[(0), [m]], 8), c)) }",
     "a label is outside the classes"},
};

} // namespace

Family choose() { return {"choose", "Choosing by conditions and labels", choose_table}; }

} // namespace tilenest::library
