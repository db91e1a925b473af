// SPDX-License-Identifier: Apache-2.0
// Windows of views as rows along their last axis, which move at once.
#pragma once
#include "interp/access_plan.h"
#include "interp/machine.h"

namespace tilenest {

// The part of the window at `origin` that lies in the view, as a rectangle of rows; true if it is the whole window. Nothing of
// it where the origin is not `somewhere`.
inline bool rectangle(const AccessPlan &plan, const ViewAddress &address, const std::int64_t *origin, bool somewhere, std::int64_t *low, std::int64_t *high) {
  bool whole = true;
  for (std::size_t a = 0; a < plan.rank; ++a) {
    const __int128 o = origin[a], w = plan.window[a], e = address.extents[a];
    __int128 lo = o < 0 ? -o : 0, hi = e - o;
    if (lo > w || !somewhere) lo = w;
    if (hi > w) hi = w;
    if (hi < lo) hi = lo;
    low[a] = static_cast<std::int64_t>(lo);
    high[a] = static_cast<std::int64_t>(hi);
    whole &= lo == 0 && hi == w;
  }
  return whole;
}

// f(byte offset in the object, element number in the tile, elements) for each row along the last axis of
// the rectangle that is in the window.
template <class F>
void for_rectangle(const AccessPlan &plan, const ViewAddress &address, const std::int64_t *origin, const std::int64_t *low, const std::int64_t *high, F &&row) {
  std::int64_t at[max_rank];
  for (std::size_t a = 0; a < plan.rank; ++a) {
    if (low[a] >= high[a]) return;
    at[a] = low[a];
  }
  const std::size_t last = plan.rank - 1;
  for (;;) {
    std::int64_t offset = 0, tile = 0;
    for (std::size_t a = 0; a < plan.rank; ++a) {
      offset += (origin[a] + at[a]) * address.strides[a];
      tile += at[a] * plan.tile_strides[a];
    }
    row(offset, tile, high[last] - low[last]);
    std::size_t d = last;
    while (d-- > 0) {
      if (++at[d] < high[d]) break;
      at[d] = low[d];
    }
    if (d == static_cast<std::size_t>(-1)) return;
  }
}

} // namespace tilenest
