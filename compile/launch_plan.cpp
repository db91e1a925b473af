// SPDX-License-Identifier: Apache-2.0
// Buffers as a plan sees them.
#include "compile/launch_plan.h"
#include "semantics/diag/codes.h"
#include <algorithm>
#include <functional>

namespace tilenest {

namespace {

struct Bytes {
  const std::byte *first, *last; // behind the last
};

Bytes bytes_of(const Object &object, const Buffer &b) {
  const bool packed = is_packed(object.elem);
  std::int64_t low = 0, high = 0; // of elements, in bytes or half bytes
  for (std::size_t d = 0; d < b.shape.size(); ++d) {
    if (b.shape[d] == 0) return {nullptr, nullptr};
    const std::int64_t reach = (b.shape[d] - 1) * b.strides[d];
    (reach < 0 ? low : high) += reach;
  }
  if (packed) low = (low - 1) / 2, high = high / 2;
  const auto *base = static_cast<const std::byte *>(b.data);
  return {base + low, base + high + byte_size(object.elem)};
}

} // namespace

bool written_overlap(const TileProgram &program, const std::vector<Buffer> &buffers) {
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const Object &written = program.objects[program.arguments[i]];
    if (written.access == ArgumentAccess::in) continue;
    const Bytes x = bytes_of(written, buffers[i]);
    for (std::size_t k = 0; k < buffers.size(); ++k) {
      const Bytes y = bytes_of(program.objects[program.arguments[k]], buffers[k]);
      if (k != i && std::less<>()(x.first, y.last) && std::less<>()(y.first, x.last)) return true;
    }
  }
  return false;
}

Result<LaunchArguments> launch_arguments(const BoundProgram &program, const std::vector<Buffer> &buffers, const std::string &engine) {
  const TileProgram &p = *program.program;
  LaunchArguments out;
  out.arguments.params = program.params;
  out.layout.disjoint = !written_overlap(p, buffers);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const Object &object = p.objects[p.arguments[i]];
    if (buffers[i].sparse) return Diagnostic(Code::N0001, p.site(object.site), {{"what", "an argument larger than the memory"}, {"engine", engine}});
    const auto unit = is_packed(object.elem) ? 1 : static_cast<std::int64_t>(byte_size(object.elem)); // of the buffer's strides
    plan::Argument argument{buffers[i].data, buffers[i].strides, buffers[i].shape};
    std::int64_t gapless = 1;
    bool gaps = false;
    for (std::size_t d = argument.strides.size(); d-- > 0; gapless *= argument.shape[d]) {
      if (argument.strides[d] % unit != 0)
        return Diagnostic(Code::N0001, p.site(object.site), {{"what", "a stride that is no multiple of the element"}, {"engine", engine}});
      argument.strides[d] /= unit;
      gaps |= argument.strides[d] != gapless && argument.shape[d] != 1;
    }
    if (!gaps) argument.strides.clear();
    out.layout.strided.push_back(gaps);
    out.arguments.arguments.push_back(std::move(argument));
  }
  return out;
}

Diagnostics placed(const TileProgram &program, plan::Outcome outcome) {
  for (std::size_t i = 0; i < outcome.diagnostics.size(); ++i)
    if (i < outcome.sources.size() && outcome.sources[i].valid())
      outcome.diagnostics[i].sites = {{program.site(program.ops[outcome.sources[i]].site), ""}};
  return std::move(outcome.diagnostics);
}

Diagnostics placed(const TileProgram &program, Diagnostics errors) {
  auto argument = [](const Diagnostic &d, const std::string &name) {
    const auto at = std::find_if(d.args.begin(), d.args.end(), [&](const auto &a) { return a.first == name; });
    return at == d.args.end() ? std::string() : at->second;
  };
  for (Diagnostic &d : errors) {
    const std::string source = d.code == Code::B1602 ? argument(d, "source") : std::string();
    if (source.empty()) continue;
    const Op &op = program.ops[OpId(std::stoul(source))];
    const auto *window = std::get_if<AccessAttr>(&op.attr);
    const auto *indexed = std::get_if<IndexedAttr>(&op.attr);
    if (!window && !indexed) continue;
    const Bounds bounds = window ? window->bounds : indexed->bounds;
    if (bounds == Bounds::zero) continue;
    const bool reads = op.kind == OpKind::load || op.kind == OpKind::gather;
    d = Diagnostic(bounds == Bounds::assume ? Code::U0201 : Code::U0202, program.site(op.site),
                   {{"access", reads ? "a read" : "a write"},
                    {"view", program.views[window ? window->view : indexed->view].name},
                    {"element", "element " + argument(d, "element") + " of its storage"}});
    d.note("the engine `interp` names the element and the instance, and finds every violation");
  }
  return errors;
}

bool order_shows(const TileProgram &program) {
  bool found = false;
  for_each_op(program, program.body, [&](const Op &op, OpId) {
    if (const auto *window = std::get_if<AccessAttr>(&op.attr); window && op.kind == OpKind::atomic) found |= is_float(program.views[window->view].elem);
    if (const auto *indexed = std::get_if<IndexedAttr>(&op.attr); indexed && indexed->reducer) found |= is_float(program.views[indexed->view].elem);
  });
  return found;
}

} // namespace tilenest
