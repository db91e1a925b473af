// SPDX-License-Identifier: Apache-2.0
// Judgements on pipelines (calculus 7): sane policies, and the stage graph of one pipeline: its stages and the
// dependences between them, derived from SSA and effects. Legality of a schedule (PIPE-LEGAL) is not here.
#pragma once
#include "semantics/program/program.h"

namespace tilenest {

// T0607 for each pipeline whose policy cannot be meant. Needs a well-formed program.
Diagnostics pipelines_ok(const TileProgram &program);

struct StageGraph {
  struct Stage {
    std::string label;
    OpId op; // invalid: the whole body of a pipeline without `stage`
  };
  enum class EdgeKind : std::uint8_t { value, effect };
  // What `consumer` does in iteration i + distance comes after what `producer` does in iteration i.
  // distance 0 always goes forward; the order within one stage and iteration is no edge.
  struct Edge {
    int producer = 0, consumer = 0;
    std::int64_t distance = 0;
    EdgeKind kind = EdgeKind::value;
    ValueId value;                  // value: the definition that is used
    ObjectId object, other;         // effect: what both touch; invalid: a `sync` of one of them. Two different
                                    // arguments conflict only if their buffers overlap: a launch decides.
    bool if_overlap() const { return object != other; }
    friend bool operator==(const Edge &, const Edge &) = default;
  };
  std::vector<Stage> stages;
  std::vector<Edge> edges; // sorted, without repeats
};

// `pipeline` is a pipeline operation of a well-formed program.
StageGraph stage_graph(const TileProgram &program, OpId pipeline);

// The stages that recur through each other: each set of stages on common cycles, in order. A stage alone is a
// set if it depends on itself across iterations.
std::vector<std::vector<int>> recurrences(const StageGraph &graph);

std::string to_graphviz(const TileProgram &program, const StageGraph &graph);

} // namespace tilenest
