// SPDX-License-Identifier: Apache-2.0
// The progress line. The handler uses nothing but static memory and write().
#include "cli/progress.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/time.h>
#include <unistd.h>
#include <utility>

namespace tilenest::cli {

namespace {

char prefix[128]; // "\rrunning `gemm`: "
std::size_t prefix_length = 0;
volatile std::sig_atomic_t elapsed = 0; // seconds shown last; 0: none yet

void write_all(const char *text, std::size_t length) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, length);
}

volatile std::sig_atomic_t leaving = 0;
struct sigaction interrupt_before {};
bool interrupt_handled = false;
constexpr char clear_line[] = "\r\033[K";

// The line is cleared, and the signal does what it does without a handler.
extern "C" void interrupted(int signal) {
  leaving = 1;
  if (elapsed != 0) write_all(clear_line, sizeof clear_line - 1);
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
  raise(signal); // delivered when this handler returns
}

extern "C" void tick(int) {
  if (leaving) return;
  const int saved = errno;
  const int seconds = elapsed == 0 ? 2 : elapsed + 1;
  elapsed = seconds;
  char line[160];
  std::memcpy(line, prefix, prefix_length);
  char digits[12];
  std::size_t n = 0, at = prefix_length;
  for (int rest = seconds; rest > 0; rest /= 10) digits[n++] = static_cast<char>('0' + rest % 10);
  while (n > 0) line[at++] = digits[--n];
  line[at++] = ' ';
  line[at++] = 's';
  write_all(line, at);
  errno = saved;
}

void set_timer(long first, long every) {
  itimerval timer{};
  timer.it_value.tv_sec = first;
  timer.it_interval.tv_sec = every;
  setitimer(ITIMER_REAL, &timer, nullptr);
}

} // namespace

Progress::Progress(const std::string &what, bool quiet) {
  if (quiet || isatty(STDERR_FILENO) != 1) return;
  const std::string text = "\r" + what.substr(0, 100) + ": ";
  prefix_length = std::min(text.size(), sizeof prefix);
  std::memcpy(prefix, text.data(), prefix_length);
  elapsed = 0;
  struct sigaction action {};
  action.sa_handler = tick;
  action.sa_flags = SA_RESTART;
  if (sigaction(SIGALRM, &action, nullptr) != 0) return;
  // A signal that is ignored stays ignored.
  if (sigaction(SIGINT, nullptr, &interrupt_before) == 0 && interrupt_before.sa_handler == SIG_DFL) {
    struct sigaction interrupt {};
    interrupt.sa_handler = interrupted;
    interrupt_handled = sigaction(SIGINT, &interrupt, nullptr) == 0;
  }
  active_ = true;
  set_timer(2, 1);
}

Progress::~Progress() {
  if (!active_) return;
  set_timer(0, 0);
  std::signal(SIGALRM, SIG_IGN);
  if (std::exchange(interrupt_handled, false)) sigaction(SIGINT, &interrupt_before, nullptr);
  if (elapsed != 0) write_all(clear_line, sizeof clear_line - 1);
}

} // namespace tilenest::cli
