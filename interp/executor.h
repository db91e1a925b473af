// SPDX-License-Identifier: Apache-2.0
// The one seam through which parallel loops go: oneTBB, or plain std::thread where the build says
// TILENEST_EXECUTOR=std_thread (the thread sanitizer sees those). Nothing else in the project starts threads.
// It knows no program and promises no order.
#pragma once
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace tilenest {

// How many threads a loop may use, itself included. 0 asks for the machine's; 1 runs loops in place; oneTBB
// uses no more than the machine has.
// For the whole process; not to be called while a loop runs.
void set_thread_count(std::size_t count);
std::size_t thread_count();

// "tbb" or "std_thread".
const char *executor_name();

namespace executor_detail {
using RangeBody = void (*)(void *context, std::size_t begin, std::size_t end);
void run(std::size_t n, std::size_t grain, std::size_t threads, RangeBody body, void *context) noexcept;
} // namespace executor_detail

// Calls body(begin, end) on disjoint ranges that cover [0, n), in any order and perhaps at the same time, and
// returns when all are done. No range but the last is shorter than `grain` (at least 1). A loop started
// inside a body is legal. A body must not throw: an exception that leaves one ends the process. At most `threads`
// threads take part.
template <class Body> void parallel_for(std::size_t n, std::size_t grain, std::size_t threads, Body &&body) {
  using Callable = std::remove_reference_t<Body>;
  executor_detail::run(
      n, grain, threads,
      [](void *context, std::size_t begin, std::size_t end) {
        (*static_cast<Callable *>(context))(begin, end);
      },
      const_cast<std::remove_const_t<Callable> *>(std::addressof(body)));
}
template <class Body> void parallel_for(std::size_t n, std::size_t grain, Body &&body) {
  parallel_for(n, grain, thread_count(), std::forward<Body>(body));
}

} // namespace tilenest
