// SPDX-License-Identifier: Apache-2.0
// An example of examples/*.tile under test: its file parsed and judged, arrays for its arguments, runs with and
// without checks on 1, 2 and 4 threads, and element by element comparison with an oracle that stands in the test as plain loops.
#pragma once
#include <tilenest/run.h> // before Catch2, whose macros have names of the table of operations
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace tilenest::examples {

// A row-major array for one argument.
template <class T> struct Array {
  std::vector<std::int64_t> shape;
  std::vector<T> values;
  bool defined = true;

  template <class... I> const T &operator()(I... index) const {
    std::size_t at = 0, axis = 0;
    ((at = at * static_cast<std::size_t>(shape[axis++]) + static_cast<std::size_t>(index)), ...);
    return values[at];
  }
  template <class... I> T &operator()(I... index) { return const_cast<T &>(std::as_const(*this)(index...)); }
  HostBuffer buffer() {
    HostBuffer b = host::buffer(values.data(), shape);
    b.held = values.size();
    b.buffer.defined = defined;
    return b;
  }
};

std::size_t elements(const std::vector<std::int64_t> &shape);
template <class T> Array<T> filled(std::vector<std::int64_t> shape, T value) {
  return {shape, std::vector<T>(elements(shape), value), true};
}
// An output: undefined, and full of a value that no example computes.
template <class T> Array<T> output(std::vector<std::int64_t> shape) {
  Array<T> a = filled<T>(std::move(shape), T(-1234567));
  a.defined = false;
  return a;
}
// Evenly in [-1, 1], 31 bits each; and whole numbers in [-range, range], which wrap for an unsigned type.
Array<float> uniform(std::vector<std::int64_t> shape, std::uint64_t seed);
template <class T> Array<T> whole(std::vector<std::int64_t> shape, std::uint64_t seed, int range);

class Example {
public:
  // `notes` is what the judgements say about it: nothing, except for the example that is about a note.
  explicit Example(const std::string &name, const std::string &notes = "");
  const TileProgram &program() const { return executable_->program(); }
  // A number for an extent parameter that no array's shape gives, for the runs that follow.
  void give(const std::string &parameter, std::int64_t number) { extents_[parameter] = number; }
  // The arrays in the order of the signature. Reports nothing, leaves no element of an output unstored, and gives the
  // same bits without checks and on any number of threads.
  template <class... A> void run(A &...arrays) { run_buffers({arrays.buffer()...}); }

private:
  void run_buffers(std::vector<HostBuffer> arrays);
  std::optional<Executable> executable_;
  std::map<std::string, std::int64_t> extents_;
};

constexpr float inf = INFINITY, not_a_number = NAN;

// --- oracles' bounds ---

constexpr double unit = 0x1p-24, unit64 = 0x1p-53; // half an ulp of f32 and of f64, relative
constexpr double smallest = 0x1p-149;              // the least f32 above 0
// n roundings of relative error u each, in any order: |(1 + u)^n - 1| and |(1 - u)^n - 1| are at most this.
constexpr double gamma_n(double n, double u = unit) { return n * u / (1 - n * u); }
// A sum of n products in any order and grouping, computed in f32 and as an oracle in f64.
constexpr double dot_bound(double n, double magnitude) { return (gamma_n(n) + gamma_n(n, unit64)) * magnitude; }

// Holds found elements against expected ones; keeps the first fault.
class Comparison {
public:
  // NaN is one value, an infinity is itself; otherwise |found - expected| <= bound.
  void element(std::size_t at, double found, double expected, double bound = 0);
  std::size_t count() const { return count_; }
  const std::string &fault() const { return fault_; }

private:
  std::size_t count_ = 0;
  std::string fault_;
};

} // namespace tilenest::examples
