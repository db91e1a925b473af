// SPDX-License-Identifier: Apache-2.0
// Elements as numbers, bit patterns or formulas.
#include "conformance/suite/read_elements.h"
#include "conformance/suite/formula.h"
#include "semantics/diag/codes.h"
#include "semantics/numerics/literals.h"
#include <charconv>
#include <cmath>

namespace tilenest::conformance {

namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 20;
constexpr std::size_t most_faults = 20, longest_formula = 400;

std::int64_t count_of(const std::vector<std::int64_t> &shape) {
  std::int64_t n = 1;
  for (const std::int64_t e : shape) n *= e;
  return n;
}

std::uint64_t in_width(ScalarType type, std::uint64_t bits) {
  const int width = bit_width(type);
  return width == 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}

std::string element_pointer(const std::string &pointer, std::size_t i) { return pointer + "/" + std::to_string(i); }

bool read_values(const CaseJson &list, const std::string &pointer, bool expected, Elements &out, Faults &faults) {
  if (!list.is_array()) return faults.refuse(pointer, "is no array of elements"), false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const CaseJson &j = list[i];
    const std::string word = j.is_string() ? j.get<std::string>() : j.is_number() || j.is_boolean() ? j.dump() : "";
    const bool open = expected && word == "_";
    const std::optional<std::uint64_t> bits = open ? std::optional<std::uint64_t>(0) : parse_scalar(word, out.type);
    if (!bits) return faults.refuse(element_pointer(pointer, i), "`" + j.dump() + "` is no value of " + std::string(to_string(out.type))), false;
    if (open && out.open.empty()) out.open.assign(out.bits.size(), false);
    if (open || !out.open.empty()) out.open.push_back(open);
    out.bits.push_back(in_width(out.type, *bits));
  }
  return true;
}

bool read_bits(const CaseJson &j, const std::string &pointer, bool expected, Elements &out, Faults &faults) {
  if (!j.is_string()) return faults.refuse(pointer, "is no string of hexadecimal words"), false;
  const std::string text = j.get<std::string>();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = std::string_view(text).substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    const bool open = expected && word == "_";
    std::uint64_t bits = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), bits, 16);
    if (!open && (error != std::errc() || stop != word.data() + word.size() || in_width(out.type, bits) != bits))
      return faults.refuse(pointer, "`" + std::string(word) + "` are no hexadecimal bits of " + std::string(to_string(out.type))), false;
    if (open && out.open.empty()) out.open.assign(out.bits.size(), false);
    if (open || !out.open.empty()) out.open.push_back(open);
    out.bits.push_back(bits);
  }
  return true;
}

// The integer times the scale in the type; where neither rounds.
std::optional<std::uint64_t> scaled(ScalarType type, std::int64_t value, double scale) {
  if (scale == 1) return literal_bits(value, type);
  const double product = static_cast<double>(value) * scale;
  if (!is_float(type) || std::fabs(static_cast<double>(value)) > 0x1p53) return std::nullopt;
  const auto bits = literal_bits(product, type);
  return bits && value_as_f64(type, *bits) == product ? bits : std::nullopt;
}

bool read_formula(const CaseJson &j, const std::string &pointer, Elements &out, Faults &faults) {
  const CaseJson &text = j["formula"];
  double scale = 1;
  if (j.contains("scale")) {
    if (!j["scale"].is_number()) return faults.refuse(pointer + "/scale", "is no number"), false;
    scale = j["scale"].get<double>();
  }
  if (!text.is_string() || text.get_ref<const std::string &>().size() > longest_formula)
    return faults.refuse(pointer + "/formula", "is no formula of at most " + std::to_string(longest_formula) + " characters"), false;
  std::vector<std::int64_t> at(out.shape.size(), 0);
  const std::int64_t n = count_of(out.shape);
  for (std::int64_t i = 0; i < n; ++i) {
    std::string error;
    const auto value = evaluate_formula(text.get_ref<const std::string &>(), i, at, error);
    if (!value) return faults.refuse(pointer + "/formula", error), false;
    const auto bits = scaled(out.type, *value, scale);
    if (!bits)
      return faults.refuse(pointer + "/formula", "gives " + std::to_string(*value) + (scale == 1 ? "" : ", scaled,") + ", which is no value of " + std::string(to_string(out.type))), false;
    out.bits.push_back(in_width(out.type, *bits));
    for (std::size_t d = at.size(); d-- > 0;) {
      if (++at[d] < out.shape[d]) break;
      at[d] = 0;
    }
  }
  return true;
}

} // namespace

void Faults::refuse(const std::string &pointer, const std::string &what) {
  if (errors.size() >= most_faults) return;
  Diagnostic d(Code::P1401, {}, {{"file", file_}, {"what", "`" + (pointer.empty() ? "/" : pointer) + "` " + what}});
  if (!case_.empty()) d.note("in the case `" + case_ + "`");
  errors.push_back(std::move(d));
}

bool Faults::object(const CaseJson &j, const std::string &pointer, std::initializer_list<std::string_view> keys) {
  if (!j.is_object()) return refuse(pointer, "is no object"), false;
  for (const auto &[key, value] : j.items()) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    std::string list;
    for (const std::string_view k : keys) list += (list.empty() ? "`" : ", `") + std::string(k) + "`";
    refuse(pointer + "/" + key, "is no key here: " + list);
    return false;
  }
  return true;
}

std::optional<std::string> Faults::text(const CaseJson &j, const char *key, const std::string &pointer) {
  if (!j.contains(key)) return std::nullopt;
  if (!j[key].is_string()) return refuse(pointer + "/" + key, "is no string"), std::nullopt;
  return j[key].get<std::string>();
}

std::optional<std::int64_t> Faults::whole(const CaseJson &j, const char *key, const std::string &pointer, std::int64_t least) {
  if (!j.contains(key)) return std::nullopt;
  const CaseJson &value = j[key];
  if (!value.is_number_integer() || (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) || value.get<std::int64_t>() < least)
    return refuse(pointer + "/" + key, "is no whole number from " + std::to_string(least)), std::nullopt;
  return value.get<std::int64_t>();
}

bool Faults::flag(const CaseJson &j, const char *key, const std::string &pointer) {
  if (!j.contains(key)) return false;
  if (!j[key].is_boolean()) refuse(pointer + "/" + key, "is neither true nor false");
  return j[key].is_boolean() && j[key].get<bool>();
}

std::optional<Elements> read_type_and_shape(const CaseJson &j, const std::string &pointer, Faults &faults) {
  Elements out;
  const auto name = faults.text(j, "type", pointer);
  if (!name) return faults.refuse(pointer, "has no `type`"), std::nullopt;
  const auto type = find_scalar_type(*name);
  if (!type) return faults.refuse(pointer + "/type", "`" + *name + "` is no element type"), std::nullopt;
  out.type = *type;
  if (!j.contains("shape") || !j["shape"].is_array()) return faults.refuse(pointer, "has no array `shape`"), std::nullopt;
  for (std::size_t d = 0; d < j["shape"].size(); ++d) {
    const CaseJson &e = j["shape"][d];
    const bool fits = e.is_number_unsigned() && e.get<std::uint64_t>() <= most_elements;
    if (!fits) return faults.refuse(element_pointer(pointer + "/shape", d), "is no extent up to " + std::to_string(most_elements)), std::nullopt;
    out.shape.push_back(e.get<std::int64_t>());
    if (count_of(out.shape) > most_elements) return faults.refuse(pointer + "/shape", "has more than " + std::to_string(most_elements) + " elements"), std::nullopt;
  }
  return out;
}

std::optional<Elements> read_elements(const CaseJson &j, const std::string &pointer, bool expected, Faults &faults, const Elements *outer) {
  if (!(outer ? faults.object(j, pointer, {"values", "bits", "formula", "scale", "fill"})
              : faults.object(j, pointer, {"type", "shape", "values", "bits", "formula", "scale", "fill"})))
    return std::nullopt;
  std::optional<Elements> out = outer ? Elements{outer->type, outer->shape, {}, {}} : read_type_and_shape(j, pointer, faults);
  if (!out) return out;
  const int forms = j.contains("values") + j.contains("bits") + j.contains("formula") + j.contains("fill");
  if (forms != 1) return faults.refuse(pointer, "needs one of `values`, `bits`, `formula` and `fill`"), std::nullopt;
  if (j.contains("scale") && !j.contains("formula")) return faults.refuse(pointer + "/scale", "stands without a `formula`"), std::nullopt;
  const std::int64_t n = count_of(out->shape);
  bool read = false;
  if (j.contains("values")) read = read_values(j["values"], pointer + "/values", expected, *out, faults);
  else if (j.contains("bits")) read = read_bits(j["bits"], pointer + "/bits", expected, *out, faults);
  else if (j.contains("formula")) read = read_formula(j, pointer, *out, faults);
  else if (Elements one{out->type, {1}, {}, {}}; read_values(CaseJson::array({j["fill"]}), pointer + "/fill", expected, one, faults)) {
    out->bits.assign(static_cast<std::size_t>(n), one.bits[0]);
    if (!one.open.empty()) out->open.assign(static_cast<std::size_t>(n), true);
    read = true;
  }
  if (!read) return std::nullopt;
  if (static_cast<std::int64_t>(out->bits.size()) != n)
    return faults.refuse(pointer, "has " + std::to_string(out->bits.size()) + " elements, its shape has " + std::to_string(n)), std::nullopt;
  return out;
}

} // namespace tilenest::conformance
