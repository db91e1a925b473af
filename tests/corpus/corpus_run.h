// SPDX-License-Identifier: Apache-2.0
// A kernel of the corpus on the engine and on the second oracle, and what each of them says of it in the words of a label:
// codes and lines.
#pragma once
#include "conformance/corpus/corpus.h"
#include "interp/chooser.h"
#include "semantics/program/bind.h"
#include "tests/oracle/interpreter.h"
#include <optional>

namespace tilenest::conformance {

// Parsed, judged, bound, with its arguments filled; `refusal` says why not.
struct Ready {
  std::optional<BoundProgram> bound;
  std::vector<oracle::Argument> arguments;
  std::string refusal;
};
Ready make_ready(const LabelledKernel &kernel);

struct Verdict {
  std::set<std::string> codes;
  std::set<std::uint32_t> lines;
  std::string text; // for a person
  bool complete = true; // false: the oracle stopped at a condition or a sync, and the engine may see more
};
Verdict engine_verdict(const Ready &kernel, Chooser *chooser = nullptr);
// Nothing where the oracle does not know a construct. It has no codes of interference: U0301 stands for one on a view or
// memory, U0302 for one on a tile.
std::optional<Verdict> oracle_verdict(const Ready &kernel);

// Whether a verdict says what the label says. `coarse`: as far as an oracle's codes go.
bool agrees(const LabelledKernel &kernel, const Verdict &verdict, bool coarse = false);
// Whether the engine says what the oracle says.
bool agree(const Verdict &of_oracle, const Verdict &of_engine);

} // namespace tilenest::conformance
