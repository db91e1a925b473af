// SPDX-License-Identifier: Apache-2.0
// The JSON of a case file as it is walked, with what is wrong with it; and the elements of an array in it.
#pragma once
#include "conformance/suite/case.h"
#include "semantics/diag/diagnostic.h"
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>

namespace tilenest::conformance {

using CaseJson = nlohmann::ordered_json;

// Collects what is wrong, by JSON pointer.
class Faults {
public:
  explicit Faults(std::string file) : file_(std::move(file)) {}
  void about(std::string name) { case_ = std::move(name); } // the case that what follows belongs to; "": none
  void refuse(const std::string &pointer, const std::string &what);
  // An object with no other keys than these; refused otherwise.
  bool object(const CaseJson &j, const std::string &pointer, std::initializer_list<std::string_view> keys);
  bool any() const { return !errors.empty(); }

  // Kinds of members; nullopt after a refusal, or where the key is absent.
  std::optional<std::string> text(const CaseJson &j, const char *key, const std::string &pointer);
  std::optional<std::int64_t> whole(const CaseJson &j, const char *key, const std::string &pointer, std::int64_t least);
  bool flag(const CaseJson &j, const char *key, const std::string &pointer); // absent: false

  Diagnostics errors;

private:
  std::string file_, case_;
};

// {"type", "shape" and one of "values", "bits", "formula" (with "scale"), "fill"}. `expected`: "_" among the values says nothing of its
// element. Where `outer` is given, type and shape stand there and not in `j`.
std::optional<Elements> read_elements(const CaseJson &j, const std::string &pointer, bool expected, Faults &faults, const Elements *outer = nullptr);
// "type" and "shape" alone.
std::optional<Elements> read_type_and_shape(const CaseJson &j, const std::string &pointer, Faults &faults);

} // namespace tilenest::conformance
