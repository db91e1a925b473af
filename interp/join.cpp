// SPDX-License-Identifier: Apache-2.0
// The exit of a `parallel`: what each instance wrote of an ancestor's tiles, put together element by element.
#include "interp/machine.h"
#include "semantics/diag/codes.h"

namespace tilenest {

namespace {

std::size_t count_of(const std::vector<std::int64_t> &shape) {
  std::size_t n = 1;
  for (std::int64_t e : shape) n *= static_cast<std::size_t>(e);
  return n;
}

} // namespace

BlockRef Machine::private_copy(const BlockRef &from, std::size_t bytes) {
  BlockRef copy = block(bytes);
  std::memcpy(copy.as<>(), from.as<>(), bytes);
  return copy;
}

// rule: UPD-JOIN -- each element has its one writer's value, else the shared one.
void Machine::join(Activation &a, Frame &f) {
  const Body &body = *f.routine->body;
  const int depth = p.levels[f.routine->level].depth;
  for (std::size_t i = 0; i < a.joins.size(); ++i) {
    Join &j = a.joins[i];
    Tile y = take(f, body.yields[i]);
    WrittenSet mine{depth, 0, {}};
    for (std::size_t w = 0; w < y.written.size(); ++w)
      if (y.written[w].depth == depth) {
        mine = std::move(y.written[w]);
        y.written.erase(y.written.begin() + static_cast<std::ptrdiff_t>(w));
        break;
      }
    const std::size_t n = count_of(a.plan->carried_shapes[i]), bytes = a.plan->carried_bytes[i];
    const bool first = !j.any;
    j.any = true;
    if (!mine.any()) {
      if (first) j.tile = std::move(y); // collective definitions are every instance's
      continue;
    }
    if (!j.writers) j.writers = zeros(n * sizeof(std::uint32_t));
    auto *writers = j.writers.as<std::uint32_t>();
    if (first) {
      j.tile = std::move(y);
      for (std::size_t e = 0; e < n; ++e)
        if (const std::uint32_t op = mine.writer(e)) writers[e] = op;
      continue;
    }
    if (!j.tile.data.unique()) j.tile.data = private_copy(j.tile.data, n * bytes);
    if (y.notes && !j.tile.notes) j.tile.notes = zeros(n * sizeof(Note));
    if (j.tile.notes && !j.tile.notes.unique()) j.tile.notes = private_copy(j.tile.notes, n * sizeof(Note));
    if (y.spread || j.tile.spread) { // each element's enclosure comes from where its value does
      const ScalarType type = p.values[a.instr->source->results[i]].type.elem;
      BlockRef spread = spread_block(n);
      for (std::size_t e = 0; e < n; ++e)
        spread.as<Enclosure>()[e] = enclosure_of(mine.writer(e) ? y : j.tile, type, static_cast<std::int64_t>(e));
      j.tile.spread = std::move(spread);
    }
    for (std::size_t e = 0; e < n; ++e) {
      const std::uint32_t op = mine.writer(e);
      if (!op) continue;
      writers[e] = op;
      std::memcpy(j.tile.data.as<>() + e * bytes, y.data.as<>() + e * bytes, bytes);
      if (j.tile.notes) j.tile.notes.as<Note>()[e] = y.notes ? y.notes.as<Note>()[e] : 0;
    }
  }
}

Frame *Machine::finish_parallel(Activation &a) {
  Frame &f = *a.parent;
  const Instr &in = *a.instr;
  const int depth = p.levels[f.routine->level].depth;
  for (std::size_t i = 0; i < a.joins.size(); ++i) {
    Join &j = a.joins[i];
    if (!j.any) { // no active instance: the incoming definition
      set(f, in, std::move(a.incoming[i]), i);
      continue;
    }
    if (j.writers) { // what the instances wrote, the instance around them wrote
      const std::size_t n = count_of(a.plan->carried_shapes[i]);
      WrittenSet *outer = nullptr;
      for (WrittenSet &w : j.tile.written)
        if (w.depth == depth) outer = &w;
      if (!outer) outer = &j.tile.written.emplace_back(WrittenSet{depth, 0, {}});
      make_elements(*outer, n);
      for (std::size_t e = 0; e < n; ++e)
        if (const std::uint32_t op = j.writers.as<std::uint32_t>()[e]) outer->elements.as<std::uint32_t>()[e] = op;
    }
    set(f, in, std::move(j.tile), i);
  }
  if (!a.part) forget_lifted(f); // another range shares them
  if (a.strands) order_strands(f);
  std::erase_if(activations_, [&](const auto &other) { return other.get() == &a; });
  return &f;
}

void Machine::make_elements(WrittenSet &w, std::size_t n) {
  if (!w.elements) {
    w.elements = block(n * sizeof(std::uint32_t));
    for (std::size_t e = 0; e < n; ++e) w.elements.as<std::uint32_t>()[e] = w.whole;
    w.whole = 0;
  } else if (!w.elements.unique()) {
    w.elements = private_copy(w.elements, n * sizeof(std::uint32_t));
  }
}

} // namespace tilenest
