// SPDX-License-Identifier: Apache-2.0
// tilenest fuzz: random kernels on the engines, compared with the reference.
#include "arrays/npy.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "conformance/fuzz/fuzz.h"
#include "conformance/fuzz/reduce_case.h"
#include "lower/cpu/load.h"
#include "semantics/numerics/literals.h"
#include "semantics/diag/codes.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace tilenest::cli {

namespace {

using namespace conformance;

std::vector<Contestant> contestants(const FuzzArguments &options) {
  std::vector<std::string> names = options.engines;
  if (names.empty()) {
    names = {"plan"};
    if (cpu::load_engine()) names.emplace_back("cpu");
  }
  std::vector<Contestant> out;
  for (const std::string &name : names) {
    BackendOptions backend;
    backend.timeout_s = options.timeout_s;
    backend.strict = true;
    if (name == "plan" || name == "cpu") out.push_back({find_backend(name, backend), true, name + " (strict)"});
    backend.strict = false;
    out.push_back({find_backend(name, backend), false, name});
  }
  return out;
}

std::string inputs_text(const Case &c) {
  std::string out;
  for (const auto &[name, input] : c.inputs) {
    const Elements &e = input.elements;
    std::string shape, bits;
    for (const std::int64_t n : e.shape) shape += (shape.empty() ? "" : ", ") + std::to_string(n);
    constexpr std::size_t shown = 24;
    for (std::size_t i = 0; i < std::min(e.bits.size(), shown); ++i) bits += (i > 0 ? " " : "") + scalar_text(e.type, e.bits[i]);
    out += "  " + name + ": " + std::string(to_string(e.type)) + " [" + shape + "] = " + bits + (e.bits.size() > shown ? " ..." : "") + "\n";
  }
  return out;
}

// kernel.tile and an .npy per input, so that `tilenest run` meets the case again.
Diagnostics save(const Finding &f, const std::string &folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return {Diagnostic(Code::P0509, {}, {{"file", folder}, {"why", error.message()}})};
  const std::string program = folder + "/kernel.tile";
  std::ofstream file(program, std::ios::binary);
  file << f.reduced.program;
  file.close();
  if (file.fail()) return {Diagnostic(Code::P0509, {}, {{"file", program}, {"why", std::strerror(errno == 0 ? EIO : errno)}})};
  for (const auto &[name, input] : f.reduced.inputs) {
    const Elements &e = input.elements;
    Result<Array> array = make_array(e.type, e.shape, Fill::zeros);
    if (!array) return array.errors();
    store_elements(e, {static_cast<std::byte *>(array->data), e.bits.size() * byte_size(e.type)});
    if (Diagnostics errors = write_npy(folder + "/" + name + ".npy", *array); !errors.empty()) return errors;
  }
  return {};
}

std::string finding_text(const Finding &f) {
  std::string out = "seed " + std::to_string(f.seed) + ", " + f.engine + ": " + f.what + "\n";
  out += "made smaller, " + std::to_string(statements_of(f.reduced)) + " statements: " + f.reduced_what + "\n";
  return out + f.reduced.program + inputs_text(f.reduced) + "again: tilenest fuzz --seed " + std::to_string(f.seed) + " --cases 1 --engine " +
         (f.engine.starts_with("exec:") ? "'" + f.engine + "'" : f.engine.substr(0, f.engine.find(' '))) + "\n\n";
}

// A row per operation, a column per type: in how many of the four kinds of region it was.
std::string coverage_text(const MetOperations &coverage) {
  std::map<std::pair<OpKind, ScalarType>, std::pair<int, int>> table;
  for (const MetOperations::Cell &c : MetOperations::cells()) {
    auto &[met, of] = table[{c.op, c.type}];
    met += coverage.count(c) > 0;
    ++of;
  }
  const auto padded = [](std::string text, std::size_t width) { return text + std::string(width - std::min(width, text.size()), ' '); };
  std::string out = padded("", 12);
  for (int t = 0; t < scalar_type_count; ++t)
    if (!is_packed(static_cast<ScalarType>(t))) out += " " + padded(std::string(to_string(static_cast<ScalarType>(t))).substr(0, 5), 5);
  out += "\n";
  for (int k = 0; k < op_count; ++k) {
    std::string row;
    bool any = false;
    for (int t = 0; t < scalar_type_count; ++t) {
      if (is_packed(static_cast<ScalarType>(t))) continue;
      const auto at = table.find({static_cast<OpKind>(k), static_cast<ScalarType>(t)});
      any |= at != table.end();
      row += " " + padded(at == table.end() ? "" : std::to_string(at->second.first) + "/" + std::to_string(at->second.second), 5);
    }
    if (any) out += padded(info(static_cast<OpKind>(k)).name, 12) + row + "\n";
  }
  return out + std::to_string(MetOperations::cells().size() - coverage.empty().size()) + " of " + std::to_string(MetOperations::cells().size()) +
         " cells (operation, type, region) were met\n";
}

std::string text_of(const FuzzResult &r) {
  std::string out;
  for (const Finding &f : r.findings) out += finding_text(f);
  out += std::to_string(r.cases) + " random kernels, " + std::to_string(r.violating) + " of which violate a contract and were not compared, " +
         std::to_string(r.undecided) + " of which were compared strictly alone, since what they admit is not enclosed\n";
  for (const auto &[engine, n] : r.compared)
    out += "  " + engine + ": " + std::to_string(n) + " compared" +
           (r.unsupported.at(engine) > 0 ? ", " + std::to_string(r.unsupported.at(engine)) + " not supported" : "") + "\n";
  return out + std::to_string(r.findings.size()) + " differ\n";
}

Json json_of(const FuzzResult &r, std::uint64_t seed) {
  Json body = {{"seed", seed}, {"cases", r.cases}, {"violating", r.violating}, {"undecided", r.undecided}};
  body["engines"] = Json::array();
  for (const auto &[engine, n] : r.compared) body["engines"].push_back({{"name", engine}, {"compared", n}, {"unsupported", r.unsupported.at(engine)}});
  body["findings"] = Json::array();
  for (const Finding &f : r.findings)
    body["findings"].push_back({{"seed", f.seed}, {"engine", f.engine}, {"what", f.what}, {"statements", statements_of(f.reduced)},
                                {"program", f.reduced.program}, {"inputs", inputs_text(f.reduced)}, {"reduced_what", f.reduced_what}});
  body["cells"] = MetOperations::cells().size();
  body["cells_met"] = MetOperations::cells().size() - r.met.empty().size();
  return body;
}

} // namespace

int fuzz_command(const FuzzArguments &options) {
  FuzzOptions fuzzing;
  fuzzing.seed = options.seed;
  fuzzing.cases = options.cases;
  fuzzing.seconds = options.seconds;
  fuzzing.findings = options.findings;
  FuzzResult result;
  {
    const Progress progress("comparing random kernels", options.json);
    result = fuzz(contestants(options), fuzzing);
  }
  Diagnostics errors;
  for (const Finding &f : result.findings)
    if (!options.save.empty() && errors.empty()) errors = save(f, options.save + "/" + std::to_string(f.seed));
  const int verdict = result.findings.empty() ? 0 : status_not_conforming;
  if (options.json) return report_json("tilenest-fuzz-1", json_of(result, options.seed), errors, verdict);
  print_out(text_of(result) + (options.coverage ? coverage_text(result.met) : ""));
  const int status = report_text(errors);
  return status != 0 ? status : verdict;
}

} // namespace tilenest::cli
