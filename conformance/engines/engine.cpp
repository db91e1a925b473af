// SPDX-License-Identifier: Apache-2.0
// The engines of this library behind one interface.
#include "conformance/engines/engine.h"
#include "interp/executor.h"
#include "lower/cpu/load.h"
#include "lower/interpret.h"
#include "lower/lower.h"
#include "semantics/diag/codes.h"
#include <algorithm>

namespace tilenest::conformance {

namespace {

class Reference : public Engine {
public:
  std::string name() const override { return "interp"; }
  Diagnostics run(const BoundProgram &program, const std::vector<Buffer> &buffers, const EngineOptions &options) const override {
    RunOptions run_options;
    run_options.threads = options.threads;
    return tilenest::run(program, buffers, run_options).diagnostics;
  }
};

struct Lowered {
  plan::Plan code;
  plan::Arguments arguments;
};

// Strides in elements; an argument with gaps, or turned round, keeps its own.
Result<Lowered> lowered_for(const BoundProgram &program, const std::vector<Buffer> &buffers, const EngineOptions &options, const std::string &engine) {
  const TileProgram &p = *program.program;
  LowerOptions lowering;
  lowering.strict = options.strict;
  if (options.vector_bits > 0) lowering.vector_bits = options.vector_bits;
  lowering.disjoint = !written_overlap(p, buffers);
  plan::Arguments arguments{program.params, {}};
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
    lowering.strided.push_back(gaps);
    arguments.arguments.push_back(std::move(argument));
  }
  Result<plan::Plan> code = lower(p, lowering);
  if (!code) return code.errors();
  return Lowered{std::move(*code), std::move(arguments)};
}

// Places of failed assertions, which a plan knows by the program's operation.
Diagnostics placed(const TileProgram &p, plan::Outcome outcome) {
  for (std::size_t i = 0; i < outcome.diagnostics.size(); ++i)
    if (i < outcome.sources.size() && outcome.sources[i].valid())
      outcome.diagnostics[i].sites = {{p.site(p.ops[outcome.sources[i]].site), ""}};
  return std::move(outcome.diagnostics);
}

class PlanInterpreter : public Engine {
public:
  std::string name() const override { return "plan"; }
  Diagnostics run(const BoundProgram &program, const std::vector<Buffer> &buffers, const EngineOptions &options) const override {
    const Result<Lowered> lowered = lowered_for(program, buffers, options, name());
    if (!lowered) return lowered.errors();
    plan::InterpretOptions interpreting;
    if (options.order > 0) {
      interpreting.order = options.order == 1 ? plan::VisitOrder::backward : plan::VisitOrder::shuffled;
      interpreting.seed = options.order;
    }
    Result<plan::Outcome> outcome = plan::interpret(lowered->code, lowered->arguments, interpreting);
    return outcome ? placed(*program.program, std::move(*outcome)) : outcome.errors();
  }
};

// ATOM: sums of floats depend on the order of the updates; the reference's is that of one thread.
bool order_shows(const TileProgram &p) {
  bool found = false;
  for_each_op(p, p.body, [&](const Op &op, OpId) {
    if (const auto *window = std::get_if<AccessAttr>(&op.attr); window && op.kind == OpKind::atomic) found |= is_float(p.views[window->view].elem);
    if (const auto *indexed = std::get_if<IndexedAttr>(&op.attr); indexed && indexed->reducer) found |= is_float(p.views[indexed->view].elem);
  });
  return found;
}

class CompiledForCpu : public Engine {
public:
  std::string name() const override { return "cpu"; }
  Diagnostics run(const BoundProgram &program, const std::vector<Buffer> &buffers, const EngineOptions &options) const override {
    const Result<Lowered> lowered = lowered_for(program, buffers, options, name());
    if (!lowered) return lowered.errors();
    const Result<cpu::CpuEngine *> engine = cpu::load_engine();
    if (!engine) return engine.errors();
    cpu::CpuOptions compiling;
    compiling.vector_bits = options.vector_bits;
    compiling.no_cache = options.no_cache;
    const auto compiled = (*engine)->compile(lowered->code, compiling);
    if (!compiled) return compiled.errors();
    const std::size_t wanted = options.threads > 0 ? options.threads : thread_count();
    const std::size_t threads = options.strict && order_shows(*program.program) ? 1 : wanted;
    Result<plan::Outcome> outcome = (*compiled)->run(lowered->arguments, {threads, executor_detail::run});
    if (!outcome) return outcome.errors();
    Diagnostics out = placed(*program.program, std::move(*outcome));
    const Diagnostics &notes = (*compiled)->notes();
    out.insert(out.end(), notes.begin(), notes.end());
    return out;
  }
};

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

std::vector<std::string> engine_names() { return {"interp", "plan", "cpu"}; }

std::unique_ptr<Engine> find_engine(const std::string &name) {
  if (name == "interp") return std::make_unique<Reference>();
  if (name == "plan") return std::make_unique<PlanInterpreter>();
  if (name == "cpu") return std::make_unique<CompiledForCpu>();
  return nullptr;
}

} // namespace tilenest::conformance
