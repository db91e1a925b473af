// SPDX-License-Identifier: Apache-2.0
// Running a captured kernel on C++ arrays: `run(program, array(a, M, K), array(c, M, N))`. Row-major storage;
// strides of other layouts can be given.
#pragma once
#include "interp/host_arrays.h"
#include "semantics/diag/render.h"
#include "semantics/dsl/element.h"
#include "semantics/judge.h"
#include <concepts>
#include <type_traits>

namespace tilenest {

namespace host {
// The element type of a C++ type: `unsigned char` is a u8, `long` and `long long` an i64 where they have 64
// bits.
template <class T> constexpr ScalarType element() {
  if constexpr (Element<T>) {
    return element_type<T>;
  } else {
    static_assert(std::integral<T>,
                  "an array's elements are of a type that tilenest has, such as f32, i64 or bf16");
    constexpr ScalarType with_sign[] = {ScalarType::i8, ScalarType::i16, ScalarType::i32, ScalarType::i64};
    constexpr ScalarType without[] = {ScalarType::u8, ScalarType::u16, ScalarType::u32, ScalarType::u64};
    constexpr int at = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return std::is_signed_v<T> ? with_sign[at] : without[at];
  }
}
template <class T> HostBuffer buffer(T *data, std::vector<std::int64_t> shape) {
  static_assert(!std::same_as<T, i4> && !std::same_as<T, u4>,
                "4-bit elements stand in bytes: `packed_array<u4>(bytes, extents...)`");
  HostBuffer out;
  out.elem = element<std::remove_const_t<T>>();
  out.writable = !std::is_const_v<T>;
  out.buffer.data = const_cast<std::remove_const_t<T> *>(data);
  if (data == nullptr) out.held = 0;
  std::int64_t stride = sizeof(T);
  out.buffer.strides.resize(shape.size());
  for (std::size_t i = shape.size(); i-- > 0; stride *= shape[i]) out.buffer.strides[i] = stride;
  out.buffer.shape = std::move(shape);
  return out;
}
} // namespace host

// A row-major array of these extents at `data`, which must hold that many elements; a null pointer holds none (T0712).
template <class T, std::integral... N> HostBuffer array(T *data, N... extents) {
  return host::buffer(data, {static_cast<std::int64_t>(extents)...});
}
// The elements of a contiguous container such as std::vector; without extents it is one axis. A run refuses
// extents that need more elements than there are (T0712).
template <class C, std::integral... N>
requires requires(C &c) {
  c.data();
  c.size();
  requires !requires { c.rowStride(); };
}
HostBuffer array(C &container, N... extents) {
  std::vector<std::int64_t> shape = {static_cast<std::int64_t>(extents)...};
  if (shape.empty()) shape.push_back(static_cast<std::int64_t>(container.size()));
  HostBuffer out = host::buffer(container.data(), std::move(shape));
  out.held = container.size();
  return out;
}
// An Eigen matrix, array, map or reference with direct access, with its own strides; a vector is one axis.
template <class M>
requires requires(M &m) {
  m.data();
  m.size();
  m.rowStride();
  m.colStride();
}
HostBuffer array(M &&matrix) {
  using Matrix = std::remove_reference_t<M>;
  using T = std::remove_pointer_t<decltype(matrix.data())>;
  HostBuffer out = host::buffer(matrix.data(), {static_cast<std::int64_t>(matrix.rows()), static_cast<std::int64_t>(matrix.cols())});
  out.buffer.strides = {static_cast<std::int64_t>(matrix.rowStride() * sizeof(T)), static_cast<std::int64_t>(matrix.colStride() * sizeof(T))};
  const bool column = Matrix::ColsAtCompileTime == 1, row = Matrix::RowsAtCompileTime == 1;
  if (column || row) {
    out.buffer.shape.erase(out.buffer.shape.begin() + (column ? 1 : 0));
    out.buffer.strides.erase(out.buffer.strides.begin() + (column ? 1 : 0));
  }
  out.held.reset(); // Eigen's to know
  return out;
}
// An array with strides of its own, in elements.
template <class T> HostBuffer strided_array(T *data, std::vector<std::int64_t> extents, std::vector<std::int64_t> strides) {
  HostBuffer out = host::buffer(data, std::move(extents));
  out.buffer.strides = std::move(strides);
  for (std::int64_t &s : out.buffer.strides) s *= static_cast<std::int64_t>(sizeof(T));
  out.buffer.strides.resize(out.buffer.shape.size());
  return out;
}
// A row-major array of 4-bit elements, T is i4 or u4, in bytes: two in each along the last axis, the first in its
// low half; every row has whole bytes.
template <Element T, class C, std::integral... N>
requires(is_packed(element_type<T>)) HostBuffer packed_array(C &bytes, N... extents) {
  using Byte = std::remove_pointer_t<decltype(bytes.data())>;
  static_assert(sizeof(Byte) == 1, "two 4-bit elements stand in one byte");
  HostBuffer out;
  out.elem = element_type<T>;
  out.writable = !std::is_const_v<Byte>;
  out.buffer.data = const_cast<std::remove_const_t<Byte> *>(bytes.data());
  out.buffer.shape = {static_cast<std::int64_t>(extents)...};
  out.buffer.strides.resize(sizeof...(N));
  std::int64_t stride = 1;
  for (std::size_t i = sizeof...(N); i-- > 0; stride += stride & 1) {
    out.buffer.strides[i] = stride;
    stride *= out.buffer.shape[i];
  }
  out.held = 2 * static_cast<std::uint64_t>(bytes.size());
  return out;
}
// The same array as one that starts undefined: loading an element before a store to it is a violation.
inline HostBuffer undefined(HostBuffer array) {
  array.buffer.defined = false;
  return array;
}

// Binds to the arrays' shapes and runs, one array per argument.
template <std::same_as<HostBuffer>... A> RunResult run(const Executable &executable, const A &...arrays) {
  return executable.run({arrays...});
}
template <std::same_as<HostBuffer>... A>
RunResult run(const Executable &executable, const RunOptions &options, const A &...arrays) {
  return executable.run({arrays...}, options);
}
// Judges, too: its errors, warnings and notes come first.
template <std::same_as<HostBuffer>... A> RunResult run(TileProgram program, const A &...arrays) {
  RunResult result;
  const Result<Executable> executable = Executable::make(std::move(program));
  if (!executable) {
    result.diagnostics = executable.errors();
    return result;
  }
  result = executable->run({arrays...});
  result.diagnostics.insert(result.diagnostics.begin(), executable->notes().begin(),
                            executable->notes().end());
  return result;
}

} // namespace tilenest
