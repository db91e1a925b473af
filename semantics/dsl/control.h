// SPDX-License-Identifier: Apache-2.0
// Device control flow: if_ / else_, switch_, while_, and assert_. Conditions are device values; the arms are
// C++ callables that run once, while capturing.
#pragma once
#include "semantics/dsl/domain.h"

namespace tilenest {

namespace dsl {
int begin_if(const Arg<bool> &condition);
void end_then(int which);
bool begin_else(int which, std::source_location where);
void end_arms(); // closes what the arms left open, and the operation
void begin_switch(const AnyArg &selector);
void begin_case(std::int64_t value, std::source_location where);
void begin_default(std::source_location where);
void end_case();
void begin_while(std::source_location where);
void while_condition(const Tile<bool> &condition, std::source_location where);
void assert_(const Arg<bool> &condition, std::string text);
} // namespace dsl

// What `if_` leaves: `else_` may follow in the same statement.
class [[maybe_unused]] IfElse {
public:
  explicit IfElse(int which) : which_(which) {}
  IfElse(const IfElse &) = delete;
  IfElse &operator=(const IfElse &) = delete;
  template <std::invocable F>
  void else_(F &&arm, std::source_location where = std::source_location::current()) {
    if (!dsl::begin_else(which_, where)) return;
    arm();
    dsl::end_arms();
  }

private:
  int which_;
};

template <std::invocable F> IfElse if_(Arg<bool> condition, F &&then) {
  const int which = dsl::begin_if(condition);
  then();
  dsl::end_then(which);
  return IfElse(which);
}

template <class F> struct SwitchCase {
  std::optional<std::int64_t> value; // empty: the default
  F arm;
  std::source_location where;
};
template <std::invocable F>
SwitchCase<F> case_(std::int64_t value, F arm, std::source_location where = std::source_location::current()) {
  return {value, std::move(arm), where};
}
template <std::invocable F>
SwitchCase<F> default_(F arm, std::source_location where = std::source_location::current()) {
  return {{}, std::move(arm), where};
}
// `switch_(x, case_(0, [&] { ... }), case_(3, [&] { ... }), default_([&] { ... }))`
template <class... F> void switch_(AnyArg selector, SwitchCase<F>... cases) {
  dsl::begin_switch(selector);
  auto capture_one = [](auto &c) {
    if (c.value)
      dsl::begin_case(*c.value, c.where);
    else
      dsl::begin_default(c.where);
    c.arm();
    dsl::end_case();
  };
  (capture_one(cases), ...);
  dsl::end_arms();
}

// `while_([&] { return i < n; }, [&] { i += 1; })`
template <std::invocable C, std::invocable F>
void while_(C &&condition, F &&body, std::source_location where = std::source_location::current()) {
  dsl::begin_while(where);
  const Tile<bool> holds = condition();
  dsl::while_condition(holds, where);
  body();
  dsl::end_arms();
}

// The program's own claim; `text` says what it claims.
inline void assert_(Arg<bool> condition, std::string text = "") { dsl::assert_(condition, std::move(text)); }

} // namespace tilenest
