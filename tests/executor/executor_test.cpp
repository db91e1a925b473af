// SPDX-License-Identifier: Apache-2.0
// The executor seam: coverage of the range, the grain, nesting, the thread count.
#include "interp/executor.h"
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace tilenest;

namespace {

struct ThreadCount {
  explicit ThreadCount(std::size_t n) { set_thread_count(n); }
  ~ThreadCount() { set_thread_count(0); }
};

using Range = std::pair<std::size_t, std::size_t>;

std::vector<Range> ranges_of(std::size_t n, std::size_t grain) {
  std::vector<Range> out;
  std::mutex lock;
  parallel_for(n, grain, [&](std::size_t begin, std::size_t end) {
    const std::lock_guard<std::mutex> guard(lock);
    out.emplace_back(begin, end);
  });
  std::sort(out.begin(), out.end());
  return out;
}

} // namespace

TEST_CASE("the ranges cover the loop once and keep the grain") {
  for (std::size_t threads : {1, 2, 3, 8}) {
    const ThreadCount scope(threads);
    for (std::size_t n : {0, 1, 2, 7, 64, 1000})
      for (std::size_t grain : {0, 1, 3, 64, 5000}) {
        INFO(threads << " threads, n " << n << ", grain " << grain);
        std::size_t at = 0;
        for (const auto &[begin, end] : ranges_of(n, grain)) {
          REQUIRE(begin == at);
          REQUIRE(end > begin);
          if (end != n) REQUIRE(end - begin >= std::max<std::size_t>(grain, 1));
          at = end;
        }
        REQUIRE(at == n);
      }
  }
}

TEST_CASE("one thread runs the loop in place, in one range") {
  const ThreadCount scope(1);
  const auto caller = std::this_thread::get_id();
  parallel_for(100, 1, [&](std::size_t begin, std::size_t end) {
    CHECK(begin == 0);
    CHECK(end == 100);
    CHECK(std::this_thread::get_id() == caller);
  });
}

TEST_CASE("no more threads work than were asked for, and more than one does") {
  const ThreadCount scope(2);
  CHECK(thread_count() == 2);
  std::set<std::thread::id> workers;
  std::atomic<int> now{0}, most{0};
  std::mutex lock;
  parallel_for(64, 1, [&](std::size_t begin, std::size_t end) {
    const int here = ++now;
    for (int seen = most; here > seen && !most.compare_exchange_weak(seen, here);) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2 * (end - begin)));
    --now;
    const std::lock_guard<std::mutex> guard(lock);
    workers.insert(std::this_thread::get_id());
  });
  // oneTBB takes no more threads than the machine has.
  const int expected = std::thread::hardware_concurrency() < 2 && executor_name() == std::string("tbb") ? 1 : 2;
  CHECK(most == expected);
  CHECK(workers.size() == static_cast<std::size_t>(expected));
}

TEST_CASE("the default is the machine's threads") {
  set_thread_count(0);
  CHECK(thread_count() == std::max(1u, std::thread::hardware_concurrency()));
}

TEST_CASE("loops nest") {
  const ThreadCount scope(4);
  std::vector<std::atomic<int>> counts(30 * 40);
  parallel_for(30, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      parallel_for(40, 1, [&](std::size_t inner, std::size_t inner_end) {
        for (; inner < inner_end; ++inner) ++counts[i * 40 + inner];
      });
  });
  CHECK(std::all_of(counts.begin(), counts.end(), [](const auto &c) { return c == 1; }));
}

TEST_CASE("writes of the body are seen after the loop") {
  const ThreadCount scope(4);
  std::vector<std::size_t> squares(10000);
  parallel_for(squares.size(), 16, [&](std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin) squares[begin] = begin * begin;
  });
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < squares.size(); ++i) wrong += squares[i] != i * i;
  CHECK(wrong == 0);
}

TEST_CASE("a constant callable is taken as it is") {
  static std::atomic<std::size_t> total{0};
  const auto body = [](std::size_t begin, std::size_t end) { total += end - begin; };
  parallel_for(123, 10, body);
  CHECK(total == 123);
}
