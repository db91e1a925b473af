// SPDX-License-Identifier: Apache-2.0
// Device control flow on the Builder. Arms close what a then arm left open for an `else_`.
#include "semantics/diag/codes.h"
#include "semantics/dsl/control.h"

namespace tilenest::dsl {

int begin_if(const Arg<bool> &condition) {
  Capture &c = Capture::at(condition.where);
  c.builder().begin_if(scalar(ScalarType::boolean, condition.operand, condition.where));
  return c.next_if();
}

void end_then(int which) {
  Capture &c = Capture::here();
  c.settle();
  c.leave_open(which);
}

bool begin_else(int which, std::source_location where) {
  Capture &c = Capture::here();
  if (c.take_open(which)) {
    c.builder().begin_else();
    return true;
  }
  Capture::at(where).builder().error(Code::T0708, {}, "write `if_(c, ...).else_(...)`");
  return false;
}

void end_arms() {
  Capture &c = Capture::here();
  c.settle();
  c.builder().end();
}

void begin_switch(const AnyArg &selector) {
  Builder &b = Capture::at(selector.where).builder();
  b.begin_switch(b.value(selector.operand));
}
void begin_case(std::int64_t value, std::source_location where) {
  Capture::at(where).builder().begin_case(value);
}
void begin_default(std::source_location where) { Capture::at(where).builder().begin_default(); }
void end_case() { Capture::here().settle(); }

void begin_while(std::source_location where) { Capture::at(where).builder().begin_while(); }
void while_condition(const Tile<bool> &condition, std::source_location where) {
  Capture &c = Capture::at(where);
  c.builder().while_condition(condition.read());
}

void assert_(const Arg<bool> &condition, std::string text) {
  Builder &b = Capture::at(condition.where).builder();
  b.assert_(scalar(ScalarType::boolean, condition.operand, condition.where), std::move(text));
}

} // namespace tilenest::dsl
