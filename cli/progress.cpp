// SPDX-License-Identifier: Apache-2.0
// The progress line.
#include "cli/progress.h"
#include <chrono>
#include <cstdio>
#include <unistd.h>

namespace tilenest::cli {

Progress::Progress(std::string what, bool quiet) : what_(std::move(what)) {
  if (!quiet && isatty(STDERR_FILENO) == 1) thread_ = std::thread([this] { show(); });
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    done_ = true;
  }
  over_.notify_all();
  thread_.join();
}

void Progress::show() {
  using namespace std::chrono;
  const auto start = steady_clock::now();
  auto next = start + seconds(2);
  bool shown = false;
  std::unique_lock<std::mutex> lock(mutex_);
  while (!over_.wait_until(lock, next, [this] { return done_; })) {
    const auto elapsed = duration_cast<seconds>(steady_clock::now() - start).count();
    std::fprintf(stderr, "\r%s: %lld s", what_.c_str(), static_cast<long long>(elapsed));
    shown = true;
    next += seconds(1);
  }
  if (shown) std::fputs("\r\033[K", stderr);
}

} // namespace tilenest::cli
