// SPDX-License-Identifier: Apache-2.0
// A kernel with arrays of its own for all arguments, to be run, enclosed and judged.
#pragma once
#include "conformance/engines/engine.h"
#include "interp/judge.h"
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tilenest::admitted {

// Element i of an input in C order.
using Values = std::function<double(const std::string &argument, std::int64_t i)>;
// Whole numbers from -4 to 4, whose sums are exact; and f32 numbers in [-1, 1).
double whole(const std::string &argument, std::int64_t i);
double uniform(const std::string &argument, std::int64_t i);

class Launch {
public:
  // The first kernel of the text.
  Launch(const std::string &text, std::map<std::string, std::int64_t> extents, const Values &values);

  const TileProgram &program() const { return *bound_.program; }
  const BoundProgram &bound() const { return bound_; }
  std::vector<Buffer> buffers() const;
  ScalarType type(std::size_t argument) const { return program().objects[program().arguments[argument]].elem; }
  std::size_t argument(const std::string &name) const;

  // What the written arguments hold after a run, by argument number; empty for the others.
  std::vector<std::vector<std::uint8_t>> run(Chooser *chooser = nullptr) const;
  // Likewise on another engine, which is to run it.
  std::vector<std::vector<std::uint8_t>> run_on(const std::string &engine, const conformance::EngineOptions &options) const;
  AdmittedResults admitted(const TargetProfile *target = nullptr) const;
  // All written arguments at once.
  Judgement judge(const std::vector<std::vector<std::uint8_t>> &results, const TargetProfile *target = nullptr, std::uint64_t enumerate = 0) const;
  // One argument of f32.
  Judgement judge(const std::string &argument, const std::vector<float> &result, std::uint64_t enumerate = 0) const;

  // How many elements differ, NaN being one value.
  std::uint64_t differences(const std::vector<std::vector<std::uint8_t>> &some, const std::vector<std::vector<std::uint8_t>> &others) const;

private:
  // Buffers whose written arguments are copies, in `out`.
  std::vector<Buffer> written_buffers(std::vector<std::vector<std::uint8_t>> &out) const;
  BoundProgram bound_;
  struct Argument {
    std::vector<std::uint8_t> bytes;
    std::vector<std::int64_t> shape;
    bool defined;
  };
  std::vector<Argument> arguments_;
};

std::string example_text(const std::string &name);

} // namespace tilenest::admitted
