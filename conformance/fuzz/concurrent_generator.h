// SPDX-License-Identifier: Apache-2.0
// The generator: what is in scope, and one production per kind of statement. concurrent_values.cpp makes values,
// concurrent_statements.cpp effects and assignments, concurrent_regions.cpp regions.
#pragma once
#include "conformance/fuzz/concurrent_kernel.h"
#include <string>

namespace tilenest::conformance {

class ConcurrentGenerator {
public:
  explicit ConcurrentGenerator(std::uint64_t seed);
  ConcurrentKernel run();

private:
  // Elements of every view of 4-byte elements. The own elements of an instance are those from its own index
  // on: 4 for an instance of the first level, 2 of the second, 1 of the third.
  static constexpr int size = 12;

  struct Coordinate {
    ValueId value; // i64
    int extent = 1;
    bool concurrent = false; // of a parallel or a reduce
    int stride = 0;          // in the own index
  };
  struct Variable {
    VarId id;
    bool tile = false; // i32 [m=12], else an i32 scalar
  };
  struct Storage {
    ViewId view;
    int per_word = 1; // elements in four bytes
    bool writable = true, atomics = false, shared_name = false;
    ScalarType elem = ScalarType::i32;
    std::size_t levels = 0; // concurrent coordinates around its declaration
  };
  struct Marks {
    std::size_t coordinates, variables, storages;
  };

  std::uint64_t next();
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
  bool chance(int percent) { return below(100) < percent; }
  template <class T> const T &pick(const std::vector<T> &v) {
    return v[static_cast<std::size_t>(below(static_cast<int>(v.size())))];
  }
  bool careful() { return chance(care_); }
  void line();
  Marks mark() const { return {coordinates_.size(), variables_.size(), storages_.size()}; }
  void reset(const Marks &m);

  // --- values ---
  ValueId op(OpKind kind, const Operand &a, const Operand &b);
  ValueId i32(std::int64_t x) { return b_.literal(ScalarType::i32, x); }
  ValueId own_index(int neighbour = 0); // i64; of the instance next to this one in the innermost level
  int own_width() const;
  bool has_own() const;
  ValueId any_index(); // i64
  ValueId index(bool careful_one) { return careful_one && has_own() ? own_index() : any_index(); }
  ValueId scalar(int depth); // i32
  ValueId condition(bool uniform);
  ValueId tile(int width, int depth); // i32 [m=width]
  ValueId small(ValueId v) { return op(OpKind::mod, v, std::int64_t{50}); }
  ValueId cell_index(const Storage &s, ValueId word); // of an element of that word
  Access at(const Storage &s, ValueId origin, int width);
  std::optional<Storage> storage(bool writable, bool four_bytes);
  ValueId converted(ValueId v, ScalarType to);

  // --- statements ---
  void statements(int most);
  void statement();
  void store();
  void lifted();
  void atomic();
  void scatter();
  void gathered();
  void contraction();
  void exchange();
  void memory();
  void declare();
  void assign();
  void window();
  void single_update();
  void parallel();
  void loop();
  void pipeline();
  void reduce();
  void branch();
  void selection();
  void rounds();
  void sync();
  void body(int most);

  std::uint64_t state_;
  Builder b_{"k"};
  std::shared_ptr<const SourceFile> file_;
  std::uint32_t line_ = 0;
  int care_ = 100, fuel_ = 26, depth_ = 0, next_name_ = 0, instances_ = 1;
  DimId m_;
  std::vector<Coordinate> coordinates_;
  std::vector<Variable> variables_;
  std::vector<Storage> storages_;
  std::size_t first_assignable_ = 0; // variables before it are only read (inside a reduce)
  std::size_t levels_ = 0;           // concurrent coordinates on the path
  int stride_ = size;                // of the last level; the next one divides it
  LevelId nest_;
  bool sync_allowed_ = false, instance_condition_ = false, in_reduce_ = false;
  ViewId in_, index_, flags_, floats_;
};

} // namespace tilenest::conformance
