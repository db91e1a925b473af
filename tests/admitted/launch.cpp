// SPDX-License-Identifier: Apache-2.0
// Kernels with generated arguments.
#include "tests/admitted/launch.h"
#include "semantics/numerics/formats.h"
#include "interp/explore.h"
#include "semantics/judge.h"
#include "semantics/numerics/literals.h"
#include "semantics/numerics/scalar_apply.h"
#include "semantics/text/parser.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <sstream>

namespace tilenest::admitted {

namespace {

std::uint64_t mixed(const std::string &argument, std::int64_t i) {
  std::uint64_t z = std::hash<std::string>{}(argument) % 1000 * 1000003 + static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Row-major strides in bytes; in half bytes for a 4-bit type, whose rows have whole bytes.
std::vector<std::int64_t> strides_of(const std::vector<std::int64_t> &shape, ScalarType type) {
  std::vector<std::int64_t> out(shape.size());
  std::int64_t step = is_packed(type) ? 1 : static_cast<std::int64_t>(byte_size(type));
  for (std::size_t d = shape.size(); d-- > 0;) {
    out[d] = step;
    step *= is_packed(type) && d + 1 == shape.size() ? shape[d] + shape[d] % 2 : shape[d];
  }
  return out;
}

} // namespace

double whole(const std::string &argument, std::int64_t i) { return static_cast<double>(mixed(argument, i) % 9) - 4; }
double uniform(const std::string &argument, std::int64_t i) {
  return static_cast<double>(static_cast<float>(static_cast<double>(mixed(argument, i) >> 40) * 0x1p-23 - 1));
}

Launch::Launch(const std::string &text, std::map<std::string, std::int64_t> extents, const Values &values) {
  ParsedFile file = parse_text("k.tile", text);
  if (has_error(file.diagnostics)) FAIL(file.diagnostics[0].message());
  REQUIRE(!file.kernels.empty());
  const Diagnostics judged = tilenest::judge(file.kernels[0]);
  if (has_error(judged)) FAIL(judged[0].message());
  const auto program = std::make_shared<const TileProgram>(std::move(file.kernels[0]));
  Result<BoundProgram> b = tilenest::bind(program, {}, extents);
  if (!b.ok()) FAIL(b.errors()[0].message());
  bound_ = std::move(*b);
  for (const ObjectId id : program->arguments) {
    const Object &object = program->objects[id];
    Argument a{{}, {}, object.access != ArgumentAccess::out};
    std::int64_t n = 1;
    for (const Extent &e : object.shape) a.shape.push_back(bound_.extent(e)), n *= a.shape.back();
    REQUIRE(!is_packed(object.elem));
    const std::size_t size = byte_size(object.elem);
    a.bytes.resize(static_cast<std::size_t>(n) * size + 8);
    for (std::int64_t i = 0; i < n && a.defined; ++i) {
      const double v = values(object.name, i);
      const auto bits = is_float(object.elem) ? literal_bits(v, object.elem) : literal_bits(static_cast<std::int64_t>(v), object.elem);
      store_bits(object.elem, a.bytes.data() + static_cast<std::size_t>(i) * size, bits.value_or(0));
    }
    arguments_.push_back(std::move(a));
  }
}

std::size_t Launch::argument(const std::string &name) const {
  for (std::size_t i = 0; i < arguments_.size(); ++i)
    if (program().objects[program().arguments[i]].name == name) return i;
  FAIL("no argument " << name);
  return 0;
}

std::vector<Buffer> Launch::buffers() const {
  std::vector<Buffer> out;
  for (std::size_t i = 0; i < arguments_.size(); ++i)
    out.push_back({const_cast<std::uint8_t *>(arguments_[i].bytes.data()), arguments_[i].shape, strides_of(arguments_[i].shape, type(i)),
                   arguments_[i].defined});
  return out;
}

std::vector<Buffer> Launch::written_buffers(std::vector<std::vector<std::uint8_t>> &out) const {
  std::vector<Buffer> used = buffers();
  out.resize(arguments_.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (program().objects[program().arguments[i]].access == ArgumentAccess::in) continue;
    out[i] = arguments_[i].bytes;
    used[i].data = out[i].data();
  }
  return used;
}

std::vector<std::vector<std::uint8_t>> Launch::run(Chooser *chooser) const {
  std::vector<std::vector<std::uint8_t>> out;
  const std::vector<Buffer> used = written_buffers(out);
  RunOptions options;
  options.chooser = chooser;
  const RunResult r = tilenest::run(bound_, used, options);
  if (has_error(r.diagnostics)) FAIL(r.diagnostics[0].message());
  return out;
}

std::vector<std::vector<std::uint8_t>> Launch::run_on(const std::string &engine, const conformance::EngineOptions &options) const {
  std::vector<std::vector<std::uint8_t>> out;
  std::vector<Buffer> used = written_buffers(out);
  const Diagnostics said = conformance::find_engine(engine)->run(bound_, used, options);
  if (has_error(said)) FAIL(said[0].message());
  return out;
}

AdmittedResults Launch::admitted(const TargetProfile *target) const {
  JudgeOptions options;
  options.target = target;
  AdmittedResults r = admitted_results(bound_, buffers(), options);
  if (has_error(r.diagnostics)) FAIL(r.diagnostics[0].message());
  return r;
}

Judgement Launch::judge(const std::vector<std::vector<std::uint8_t>> &results, const TargetProfile *target, std::uint64_t enumerate) const {
  std::vector<GivenResult> given;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (!results[i].empty()) given.push_back({i, results[i].data()});
  JudgeOptions options;
  options.target = target;
  options.enumerate = enumerate;
  Judgement j = tilenest::judge(bound_, buffers(), given, options);
  if (has_error(j.diagnostics)) FAIL(j.diagnostics[0].message());
  return j;
}

Judgement Launch::judge(const std::string &name, const std::vector<float> &result, std::uint64_t enumerate) const {
  JudgeOptions options;
  options.enumerate = enumerate;
  Judgement j = tilenest::judge(bound_, buffers(), {{argument(name), result.data()}}, options);
  if (has_error(j.diagnostics)) FAIL(j.diagnostics[0].message());
  return j;
}

std::uint64_t Launch::differences(const std::vector<std::vector<std::uint8_t>> &some, const std::vector<std::vector<std::uint8_t>> &others) const {
  std::uint64_t out = 0;
  for (std::size_t a = 0; a < some.size(); ++a) {
    const ScalarType t = type(a);
    for (std::size_t i = 0; i + 8 + byte_size(t) <= some[a].size(); i += byte_size(t)) { // eight bytes of room behind
      const std::uint64_t x = load_bits(t, some[a].data() + i), y = load_bits(t, others[a].data() + i);
      out += x != y && !(is_float(t) && std::isnan(value_as_f64(t, x)) && std::isnan(value_as_f64(t, y)));
    }
  }
  return out;
}

std::string example_text(const std::string &name) {
  std::ifstream in(TILENEST_SOURCE_DIR "/examples/" + name + ".tile");
  REQUIRE(in.good());
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

} // namespace tilenest::admitted
