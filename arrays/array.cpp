// SPDX-License-Identifier: Apache-2.0
// Sizes, strides and allocation of arrays. Small ones come from the heap; large ones are anonymous mappings,
// whose pages the system makes, zeroed, when they are first touched.
#include "arrays/array.h"
#include "semantics/diag/codes.h"
#include <cerrno>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <sys/sysinfo.h>

namespace tilenest {

namespace {
constexpr std::size_t alignment = 64;
constexpr std::int64_t mapped_from = std::int64_t{1} << 20;
constexpr std::int64_t address_space = std::int64_t{1} << 47;

std::string in_units(std::int64_t bytes) {
  constexpr const char *units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  int unit = 0;
  std::int64_t whole = bytes, rest = 0;
  while (whole >= 1024 && unit < 6) {
    rest = whole % 1024;
    whole /= 1024;
    ++unit;
  }
  std::string text = std::to_string(whole);
  if (unit > 0) text += "." + std::to_string(rest * 10 / 1024);
  return text + " " + units[unit];
}

// Memory and swap of this machine, in bytes.
std::int64_t machine_memory() {
  struct sysinfo s;
  if (sysinfo(&s) != 0) return address_space;
  return static_cast<std::int64_t>(s.totalram + s.totalswap) * s.mem_unit;
}

Diagnostic no_memory(ScalarType type, std::span<const std::int64_t> shape, std::int64_t bytes,
                     std::string why) {
  return {Code::L0502, {}, {{"array", describe(type, shape)}, {"bytes", in_units(bytes)}, {"why", why}}};
}

template <std::size_t size> void gather(const Array &from, std::byte *to) {
  for_each_row(from, [&](const std::byte *p, std::int64_t n, std::int64_t step) {
    for (std::int64_t i = 0; i < n; ++i, p += step, to += size) std::memcpy(to, p, size);
  });
}
} // namespace

std::vector<std::int64_t> byte_shape(std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> bytes(shape.begin(), shape.end());
  if (!bytes.empty()) bytes.back() = bytes.back() / 2 + bytes.back() % 2;
  return bytes;
}

Array packed_array(ScalarType type, std::vector<std::int64_t> shape, Array bytes) {
  bytes.type = type;
  bytes.strides = packed_strides(type, shape);
  bytes.shape = std::move(shape);
  return bytes;
}

std::optional<std::int64_t> checked_bytes(ScalarType type, std::span<const std::int64_t> shape) {
  std::int64_t product = static_cast<std::int64_t>(byte_size(type));
  bool empty = false;
  for (std::int64_t extent : is_packed(type) ? byte_shape(shape) : std::vector(shape.begin(), shape.end())) {
    if (extent < 0) return std::nullopt;
    if (extent == 0)
      empty = true;
    else if (__builtin_mul_overflow(product, extent, &product))
      return std::nullopt;
  }
  return empty ? 0 : product;
}

std::vector<std::int64_t> packed_strides(ScalarType type, std::span<const std::int64_t> shape, Order order) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t step = static_cast<std::int64_t>(byte_size(type));
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t d = order == Order::row_major || is_packed(type) ? shape.size() - 1 - i : i;
    strides[d] = step;
    if (shape[d] > 0) step *= shape[d];
    if (is_packed(type)) step += step & 1; // a row has whole bytes
  }
  return strides;
}

std::int64_t Array::count() const {
  std::int64_t n = 1;
  for (const std::int64_t extent : shape) {
    if (extent == 0) return 0;
    n *= extent;
  }
  return n;
}

std::int64_t Array::bytes() const { return *checked_bytes(type, shape); }

bool Array::is_contiguous() const { return is_contiguous(Order::row_major); }

bool Array::is_contiguous(Order order) const {
  if (count() == 0) return true;
  const std::vector<std::int64_t> packed = packed_strides(type, shape, order);
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (shape[d] != 1 && strides[d] != packed[d]) return false;
  return true;
}

Result<Array> make_array(ScalarType type, std::vector<std::int64_t> shape, Fill fill, Order order) {
  const std::optional<std::int64_t> bytes = checked_bytes(type, shape);
  if (!bytes || *bytes > address_space)
    return Diagnostic(Code::L0501, {}, {{"array", describe(type, shape)}});
  Array array;
  array.type = type;
  array.strides = packed_strides(type, shape, order);
  const std::size_t size = static_cast<std::size_t>(*bytes);
  if (*bytes >= mapped_from) {
    const std::int64_t memory = machine_memory();
    array.sparse = *bytes > memory && fill == Fill::sparse_zeros && !is_packed(type);
    if (*bytes > memory && !array.sparse) return no_memory(type, shape, *bytes, "this machine has " + in_units(memory));
    void *region = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | (array.sparse ? MAP_NORESERVE : 0), -1, 0);
    if (region == MAP_FAILED) return no_memory(type, shape, *bytes, std::strerror(errno));
    array.storage = std::shared_ptr<void>(region, [size](void *p) { munmap(p, size); });
  } else {
    void *block = ::operator new (size > 0 ? size : 1, std::align_val_t{alignment}, std::nothrow);
    if (block == nullptr) return no_memory(type, shape, *bytes, "the heap is full");
    array.storage =
        std::shared_ptr<void>(block, [](void *p) { ::operator delete (p, std::align_val_t{alignment}); });
    if (fill != Fill::uninitialised) std::memset(block, 0, size);
  }
  array.data = static_cast<std::byte *>(array.storage.get());
  array.shape = std::move(shape);
  return array;
}

Result<Array> make_contiguous(const Array &array, bool writable) {
  if (array.is_contiguous() && !(writable && array.read_only)) return array;
  Result<Array> copy = make_array(array.type, array.shape, Fill::uninitialised);
  if (!copy) return copy;
  if (array.is_contiguous())
    std::memcpy(copy->data, array.data, static_cast<std::size_t>(array.bytes()));
  else
    switch (byte_size(array.type)) {
    case 1: gather<1>(array, copy->data); break;
    case 2: gather<2>(array, copy->data); break;
    case 4: gather<4>(array, copy->data); break;
    default: gather<8>(array, copy->data); break;
    }
  return copy;
}

std::string describe(ScalarType type, std::span<const std::int64_t> shape) {
  constexpr std::size_t shown = 8;
  std::string text(to_string(type));
  text += "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i == shown) {
      text += ", ... (rank " + std::to_string(shape.size()) + ")";
      break;
    }
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

} // namespace tilenest
