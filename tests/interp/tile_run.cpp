// SPDX-License-Identifier: Apache-2.0
// run_tile: parse, judge, bind, run; arguments in the order of the signature.
#include "tests/interp/tile_run.h"
#include "conformance/engines/engine.h"
#include "interp/run.h"
#include "semantics/diag/render.h"
#include "semantics/judge.h"
#include "semantics/text/parser.h"
#include "semantics/numerics/literals.h"
#include "semantics/numerics/scalar_apply.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <memory>

namespace tilenest {

namespace {

void append_errors(Diagnostics &to, const Diagnostics &from) {
  for (const Diagnostic &d : from)
    if (d.info().severity == Severity::error) to.push_back(d);
}

} // namespace

std::string TileRun::codes() const {
  std::string out;
  for (const Diagnostic &d : diagnostics) {
    if (!out.empty()) out += ' ';
    out += std::string(d.info().code) + "@" + std::to_string(d.sites.empty() ? 0 : d.sites[0].site.line);
  }
  return out;
}

std::string TileRun::text() const { return render_text(diagnostics); }

static TileRun run_once(const std::string &text, const std::vector<NamedArray> &arrays, const TileRunOptions &options) {
  TileRun out;
  ParsedFile file = parse_text("test.tile", text);
  append_errors(out.diagnostics, file.diagnostics);
  if (!out.diagnostics.empty() || file.kernels.empty()) return out;
  append_errors(out.diagnostics, judge(file.kernels[0]));
  if (!out.diagnostics.empty()) return out;
  const auto program = std::make_shared<const TileProgram>(std::move(file.kernels[0]));
  std::vector<ArgumentShape> shapes;
  for (const NamedArray &a : arrays) shapes.push_back({a.name, a.shape});
  const Result<BoundProgram> bound = tilenest::bind(program, shapes, options.extents);
  if (!bound.ok()) {
    append_errors(out.diagnostics, bound.errors());
    return out;
  }
  std::vector<Buffer> buffers;
  std::vector<std::string> storage_of;
  for (const ObjectId id : program->arguments) {
    const Object &object = program->objects[id];
    Buffer b;
    std::int64_t bytes = static_cast<std::int64_t>(byte_size(object.elem));
    for (const Extent &e : object.shape) b.shape.push_back(bound->extent(e));
    b.strides.resize(b.shape.size());
    for (std::size_t i = b.shape.size(); i-- > 0; bytes *= b.shape[i]) {
      if (is_packed(object.elem)) bytes += i + 1 < b.shape.size() ? bytes & 1 : 0; // half bytes; rows of whole bytes
      b.strides[i] = bytes;
    }
    if (is_packed(object.elem)) bytes = (bytes + 1) / 2;
    const auto given = std::find_if(arrays.begin(), arrays.end(), [&](const NamedArray &a) { return a.name == object.name; });
    std::string home = object.name;
    std::size_t offset = 0;
    if (given == arrays.end()) {
      out.arrays[home].assign(static_cast<std::size_t>(bytes), std::byte{0xA5});
      b.defined = false;
    } else if (given->alias_of.empty()) {
      out.arrays[home] = given->bytes;
    } else {
      home = given->alias_of;
      offset = given->alias_offset;
      const bool known = std::any_of(arrays.begin(), arrays.end(), [&](const NamedArray &a) { return a.name == home; });
      b.defined = known; // else it shares an undefined argument
    }
    b.data = reinterpret_cast<void *>(offset);
    storage_of.push_back(home);
    buffers.push_back(std::move(b));
  }
  for (std::size_t i = 0; i < buffers.size(); ++i)
    buffers[i].data = out.arrays.at(storage_of[i]).data() + reinterpret_cast<std::size_t>(buffers[i].data);
  if (options.engine != "interp") {
    conformance::EngineOptions engine_options;
    engine_options.strict = true;
    out.diagnostics = conformance::find_engine(options.engine)->run(*bound, buffers, engine_options);
    return out;
  }
  RunOptions run_options;
  run_options.checked = options.checked;
  run_options.first_only = options.first_only;
  run_options.cause_limit = options.cause_limit;
  run_options.memory_limit = options.memory_limit;
  run_options.while_limit = options.while_limit;
  run_options.threads = options.threads;
  run_options.chooser = options.chooser;
  run_options.interleave = options.interleave;
  RunResult result = run(*bound, std::move(buffers), run_options);
  for (std::size_t i = 0; i < program->arguments.size(); ++i)
    out.undefined[program->objects[program->arguments[i]].name] = result.undefined_elements[i];
  append_errors(out.diagnostics, result.diagnostics);
  out.on_threads = result.on_threads;
  return out;
}

// Bit for bit, NaN being one value.
static bool same_arrays(const std::string &text, const TileRun &a, const TileRun &b) {
  ParsedFile file = parse_text("test.tile", text);
  for (ObjectId id : file.kernels[0].arguments) {
    const Object &object = file.kernels[0].objects[id];
    if (!a.arrays.count(object.name)) continue; // it shares another one's storage
    const std::vector<std::byte> &x = a.arrays.at(object.name), &y = b.arrays.at(object.name);
    if (x == y) continue;
    const std::size_t size = byte_size(object.elem);
    for (std::size_t i = 0; i + size <= x.size(); i += size)
      if (std::memcmp(&x[i], &y[i], size) != 0 &&
          !(is_float(object.elem) && std::isnan(value_as_f64(object.elem, load_bits(object.elem, &x[i]))) && std::isnan(value_as_f64(object.elem, load_bits(object.elem, &y[i]))))) {
        UNSCOPED_INFO("`" << object.name << "` differs at element " << i / size);
        return false;
      }
  }
  return true;
}

TileRun run_tile(const std::string &text, std::vector<NamedArray> arrays, const TileRunOptions &options) {
  const TileRun out = run_once(text, arrays, options);
  if (options.chooser) return out;
  TileRunOptions other = options;
  for (other.threads = 1; other.threads <= 4; other.threads *= 2) {
    if (other.threads == options.threads) continue;
    const TileRun again = run_once(text, arrays, other);
    INFO(other.threads << " threads\n" << text);
    CHECK(again.text() == out.text());
    CHECK(again.arrays == out.arrays);
    CHECK(again.undefined == out.undefined);
  }
#ifdef TILENEST_SANITIZED // some of them: the others ran in a quicker build
  if (std::hash<std::string>()(text) % 8 != 0) return out;
#endif
  for (const char *engine : {"plan", "cpu"}) {
    if (!out.diagnostics.empty() || !options.checked) break;
    if (engine == std::string("cpu") && !std::getenv("TILENEST_TEST_CPU")) break;
    other.engine = engine;
    const TileRun planned = run_once(text, arrays, other);
    INFO("engine " << engine << "\n" << text);
    CHECK(planned.text() == "");
    if (planned.diagnostics.empty()) CHECK(same_arrays(text, planned, out));
  }
  return out;
}

} // namespace tilenest
