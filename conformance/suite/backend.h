// SPDX-License-Identifier: Apache-2.0
// What runs cases: the engines of this library, and commands of other people (`exec:COMMAND`).
#pragma once
#include "conformance/suite/launch.h"
#include "semantics/numerics/target_profile.h"
#include <memory>
#include <string>

namespace tilenest::conformance {

struct Attempt {
  Diagnostics diagnostics; // errors, failed assertions; class N for what the engine does not run
  std::string failure;     // why there are no results although nothing was said against the program; else ""
};

struct BackendOptions {
  bool strict = false;        // engines of this library but the reference: its grouping, no contraction
  double timeout_s = 30;      // of one case of a command
  std::shared_ptr<const TargetProfile> target; // what a command declares (NUM-TGT); null: nothing
  std::size_t threads = 2;    // of one case
};

class Backend {
public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0;    // as it was asked for
  virtual std::string kind() const = 0;    // "interp", "plan", "cpu", "exec"
  virtual bool is_reference() const { return false; } // reports violations
  virtual bool is_command() const { return false; }   // sees no program that the front refuses
  // What it declares of its primitives; null: nothing, every result is exact.
  virtual const TargetProfile *target() const { return nullptr; }
  // Leaves results in the arrays. `order`: another order of instances per number, 0 the engine's own.
  virtual Attempt run(const Case &c, const BoundProgram &bound, const Arrays &arrays, std::uint64_t order) const = 0;
};

// "interp", "plan", "cpu", "exec:COMMAND"; null for another name.
std::unique_ptr<Backend> find_backend(const std::string &name, const BackendOptions &options);

// A command, called `COMMAND PROGRAM.tile KERNEL IN.npz OUT.npz` by /bin/sh (docs/conformance.md).
std::unique_ptr<Backend> command_backend(const std::string &command, const BackendOptions &options);

} // namespace tilenest::conformance
