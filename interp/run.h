// SPDX-License-Identifier: Apache-2.0
// The public face of the reference machine: runs a bound, judged program on buffers. What the program means
// is decided in semantics/; here is only which of it happens, in the reference order, and what is reported.
#pragma once
#include "interp/chooser.h"
#include "semantics/program/bind.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tilenest {

// One argument's storage. Strides are in bytes, those of a 4-bit type in half bytes, the low half of `data` being
// the element at coordinate 0; they may be zero or negative for `in` arguments.
struct Buffer {
  void *data = nullptr;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  // False for a `mut` or `out` argument that starts undefined: loading an element before a store to it is a
  // violation (MEM-INIT), and its bytes are not read.
  bool defined = true;
  // Larger than the memory there is: zero bytes without gaps, row-major, which take memory where they are touched. A run
  // that touches more than its limit ends (class L).
  bool sparse = false;
};

class AdmittedSets;
class LawProbe;
class EarlierAccesses;

struct RunOptions {
  bool checked = true;            // false: no marks, no definedness, no contract checks; never undefined behaviour
  std::uint64_t cause_limit = 20; // OUT-CONT: distinct causes reported before the run stops
  bool first_only = false;
  bool cover = false;             // COVER: count how often each element of an output is stored
  std::size_t memory_limit = 0;   // bytes of tile values, memories and instances; 0: most of the machine's memory
  // Threads that instances may run on where nothing sees their order; results and reports are the same for any
  // number. 0: the machine's, for parallels that are worth it; oneTBB uses no more than the machine has.
  std::size_t threads = 0;
  // Resolves the freedoms of the run (ADM-SET); null: the reference member. A run with a chooser has one thread.
  Chooser *chooser = nullptr;
  // With a chooser and unchecked: instances take turns before each access to storage that others may see, instead of
  // running one after the other.
  bool interleave = false;
  // Collects what the outputs may be beside the reference (admitted.h); null: nothing. One thread, and no chooser.
  AdmittedSets *sets = nullptr;
  // Tries the laws of declared contracts on the states that reduces reach (law_probe.h), with `sets`; null: none.
  LawProbe *laws = nullptr;
  // Collects, or recalls, where the earlier accesses of interferences were in their serial loops (earlier_accesses.h);
  // null: nothing.
  EarlierAccesses *earlier = nullptr;
  std::int64_t while_limit = 100'000'000; // rounds of one `while` before the run is given up (class L)
};

// COVER: how often the elements of one argument were stored; exactly once is what an output is for.
struct Coverage {
  std::size_t argument = 0;                         // in the order of program.arguments
  std::uint64_t never = 0, once = 0, more = 0;      // elements
  std::optional<std::int64_t> first_never;          // row-major
  std::optional<std::int64_t> first_most;           // of those that were stored most often, if more than once
  std::uint32_t most = 0;                           // how often that is
};

using ElementRanges = std::vector<std::pair<std::int64_t, std::int64_t>>;

struct RunResult {
  Diagnostics diagnostics; // violations, one per cause with its count
  // Per argument (program.arguments order): elements of a `mut`/`out` argument that started undefined and were
  // never stored, 0 elsewhere. Counted in checked and unchecked runs alike.
  std::vector<std::uint64_t> undefined_elements;
  std::vector<std::optional<std::int64_t>> first_undefined; // the first of those, in C order; not of sparse arguments
  // Per argument: of a sparse one, and of one that started undefined and has no gaps, the elements that may not be as
  // they were, row-major, in order, [first, last); nullopt elsewhere.
  std::vector<std::optional<ElementRanges>> touched;
  std::vector<Coverage> coverage; // where RunOptions::cover: one per `mut` or `out` argument, by stores through its own name
  std::uint64_t on_threads = 0; // parallels whose instances ran on several threads
};

// `buffers` in the order of program.arguments. Shapes must be those the program was bound with.
// Errors: an unsupported construct (class N), a limit (class L), a buffer that does not fit (class T).
RunResult run(const BoundProgram &program, std::vector<Buffer> buffers, const RunOptions &options = {});

} // namespace tilenest
