// SPDX-License-Identifier: Apache-2.0
// Convolutions and pooling over the last two axes: one step per position of the window, each on the whole tile. A
// point outside the image is no element: its `take` has no result and is not chosen.
#include "semantics/library/families.h"

namespace tilenest::library {

namespace {

struct Pair {
  std::int64_t y = 1, x = 1;
};

// One literal for both axes, or two.
bool pair_ok(Call &c, std::string_view name, std::int64_t least, Pair &out) {
  if (!c.has(name)) return true;
  const std::vector<Extent> &given = c.extents(name);
  if (given.empty() || given.size() > 2) return c.refuse_option(name, std::to_string(given.size()) + " numbers", "it is one number, or one per axis");
  for (const Extent &e : given)
    if (!e.is_constant() || *e.constant() < least || *e.constant() > (std::int64_t{1} << 30))
      return c.refuse_option(name, c.b.program().extent_text(e), "it is a number, " + std::to_string(least) + " to 2^30, known when the call is captured");
  out = {*given.front().constant(), *given.back().constant()};
  return true;
}

// How a window of `reach` elements, `dilation` apart, slides along an axis of `in` elements.
struct Sliding {
  Factor in;
  Extent reach;
  std::int64_t stride = 1, padding = 0, dilation = 1;

  Extent span() const { return (reach - Extent(1)).times(dilation) + Extent(1); }
  Extent padded() const { return in.extent + Extent(2 * padding); }
  Factor out() const { return {in.dim, (padded() - span()).floor_div(stride) + Extent(1)}; }
};

struct Window {
  Sliding y, x;
};

// Windows that do not fit once are refused: the result would have less than no elements.
bool window_ok(Call &c, Window &w, ValueId x, const Extent &height, const Extent &width, Pair stride, Pair padding, Pair dilation) {
  const Space &s = c.space(x);
  w.y = {s.factors[s.rank() - 2], height, stride.y, padding.y, dilation.y};
  w.x = {s.factors[s.rank() - 1], width, stride.x, padding.x, dilation.x};
  for (const Sliding *a : {&w.y, &w.x})
    if (!c.need_elements("x", {a->in.dim, a->padded()}, a->span())) return false;
  return true;
}

// x at one position of the window, `other` outside the image; the leading axes stay.
struct Tap {
  ValueId value, inside;
};
Tap tap(Call &c, ValueId x, const Window &w, const Scope &at, const Operand &other) {
  const Space &s = c.space(x);
  auto coordinate = [&](const Sliding &a, ValueId position) {
    const ValueId start = c.op(OpKind::sub, {c.op(OpKind::mul, {c.b.iota(a.out()), a.stride}), a.padding});
    return c.op(OpKind::add, {start, c.op(OpKind::mul, {position, a.dilation})});
  };
  const ValueId y = coordinate(w.y, at.coords[0]), z = coordinate(w.x, at.coords[1]);
  auto in_range = [&](ValueId v, const Sliding &a) {
    return c.op(OpKind::bit_and, {c.op(OpKind::ge, {v, std::int64_t{0}}), c.op(OpKind::lt, {v, a.in.extent})});
  };
  const ValueId inside = c.op(OpKind::bit_and, {in_range(y, w.y), in_range(z, w.x)});
  std::vector<Operand> index;
  Space result;
  for (std::size_t i = 0; i + 2 < s.rank(); ++i) index.push_back(c.b.iota(s.factors[i])), result.factors.push_back(s.factors[i]);
  index.push_back(y), index.push_back(z);
  result.factors.push_back(w.y.out()), result.factors.push_back(w.x.out());
  std::vector<DimId> order;
  for (const Factor &f : result.factors) order.push_back(f.dim);
  const ValueId taken = c.b.transpose(c.b.take(x, index), order);
  return {c.op(OpKind::ite, {inside, taken, other}), inside};
}

Scope over_window(Call &c, const Window &w) {
  LoopSpec loop;
  loop.name = "tap";
  loop.domain = Space{{{c.b.dim("r"), w.y.reach}, {c.b.dim("s"), w.x.reach}}};
  return c.b.begin_reduce(loop);
}

bool sliding_ok(Call &c, Pair &stride, Pair &padding, Pair &dilation) {
  padding = {0, 0};
  return pair_ok(c, "stride", 1, stride) && pair_ok(c, "padding", 0, padding) && pair_ok(c, "dilation", 1, dilation);
}

// The channels of each group by the identity of a dim that image, weights and result share.
std::vector<ValueId> conv2d(Call &c) {
  const ValueId x = c.tile("x"), w = c.tile("w");
  Pair stride, padding, dilation;
  if (!c.need_rank("x", 4) || !c.need_rank("w", 4) || !c.refuse_ragged("x") || !c.refuse_ragged("w") || !sliding_ok(c, stride, padding, dilation)) return {};
  if (c.elem(w) != c.elem(x)) return c.refuse_tile("w", "a tile of the type of `x`"), std::vector<ValueId>{};
  const std::int64_t groups = c.integer("groups");
  const Space sx = c.space(x), sw = c.space(w);
  const Extent channels = sx.factors[1].extent, filters = sw.factors[0].extent, part = sw.factors[1].extent;
  if (groups < 1) return c.refuse_option("groups", std::to_string(groups), "it counts groups, 1 or more"), std::vector<ValueId>{};
  if (!c.need_divisor("groups", groups, filters, "filters of `w`")) return {};
  if (judge_equal(part.times(groups), channels) == Judged::no)
    return c.refuse_tile("w", "weights for " + c.b.program().extent_text(channels) + " channels in " + std::to_string(groups) +
                                  (groups == 1 ? " group" : " groups")), std::vector<ValueId>{};
  if (!c.need_divisor("groups", groups, channels, "channels of `x`") || !c.need_extent("w", w, sw.factors[1].dim, channels.floor_div(groups))) return {};
  if (!c.need_elements("w", sw.factors[2], Extent(1)) || !c.need_elements("w", sw.factors[3], Extent(1))) return {};
  Window window;
  if (!window_ok(c, window, x, sw.factors[2].extent, sw.factors[3].extent, stride, padding, dilation)) return {};
  const DimId n = c.b.dim("n"), g = c.b.dim("g"), in = c.b.dim("c"), out = c.b.dim("o"), y = c.b.dim("y"), z = c.b.dim("x"),
              r = c.b.dim("r"), s = c.b.dim("s");
  const Factor of_group{g, Extent(groups)}, of_filter{out, filters.floor_div(groups)};
  const ValueId image = c.b.reshape(x, {{{n, sx.factors[0].extent}, of_group, {in, part}, {y, sx.factors[2].extent}, {z, sx.factors[3].extent}}});
  const ValueId weights = c.b.reshape(w, {{of_group, of_filter, {in, part}, {r, sw.factors[2].extent}, {s, sw.factors[3].extent}}});
  window.y.in.dim = y, window.x.in.dim = z;
  const Space result{{{n, sx.factors[0].extent}, of_group, of_filter, window.y.out(), window.x.out()}};
  const VarId acc = c.b.declare("acc", c.b.full(accumulator(c.elem(x)), std::int64_t{0}, result));
  const Scope at = over_window(c, window);
  const Operand index[] = {c.b.iota(of_group), c.b.iota(of_filter), c.b.iota({in, part}), at.coords[0], at.coords[1]};
  const ValueId taken = c.b.take(weights, index);
  c.b.assign(acc, c.b.mma(tap(c, image, window, at, std::int64_t{0}).value, taken, c.b.read(acc)));
  c.b.end();
  const std::vector<DimId> dims = result_dims(c, {sx.factors[0].dim, sw.factors[0].dim, sx.factors[2].dim, sx.factors[3].dim});
  return {c.b.reshape(c.b.read(acc), {{{dims[0], sx.factors[0].extent}, {dims[1], filters}, {dims[2], window.y.out().extent}, {dims[3], window.x.out().extent}}})};
}

// x with the last two extents replaced.
Space slid(Call &c, ValueId x, const Window &w) {
  Space s = c.space(x);
  s.factors[s.rank() - 2] = w.y.out();
  s.factors[s.rank() - 1] = w.x.out();
  return s;
}

std::vector<ValueId> depthwise_conv2d(Call &c) {
  const ValueId x = c.tile("x"), w = c.tile("w");
  Pair stride, padding, dilation;
  if (!c.need_rank("x", 4) || !c.need_rank("w", 3) || !c.refuse_ragged("x") || !c.refuse_ragged("w") || !sliding_ok(c, stride, padding, dilation)) return {};
  if (c.elem(w) != c.elem(x)) return c.refuse_tile("w", "a tile of the type of `x`"), std::vector<ValueId>{};
  const Space sx = c.space(x), sw = c.space(w);
  if (!c.need_extent("w", w, sw.factors[0].dim, sx.factors[1].extent)) return {}; // one filter a channel
  if (!c.need_elements("w", sw.factors[1], Extent(1)) || !c.need_elements("w", sw.factors[2], Extent(1))) return {};
  Window window;
  if (!window_ok(c, window, x, sw.factors[1].extent, sw.factors[2].extent, stride, padding, dilation)) return {};
  const DimId own[] = {sx.factors[1].dim, c.b.dim("r"), c.b.dim("s")};
  const ValueId weights = c.b.relabel(w, own);
  const ScalarType type = accumulator(c.elem(x));
  auto wide = [&](ValueId v) { return c.elem(v) == type ? v : c.b.cast(OpKind::cast, type, v); };
  const VarId acc = c.b.declare("acc", c.b.full(type, std::int64_t{0}, slid(c, x, window)));
  const Scope at = over_window(c, window);
  const Operand index[] = {c.b.iota(sx.factors[1]), at.coords[0], at.coords[1]};
  const ValueId weight = wide(c.b.take(weights, index));
  const ValueId product = c.op(OpKind::mul, {wide(tap(c, x, window, at, std::int64_t{0}).value), weight});
  c.b.assign(acc, c.op(OpKind::add, {c.b.read(acc), product}));
  c.b.end();
  return {c.b.read(acc)};
}

// The window of a pooling function; its stride is the window itself where none is given.
bool pooling_ok(Call &c, Window &w) {
  const ValueId x = c.tile("x");
  Pair reach, stride, padding{0, 0};
  if (c.space(x).rank() < 2) return c.refuse_tile("x", "a tile of rank 2 or more");
  if (!c.refuse_ragged("x") || !pair_ok(c, "window", 1, reach)) return false;
  stride = reach;
  if (!pair_ok(c, "stride", 1, stride) || !pair_ok(c, "padding", 0, padding)) return false;
  if (padding.y >= reach.y || padding.x >= reach.x)
    return c.refuse_option("padding", std::to_string(std::max(padding.y, padding.x)), "a window would lie outside the image: it is below the window");
  return window_ok(c, w, x, Extent(reach.y), Extent(reach.x), stride, padding, {1, 1});
}

std::vector<ValueId> max_pool2d(Call &c) {
  Window w;
  if (!pooling_ok(c, w)) return {};
  const ValueId x = c.tile("x");
  // The fold of no element at all is the identity of max.
  const DimId none[] = {c.b.dim("none")};
  const ValueId least = c.fold(c.b.full(c.elem(x), std::int64_t{0}, {{{none[0], Extent(0)}}}), none, Reducer::max);
  const VarId best = c.b.declare("best", c.b.broadcast(least, slid(c, x, w)));
  const Scope at = over_window(c, w);
  const ValueId here = tap(c, x, w, at, least).value;
  c.b.assign(best, c.op(OpKind::max, {c.b.read(best), here}));
  c.b.end();
  return {c.b.read(best)};
}

std::vector<ValueId> avg_pool2d(Call &c) {
  Window w;
  if (!pooling_ok(c, w)) return {};
  const ValueId x = c.tile("x");
  const ScalarType type = accumulator(c.elem(x));
  const Space space = slid(c, x, w);
  const VarId sum = c.b.declare("sum", c.b.full(type, std::int64_t{0}, space));
  const VarId count = c.b.declare("count", c.b.full(type, std::int64_t{0}, {{w.y.out(), w.x.out()}}));
  const Scope at = over_window(c, w);
  const Tap here = tap(c, x, w, at, std::int64_t{0});
  c.b.assign(sum, c.op(OpKind::add, {c.b.read(sum), c.elem(x) == type ? here.value : c.b.cast(OpKind::cast, type, here.value)}));
  const ValueId one = c.flag("count_padding") ? c.b.full(type, std::int64_t{1}, {{w.y.out(), w.x.out()}}) : c.b.cast(OpKind::cast, type, here.inside);
  c.b.assign(count, c.op(OpKind::add, {c.b.read(count), one}));
  c.b.end();
  const ValueId mean = c.op(OpKind::div, {c.b.read(sum), c.b.read(count)});
  return {c.elem(x) == type ? mean : c.b.cast(OpKind::cast, c.elem(x), mean)};
}

#define TILENEST_SLIDING extents("stride", ""), extents("padding", ""), extents("dilation", "")
#define TILENEST_OPTIONS                                                                                                        \
  " stride (1), padding (0) and dilation (1) are one number or [y, x]; the image is padded with zeros. An output extent is "    \
  "floor((in + 2 padding - dilation (window - 1) - 1) / stride) + 1. It is f32 for narrower floats, i32 for narrower integers, " \
  "else of x's type. Refused: other ranks or types, a stride or dilation below 1, a negative padding, a window without elements or larger than the padded image, tiles with a predicate"

constexpr Function convolve_table[] = {
    {"conv2d", {tile("x", OpOperands::numeric), tile("w", OpOperands::numeric), TILENEST_SLIDING, integer("groups", "1")}, "y", conv2d,
     "two-dimensional convolution (a correlation, as in networks)",
     "x: [n, channels, height, width]; w: [filters, channels / groups, r, s]; the result: [n, filters, out height, out width], over the dims of x and the first of w where "
     "these are distinct, else the positional dims. Refused: groups that do not divide filters and channels." TILENEST_OPTIONS,
     "as mma: products and sums rounded in the accumulator's type, in any grouping",
     "kernel k(X: f32[1, 2, 6, 6], W: f32[3, 2, 3, 3], Y: out f32[1, 3, 3, 3]) { Y((0, 0, 0, 0), [1, 3, 3, 3]).store(conv2d(X[(0, 0, 0, 0), [1, 2, 6, 6]], W[(0, 0, 0, 0), [3, 2, 3, 3]], stride = 2, padding = [1, 1])) }"},
    {"depthwise_conv2d", {tile("x", OpOperands::numeric), tile("w", OpOperands::numeric), TILENEST_SLIDING}, "y", depthwise_conv2d,
     "a two-dimensional convolution per channel",
     "x: [n, channels, height, width]; w: [channels, r, s]; the result: [n, channels, out height, out width], over the dims of x." TILENEST_OPTIONS,
     "composition: products and sums correctly rounded in the accumulator's type, in any grouping",
     "kernel k(X: f32[1, 2, 6, 6], W: f32[2, 3, 3], Y: out f32[1, 2, 4, 4]) { Y((0, 0, 0, 0), [1, 2, 4, 4]).store(depthwise_conv2d(X[(0, 0, 0, 0), [1, 2, 6, 6]], W[(0, 0, 0), [2, 3, 3]])) }"},
    {"max_pool2d", {tile("x", OpOperands::numeric), extents("window"), extents("stride", ""), extents("padding", "")}, "y", max_pool2d,
     "the greatest element of each window; NaN where a window has one",
     "x: rank 2 or more, windows over the last two axes; the result has x's dims. window, stride (the window), padding (0): one number or [y, x]. Padding counts as no "
     "element. Refused: a window or stride below 1, padding that is not below the window, a window larger than the padded image, a tile with a predicate", "exact",
     "kernel k(X: f32[1, 2, 6, 6], Y: out f32[1, 2, 3, 3]) { Y((0, 0, 0, 0), [1, 2, 3, 3]).store(max_pool2d(X[(0, 0, 0, 0), [1, 2, 6, 6]], 2)) }"},
    {"avg_pool2d", {tile("x", OpOperands::floating), extents("window"), extents("stride", ""), extents("padding", ""), flag("count_padding", "true")}, "y", avg_pool2d,
     "the mean of each window",
     "as max_pool2d; the sum is f32 for narrower floats, and rounded to x's type. count_padding = false divides by the elements that are inside the image",
     "composition: sum, quotient and cast correctly rounded, the sum in any grouping",
     "kernel k(X: f32[1, 2, 6, 6], Y: out f32[1, 2, 3, 3]) { Y((0, 0, 0, 0), [1, 2, 3, 3]).store(avg_pool2d(X[(0, 0, 0, 0), [1, 2, 6, 6]], [2, 2])) }"},
};

} // namespace

Family convolve() { return {"convolve", "Convolution and pooling", convolve_table}; }

} // namespace tilenest::library
