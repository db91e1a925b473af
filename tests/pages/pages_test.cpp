// SPDX-License-Identifier: Apache-2.0
// The ```tile programs of docs/diagnostics/: the failing one reports the code of its page on the lines that say so
// in a comment (`// U0201`; text that is refused, class P, has golden files instead), the fixed one does not and has
// no error. They are parsed, judged, bound (open extents are 8) and run on arguments that hold 0, 1, 2, ...;
// `out` arguments start undefined, and the laws of their contracts are tried. Pages with other blocks are not tried here.
#include "interp/laws.h"
#include "interp/run.h"
#include "semantics/diag/explain.h"
#include "semantics/diag/render.h"
#include "semantics/judge.h"
#include "semantics/text/parser.h"
#include <catch2/catch.hpp>
#include <cstring>
#include <set>
#include <sstream>

using namespace tilenest;

namespace {

// The first ```tile block under the heading, or nothing.
std::string block(std::string_view page, const std::string &heading) {
  const std::size_t section = page.find("\n## " + heading + "\n");
  if (section == std::string_view::npos) return {};
  std::string_view rest = page.substr(section + 1);
  rest = rest.substr(0, rest.find("\n## ", 1));
  const std::string_view open = "```tile\n";
  const std::size_t begin = rest.find(open);
  if (begin == std::string_view::npos) return {};
  rest.remove_prefix(begin + open.size());
  return std::string(rest.substr(0, rest.find("```")));
}

// 0, 1, 2, ... in the element type: an oracle's few lines, since small integers are exact in every type.
void fill(std::vector<std::byte> &bytes, ScalarType type) {
  const std::size_t size = byte_size(type);
  for (std::size_t i = 0; i * size < bytes.size(); ++i) {
    std::uint64_t bits = i % 8;
    const float f = static_cast<float>(i % 8);
    const double d = f;
    std::uint32_t f_bits;
    std::memcpy(&f_bits, &f, 4);
    switch (type) {
    case ScalarType::boolean: bits = i % 2; break;
    case ScalarType::f64: std::memcpy(&bits, &d, 8); break;
    case ScalarType::f32: bits = f_bits; break;
    case ScalarType::bf16: bits = f_bits >> 16; break;
    case ScalarType::f16: bits = f_bits == 0 ? 0 : (f_bits >> 13) - (112u << 10); break;
    default: break;
    }
    std::memcpy(bytes.data() + i * size, &bits, size);
  }
}

Diagnostics run_kernel(TileProgram program) {
  Diagnostics out = judge(program);
  if (has_error(out)) return out;
  std::map<std::string, std::int64_t> named;
  for (const Param &param : program.params) named[param.name] = 8;
  const auto shared = std::make_shared<const TileProgram>(std::move(program));
  const Result<BoundProgram> bound = bind(shared, {}, named);
  if (!bound.ok()) {
    out.insert(out.end(), bound.errors().begin(), bound.errors().end());
    return out;
  }
  std::vector<std::vector<std::byte>> storage, first;
  Diagnostics of_run;
  std::string said;
  for (const std::size_t threads : {1, 2, 4}) {
    storage.clear();
    std::vector<Buffer> buffers;
    for (const ObjectId id : shared->arguments) {
      const Object &object = shared->objects[id];
      Buffer buffer;
      for (const Extent &e : object.shape) buffer.shape.push_back(bound->extent(e));
      buffer.strides.resize(buffer.shape.size());
      std::int64_t bytes = static_cast<std::int64_t>(byte_size(object.elem));
      for (std::size_t i = buffer.shape.size(); i-- > 0; bytes *= buffer.shape[i]) buffer.strides[i] = bytes;
      storage.emplace_back(static_cast<std::size_t>(bytes));
      fill(storage.back(), object.elem);
      buffer.data = storage.back().data();
      buffer.defined = object.access != ArgumentAccess::out;
      buffers.push_back(std::move(buffer));
    }
    RunOptions options;
    options.threads = threads;
    of_run = run(*bound, std::move(buffers), options).diagnostics;
    if (threads == 1) {
      first = storage;
      said = render_text(of_run);
    }
    INFO(threads << " threads");
    CHECK(storage == first);
    CHECK(render_text(of_run) == said);
  }
  out.insert(out.end(), of_run.begin(), of_run.end());
  LawOptions laws;
  laws.extents = named;
  const Diagnostics broken = check_laws(shared, laws).diagnostics;
  out.insert(out.end(), broken.begin(), broken.end());
  return out;
}

Diagnostics all_of(const std::string &text) {
  ParsedFile file = parse_text("page.tile", text);
  Diagnostics out = std::move(file.diagnostics);
  if (has_error(out)) return out;
  for (TileProgram &kernel : file.kernels) {
    const Diagnostics more = run_kernel(std::move(kernel));
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

// What the command line finds and the libraries do not; tests/cli meets these codes.
bool of_command_line(std::string_view code) { return code == "P1101" || code == "U1101" || code == "N0002"; }

bool reports(const Diagnostics &diagnostics, std::string_view code) {
  for (const Diagnostic &d : diagnostics)
    if (d.info().code == code) return true;
  return false;
}

std::set<std::size_t> marked_lines(const std::string &text, std::string_view code) {
  std::set<std::size_t> out;
  std::istringstream lines(text);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number)
    if (line.ends_with("// " + std::string(code))) out.insert(number);
  return out;
}

std::set<std::size_t> reported_lines(const Diagnostics &diagnostics, std::string_view code) {
  std::set<std::size_t> out;
  for (const Diagnostic &d : diagnostics)
    if (d.info().code == code && !d.sites.empty()) out.insert(d.sites[0].site.line);
  return out;
}

} // namespace

TEST_CASE("the programs of the diagnostics' pages do what the pages say", "[pages]") {
  int tried = 0;
  for (std::size_t i = 0; i < explanation_page_count; ++i) {
    const auto &[code, page] = explanation_pages[i];
    const std::string failing = block(page, "Failing"), fixed = block(page, "Fixed");
    INFO("page " << code);
    CHECK((failing.empty() || !fixed.empty()));
    if (fixed.empty()) continue;
    const Diagnostics of_failing = failing.empty() ? Diagnostics{} : all_of(failing), of_fixed = all_of(fixed);
    INFO("failing:\n" << render_text(of_failing) << "fixed:\n" << render_text(of_fixed));
    if (!failing.empty()) {
      ++tried;
      CHECK(reports(of_failing, code) != of_command_line(code));
      if (code[0] != 'P' && !of_command_line(code))
        CHECK(marked_lines(failing, code) == reported_lines(of_failing, code));
    }
    CHECK_FALSE(reports(of_fixed, code));
    CHECK_FALSE(has_error(of_fixed));
  }
  CHECK(tried > 30);
}
