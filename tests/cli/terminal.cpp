// SPDX-License-Identifier: Apache-2.0
// The pseudo-terminal: output as it comes, up to a deadline of the steady clock.
#include "tests/cli/terminal.h"
#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilenest::cli_test {

namespace {

std::int64_t milliseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

} // namespace

Terminal::Terminal(const Folder &folder, std::vector<std::string> words, const std::string &errors) {
  words.insert(words.begin(), TILENEST_BINARY);
  std::vector<char *> argv;
  for (std::string &w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  const std::string root = folder.path("");
  const int err =
      errors.empty() ? -1 : open(folder.path(errors).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  pid_ = forkpty(&terminal_, nullptr, nullptr, nullptr);
  REQUIRE(pid_ >= 0);
  if (pid_ == 0) {
    if (chdir(root.c_str()) == 0 && (err < 0 || dup2(err, STDERR_FILENO) >= 0)) execv(argv[0], argv.data());
    _exit(127);
  }
  if (err >= 0) close(err);
}

Terminal::~Terminal() {
  if (!over_) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(terminal_);
}

bool Terminal::read_before(std::int64_t deadline) {
  for (;;) {
    pollfd ready{terminal_, POLLIN, 0};
    const std::int64_t left = deadline - milliseconds();
    if (left <= 0) return false;
    const int n = poll(&ready, 1, static_cast<int>(left));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    char buffer[4096];
    const ssize_t got = read(terminal_, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false; // EIO: nobody has the other side open
    shown_.append(buffer, static_cast<std::size_t>(got));
    return true;
  }
}

bool Terminal::shows(const std::string &text, int seconds) {
  const std::int64_t deadline = milliseconds() + seconds * std::int64_t{1000};
  while (shown_.find(text) == std::string::npos)
    if (!read_before(deadline)) return false;
  return true;
}

void Terminal::interrupt() const { REQUIRE(kill(pid_, SIGINT) == 0); }

int Terminal::status(int seconds) {
  const std::int64_t deadline = milliseconds() + seconds * std::int64_t{1000};
  while (read_before(deadline)) {
  }
  if (milliseconds() >= deadline) return -1;
  if (!over_) { // the output has ended, which the process does by ending
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0) REQUIRE(errno == EINTR);
    over_ = true;
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  return status_;
}

} // namespace tilenest::cli_test
