// SPDX-License-Identifier: Apache-2.0
// run_tile: a program in text and named arrays in, arrays and every diagnostic out (text, judgements, binding,
// run), so that a test of the machine is a few lines. Each program runs on 1, 2 and 4 threads, and must do and say the
// same; one without violations also runs as its strict plan, and, where TILENEST_TEST_CPU is set, as machine code made of
// that, which must give the same bits. Notes and warnings of the judgements are left out.
#pragma once
#include "interp/chooser.h"
#include "semantics/diag/diagnostic.h"
#include "semantics/support/scalar_type.h"
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace tilenest {

template <class T> struct ElementType;
template <> struct ElementType<float> { static constexpr ScalarType value = ScalarType::f32; };
template <> struct ElementType<double> { static constexpr ScalarType value = ScalarType::f64; };
template <> struct ElementType<std::int8_t> { static constexpr ScalarType value = ScalarType::i8; };
template <> struct ElementType<std::int16_t> { static constexpr ScalarType value = ScalarType::i16; };
template <> struct ElementType<std::int32_t> { static constexpr ScalarType value = ScalarType::i32; };
template <> struct ElementType<std::int64_t> { static constexpr ScalarType value = ScalarType::i64; };
template <> struct ElementType<std::uint8_t> { static constexpr ScalarType value = ScalarType::u8; };
template <> struct ElementType<std::uint16_t> { static constexpr ScalarType value = ScalarType::u16; };
template <> struct ElementType<std::uint32_t> { static constexpr ScalarType value = ScalarType::u32; };
template <> struct ElementType<std::uint64_t> { static constexpr ScalarType value = ScalarType::u64; };

// Row-major values for one argument.
struct NamedArray {
  std::string name;
  ScalarType elem = ScalarType::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;
  std::string alias_of; // shares the storage of this array, from `alias_offset` bytes on
  std::size_t alias_offset = 0;
};

// `elem` where the C++ type does not say it: bool as std::uint8_t, f16 and bf16 as std::uint16_t, i4 and u4 as the
// bytes that hold them.
template <class T>
NamedArray array(std::string name, std::vector<std::int64_t> shape, const std::vector<T> &values,
                 ScalarType elem = ElementType<T>::value) {
  NamedArray a{std::move(name), elem, std::move(shape), std::vector<std::byte>(values.size() * sizeof(T)), {}, 0};
  if (!values.empty()) std::memcpy(a.bytes.data(), values.data(), a.bytes.size());
  return a;
}
template <class T> NamedArray array(std::string name, const std::vector<T> &values) {
  return array(std::move(name), {static_cast<std::int64_t>(values.size())}, values);
}
// An argument of this shape that sees the storage of another one.
inline NamedArray alias(std::string name, std::vector<std::int64_t> shape, std::string of, std::size_t offset_bytes = 0) {
  NamedArray a;
  a.name = std::move(name);
  a.shape = std::move(shape);
  a.alias_of = std::move(of);
  a.alias_offset = offset_bytes;
  return a;
}

struct TileRunOptions {
  std::map<std::string, std::int64_t> extents;
  bool checked = true;
  bool first_only = false;
  std::uint64_t cause_limit = 20;
  std::size_t memory_limit = 0;
  std::int64_t while_limit = 100'000'000;
  Chooser *chooser = nullptr; // of the run, which is then the only one
  bool interleave = false;
  std::string engine = "interp"; // another one runs strictly and looks for no violation
  std::size_t threads = 1; // of the run that is returned; it is compared with runs on others
};

struct TileRun {
  Diagnostics diagnostics;
  std::map<std::string, std::vector<std::byte>> arrays;
  std::uint64_t on_threads = 0; // parallels that ran on several threads
  std::map<std::string, std::uint64_t> undefined; // elements of `out` arguments that no store reached

  template <class T> std::vector<T> get(const std::string &name) const {
    const std::vector<std::byte> &bytes = arrays.at(name);
    std::vector<T> out(bytes.size() / sizeof(T));
    if (!out.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
  }
  // "U0302@5 U0106@7": codes and lines, in order of report; "" for a clean run.
  std::string codes() const;
  std::string text() const; // rendered
  bool says(const std::string &part) const { return text().find(part) != std::string::npos; }
};

// `mut` and `out` arguments without an array start undefined; their shapes come from the other arrays and from
// `extents`. The first kernel of the text runs.
TileRun run_tile(const std::string &text, std::vector<NamedArray> arrays = {}, const TileRunOptions &options = {});

template <class T> std::vector<T> iota_values(std::size_t n, T from = T(0)) {
  std::vector<T> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<T>(from + static_cast<T>(i));
  return v;
}

} // namespace tilenest
