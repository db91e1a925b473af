// SPDX-License-Identifier: Apache-2.0
// A private copy of an argument that runs write: as it was before, and what the last run made of it.
#pragma once
#include "interp/run.h"
#include <cstddef>
#include <cstdint>

namespace tilenest {

class PrivateCopy {
public:
  PrivateCopy(std::size_t argument, ScalarType type, const Buffer &buffer);

  std::size_t argument() const { return argument_; } // in the order of program.arguments
  ScalarType type() const { return type_; }
  std::int64_t count() const { return count_; }
  // For a run, as it was. The buffer is the copy's own.
  Buffer fresh();
  const std::vector<std::byte> &bytes() const { return now_; }
  // Of the element `i` in C order: its bits, NaN as it is, and its place in half bytes of the address space.
  std::uint64_t element(std::int64_t i) const;
  std::uint64_t place(std::int64_t i) const;

private:
  std::int64_t offset(std::int64_t i) const; // in the units of strides

  std::size_t argument_;
  ScalarType type_;
  Buffer buffer_;
  std::int64_t count_ = 1, first_ = 0; // first_: bytes from element 0 to the lowest
  std::vector<std::byte> before_, now_;
};

// One of each written argument.
std::vector<PrivateCopy> private_copies(const TileProgram &program, const std::vector<Buffer> &buffers);
// `buffers` with fresh copies in their places.
std::vector<Buffer> with_fresh(const std::vector<Buffer> &buffers, std::vector<PrivateCopy> &copies);

// The bits of a NaN of any bits, as one value.
std::uint64_t canonical(ScalarType type, std::uint64_t bits);

} // namespace tilenest
