// SPDX-License-Identifier: Apache-2.0
// A line on standard error that says that a run goes on: only on a terminal, only after two seconds, and gone at
// the end.
#pragma once
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace tilenest::cli {

class Progress {
public:
  // `quiet`: never shows anything.
  Progress(std::string what, bool quiet);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

private:
  void show();

  std::string what_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool done_ = false;
  std::thread thread_;
};

} // namespace tilenest::cli
