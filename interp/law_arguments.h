// SPDX-License-Identifier: Apache-2.0
// Arguments for trials of laws: arrays of a bound program's shapes, filled in a way that depends on the round, and
// smaller ones that a counterexample is reduced to. Private to laws.cpp.
#pragma once
#include "interp/run.h"
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace tilenest {

class LawArguments {
public:
  // By turns 0 and 1, small integers, boundary values, numbers between -1 and 1, any bits. With a sweep, 0 to 255,
  // elements of types of 8 bits or fewer have in each of these another value.
  LawArguments(const BoundProgram &bound, std::uint64_t round, std::optional<std::uint64_t> sweep);
  static bool has_narrow(const TileProgram &program);

  // For one run: copies, which the next call replaces.
  std::vector<Buffer> buffers();
  // Replaces elements by smaller ones as long as `holds` does: whole ranges by zero, then single elements. At most
  // `most` calls.
  void shrink(const std::function<bool()> &holds, std::uint64_t most);
  // "X = [0, 1, 1]" of each input, or "" where they are many.
  std::string text() const;

private:
  struct Input {
    std::string name;
    ScalarType type;
    std::vector<std::int64_t> shape;
    std::int64_t count = 1;
    bool given = false; // `in` or `mut`
    std::vector<std::byte> bytes;
    std::uint64_t at(std::int64_t i) const;
    void put(std::int64_t i, std::uint64_t bits);
  };
  std::vector<Input> inputs_; // in the order of program.arguments
  std::vector<std::vector<std::byte>> copies_;
};

} // namespace tilenest
