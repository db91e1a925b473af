// SPDX-License-Identifier: Apache-2.0
// Losses of a tile against a target of the same space: a cost per element, then its mean or sum along dims.
// Floats narrower than f32 are computed in f32 and rounded once at the end. The loss by label is
// cross_entropy (choose.cpp).
#include "semantics/library/families.h"

namespace tilenest::library {

namespace {

// The two tiles have one type and one space, and `none` is not asked for along some dims.
bool loss_ok(Call &c) {
  const ValueId x = c.tile("x"), y = c.tile("y");
  const auto &of_x = c.space(x).factors, &of_y = c.space(y).factors;
  bool alike = c.elem(x) == c.elem(y) && of_x.size() == of_y.size();
  for (std::size_t i = 0; alike && i < of_x.size(); ++i) alike = of_x[i].dim == of_y[i].dim;
  if (!alike) return c.refuse_tile("y", "a tile of the type and dims of `x`");
  for (const Factor &f : of_x)
    if (!c.need_extent("y", y, f.dim, f.extent)) return false;
  if (c.word("reduction") == "none" && c.has("dims") && !c.dims("dims").empty())
    return c.refuse_option("reduction", "`none`", "dims are named, and nothing is reduced along them");
  return true;
}

template <class Cost> std::vector<ValueId> reduced(Call &c, Cost &&cost) {
  if (!loss_ok(c)) return {};
  const ValueId x = widened(c, "x"), y = widened(c, "y");
  ValueId result = cost(c.op(OpKind::sub, {x, y}));
  const std::string how = c.word("reduction");
  const std::vector<DimId> dims = how == "none" ? std::vector<DimId>{} : c.dims_or_all("dims", result);
  if (!dims.empty()) result = how == "sum" ? c.fold(result, dims, Reducer::add) : average(c, result, dims);
  return rounded(c, result);
}

std::vector<ValueId> mse_loss(Call &c) {
  return reduced(c, [&](ValueId off) { return c.op(OpKind::mul, {off, off}); });
}

std::vector<ValueId> mae_loss(Call &c) {
  return reduced(c, [&](ValueId off) { return c.op(OpKind::abs, {off}); });
}

std::vector<ValueId> huber_loss(Call &c) {
  const double delta = c.number("delta");
  if (!(delta > 0))
    return c.refuse_option("delta", literal_text(delta), "it is where the loss turns linear, above 0"),
           std::vector<ValueId>{};
  return reduced(c, [&](ValueId off) {
    const ValueId far = c.op(OpKind::abs, {off});
    const ValueId square = c.op(OpKind::mul, {c.op(OpKind::mul, {0.5, far}), far});
    const ValueId line = c.op(OpKind::mul, {delta, c.op(OpKind::sub, {far, 0.5 * delta})});
    return c.op(OpKind::ite, {c.op(OpKind::le, {far, delta}), square, line});
  });
}

constexpr Parameter reduction = word("reduction", "mean|sum|none", "mean");

#define TILENEST_LOSS                                                                                        \
  "x: any space, also with a predicate, whose points alone count; y: the same type, dims and extents; "      \
  "the result lacks the dims, all of x's where none is named. reduction is `mean` (NaN of no elements), "    \
  "`sum`, or `none`, which keeps x's space. Refused: another y, dims together with `none`, a dim twice"
#define TILENEST_LOSS_EXAMPLE(call)                                                                               \
  "kernel k(X: f32[4, 6], T: f32[4, 6], Y: out f32[4]) { axis m = 4, n = 6; x = X[(0, 0), [m, n]]; y = "     \
  "T[(0, 0), [m, n]]; Y((0), [m]).store(" call ") }"

constexpr Function loss_table[] = {
    {"mse_loss",
     {tile("x", floats), tile("y", floats), optional_dims(), reduction},
     "loss",
     mse_loss,
     "the mean of (x - y)^2 along the dims",
     TILENEST_LOSS,
     rounded_steps,
     TILENEST_LOSS_EXAMPLE("mse_loss(x, y, n)")},
    {"mae_loss",
     {tile("x", floats), tile("y", floats), optional_dims(), reduction},
     "loss",
     mae_loss,
     "the mean of |x - y| along the dims",
     TILENEST_LOSS,
     rounded_steps,
     TILENEST_LOSS_EXAMPLE("mae_loss(x, y, n, reduction = sum)")},
    {"huber_loss",
     {tile("x", floats), tile("y", floats), number("delta"), optional_dims(), reduction},
     "loss",
     huber_loss,
     "the mean along the dims of d^2 / 2 where d = |x - y| is at most delta, else of delta (d - delta / 2)",
     TILENEST_LOSS ", a delta that is not above 0",
     rounded_steps,
     TILENEST_LOSS_EXAMPLE("huber_loss(x, y, 1.0, n)")},
};

} // namespace

Family loss() { return {"loss", "Losses", loss_table}; }

} // namespace tilenest::library
