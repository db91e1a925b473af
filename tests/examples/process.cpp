// SPDX-License-Identifier: Apache-2.0
// Starting the command line and reading what the kernel of the system counted for it.
#include "tests/examples/process.h"
#include <catch2/catch.hpp>
#include <cerrno>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace tilenest::examples {

namespace {

double seconds(const timeval &t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; }

} // namespace

Ended run_tilenest(std::vector<std::string> words) {
  words.insert(words.begin(), TILENEST_BINARY);
  std::vector<char *> argv;
  for (std::string &w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, TILENEST_SOURCE_DIR);
  for (int output : {1, 2}) posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, TILENEST_BINARY, &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  REQUIRE(error == 0);
  int status = 0;
  rusage usage{};
  while (wait4(pid, &status, 0, &usage) < 0) REQUIRE(errno == EINTR);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          static_cast<std::size_t>(usage.ru_maxrss) * 1024, seconds(usage.ru_utime) + seconds(usage.ru_stime)};
}

} // namespace tilenest::examples
