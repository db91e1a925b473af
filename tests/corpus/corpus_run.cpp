// SPDX-License-Identifier: Apache-2.0
// Both runs, and verdicts from their reports.
#include "tests/corpus/corpus_run.h"
#include "interp/run.h"
#include "semantics/diag/render.h"
#include "semantics/judge.h"
#include "semantics/text/parser.h"
#include <algorithm>

namespace tilenest::conformance {

namespace {

bool between_instances(const std::string &code) { return code == "U0301" || code == "U0302" || code == "U0304" || code == "U0305"; }

std::string coarsely(const std::string &code) { return code == "U0304" ? "U0301" : code == "U0305" ? "U0302" : code; }

} // namespace

Ready make_ready(const LabelledKernel &kernel) {
  Ready out;
  ParsedFile file = parse_text(kernel.name() + ".tile", kernel.text);
  if (has_error(file.diagnostics) || file.kernels.size() != 1) {
    out.refusal = render_text(file.diagnostics);
    return out;
  }
  if (const Diagnostics judged = judge(file.kernels[0]); has_error(judged)) {
    out.refusal = render_text(judged);
    return out;
  }
  const auto program = std::make_shared<const TileProgram>(std::move(file.kernels[0]));
  Result<BoundProgram> bound = bind(program, {}, kernel.extents);
  if (!bound.ok()) {
    out.refusal = render_text(bound.errors());
    return out;
  }
  out.bound = std::move(*bound);
  for (const ObjectId id : program->arguments) {
    const Object &object = program->objects[id];
    std::int64_t elements = 1;
    for (const Extent &e : object.shape) elements *= out.bound->extent(e);
    oracle::Argument a;
    a.bytes = initial_bytes(kernel, object, elements);
    a.defined = object.access != ArgumentAccess::out;
    out.arguments.push_back(std::move(a));
  }
  return out;
}

Verdict engine_verdict(const Ready &kernel, Chooser *chooser) {
  const TileProgram &p = *kernel.bound->program;
  std::vector<std::vector<std::uint8_t>> bytes;
  std::vector<Buffer> buffers;
  for (const oracle::Argument &a : kernel.arguments) bytes.push_back(a.bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const Object &object = p.objects[p.arguments[i]];
    Buffer b;
    for (const Extent &e : object.shape) b.shape.push_back(kernel.bound->extent(e));
    auto stride = static_cast<std::int64_t>(byte_size(object.elem)); // of a 4-bit type: in half bytes
    b.strides.resize(b.shape.size());
    for (std::size_t k = b.shape.size(); k-- > 0; stride *= b.shape[k]) b.strides[k] = stride;
    b.data = bytes[i].data();
    b.defined = kernel.arguments[i].defined;
    buffers.push_back(std::move(b));
  }
  RunOptions options;
  options.cause_limit = 1000;
  options.threads = 1;
  options.chooser = chooser;
  const RunResult result = run(*kernel.bound, std::move(buffers), options);
  Verdict out;
  for (const Diagnostic &d : result.diagnostics) {
    if (d.info().severity != Severity::error) continue;
    const std::string code = d.info().code;
    out.codes.insert(code);
    if (d.sites.empty()) continue;
    out.lines.insert(d.sites[0].site.line);
    if (between_instances(code)) out.lines.insert(d.sites.back().site.line);
  }
  out.text = render_text(result.diagnostics);
  return out;
}

std::optional<Verdict> oracle_verdict(const Ready &kernel) {
  const TileProgram &p = *kernel.bound->program;
  for (std::size_t v = 0; v < p.views.size(); ++v)
    if (is_packed(p.views[ViewId(v)].elem)) return std::nullopt;
  oracle::Outcome outcome;
  try {
    outcome = oracle::interpret(*kernel.bound, kernel.arguments);
  } catch (const oracle::Refused &) {
    return std::nullopt;
  }
  Verdict out;
  out.complete = outcome.complete;
  auto line = [&](OpId op) { return p.site(p.ops[op].site).line; };
  for (const oracle::Violation &v : outcome.violations) {
    out.codes.insert(v.code);
    if (v.code != "U0401") out.lines.insert(line(v.op)); // which sync or guard is the site is a matter of taste
    out.text += v.code + "@" + std::to_string(line(v.op)) + " ";
  }
  for (const oracle::Interference &i : outcome.interferences) {
    if (i.by_lifted_write) continue; // UPD-JOIN: a write of no instance
    out.codes.insert(i.tile ? "U0302" : "U0301");
    out.lines.insert({line(i.first), line(i.second)});
    out.text += i.object + "@" + std::to_string(line(i.first)) + "~" + std::to_string(line(i.second)) + " ";
  }
  return out;
}

bool agrees(const LabelledKernel &kernel, const Verdict &verdict, bool coarse) {
  if (coarse) return agree(verdict, {kernel.codes, kernel.lines});
  return verdict.codes == kernel.codes && verdict.lines == kernel.lines;
}

bool agree(const Verdict &of_oracle, const Verdict &of_engine) {
  std::set<std::string> codes;
  for (const std::string &c : of_engine.codes) codes.insert(coarsely(c));
  return of_oracle.codes == codes && (of_oracle.lines == of_engine.lines || codes.count("U0401") != 0);
}

} // namespace tilenest::conformance
