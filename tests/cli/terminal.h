// SPDX-License-Identifier: Apache-2.0
// Runs the tilenest binary on a terminal of its own (a pseudo-terminal that is its standard input and both
// outputs), so that a test waits for what is shown there and for no time.
#pragma once
#include "tests/cli/command.h"
#include <sys/types.h>

namespace tilenest::cli_test {

class Terminal {
public:
  // `tilenest` with these words in the folder; the end of the object ends the process. Standard error goes to
  // the file of the folder, if one is named, and not to the terminal.
  Terminal(const Folder &folder, std::vector<std::string> words, const std::string &errors = {});
  ~Terminal();
  Terminal(const Terminal &) = delete;
  Terminal &operator=(const Terminal &) = delete;

  // Whether the text was shown before the process ended and before so many seconds were over.
  bool shows(const std::string &text, int seconds);
  void interrupt() const; // SIGINT
  // Waits for the end, as long as that; exit status, or 128 + signal, or -1 where the process goes on.
  int status(int seconds);
  const std::string &shown() const { return shown_; }

private:
  bool read_before(std::int64_t deadline); // false at the end of the output and at the deadline
  int terminal_ = -1, status_ = -1;
  pid_t pid_ = 0;
  bool over_ = false;
  std::string shown_;
};

} // namespace tilenest::cli_test
