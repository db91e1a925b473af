// SPDX-License-Identifier: Apache-2.0
// Casts, saturating casts and bitcasts between all pairs of types.
#include "tests/conformance/derived_cases.h"

namespace tilenest::derived {

namespace {

std::string name_of_type(ScalarType type) { return std::string(to_string(type)); }

CaseText conversion(const std::string &row, ScalarType from, ScalarType to) {
  CaseText c;
  c.name = row + "/" + name_of_type(from) + "_to_" + name_of_type(to);
  c.program = "conversion";
  c.with = {{"NAME", row + "_" + name_of_type(from) + "_" + name_of_type(to)}, {"FROM", name_of_type(from)}, {"TO", name_of_type(to)}, {"ROW", row}};
  return c;
}

CaseText refused(CaseText c, const std::string &code, const std::string &why) {
  c.name += "_refused";
  c.rules = {"NUM-TYPES"};
  c.extents = {{"N", "4"}};
  c.reports = {code + "@3"};
  c.derived = "by hand: " + why;
  return c;
}

std::vector<std::string> rules_of_cast(ScalarType from, ScalarType to) {
  if (is_float(to) && byte_size(to) == 1 && !is_packed(to)) return {"NUM-FP8", "NUM-RN"};
  if (is_float(to)) return {"NUM-RN"};
  if (is_float(from)) return {"NUM-INT", "VAL-MARK"};
  return {"NUM-INT", "NUM-TYPES"};
}

CaseText cast_case(ScalarType from, ScalarType to, bool saturate) {
  CaseText c = conversion(saturate ? "cast_sat" : "cast", from, to);
  if (saturate && (from == ScalarType::boolean || to == ScalarType::boolean)) return refused(c, "T0102", "bools have `cast` alone");
  oracle::Random random{static_cast<std::uint64_t>(static_cast<int>(from) * 40 + static_cast<int>(to) + (saturate ? 5000 : 0))};
  Elements a, right;
  while (a.size() < 12) {
    const std::uint64_t x = oracle::random_element(from, random);
    const oracle::Cast cast = oracle::cast(from, x, to, saturate);
    if (cast.undefined) continue;
    a.push_back(x);
    right.push_back(cast.bits);
  }
  c.rules = rules_of_cast(from, to);
  c.inputs = {{"A", bits_text(from, {12}, a)}};
  c.outputs = {{"C", bits_text(to, {12}, right)}};
  return c;
}

// 1 fits every integer, NaN none; the infinity or, where there is none, NaN again.
CaseText misfit_case(ScalarType from, ScalarType to) {
  CaseText c = conversion("cast", from, to);
  c.name += "_without_result";
  c.rules = {"VAL-MARK", "NUM-INT"};
  const auto one = oracle::round_to(from, oracle::number_of(1.0)), nan = oracle::round_to(from, oracle::number_of(__builtin_nan(""))),
             huge = oracle::round_to(from, oracle::number_of(__builtin_inf()));
  c.inputs = {{"A", bits_text(from, {4}, {one, nan, one, huge})}};
  c.reports = {"U0103@3 x2"};
  c.contained = true;
  c.derived = "by hand: NaN and infinity fit no integer, and both results are stored";
  return c;
}

CaseText bitcast_case(ScalarType from, ScalarType to) {
  CaseText c = conversion("bitcast", from, to);
  if (is_packed(from) || is_packed(to)) return refused(c, "T0108", "a type that is only stored is cast, not bitcast");
  if (from == ScalarType::boolean || to == ScalarType::boolean) return refused(c, "T0102", "bools have `cast` alone");
  if (bit_width(from) != bit_width(to)) return refused(c, "T0104", "the widths differ");
  oracle::Random random{static_cast<std::uint64_t>(static_cast<int>(from) * 40 + static_cast<int>(to) + 10000)};
  Elements a;
  for (int i = 0; i < 12; ++i) a.push_back(oracle::random_element(from, random));
  c.rules = {"NUM-NAN", "NUM-TYPES"};
  c.inputs = {{"A", bits_text(from, {12}, a)}};
  c.outputs = {{"C", bits_text(to, {12}, a)}};
  c.derived = "by hand: the same bits";
  return c;
}

} // namespace

FileText cast_cases() {
  FileText file;
  file.chapter = "casts";
  file.about = "cast, cast_sat and bitcast between all pairs of element types, and the pairs that they refuse.";
  file.derived = "oracle: exact integers and one rounding, by the prose of NUM-RN, NUM-INT and NUM-FP8";
  file.programs = {{"conversion", "kernel $NAME(A: $FROM[N], C: out $TO[N]) {\n  axis m = N\n  C(0, [m]).store($ROW(A[0, [m]], $TO))\n}\n"}};
  for (const ScalarType from : oracle::all_types())
    for (const ScalarType to : oracle::all_types()) {
      file.cases.push_back(cast_case(from, to, false));
      file.cases.push_back(cast_case(from, to, true));
      file.cases.push_back(bitcast_case(from, to));
      if (is_float(from) && is_integer(to)) file.cases.push_back(misfit_case(from, to));
    }
  return file;
}

} // namespace tilenest::derived
