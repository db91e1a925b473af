// SPDX-License-Identifier: Apache-2.0
// Runs of compiled code.
#include "lower/cpu/prepare.h"
#include "semantics/diag/codes.h"
#include <cstdlib>
#include <memory>

namespace tilenest::cpu {

namespace {

struct Free {
  void operator()(void *p) const { std::free(p); }
};

Diagnostic unusable(const std::string &extent, const std::string &what, const char *why) {
  return {Code::T0204, {}, {{"extent", "`" + extent + "`"}, {"what", what}, {"why", why}}};
}

} // namespace

Result<plan::Outcome> run_code(const plan::Plan &plan, const Tables &tables, EntryPoint entry,
                               const plan::Arguments &arguments, const RunOptions &options) {
  const auto param = [&](ParamId id) -> std::optional<std::int64_t> {
    if (id.index >= arguments.params.size()) return std::nullopt;
    return arguments.params[id.index];
  };
  const auto text = [&](const Extent &e) { return e.to_string([&](ParamId id) { return plan.params[id].name; }); };

  std::vector<std::int64_t> extents, strides(tables.stride_count + 1), sizes;
  for (const Extent &extent : tables.extents) {
    const std::optional<std::int64_t> value = extent.evaluate(param);
    if (!value) return unusable(text(extent), "`" + plan.name + "`", "64 bits do not hold it");
    extents.push_back(*value);
  }
  std::vector<void *> buffers;
  std::vector<std::unique_ptr<void, Free>> scratch;
  std::int64_t in_arena = 0;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const plan::Buffer &buffer = plan.buffers[plan::BufferId(i)];
    buffers.push_back(nullptr);
    sizes.push_back(0);
    if (buffer.space == plan::AddressSpace::argument) {
      const plan::Argument &argument = arguments.arguments[static_cast<std::size_t>(buffer.argument)];
      buffers.back() = argument.data;
      if (!buffer.strided) continue;
      std::int64_t gap = 1; // row-major where the argument names no strides
      for (std::size_t axis = buffer.shape.size(); axis-- > 0;) {
        strides[tables.first_stride[i] + axis] = argument.strides.empty() ? gap : argument.strides[axis];
        if (argument.strides.empty() && __builtin_mul_overflow(gap, argument.shape[axis], &gap)) gap = 0;
      }
      continue;
    }
    std::int64_t elements = 1;
    for (const Extent &extent : buffer.shape) {
      const std::optional<std::int64_t> n = extent.evaluate(param);
      if (!n || *n < 0) return unusable(text(extent), "`" + buffer.name + "`", n ? "it is negative" : "64 bits do not hold it");
      if (__builtin_mul_overflow(elements, *n, &elements)) elements = -1; // and stays so, but for an extent of 0
      if (elements < 0 && *n == 0) elements = 0;
    }
    const std::optional<std::int64_t> bytes = padded_size(buffer.elem, elements);
    const Diagnostic no_memory(Code::L0301, {}, {{"what", "`" + buffer.name + "` of `" + plan.name + "`"}});
    if (!bytes) return no_memory;
    sizes.back() = *bytes;
    if (buffer.space != plan::AddressSpace::scratch) {
      if (__builtin_add_overflow(in_arena, *bytes, &in_arena)) return no_memory;
      continue;
    }
    scratch.emplace_back(std::aligned_alloc(64, static_cast<std::size_t>(std::max<std::int64_t>(*bytes, 64))));
    if (scratch.back() == nullptr) return no_memory;
    buffers.back() = scratch.back().get();
  }

  Run run(options, tables.asserts.size());
  const Frame frame{buffers.data(), extents.data(), strides.data(), sizes.data(), &run};
  entry(&frame);
  if (run.no_memory)
    return Diagnostic(Code::L0301, {}, {{"what", "the buffers of the instances of `" + plan.name + "`"}});
  if (run.grid_too_large)
    return Diagnostic(Code::L0303, {},
                      {{"what", "a launch of `" + plan.name + "`"}, {"count", "too many"}, {"limit", "2^63"}});
  plan::Outcome outcome;
  for (std::size_t i = 0; i < tables.asserts.size(); ++i) {
    const std::uint64_t count = run.failed[i];
    if (count == 0) continue;
    const auto &attr = std::get<plan::AssertAttr>(plan.ops[tables.asserts[i]].attr);
    outcome.diagnostics.emplace_back(Code::A0001, Site{}, std::vector<std::pair<std::string, std::string>>{{"text", attr.text}});
    outcome.diagnostics.back().count = count;
  }
  return outcome;
}

} // namespace tilenest::cpu
