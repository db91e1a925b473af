// SPDX-License-Identifier: Apache-2.0
// mma of every pair of input and accumulator types: whole numbers that no freedom can change, strict chains, and
// conversions that would lose something.
#include "tests/conformance/derived_cases.h"

namespace tilenest::derived {

namespace {

constexpr std::size_t rows = 2, columns = 3, depth = 5;

std::string word_of(ScalarType type) { return std::string(to_string(type)); }

struct Range { // of a type's values: integers up to 2^magnitude, or floats of that precision and exponents
  int precision, least, most;
  bool is_signed;
};
Range range_of(ScalarType type) {
  switch (type) {
  case ScalarType::f8e4m3fn: return {4, -9, 8, true};
  case ScalarType::f8e5m2: return {3, -16, 15, true};
  case ScalarType::f16: return {11, -24, 15, true};
  case ScalarType::bf16: return {8, -133, 127, true};
  case ScalarType::f32: return {24, -149, 127, true};
  case ScalarType::f64: return {53, -1074, 1023, true};
  default: break;
  }
  const int bits = bit_width(type) - (is_signed(type) ? 1 : 0);
  return {bits, 0, bits - 1, is_signed(type)};
}
// Whether every value of `from` is one of `to`: MMA converts to no narrower type.
bool converts(ScalarType from, ScalarType to) {
  if (from == to) return true;
  if (is_float(from) && !is_float(to)) return false;
  const Range a = range_of(from), b = range_of(to);
  if (from == ScalarType::f8e5m2 && to == ScalarType::f8e4m3fn) return false; // and it has infinities
  // INT_MIN is a power of two one above the other values, which a float of that precision holds too.
  const int most = is_float(from) || !is_signed(from) ? a.most : is_float(to) ? a.most + 1 : a.most;
  return a.precision <= b.precision && a.least >= b.least && most <= b.most && (!a.is_signed || b.is_signed);
}

Elements whole(ScalarType type, std::size_t n, std::uint64_t seed) {
  oracle::Random random{seed * 17 + static_cast<std::uint64_t>(type)};
  Elements out;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t x = static_cast<std::int64_t>(random() % 3) - (is_integer(type) && !is_signed(type) ? 0 : 1);
    const std::int64_t small = x == 2 ? 1 : x;
    if (is_float(type)) out.push_back(oracle::round_to(type, oracle::number_of(static_cast<double>(small))));
    else out.push_back(static_cast<std::uint64_t>(small) & (bit_width(type) == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bit_width(type)) - 1));
  }
  return out;
}
Elements random_elements_of(ScalarType type, std::size_t n, std::uint64_t seed) {
  oracle::Random random{seed * 19 + static_cast<std::uint64_t>(type)};
  Elements out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(oracle::random_element(type, random));
  return out;
}

// Ascending k, every product and every sum rounded.
Elements chain_of(ScalarType in, ScalarType acc, const Elements &a, const Elements &b, const Elements &d) {
  Elements out;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      std::uint64_t s = d[i * columns + j];
      for (std::size_t k = 0; k < depth; ++k) {
        const std::uint64_t x = oracle::cast(in, a[i * depth + k], acc, false).bits, y = oracle::cast(in, b[k * columns + j], acc, false).bits;
        s = expected(OpKind::add, acc, {s, expected(OpKind::mul, acc, {x, y})});
      }
      out.push_back(s);
    }
  return out;
}

CaseText product_case(ScalarType in, ScalarType acc, const std::string &suffix, const std::string &policy) {
  CaseText c;
  c.name = "mma/" + word_of(in) + "_into_" + word_of(acc) + suffix;
  c.program = "product";
  c.with = {{"NAME", "mma_" + word_of(in) + "_" + word_of(acc)}, {"IN", word_of(in)}, {"ACC", word_of(acc)}, {"POLICY", policy}};
  c.rules = {"MMA", "NUM-ACC", "ADM-SET"};
  return c;
}

void add_pair(FileText &file, ScalarType in, ScalarType acc) {
  if (is_packed(in) || is_packed(acc) || in == ScalarType::boolean || acc == ScalarType::boolean || !converts(in, acc)) {
    CaseText c = product_case(in, acc, "_refused", "");
    const bool packed = is_packed(in) || is_packed(acc), boolean = in == ScalarType::boolean || acc == ScalarType::boolean;
    c.reports = {packed ? "T0108@3" : boolean ? "T0102@3" : "T0303@3"};
    c.rules = packed || boolean ? std::vector<std::string>{"MMA", "NUM-TYPES"} : std::vector<std::string>{"MMA"};
    c.derived = packed ? "by hand: nothing computes in a type that is only stored" : boolean ? "by hand: mma takes numbers" : "by hand: some value of the input type is none of the accumulator's";
    file.cases.push_back(std::move(c));
    return;
  }
  for (const bool strict : {false, true}) {
    const bool chained = strict && is_float(acc);
    if (strict && !chained) continue; // integers have no freedom
    CaseText c = product_case(in, acc, strict ? "_strict" : "", strict ? ", allow_reassociation = false, allow_contraction = false, wide_accumulation = false" : "");
    const bool random = strict || is_integer(acc);
    const Elements a = random ? random_elements_of(in, rows * depth, 1) : whole(in, rows * depth, 1);
    const Elements b = random ? random_elements_of(in, depth * columns, 2) : whole(in, depth * columns, 2);
    const Elements d = random ? random_elements_of(acc, rows * columns, 3) : whole(acc, rows * columns, 3);
    c.inputs = {{"A", bits_text(in, {rows, depth}, a)}, {"B", bits_text(in, {depth, columns}, b)}, {"D", bits_text(acc, {rows, columns}, d)}};
    c.outputs = {{"C", bits_text(acc, {rows, columns}, chain_of(in, acc, a, b, d))}};
    if (!random) c.derived = "oracle: factors of -1, 0 and 1, at most six terms: exact in any grouping, contracted or not";
    file.cases.push_back(std::move(c));
  }
}

} // namespace

FileText contraction_cases() {
  FileText file;
  file.chapter = "contractions";
  file.about = "mma of every pair of input and accumulator types: exact whole numbers under the default policy, strict chains of random elements, refused conversions.";
  file.derived = "oracle: ascending k, each product and each sum exact and rounded once";
  file.programs = {{"product", "kernel $NAME(A: $IN[2, 5], B: $IN[5, 3], D: $ACC[2, 3], C: out $ACC[2, 3]) {\n  axis m = 2, n = 3, k = 5\n"
                               "  C((0, 0), [m, n]).store(mma(A[(0, 0), [m, k]], B[(0, 0), [k, n]], D[(0, 0), [m, n]]$POLICY))\n}\n"}};
  for (const ScalarType in : oracle::all_types())
    for (const ScalarType acc : oracle::all_types()) add_pair(file, in, acc);
  return file;
}

} // namespace tilenest::derived
