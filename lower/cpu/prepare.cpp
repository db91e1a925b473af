// SPDX-License-Identifier: Apache-2.0
// Runs of compiled code.
#include "lower/cpu/prepare.h"
#include "semantics/diag/codes.h"
#include <algorithm>
#include <cstdlib>
#include <memory>

namespace tilenest::cpu {

namespace {

struct Free {
  void operator()(void *p) const { std::free(p); }
};

using Named = std::vector<std::pair<std::string, std::string>>;

Diagnostic unfit(const plan::Plan &plan, std::string why) {
  return {Code::B1603, {}, {{"plan", plan.name}, {"why", std::move(why)}}};
}
Diagnostic no_memory(const plan::Plan &plan, const std::string &what) {
  return {Code::L0301, {}, {{"what", what + " of the plan `" + plan.name + "`"}}};
}

// What a run needs beside the arguments themselves; freed at its end.
struct Prepared {
  std::vector<void *> buffers;
  std::vector<std::int64_t> extents, strides, sizes;
  std::vector<std::unique_ptr<void, Free>> scratch;
};

// Shape and strides of an argument against its buffer; "" where they fit.
std::string misfit(const plan::Buffer &buffer, const plan::Argument &argument, const std::vector<std::int64_t> &shape) {
  const std::string what = "argument `" + buffer.name + "`";
  if (argument.shape != shape) return what + " has another shape than the plan";
  if (!argument.strides.empty() && argument.strides.size() != shape.size()) return what + " has strides of another rank";
  const bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  if (!empty && argument.data == nullptr) return what + " has no data";
  std::int64_t gapless = 1;
  for (std::size_t axis = shape.size(); axis-- > 0 && !empty;) {
    if (!buffer.strided && !argument.strides.empty() && shape[axis] > 1 && argument.strides[axis] != gapless)
      return what + " is not row-major without gaps";
    if (__builtin_mul_overflow(gapless, shape[axis], &gapless)) return what + " is larger than an address can say";
  }
  return {};
}

// Where a buffer of this shape lies; a diagnostic where it cannot.
std::optional<Diagnostic> place(const plan::Plan &plan, plan::BufferId id, const Tables &tables,
                                const plan::Arguments &given, const std::vector<std::int64_t> &shape, Prepared &out) {
  const plan::Buffer &buffer = plan.buffers[id];
  out.buffers.push_back(nullptr);
  out.sizes.push_back(0);
  if (buffer.space == plan::AddressSpace::argument) {
    const auto position = static_cast<std::size_t>(buffer.argument);
    if (position >= given.arguments.size()) return unfit(plan, "argument `" + buffer.name + "` is missing");
    const plan::Argument &argument = given.arguments[position];
    if (std::string why = misfit(buffer, argument, shape); !why.empty()) return unfit(plan, std::move(why));
    out.buffers.back() = argument.data;
    std::uint64_t gapless = 1; // wraps only where the argument is empty
    for (std::size_t axis = buffer.strided ? shape.size() : 0; axis-- > 0;) {
      out.strides[tables.first_stride[id.index] + axis] =
          argument.strides.empty() ? static_cast<std::int64_t>(gapless) : argument.strides[axis];
      gapless *= static_cast<std::uint64_t>(shape[axis]);
    }
    return std::nullopt;
  }
  std::int64_t elements = 1;
  const bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  for (std::int64_t n : shape)
    if (!empty && __builtin_mul_overflow(elements, n, &elements)) return no_memory(plan, "buffer `" + buffer.name + "`");
  const std::optional<std::int64_t> bytes = padded_size(buffer.elem, empty ? 0 : elements);
  if (!bytes) return no_memory(plan, "buffer `" + buffer.name + "`");
  out.sizes.back() = *bytes;
  if (buffer.space != plan::AddressSpace::scratch) return std::nullopt;
  out.scratch.emplace_back(std::aligned_alloc(64, static_cast<std::size_t>(std::max<std::int64_t>(*bytes, 64))));
  if (out.scratch.back() == nullptr) return no_memory(plan, "buffer `" + buffer.name + "`");
  out.buffers.back() = out.scratch.back().get();
  return std::nullopt;
}

} // namespace

Result<plan::Outcome> run_code(const plan::Plan &plan, const Tables &tables, EntryPoint entry,
                               const plan::Arguments &arguments, const RunOptions &options) {
  if (arguments.params.size() != plan.params.size())
    return unfit(plan, "it has " + std::to_string(plan.params.size()) + " parameters, of which " +
                           std::to_string(arguments.params.size()) + " are given");
  const auto value = [&](const Extent &e) {
    return e.evaluate([&](ParamId id) { return std::optional(arguments.params[id.index]); });
  };
  Prepared prepared;
  for (const Extent &extent : tables.extents) {
    const std::optional<std::int64_t> n = value(extent);
    if (!n) return unfit(plan, "an extent leaves 64 bits");
    prepared.extents.push_back(*n);
  }
  prepared.strides.resize(tables.stride_count);
  std::int64_t in_arena = 0;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const plan::Buffer &buffer = plan.buffers[plan::BufferId(i)];
    std::vector<std::int64_t> shape;
    for (const Extent &extent : buffer.shape) {
      shape.push_back(value(extent).value_or(-1));
      if (shape.back() < 0) return unfit(plan, "an extent of `" + buffer.name + "` has no value, or a negative one");
    }
    if (std::optional<Diagnostic> error = place(plan, plan::BufferId(i), tables, arguments, shape, prepared)) return *error;
    if (prepared.buffers.back() == nullptr && __builtin_add_overflow(in_arena, prepared.sizes.back(), &in_arena))
      return no_memory(plan, "the instances' buffers");
  }

  Run run(options, tables.asserts.size());
  const Frame frame{prepared.buffers.data(), prepared.extents.data(), prepared.strides.data(), prepared.sizes.data(), &run};
  entry(&frame);
  if (run.no_memory) return no_memory(plan, "the instances' buffers");
  if (run.grid_too_large)
    return Diagnostic(Code::L0303, {},
                      {{"what", "a launch of `" + plan.name + "`"}, {"count", "too many"}, {"limit", "2^63"}});
  plan::Outcome outcome;
  for (std::size_t i = 0; i < tables.asserts.size(); ++i) {
    const std::uint64_t count = run.failed[i];
    if (count == 0) continue;
    const plan::Op &op = plan.ops[tables.asserts[i]];
    outcome.diagnostics.emplace_back(Code::A0001, Site{}, Named{{"text", std::get<plan::AssertAttr>(op.attr).text}});
    outcome.diagnostics.back().count = count;
    outcome.sources.push_back(op.source);
  }
  return outcome;
}

} // namespace tilenest::cpu
