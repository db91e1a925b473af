// SPDX-License-Identifier: Apache-2.0
// The oracle and the engine side by side.
#include "tests/oracle/both_runs.h"
#include "semantics/diag/render.h"
#include "semantics/judge.h"
#include "semantics/text/parser.h"
#include <catch2/catch.hpp>

namespace tilenest::oracle {

namespace {

bool is_interference(const std::string &code) { return code == "U0301" || code == "U0302" || code == "U0304" || code == "U0305"; }

std::string pair_of(std::uint32_t a, std::uint32_t b) {
  return std::to_string(std::min(a, b)) + "~" + std::to_string(std::max(a, b));
}

// Which of the syncs and guards of a divergence is the site of the report is the engine's choice.
std::string named(const std::string &code, std::uint32_t line) {
  return code == "U0401" ? code : code + "@" + std::to_string(line);
}

} // namespace

Bound bind_program(TileProgram program, const Bytes &bytes_of,
                   const std::map<std::string, std::int64_t> &extents) {
  const Diagnostics judged = judge(program);
  if (has_error(judged)) FAIL(render_text(judged));
  const auto shared = std::make_shared<const TileProgram>(std::move(program));
  Result<BoundProgram> bound = bind(shared, {}, extents);
  if (!bound) FAIL(render_text(bound.errors()));
  Bound out{std::move(*bound), {}};
  for (const ObjectId id : shared->arguments) {
    const Object &o = shared->objects[id];
    std::int64_t elements = 1;
    for (const Extent &e : o.shape) elements *= out.program.extent(e);
    Argument a;
    a.bytes = bytes_of(o, elements);
    a.bytes.resize(static_cast<std::size_t>(elements) * byte_size(o.elem));
    a.defined = o.access != ArgumentAccess::out;
    out.arguments.push_back(std::move(a));
  }
  return out;
}

Bound bind_text(const std::string &text, const Bytes &bytes_of) {
  ParsedFile file = parse_text("test.tile", text);
  if (has_error(file.diagnostics)) FAIL(render_text(file.diagnostics));
  return bind_program(std::move(file.kernels.at(0)), bytes_of);
}

namespace {
template <class Run> EngineRun run_with(const Bound &bound, Run &&run_buffers) {
  EngineRun out;
  const TileProgram &p = *bound.program.program;
  for (const Argument &a : bound.arguments) out.arguments.push_back(a.bytes);
  std::vector<Buffer> buffers;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const Argument &a = bound.arguments[i];
    const Object &o = p.objects[p.arguments[i]];
    Buffer b;
    auto stride = static_cast<std::int64_t>(byte_size(o.elem));
    for (const Extent &e : o.shape) b.shape.push_back(bound.program.extent(e));
    b.strides.resize(b.shape.size());
    for (std::size_t k = b.shape.size(); k-- > 0; stride *= b.shape[k]) b.strides[k] = stride;
    const std::size_t home = a.alias_of >= 0 ? static_cast<std::size_t>(a.alias_of) : i;
    b.data = out.arguments[home].data() + (a.alias_of >= 0 ? a.offset : 0);
    b.defined = bound.arguments[home].defined;
    buffers.push_back(std::move(b));
  }
  out.result = run_buffers(std::move(buffers));
  for (std::size_t i = 0; i < bound.arguments.size(); ++i)
    if (const Argument &a = bound.arguments[i]; a.alias_of >= 0) {
      const auto &home = out.arguments[static_cast<std::size_t>(a.alias_of)];
      const std::size_t n = out.arguments[i].size();
      out.arguments[i].assign(home.begin() + a.offset,
                              home.begin() + a.offset + static_cast<std::ptrdiff_t>(n));
    }
  return out;
}
} // namespace

EngineRun run_engine(const Bound &bound, bool checked, Chooser *chooser, bool interleave) {
  RunOptions options;
  options.checked = checked;
  options.cause_limit = 1'000'000;
  options.threads = 1;
  options.chooser = chooser;
  options.interleave = interleave;
  return run_with(bound, [&](std::vector<Buffer> buffers) { return run(bound.program, std::move(buffers), options); });
}

EngineRun run_on(const std::string &engine, const Bound &bound, const conformance::EngineOptions &options) {
  return run_with(bound, [&](const std::vector<Buffer> &buffers) {
    RunResult result;
    result.diagnostics = conformance::find_engine(engine)->run(bound.program, buffers, options);
    return result;
  });
}

std::set<std::string> violations(const Bound &bound, const Outcome &outcome) {
  const TileProgram &p = *bound.program.program;
  std::set<std::string> out;
  for (const Violation &v : outcome.violations) out.insert(named(v.code, p.site(p.ops[v.op].site).line));
  return out;
}
std::set<std::string> violations(const RunResult &result) {
  std::set<std::string> out;
  for (const Diagnostic &d : result.diagnostics)
    if (d.info().severity == Severity::error && !is_interference(d.info().code))
      out.insert(named(d.info().code, d.sites.empty() ? 0 : d.sites[0].site.line));
  return out;
}

std::set<std::string> interferences(const Bound &bound, const Outcome &outcome, bool plainly) {
  const TileProgram &p = *bound.program.program;
  std::set<std::string> out;
  for (const Interference &i : outcome.interferences)
    if (!plainly || !i.by_lifted_write)
      out.insert(pair_of(p.site(p.ops[i.first].site).line, p.site(p.ops[i.second].site).line));
  return out;
}
std::set<std::string> interferences(const RunResult &result) {
  std::set<std::string> out;
  for (const Diagnostic &d : result.diagnostics)
    if (is_interference(d.info().code) && !d.sites.empty())
      out.insert(pair_of(d.sites[0].site.line, d.sites.back().site.line));
  return out;
}

std::string value_difference(const Bound &bound, const Outcome &outcome, const EngineRun &engine) {
  const TileProgram &p = *bound.program.program;
  std::string out;
  for (std::size_t i = 0; i < outcome.arguments.size(); ++i) {
    const Object &o = p.objects[p.arguments[i]];
    const auto &expected = outcome.arguments[i];
    for (std::size_t k = 0; k < expected.size(); ++k)
      if (expected[k] && *expected[k] != engine.arguments[i][k]) {
        const std::size_t from = k - k % byte_size(o.elem);
        out += "byte " + std::to_string(k) + " of " + o.name + " (element " +
               std::to_string(from / byte_size(o.elem)) + ") is " + std::to_string(engine.arguments[i][k]) +
               ", expected " + std::to_string(*expected[k]) + "\n";
      }
    std::uint64_t undefined = 0; // elements without a value: where nothing is violated, none was stored with a mark
    for (std::size_t k = 0; k < expected.size(); k += byte_size(o.elem))
      undefined += !std::all_of(&expected[k], &expected[k] + byte_size(o.elem), [](const auto &b) { return b.has_value(); });
    const auto n = engine.result.undefined_elements;
    if (!n.empty() && bound.arguments[i].alias_of < 0 && n[i] != undefined)
      out += std::to_string(n[i]) + " undefined elements of " + o.name + ", expected " + std::to_string(undefined) + "\n";
  }
  return out;
}

std::string joined(const std::set<std::string> &words) {
  std::string out;
  for (const std::string &w : words) out += (out.empty() ? "" : " ") + w;
  return out;
}

} // namespace tilenest::oracle
