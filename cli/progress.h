// SPDX-License-Identifier: Apache-2.0
// A line on standard error that says that a run goes on: only on a terminal, only after two seconds, and gone at
// the end. A timer signal writes it; no thread is started.
#pragma once
#include <string>

namespace tilenest::cli {

// At most one at a time.
class Progress {
public:
  // `quiet`: never shows anything.
  Progress(const std::string &what, bool quiet);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

private:
  bool active_ = false;
};

} // namespace tilenest::cli
