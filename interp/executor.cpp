// SPDX-License-Identifier: Apache-2.0
// Both executors. A range is a run of whole grains, so that no range but the last is shorter than the grain.
#include "interp/executor.h"
#include <algorithm>
#include <atomic>
#include <thread>
#ifdef TILENEST_EXECUTOR_STD_THREAD
#include <system_error>
#include <vector>
#else
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

namespace tilenest {

namespace {
std::atomic<std::size_t> wanted_threads{0};
} // namespace

void set_thread_count(std::size_t count) { wanted_threads.store(count, std::memory_order_relaxed); }

std::size_t thread_count() {
  const std::size_t wanted = wanted_threads.load(std::memory_order_relaxed);
  return wanted != 0 ? wanted : std::max(1u, std::thread::hardware_concurrency());
}

namespace executor_detail {

#ifdef TILENEST_EXECUTOR_STD_THREAD

namespace {

// A loop inside a loop's body runs in place: the outer one already has all threads.
thread_local bool inside_loop = false;

struct Loop {
  std::size_t n, grain, chunks;
  RangeBody body;
  void *context;
  std::atomic<std::size_t> next{0};

  void work() noexcept {
    const bool outer = inside_loop;
    inside_loop = true;
    for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < chunks;)
      body(context, i * grain, i + 1 == chunks ? n : (i + 1) * grain);
    inside_loop = outer;
  }
};

} // namespace

void run(std::size_t n, std::size_t grain, std::size_t wanted, RangeBody body, void *context) noexcept {
  if (n == 0) return;
  grain = std::max<std::size_t>(grain, 1);
  const std::size_t chunks = n / grain + (n % grain != 0);
  const std::size_t threads = std::min(wanted, chunks);
  if (threads <= 1 || inside_loop) return body(context, 0, n);
  Loop loop{n, grain, chunks, body, context};
  std::vector<std::thread> helpers;
  helpers.reserve(threads - 1);
  try {
    for (std::size_t i = 1; i < threads; ++i) helpers.emplace_back([&loop] { loop.work(); });
  } catch (const std::system_error &) {
    // The machine gives no more threads: those there are, and this one, do the work.
  }
  loop.work();
  for (std::thread &helper : helpers) helper.join();
}

#else

void run(std::size_t n, std::size_t grain, std::size_t wanted, RangeBody body, void *context) noexcept {
  if (n == 0) return;
  grain = std::max<std::size_t>(grain, 1);
  const std::size_t chunks = n / grain + (n % grain != 0);
  if (chunks == 1 || wanted <= 1) return body(context, 0, n);
  // Isolated: a thread that waits in an inner loop takes no range of an outer one meanwhile.
  const auto loop = [=] {
    tbb::this_task_arena::isolate([=] {
      tbb::parallel_for(tbb::blocked_range<std::size_t>(0, chunks, 1),
                        [=](const tbb::blocked_range<std::size_t> &range) {
                          body(context, range.begin() * grain,
                               range.end() == chunks ? n : range.end() * grain);
                        });
    });
  };
  // The machine's own arena, or that of an outer loop, has no more threads than wanted.
  if (static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()) <= wanted) return loop();
  tbb::task_arena arena(static_cast<int>(wanted));
  arena.execute(loop);
}

#endif

} // namespace executor_detail

const char *executor_name() {
#ifdef TILENEST_EXECUTOR_STD_THREAD
  return "std_thread";
#else
  return "tbb";
#endif
}

} // namespace tilenest
