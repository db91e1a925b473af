// SPDX-License-Identifier: Apache-2.0
// A case made ready: its program parsed, judged and bound, and arrays for its arguments with room around each that
// nothing may touch.
#pragma once
#include "conformance/suite/case.h"
#include "interp/run.h"

namespace tilenest::conformance {

// What the front says of a case: the same for every engine.
struct Front {
  Diagnostics diagnostics; // of text, judgements and binding; with an error there is no program
  std::shared_ptr<const TileProgram> program;
  BoundProgram bound;
};
Front front_of(const Case &c);

// Arrays for one run. `mut` and `out` arguments without an input start undefined, as bytes 0xa5 (bools as true).
class Arrays {
public:
  // Why the case's inputs do not fit the program, or "".
  static std::string misfit(const Case &c, const TileProgram &program);
  Arrays(const Case &c, const BoundProgram &bound); // fits

  std::vector<Buffer> buffers() const; // in the order of the arguments
  // What a run touched that it had no business with, or "": bytes around an argument, an argument that is only read.
  std::string damage(const TileProgram &program) const;
  // Of one argument, in C order.
  std::vector<std::uint64_t> elements(std::size_t argument) const;
  std::span<std::byte> bytes(std::size_t argument) const; // of its elements
  const Elements &description(std::size_t argument) const { return arguments_[argument].described; } // type and shape
  bool shares_storage() const { return shares_; }

private:
  struct Argument {
    Elements described;
    std::vector<std::int64_t> strides;
    std::size_t home = 0; // whose storage
    std::byte *data = nullptr;
    std::size_t size = 0;
    bool defined = true;
    std::vector<std::byte> before; // of an `in` argument
  };
  std::vector<Argument> arguments_;
  std::vector<std::vector<std::byte>> storage_;
  bool shares_ = false;
};

// Elements in storage, and back.
void store_elements(const Elements &elements, std::span<std::byte> bytes);
std::vector<std::uint64_t> load_elements(ScalarType type, const std::vector<std::int64_t> &shape, std::span<const std::byte> bytes);

} // namespace tilenest::conformance
