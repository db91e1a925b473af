// SPDX-License-Identifier: Apache-2.0
// One bound program on the oracle and on the engine, from the same arguments, and what differs.
#pragma once
#include "conformance/engines/engine.h"
#include "tests/oracle/interpreter.h"

namespace tilenest::oracle {

struct Bound {
  BoundProgram program;
  std::vector<Argument> arguments;
};

// Judges and binds; the arguments hold `bytes_of(argument number, byte number)`. `out` arguments start
// undefined. The test fails where a judgement refuses.
using Bytes = std::function<std::vector<std::uint8_t>(const Object &, std::int64_t elements)>;
Bound bind_program(TileProgram program, const Bytes &bytes_of,
                   const std::map<std::string, std::int64_t> &extents = {});
// The first kernel of the text.
Bound bind_text(const std::string &text, const Bytes &bytes_of);

struct EngineRun {
  RunResult result;
  std::vector<std::vector<std::uint8_t>> arguments;
};
// `interleave`: unchecked, the instances taking turns before each access (RunOptions).
EngineRun run_engine(const Bound &bound, bool checked = true, Chooser *chooser = nullptr, bool interleave = false);
// On another engine; undefined elements are not counted.
EngineRun run_on(const std::string &engine, const Bound &bound, const conformance::EngineOptions &options);

// "U0106@7 U0201@9": codes and lines of what is no interference, sorted, each once.
std::set<std::string> violations(const Bound &bound, const Outcome &outcome);
std::set<std::string> violations(const RunResult &result);
// "5~9": the lines of the two sites, the lower first.
// `plainly`: without those of tiles that only a lifted write makes (events.h).
std::set<std::string> interferences(const Bound &bound, const Outcome &outcome, bool plainly = false);
std::set<std::string> interferences(const RunResult &result);
// Where the engine's arguments differ from the oracle's; "" if nowhere.
std::string value_difference(const Bound &bound, const Outcome &outcome, const EngineRun &engine);

std::string joined(const std::set<std::string> &words);

} // namespace tilenest::oracle
