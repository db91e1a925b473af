// SPDX-License-Identifier: Apache-2.0
// The face of the machine: buffers in, diagnostics out.
#include "interp/run.h"
#include "interp/machine.h"
#include "interp/memory_budget.h"
#include "interp/outputs.h"
#include "semantics/diag/codes.h"
#include "semantics/space/element_count.h"
#include <algorithm>
#include <tuple>

namespace tilenest {

Machine::Machine(const BoundProgram &b, const Routines &c, TilePool &t, const RunOptions &o)
    : bound(b), p(*b.program), code(c), pool(t), options(o) {
  if (o.chooser || o.sets) updates = std::make_unique<PendingUpdates>(o.chooser, o.sets);
}

namespace {

// Bits of one step of an object's or a view's offsets.
std::int64_t unit_bits(ScalarType elem) { return is_packed(elem) ? 4 : 8; }

bool has_packed_view(const TileProgram &p) {
  for (const View &v : p.views)
    if (is_packed(v.elem)) return true;
  return false;
}

// Where the elements of every view are; errors for a view that its object's layout cannot serve.
void place_views(Machine &m, const std::vector<Buffer> &buffers) {
  const TileProgram &p = m.p;
  for (std::size_t i = 0; i < p.views.size(); ++i) {
    const View &v = p.views[ViewId(i)];
    const Object &object = p.objects[v.object];
    ViewAddress a;
    a.extents = m.bound.shape(v.space);
    const std::int64_t object_units = element_units(object.elem);
    std::vector<std::int64_t> shape;
    for (const Extent &e : object.shape) shape.push_back(m.bound.extent(e));
    if (object.kind == ObjectKind::argument) {
      for (std::size_t k = 0; k < p.arguments.size(); ++k)
        if (p.arguments[k] == v.object) a.strides = buffers[k].strides;
    } else if (object.layout.valid() && p.layouts[object.layout].kind() == Map::Kind::index_expr) {
      auto table = std::make_shared<std::vector<std::int64_t>>();
      const std::int64_t n = element_count(shape);
      std::vector<std::int64_t> at(shape.size(), 0);
      for (std::int64_t k = 0; k < n; ++k) {
        const auto offset = p.layouts[object.layout].evaluate(at, m.bound.lookup());
        table->push_back(offset ? (*offset)[0] * object_units : 0);
        for (std::size_t d = at.size(); d-- > 0;) {
          if (++at[d] < shape[d]) break;
          at[d] = 0;
        }
      }
      a.table = std::move(table);
    } else if (object.layout.valid()) {
      for (const Extent &s : p.layouts[object.layout].strides()) a.strides.push_back(m.bound.extent(s) * object_units);
    } else {
      for (std::int64_t s : row_major(shape)) a.strides.push_back(s * object_units);
    }
    if (v.elem != object.elem && bit_width(v.elem) != bit_width(object.elem)) {
      // Elements of another width run on where the last axis is contiguous and every row starts at a whole byte.
      std::string why;
      if (a.table || (!a.strides.empty() && shape.back() > 1 && element_count(shape) > 0 && a.strides.back() != object_units))
        why = "its last axis is not contiguous";
      for (std::size_t d = 0; d + 1 < a.strides.size() && why.empty(); ++d) {
        if (shape[d] > 1 && a.strides[d] * unit_bits(object.elem) % unit_bits(v.elem) != 0)
          why = "its rows do not start at whole bytes";
        a.strides[d] = a.strides[d] * unit_bits(object.elem) / unit_bits(v.elem);
      }
      if (!why.empty())
        m.diagnostics.emplace_back(
            Code::T0403, p.site(v.site),
            std::vector<std::pair<std::string, std::string>>{{"view", object.name},
                                                             {"from", std::string(to_string(object.elem))},
                                                             {"to", std::string(to_string(v.elem))},
                                                             {"why", why}});
      else if (!a.strides.empty())
        a.strides.back() = element_units(v.elem);
    }
    m.views.push_back(std::move(a));
  }
}

// Lowest byte offset from the base and the bytes that the elements span.
std::pair<std::int64_t, std::size_t> span_of(const Buffer &b, ScalarType elem) {
  std::int64_t low = 0, high = 0;
  for (std::size_t i = 0; i < b.shape.size(); ++i) {
    if (b.shape[i] == 0) return {0, 0};
    const std::int64_t reach = (b.shape[i] - 1) * b.strides[i];
    (reach < 0 ? low : high) += reach;
  }
  if (is_packed(elem)) {
    const std::int64_t first = low >> 1, last = high >> 1;
    return {first, static_cast<std::size_t>(last - first) + 1};
  }
  return {low, static_cast<std::size_t>(high - low) + byte_size(elem)};
}

// An argument's elements as addresses, the first of them and behind the last.
struct Span {
  std::uintptr_t begin = 0, end = 0;
  Span() = default;
  Span(const Buffer &b, ScalarType elem) {
    const auto [low, bytes] = span_of(b, elem);
    begin = reinterpret_cast<std::uintptr_t>(b.data) + static_cast<std::uintptr_t>(low);
    end = begin + bytes;
  }
  bool overlaps(const Span &o) const { return begin < o.end && o.begin < end; }
};

// rule: EFF-ORDER -- arguments overlap where their buffers do, as they come: by object, the first argument of
// its group. An argument and what its buffer overlaps have one group.
std::vector<std::uint32_t> overlap_groups(const TileProgram &p, const std::vector<Buffer> &buffers) {
  std::vector<std::uint32_t> group(p.objects.size());
  for (std::size_t i = 0; i < group.size(); ++i) group[i] = static_cast<std::uint32_t>(i);
  if (rule_broken(Rule::eff_order)) return group;
  std::vector<Span> spans;
  for (std::size_t i = 0; i < p.arguments.size(); ++i) {
    spans.emplace_back(buffers[i], p.objects[p.arguments[i]].elem);
    for (std::size_t k = 0; k < i; ++k) {
      const std::uint32_t mine = group[p.arguments[i].index], other = group[p.arguments[k].index];
      if (mine == other || !spans[i].overlaps(spans[k])) continue;
      for (std::uint32_t &g : group)
        if (g == mine) g = other;
    }
  }
  return group;
}

// MEM-INIT: which bytes hold a value, shared by the arguments of one group.
void place_arguments(Machine &m, const std::vector<Buffer> &buffers, const std::vector<std::uint32_t> &group) {
  const TileProgram &p = m.p;
  for (std::size_t i = 0; i < p.arguments.size(); ++i) {
    ObjectStorage &s = m.arguments[p.arguments[i].index];
    s.base = static_cast<std::byte *>(buffers[i].data);
    std::tie(s.low, s.bytes) = span_of(buffers[i], p.objects[p.arguments[i]].elem);
    if (s.defined || buffers[i].defined) continue;
    std::vector<std::size_t> members;
    Span whole(buffers[i], p.objects[p.arguments[i]].elem);
    for (std::size_t k = 0; k < p.arguments.size(); ++k) {
      if (group[p.arguments[k].index] != group[p.arguments[i].index]) continue;
      members.push_back(k);
      const Span one(buffers[k], p.objects[p.arguments[k]].elem);
      whole.begin = std::min(whole.begin, one.begin);
      whole.end = std::max(whole.end, one.end);
    }
    const auto defined = std::make_shared<DefinedBytes>(whole.end - whole.begin, has_packed_view(p));
    for (std::size_t k : members) {
      ObjectStorage &t = m.arguments[p.arguments[k].index];
      t.defined = defined;
      t.lowest = static_cast<std::int64_t>(whole.begin - reinterpret_cast<std::uintptr_t>(buffers[k].data));
      if (buffers[k].defined)
        for_elements(buffers[k].shape, buffers[k].strides, [&, elem = p.objects[p.arguments[k]].elem](std::int64_t offset) {
          is_packed(elem) ? t.define_half(offset) : t.define(offset, byte_size(elem));
        });
    }
  }
}

void buffer_ok(const BoundProgram &bound, const Object &object, const Buffer &b, Diagnostics &out) {
  std::vector<std::int64_t> shape;
  for (const Extent &e : object.shape) shape.push_back(bound.extent(e));
  if (b.shape == shape && b.strides.size() == shape.size()) return;
  const auto text = [&](const std::vector<std::int64_t> &extents) {
    std::string s = std::string(to_string(object.elem)) + "[";
    for (std::size_t i = 0; i < extents.size(); ++i) s += (i ? ", " : "") + std::to_string(extents[i]);
    return s + "]";
  };
  const std::string strides = b.shape == shape ? " with " + std::to_string(b.strides.size()) + " strides" : "";
  out.emplace_back(Code::T1103, bound.program->site(object.site),
                   std::vector<std::pair<std::string, std::string>>{{"argument", object.name},
                                                                    {"expected", text(shape)},
                                                                    {"given", "its buffer"},
                                                                    {"found", text(b.shape) + strides}});
}

} // namespace

// rule: PAR-FREE -- the reference order: instances lexicographic, phase by phase.
RunResult run(const BoundProgram &bound, std::vector<Buffer> buffers, const RunOptions &options) {
  RunResult result;
  const TileProgram &p = *bound.program;
  result.undefined_elements.assign(p.arguments.size(), 0);
  try {
    buffers.resize(p.arguments.size());
    for (std::size_t i = 0; i < p.arguments.size(); ++i)
      buffer_ok(bound, p.objects[p.arguments[i]], buffers[i], result.diagnostics);
    if (has_error(result.diagnostics)) return result;
    const std::vector<std::uint32_t> groups = overlap_groups(p, buffers);
    Budget budget(options.memory_limit ? options.memory_limit : default_memory_limit());
    TilePool pool(budget);
    bool sparse = false;
    for (const Buffer &b : buffers) sparse |= b.sparse;
    Routines code;
    code.bound = &bound;
    Compiler compiler(bound, code, pool, options, groups, sparse);
    compiler.compile();
    if (has_error(compiler.errors)) {
      result.diagnostics = std::move(compiler.errors);
      return result;
    }
    Machine machine(bound, code, pool, options);
    machine.arguments.resize(p.objects.size());
    place_arguments(machine, buffers, groups);
    place_views(machine, buffers);
    for (std::size_t i = 0; i < p.arguments.size(); ++i) {
      ObjectStorage &s = machine.arguments[p.arguments[i].index];
      const double shadow = options.checked ? 4.0 / static_cast<double>(byte_size(p.objects[p.arguments[i]].elem)) : 0;
      const double counts = options.cover ? 2.0 * sizeof(std::uint32_t) : 0;
      if (buffers[i].sparse && s.bytes > 0) s.residence = std::make_shared<Residence>(s.bytes, shadow + counts + 0.125, pool);
    }
    for (std::size_t i = 0; i < p.arguments.size() && options.cover; ++i) {
      ObjectStorage &s = machine.arguments[p.arguments[i].index];
      if (p.objects[p.arguments[i]].access == ArgumentAccess::in) continue;
      if (!s.residence) pool.charge(s.bytes * 2 * sizeof(std::uint32_t));
      s.stores = std::make_shared<StoreCounts>(s.bytes);
    }
    if (options.checked) machine.place_shadow();
    if (!has_error(machine.diagnostics)) machine.run();
    if (machine.updates) machine.updates->settle_all();
    for (std::size_t i = 0; i < p.arguments.size(); ++i) {
      const ScalarType elem = p.objects[p.arguments[i]].elem;
      const ObjectStorage &storage = machine.arguments[p.arguments[i].index];
      result.touched.push_back(touched_elements(buffers[i], storage, elem));
      result.undefined_elements[i] = count_undefined(buffers[i], storage, elem);
      if (storage.stores) result.coverage.push_back(count_stores(i, buffers[i], storage, elem));
      result.first_undefined.push_back(result.undefined_elements[i] == 0 || storage.residence ? std::nullopt : first_undefined(buffers[i], storage, elem));
      if (!options.sets || !result.first_undefined.back()) continue;
      for_undefined(buffers[i], storage, elem, [&](std::int64_t offset) {
        options.sets->leave_unwritten(2 * reinterpret_cast<std::uint64_t>(storage.base) + static_cast<std::uint64_t>(is_packed(elem) ? offset : 2 * offset));
      });
    }
    result.diagnostics = std::move(machine.diagnostics);
    result.on_threads = machine.on_threads;
  } catch (const std::bad_alloc &) {
    result.diagnostics.emplace_back(Code::L0301, Site{}, std::vector<std::pair<std::string, std::string>>{
        {"what", std::any_of(buffers.begin(), buffers.end(), [](const Buffer &b) { return b.sparse; })
                     ? "tile values, memories, and what the kernel touches of arguments that are larger than the memory"
                     : "tile values and memories of the kernel"}});
  }
  return result;
}

} // namespace tilenest
