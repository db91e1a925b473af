// SPDX-License-Identifier: Apache-2.0
// Running a captured program on arrays of the host: judge once, bind to the arrays' shapes, run. The typed
// face is <tilenest/run.h>; nothing here knows C++ element types.
#pragma once
#include "interp/run.h"
#include "semantics/support/scalar_type.h"
#include <map>
#include <optional>
#include <string>

namespace tilenest {

// One array for one argument. Strides are in bytes, of a 4-bit type in half bytes.
struct HostBuffer {
  Buffer buffer;
  ScalarType elem = ScalarType::f32;
  bool writable = true;
  std::optional<std::uint64_t> held; // elements at `data`, where known
};

// A program on arrays of its own.
struct BoundArrays {
  BoundProgram program;
  std::vector<Buffer> buffers; // by argument
};

// A program that was judged; it is bound and run any number of times.
class Executable {
public:
  // Every judgement; its errors, or a program with the warnings and notes that it got.
  static Result<Executable> make(TileProgram program);
  const TileProgram &program() const { return *program_; }
  const Diagnostics &notes() const { return notes_; }
  // One buffer per argument, in the order of the signature; `extents` gives parameters that no shape does. Errors:
  // those of bind and run; an array of another element type (T0901), a constant array for an argument that is written
  // (T0710), too few elements (T0712).
  RunResult run(const std::vector<HostBuffer> &arrays, const RunOptions &options = {},
                const std::map<std::string, std::int64_t> &extents = {}) const;
  // What run does first, with the same errors; for other engines.
  Result<BoundArrays> bind(const std::vector<HostBuffer> &arrays, const std::map<std::string, std::int64_t> &extents = {}) const;

private:
  std::shared_ptr<const TileProgram> program_;
  Diagnostics notes_;
};

} // namespace tilenest
