// SPDX-License-Identifier: Apache-2.0
// Elements of an array by their coordinates, through its strides, and the code of a failed result.
#pragma once
#include "arrays/array.h"
#include <catch2/catch.hpp>
#include <cstring>

namespace tilenest_test {

template <class T> T element(const tilenest::Array &array, const std::vector<std::int64_t> &at) {
  REQUIRE(at.size() == array.shape.size());
  REQUIRE(sizeof(T) == tilenest::byte_size(array.type));
  const std::byte *p = array.data;
  for (std::size_t d = 0; d < at.size(); ++d) p += at[d] * array.strides[d];
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

// All elements in row-major order.
template <class T> std::vector<T> values(const tilenest::Array &array) {
  std::vector<T> out;
  std::vector<std::int64_t> at(array.shape.size(), 0);
  for (std::int64_t k = 0; k < array.count(); ++k) {
    std::int64_t rest = k;
    for (std::size_t d = at.size(); d-- > 0; rest /= array.shape[d]) at[d] = rest % array.shape[d];
    out.push_back(element<T>(array, at));
  }
  return out;
}

// "P0503" of a failure that is one error, "" of a success.
inline std::string code_of(const tilenest::Diagnostics &diagnostics) {
  if (diagnostics.empty()) return "";
  CHECK(diagnostics.size() == 1);
  return diagnostics[0].info().code;
}
template <class T> std::string code_of(const tilenest::Result<T> &result) {
  return result ? "" : code_of(result.errors());
}
template <class T> std::string message_of(const tilenest::Result<T> &result) {
  return result ? "" : result.errors()[0].message();
}

} // namespace tilenest_test
