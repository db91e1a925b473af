// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value, or the diagnostics that say why there is none. Errors are values everywhere in
// the libraries; nothing throws across a public interface.
#pragma once
#include <cassert>
#include <utility>
#include <variant>
#include <vector>

namespace tilenest {

struct Diagnostic;
using Diagnostics = std::vector<Diagnostic>;

template <class T> class [[nodiscard]] Result {
public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Diagnostics errors) : state_(std::in_place_index<1>, std::move(errors)) {}
  Result(Diagnostic error);

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T &operator*() & { return value(); }
  const T &operator*() const & { return value(); }
  T &&operator*() && { return std::move(value()); }
  T *operator->() { return &value(); }
  const T *operator->() const { return &value(); }
  T &value() {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  const T &value() const {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  const Diagnostics &errors() const {
    assert(!ok());
    return *std::get_if<1>(&state_);
  }

private:
  std::variant<T, Diagnostics> state_;
};

} // namespace tilenest
