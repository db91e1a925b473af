// SPDX-License-Identifier: Apache-2.0
// Target profiles as JSON: every key, number and formula is checked, with its place in the message.
#include "semantics/numerics/target_profile.h"
#include "semantics/diag/codes.h"
#include "semantics/numerics/literals.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

namespace tilenest {

namespace {

using Json = nlohmann::ordered_json;
constexpr const char *operand_names[] = {"x", "y", "z"};
constexpr int deepest_formula = 16;

// Functions that a formula may apply to operands without one.
bool takes_points(Primitive p) {
  return p == Primitive::sin || p == Primitive::cos || p == Primitive::tan || p == Primitive::cosh || p == Primitive::pow;
}

struct Reader {
  const std::string &file;
  Diagnostics errors;

  void refuse(const std::string &where, const std::string &what) {
    errors.emplace_back(Code::P1201, Site{},
                        std::vector<std::pair<std::string, std::string>>{
                            {"file", file}, {"what", where.empty() ? what : "`" + where + "` " + what}});
  }
  bool object(const Json &j, const std::string &where) {
    if (j.is_object()) return true;
    refuse(where, "is no object");
    return false;
  }

  // A number, or a text such as "0x1p-21" or "inf".
  std::optional<double> number(const Json &j, const std::string &where) {
    if (j.is_number()) return j.get<double>();
    if (j.is_string())
      if (const auto bits = parse_scalar(j.get<std::string>(), ScalarType::f64)) {
        const double value = std::bit_cast<double>(*bits);
        if (!std::isnan(value)) return value;
      }
    refuse(where, "is no number");
    return std::nullopt;
  }
  double bound(const Json &j, const std::string &where) {
    const auto value = number(j, where);
    if (value && (*value < 0 || std::isinf(*value))) refuse(where, "is negative or infinite");
    return value.value_or(0);
  }

  Formula formula(const Json &j, int arity, const std::string &where, int depth = 0) {
    Formula f;
    if (depth > deepest_formula) {
      refuse(where, "nests deeper than " + std::to_string(deepest_formula) + " levels");
    } else if (j.is_number()) {
      f.literal = j.get<double>();
    } else if (j.is_string()) {
      f.kind = Formula::Kind::operand;
      const std::string name = j.get<std::string>();
      while (f.operand < arity && name != operand_names[f.operand]) ++f.operand;
      if (f.operand < arity) return f;
      f.operand = 0;
      refuse(where, "names `" + name + "`, which is no operand");
    } else if (j.is_array() && !j.empty() && j[0].is_string()) {
      f.kind = Formula::Kind::primitive;
      const std::string name = j[0].get<std::string>();
      const auto primitive = find_primitive(name);
      if (!primitive || !(takes_intervals(*primitive) || takes_points(*primitive))) {
        refuse(where, "applies `" + name + "`, which no formula can");
        return {};
      }
      f.primitive = *primitive;
      for (std::size_t i = 1; i < j.size(); ++i) f.arguments.push_back(formula(j[i], arity, where, depth + 1));
      if (static_cast<int>(f.arguments.size()) != tilenest::arity(f.primitive))
        refuse(where, "gives `" + name + "` " + std::to_string(f.arguments.size()) + " operands, it takes " +
                          std::to_string(tilenest::arity(f.primitive)));
      for (const Formula &a : f.arguments)
        if (takes_points(f.primitive) && a.kind == Formula::Kind::primitive) {
          refuse(where, "applies `" + name + "` to a computed value; it takes operands and numbers alone");
          break;
        }
    } else {
      refuse(where, "holds what is neither an operand, a number nor an array that starts with a primitive");
    }
    return f;
  }

  ErrorBound error(const Json &j, Primitive primitive, const std::string &where) {
    ErrorBound b;
    if (!object(j, where)) return b;
    int kinds = 0;
    for (const auto &[key, value] : j.items()) {
      const std::string at = where + "." + key;
      if (key == "from" || key == "to") {
        (key == "from" ? b.from : b.to) = number(value, at).value_or(0);
      } else if (key == "ulps") {
        b.kind = ErrorBound::Kind::ulps, b.ulps = bound(value, at), ++kinds;
      } else if (key == "per_magnitude") {
        b.per_magnitude = bound(value, at);
      } else if (key == "absolute") {
        b.kind = ErrorBound::Kind::absolute, b.absolute = bound(value, at), ++kinds;
      } else if (key == "as") {
        b.kind = ErrorBound::Kind::inherited, b.formula = formula(value, arity(primitive), at), ++kinds;
      } else {
        refuse(at, "is no key of an error: `ulps`, `per_magnitude`, `absolute`, `as`, `from`, `to`");
      }
    }
    if (kinds != 1) refuse(where, "needs one of `ulps`, `absolute` and `as`");
    if (b.per_magnitude != 0 && b.kind != ErrorBound::Kind::ulps) refuse(where, "has `per_magnitude` without `ulps`");
    if (b.from > b.to) refuse(where, "has `from` above `to`");
    return b;
  }

  void type(const Json &j, TypeProfile &out, const std::string &where) {
    if (!object(j, where)) return;
    for (const auto &[key, value] : j.items()) {
      const std::string at = where + "." + key;
      if (key == "flushes_subnormals" || key == "fuses_fma") {
        if (value.is_boolean()) (key == "fuses_fma" ? out.fuses_fma : out.flushes_subnormals) = value.get<bool>();
        else refuse(at, "is neither true nor false");
      } else if (key == "errors") {
        if (!object(value, at)) continue;
        for (const auto &[name, bounds] : value.items()) {
          const std::string here = at + "." + name;
          const auto primitive = find_primitive(name);
          if (!primitive || !may_have_error(*primitive)) {
            refuse(here, "is no primitive that yields a float");
            continue;
          }
          auto &list = out.errors[*primitive];
          if (bounds.is_array() && !bounds.empty()) {
            for (std::size_t i = 0; i < bounds.size(); ++i)
              list.push_back(error(bounds[i], *primitive, here + "[" + std::to_string(i) + "]"));
          } else {
            list.push_back(error(bounds, *primitive, here));
          }
        }
      } else {
        refuse(at, "is no key of a type: `flushes_subnormals`, `fuses_fma`, `errors`");
      }
    }
  }
};

// A formula must end: following the declarations, no primitive may come back to itself.
bool recurs(const TargetProfile &profile, ScalarType type, const Formula &f, std::vector<Primitive> &path) {
  if (f.kind != Formula::Kind::primitive) return false;
  for (const Formula &a : f.arguments)
    if (recurs(profile, type, a, path)) return true;
  if (std::find(path.begin(), path.end(), f.primitive) != path.end()) return true;
  path.push_back(f.primitive);
  for (const ErrorBound &b : profile.bounds(f.primitive, type))
    if (b.kind == ErrorBound::Kind::inherited && recurs(profile, type, b.formula, path)) return true;
  path.pop_back();
  return false;
}

Json json_of(const Formula &f) {
  switch (f.kind) {
  case Formula::Kind::operand: return operand_names[f.operand];
  case Formula::Kind::literal: return f.literal;
  case Formula::Kind::primitive: break;
  }
  Json out = Json::array({std::string(to_string(f.primitive))});
  for (const Formula &a : f.arguments) out.push_back(json_of(a));
  return out;
}

Json json_of(const ErrorBound &b) {
  Json out;
  switch (b.kind) {
  case ErrorBound::Kind::ulps:
    out["ulps"] = b.ulps;
    if (b.per_magnitude != 0) out["per_magnitude"] = b.per_magnitude;
    break;
  case ErrorBound::Kind::absolute: out["absolute"] = b.absolute; break;
  case ErrorBound::Kind::inherited: out["as"] = json_of(b.formula); break;
  case ErrorBound::Kind::faithful: break;
  }
  auto end = [](double x) { return std::isinf(x) ? Json(x < 0 ? "-inf" : "inf") : Json(x); };
  if (b.from != -infinity) out["from"] = end(b.from);
  if (b.to != infinity) out["to"] = end(b.to);
  return out;
}

std::string short_number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}

std::string formula_text(const Formula &f) {
  switch (f.kind) {
  case Formula::Kind::operand: return operand_names[f.operand];
  case Formula::Kind::literal: return short_number(f.literal);
  case Formula::Kind::primitive: break;
  }
  std::string out = std::string(to_string(f.primitive)) + "(";
  for (std::size_t i = 0; i < f.arguments.size(); ++i) out += (i > 0 ? ", " : "") + formula_text(f.arguments[i]);
  return out + ")";
}

std::string bound_text(const ErrorBound &b) {
  std::string out;
  switch (b.kind) {
  case ErrorBound::Kind::ulps:
    out = short_number(b.ulps) + (b.per_magnitude != 0 ? " + " + short_number(b.per_magnitude) + "|x|" : "") + " ulps";
    break;
  case ErrorBound::Kind::absolute: out = short_number(b.absolute); break;
  case ErrorBound::Kind::inherited: out = "as " + formula_text(b.formula); break;
  case ErrorBound::Kind::faithful: out = "rounded down or up"; break;
  }
  if (b.from != -infinity || b.to != infinity)
    out += " for x in [" + short_number(b.from) + ", " + short_number(b.to) + "]";
  return out;
}

} // namespace

bool takes_intervals(Primitive p) {
  switch (p) {
  case Primitive::add:
  case Primitive::sub:
  case Primitive::mul:
  case Primitive::div:
  case Primitive::neg:
  case Primitive::sqrt:
  case Primitive::rsqrt:
  case Primitive::exp:
  case Primitive::exp2:
  case Primitive::expm1:
  case Primitive::log:
  case Primitive::log2:
  case Primitive::log1p:
  case Primitive::sinh:
  case Primitive::tanh:
  case Primitive::erf:
  case Primitive::fma: return true;
  default: return false;
  }
}

bool may_have_error(Primitive p) {
  if (p == Primitive::select) return false;
  if (p == Primitive::cast || p == Primitive::cast_sat) return true;
  return info(p).result == ResultClass::same && admits(p, ScalarType::f32, ScalarType::f32);
}

const TypeProfile *TargetProfile::find(ScalarType type) const {
  const auto at = types.find(type);
  return at == types.end() ? nullptr : &at->second;
}

std::vector<ErrorBound> TargetProfile::bounds(Primitive primitive, ScalarType type) const {
  const TypeProfile *t = find(type);
  if (!t) return {};
  if (const auto at = t->errors.find(primitive); at != t->errors.end()) return at->second;
  if (primitive != Primitive::fma || t->fuses_fma) return {};
  auto operand = [](int i) { return Formula{Formula::Kind::operand, i, 0, {}, {}}; };
  ErrorBound separate;
  separate.kind = ErrorBound::Kind::inherited;
  separate.formula = {Formula::Kind::primitive, 0, 0, Primitive::add,
                      {{Formula::Kind::primitive, 0, 0, Primitive::mul, {operand(0), operand(1)}}, operand(2)}};
  return {separate};
}

const TargetProfile &ieee_profile() {
  static const TargetProfile profile{"ieee", {}};
  return profile;
}

const TargetProfile &real_arithmetic() {
  static const TargetProfile profile = [] {
    TargetProfile out{"real arithmetic", {}, true};
    constexpr Primitive exact[] = {Primitive::abs,   Primitive::neg,  Primitive::min,   Primitive::max,        Primitive::minnum,  Primitive::maxnum,
                                   Primitive::floor, Primitive::ceil, Primitive::trunc, Primitive::round_even, Primitive::copysign};
    ErrorBound faithful;
    faithful.kind = ErrorBound::Kind::faithful;
    for (int t = 0; t <= static_cast<int>(ScalarType::u4); ++t) {
      if (!is_float(static_cast<ScalarType>(t))) continue;
      for (int i = 0; i < primitive_count; ++i) {
        const auto p = static_cast<Primitive>(i);
        if (may_have_error(p) && std::find(std::begin(exact), std::end(exact), p) == std::end(exact))
          out.types[static_cast<ScalarType>(t)].errors[p] = {faithful};
      }
    }
    return out;
  }();
  return profile;
}

Result<TargetProfile> parse_target_profile(std::string_view text, const std::string &file) {
  Reader reader{file, {}};
  TargetProfile profile;
  Json json;
  try {
    json = Json::parse(text.begin(), text.end());
  } catch (const Json::exception &e) {
    const std::string what = e.what(); // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    const auto at = what.find("] ");
    reader.refuse("", "it is no JSON: " + (at == std::string::npos ? what : what.substr(at + 2)));
    return reader.errors;
  }
  if (!json.is_object()) reader.refuse("", "it holds no object");
  else if (!json.contains("profile")) reader.refuse("", "it lacks the key `profile`, its name");
  if (!reader.errors.empty()) return reader.errors;
  for (const auto &[key, value] : json.items()) {
    if (key == "profile") {
      if (value.is_string()) profile.name = value.get<std::string>();
      if (profile.name.empty() || profile.name == "ieee") reader.refuse(key, "is no name for a profile of its own");
    } else if (key == "types") {
      if (!reader.object(value, key)) continue;
      for (const auto &[name, declared] : value.items()) {
        const auto type = find_scalar_type(name);
        if (!type || !is_float(*type)) reader.refuse(key + "." + name, "is no float type");
        else reader.type(declared, profile.types[*type], key + "." + name);
      }
    } else {
      reader.refuse(key, "is no key of a profile: `profile`, `types`");
    }
  }
  for (const auto &[type, declared] : profile.types)
    for (const auto &[primitive, bounds] : declared.errors)
      for (const ErrorBound &b : bounds) {
        std::vector<Primitive> path{primitive};
        if (b.kind == ErrorBound::Kind::inherited && recurs(profile, type, b.formula, path)) {
          reader.refuse("types." + std::string(to_string(type)) + ".errors." + std::string(to_string(primitive)),
                        "is inherited from itself");
          break;
        }
      }
  if (!reader.errors.empty()) return reader.errors;
  return profile;
}

std::string print_target_profile(const TargetProfile &profile) {
  Json out;
  out["profile"] = profile.name;
  out["types"] = Json::object();
  for (const auto &[type, declared] : profile.types) {
    Json &t = out["types"][std::string(to_string(type))] = Json::object();
    if (declared.flushes_subnormals) t["flushes_subnormals"] = true;
    if (!declared.fuses_fma) t["fuses_fma"] = false;
    for (const auto &[primitive, bounds] : declared.errors) {
      Json list = Json::array();
      for (const ErrorBound &b : bounds) list.push_back(json_of(b));
      t["errors"][std::string(to_string(primitive))] = list.size() == 1 ? list[0] : list;
    }
  }
  return out.dump(2) + "\n";
}

std::string error_text(const TargetProfile &profile, Primitive primitive, ScalarType type) {
  std::string out;
  bool everywhere = false;
  for (const ErrorBound &b : profile.bounds(primitive, type)) {
    out += (out.empty() ? "" : ", else ") + bound_text(b);
    everywhere = b.from == -infinity && b.to == infinity;
    if (everywhere) break;
  }
  if (out.empty()) return "exact";
  return everywhere ? out : out + ", else exact";
}

} // namespace tilenest
