// SPDX-License-Identifier: Apache-2.0
// Capture: the running capture of one kernel on this thread, between the DSL's objects and the Builder. It
// knows the C++ place of each statement, the open scope handles, and an `if_` that may still get its `else_`.
#pragma once
#include "semantics/program/builder.h"
#include <memory>
#include <source_location>
#include <string>
#include <vector>

namespace tilenest {

class ScopeHandle;

class Capture {
public:
  explicit Capture(std::string kernel_name);
  ~Capture();
  Capture(const Capture &) = delete;
  Capture &operator=(const Capture &) = delete;

  // The capture of this thread, placed at the statement. Outside a kernel it is a capture that is thrown
  // away; the next kernel on this thread reports the misuse (T0705).
  static Capture &at(std::source_location where);
  static Capture &here();    // at the place of the statement before
  static Capture *current(); // nullptr outside a kernel

  Builder &builder() { return builder_; }
  // Tiles, views and handles remember it; an object of another capture is refused (T0705).
  std::uint32_t generation() const { return generation_; }
  bool owns(std::uint32_t generation, const char *what);

  // --- scopes ---
  // Handles live as long as the capture, so that an escaped one is diagnosed and does not dangle.
  ScopeHandle &keep(std::unique_ptr<ScopeHandle> handle);
  void opened(ScopeHandle &handle);
  // Closes `handle`, and before it what was left open inside.
  void close(ScopeHandle &handle);
  ScopeHandle *innermost_parallel() const;

  // --- if_ ... else_ ---
  // An `if_` whose `else_` may follow stays open until the next captured statement.
  int next_if() { return ++ifs_; }
  void leave_open(int which_if) { open_if_ = which_if; }
  bool take_open(int which_if);
  void settle(); // closes it

  // --- tiles ---
  void born(VarId var); // a Tile was constructed
  void died(VarId var); // and destroyed: at the end of its statement if it had no name

  Result<TileProgram> finish();

private:
  void place(std::source_location where);
  void settle_names();

  Builder builder_;
  std::uint32_t generation_;
  Capture *before_ = nullptr;
  std::vector<std::unique_ptr<ScopeHandle>> handles_;
  std::vector<ScopeHandle *> open_; // innermost last
  int open_if_ = 0;
  int ifs_ = 0;
  std::vector<std::pair<std::string, std::shared_ptr<const SourceFile>>> files_;
  std::string_view last_file_;
  unsigned last_line_ = 0;
  // By VarId: whether its Tile lives, and whether it did when the statement after it began
  // (order_statements).
  std::vector<bool> alive_, named_;
  std::size_t seen_ops_ = 0;
};

// A value with the place of the expression that it stands in. Operators cannot have default arguments, so
// their places ride in their parameters.
template <class T> struct Located {
  T value;
  std::source_location where;
  template <class U>
  requires std::convertible_to<U, T> Located(U &&v, std::source_location w = std::source_location::current())
      : value(static_cast<U &&>(v)), where(w) {}
};

} // namespace tilenest
