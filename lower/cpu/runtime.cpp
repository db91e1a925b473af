// SPDX-License-Identifier: Apache-2.0
// The functions that machine code calls.
#include "lower/cpu/runtime.h"
#include "semantics/numerics/row_kernels.h"
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace tilenest::cpu {

namespace {

struct Launch {
  Instances instances;
  const Frame *frame;
  const void *captured;
  const std::int64_t *extents;
};

void launch(const Frame *frame, Instances instances, const void *captured, std::int64_t rank,
            const std::int64_t *extents) {
  Run &run = *static_cast<Run *>(frame->run);
  std::int64_t total = 1;
  for (std::int64_t i = 0; i < rank; ++i)
    if (extents[i] <= 0) return;
  for (std::int64_t i = 0; i < rank; ++i)
    if (__builtin_mul_overflow(total, extents[i], &total)) {
      run.grid_too_large = true;
      return;
    }
  if (run.options.threads <= 1 || run.options.parallel_for == nullptr)
    return instances(frame, captured, extents, 0, total);
  Launch context{instances, frame, captured, extents};
  run.options.parallel_for(
      static_cast<std::size_t>(total), 1, run.options.threads,
      [](void *c, std::size_t begin, std::size_t end) {
        const Launch &l = *static_cast<Launch *>(c);
        l.instances(l.frame, l.captured, l.extents, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end));
      },
      &context);
}

// Room for the large buffers of the instances that this thread runs, kept for the next launch.
struct Arena {
  void *data = nullptr;
  std::size_t size = 0;
  ~Arena() { std::free(data); }
};

// At least `bytes` (a multiple of 64), or null, which the run then reports; the code skips the instances.
void *arena(const Frame *frame, std::int64_t bytes) {
  static thread_local Arena mine;
  const auto wanted = static_cast<std::size_t>(bytes < 64 ? 64 : bytes);
  if (mine.size < wanted) {
    std::free(mine.data);
    mine.data = std::aligned_alloc(64, wanted);
    mine.size = mine.data != nullptr ? wanted : 0;
  }
  if (mine.data == nullptr) static_cast<Run *>(frame->run)->no_memory = true;
  return mine.data;
}

void assert_failed(const Frame *frame, std::int64_t index, std::int64_t count) {
  static_cast<Run *>(frame->run)->failed[static_cast<std::size_t>(index)].fetch_add(static_cast<std::uint64_t>(count),
                                                                                    std::memory_order_relaxed);
}

// Lane i of `values`, a half byte, to element offsets[i] from `base` unless mask[i] is 0 (a null mask leaves out
// nothing). The byte's other half may be written by another thread at the same time.
void store_halves(std::uint8_t *base, std::int64_t lanes, const std::int64_t *offsets, const std::uint8_t *values,
                  const std::uint8_t *mask) {
  for (std::int64_t i = 0; i < lanes; ++i) {
    if (mask != nullptr && mask[i] == 0) continue;
    std::atomic_ref<std::uint8_t> byte(base[offsets[i] >> 1]);
    const int shift = (offsets[i] & 1) != 0 ? 4 : 0;
    std::uint8_t before = byte.load(std::memory_order_relaxed), after = 0;
    do {
      after = static_cast<std::uint8_t>((before & ~(15 << shift)) | (values[i] & 15) << shift);
    } while (!byte.compare_exchange_weak(before, after, std::memory_order_relaxed));
  }
}

// The row kernels of the elementary functions, looked up once.
void rows(std::uint32_t code, std::int64_t n, void *out, const void *a, const void *b) {
  static std::atomic<RowKernel> known[primitive_count][scalar_type_count];
  const std::uint32_t primitive = code >> 8, type = code & 255;
  RowKernel kernel = known[primitive][type].load(std::memory_order_relaxed);
  if (kernel == nullptr) {
    const auto t = static_cast<ScalarType>(type);
    kernel = find_row_kernel(static_cast<Primitive>(primitive), t, t);
    known[primitive][type].store(kernel, std::memory_order_relaxed);
  }
  const RowOperand operands[2] = {{a, 1}, {b, 1}};
  kernel(static_cast<std::size_t>(n), out, operands, {});
}

template <class F> void *address(F *function) { return reinterpret_cast<void *>(function); }

} // namespace

std::span<const RuntimeSymbol> runtime_symbols() {
  static const RuntimeSymbol symbols[] = {
      {runtime_launch, address(launch)},
      {runtime_arena, address(arena)},
      {runtime_assert, address(assert_failed)},
      {runtime_store_halves, address(store_halves)},
      {runtime_rows, address(rows)},
      {"memcpy", address(static_cast<void *(*)(void *, const void *, std::size_t)>(std::memcpy))},
      {"memmove", address(static_cast<void *(*)(void *, const void *, std::size_t)>(std::memmove))},
      {"memset", address(static_cast<void *(*)(void *, int, std::size_t)>(std::memset))},
      {"fma", address(static_cast<double (*)(double, double, double)>(std::fma))},
  };
  return symbols;
}

} // namespace tilenest::cpu
