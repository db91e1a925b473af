// SPDX-License-Identifier: Apache-2.0
// Steps: in which loops over instances each operation of a program stands once the lowering has run them one after
// the other. What is lifted out of a `parallel` (ANC-SHARE) and every `sync` stands between two such loops, so the
// body of a parallel falls into several runs over its instances. Decides where loops are, not what is computed.
#pragma once
#include "semantics/program/program.h"

namespace tilenest::lowering {

struct Step {
  OpId op;        // an operation, or invalid where `opened` is valid:
  LevelId opened; // a loop over the instances of this level
  std::vector<std::vector<Step>> bodies; // per region of the operation; of a loop its one body
};
using Steps = std::vector<Step>;

struct StepTree {
  Steps body;
  // By operation: per open level, from depth 1 on, the number of the loop over it; as many as levels are open where
  // the operation stands.
  IdVector<OpId, std::vector<std::uint32_t>> loops;
  // The levels from depth 1 on around the operation, open or not.
  IdVector<OpId, std::vector<LevelId>> path;
};

// True for operations without effects, which may be repeated or moved up to where their operands are.
bool is_pure(const Op &op);

// The regions that run: of a reduce its body, which is the meaning whatever contracts it declares.
std::span<const RegionId> run_regions(const Op &op);
// The operations of a region, those of its stages in their place: a pipeline means its serial execution (PIPE-SER).
std::vector<OpId> flat_ops(const TileProgram &program, RegionId region);

// Of a judged program.
StepTree plan_steps(const TileProgram &program);

} // namespace tilenest::lowering
