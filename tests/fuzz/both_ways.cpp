// SPDX-License-Identifier: Apache-2.0
// The checked and the unchecked run of one program.
#include "tests/fuzz/both_ways.h"
#include "interp/run.h"
#include "semantics/diag/render.h"
#include "semantics/judge.h"
#include "semantics/text/printer.h"
#include <cstdio>
#include <cstdlib>

namespace tilenest {

namespace {

// Runs once; the bytes of all arguments afterwards.
std::vector<std::uint8_t> run_once(const BoundProgram &bound, bool checked, std::size_t threads, Diagnostics &reports) {
  std::vector<std::vector<std::uint8_t>> data;
  std::vector<Buffer> buffers;
  for (ObjectId id : bound.program->arguments) {
    const Object &o = bound.program->objects[id];
    Buffer buffer;
    std::int64_t n = 1;
    for (const Extent &e : o.shape) buffer.shape.push_back(bound.extent(e));
    buffer.strides.resize(buffer.shape.size());
    for (std::size_t d = buffer.shape.size(); d-- > 0;) {
      buffer.strides[d] = n * static_cast<std::int64_t>(byte_size(o.elem));
      n *= buffer.shape[d];
    }
    data.emplace_back(static_cast<std::size_t>(n) * byte_size(o.elem) + 8);
    for (std::size_t i = 0; i < data.back().size(); ++i) data.back()[i] = o.elem == ScalarType::boolean ? i & 1 : i % 3;
    buffer.data = data.back().data();
    buffer.defined = o.access != ArgumentAccess::out;
    buffers.push_back(std::move(buffer));
  }
  RunOptions options;
  options.checked = checked;
  options.threads = threads;
  options.while_limit = 50;
  reports = run(bound, buffers, options).diagnostics;
  std::vector<std::uint8_t> all;
  for (const auto &d : data) all.insert(all.end(), d.begin(), d.end());
  return all;
}

} // namespace

BothWays judge_bind_and_run(TileProgram program) {
  const auto judged = std::make_shared<TileProgram>(std::move(program));
  if (has_error(judge(*judged))) return BothWays::not_judged;
  std::map<std::string, std::int64_t> named;
  std::int64_t next = 3;
  for (const Param &p : judged->params) named[p.name] = next++;
  const auto bound = bind(judged, {}, named);
  if (!bound.ok()) return BothWays::not_bound;
  Diagnostics reports, silent;
  const auto checked = run_once(*bound, true, 1, reports);
  const auto unchecked = run_once(*bound, false, 1, silent);
  for (const bool with_checks : {true, false}) {
    Diagnostics again;
    const auto &one = with_checks ? checked : unchecked;
    if (run_once(*bound, with_checks, 3, again) == one && render_text(again) == render_text(with_checks ? reports : silent)) continue;
    std::fprintf(stderr, "runs on one and on three threads differ\n%s", print(*judged).c_str());
    std::abort();
  }
  if (!reports.empty()) return BothWays::reported;
  if (checked == unchecked && silent.empty()) return BothWays::agreed;
  std::fprintf(stderr, "checked and unchecked runs differ\n%s", print(*judged).c_str());
  std::abort();
}

} // namespace tilenest
