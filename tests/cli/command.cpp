// SPDX-License-Identifier: Apache-2.0
// The harness: temporary folders and child processes.
#include "tests/cli/command.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace tilenest::cli_test {

namespace fs = std::filesystem;

namespace {

fs::path fresh_folder() {
  std::string name = (fs::temp_directory_path() / "tilenest_test_XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  return name;
}

std::string slurp(const fs::path &path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

} // namespace

Folder::Folder() : root_(fresh_folder()), capture_(fresh_folder()) {}
Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
  fs::remove_all(capture_, ignored);
}

std::string Folder::file(const std::string &name, const std::string &contents) const {
  std::ofstream out(root_ / name, std::ios::binary);
  out << contents;
  return path(name);
}

std::string Folder::read(const std::string &name) const { return slurp(root_ / name); }

std::vector<std::string> Folder::names() const {
  std::vector<std::string> out;
  for (const auto &entry : fs::directory_iterator(root_)) out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

Outcome Folder::spawn(std::vector<std::string> words, const std::string &input,
                      const std::vector<std::string> &extra) const {
  const fs::path in = capture_ / "in", out = capture_ / "out", err = capture_ / "err";
  std::ofstream(in, std::ios::binary) << input;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, in.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addchdir_np(&actions, root_.c_str());
  std::vector<char *> argv, envp;
  for (std::string &w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  std::vector<std::string> environment = extra;
  for (char **e = environ; *e; ++e) environment.emplace_back(*e);
  for (std::string &e : environment) envp.push_back(e.data());
  envp.push_back(nullptr);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, words[0].c_str(), &actions, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  REQUIRE(error == 0);
  int status = 0;
  rusage usage{};
  while (wait4(pid, &status, 0, &usage) < 0) REQUIRE(errno == EINTR);
  Outcome result;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.peak = static_cast<std::size_t>(usage.ru_maxrss) * 1024;
  result.out = slurp(out);
  result.err = slurp(err);
  return result;
}

Outcome Folder::tilenest(std::vector<std::string> words, const std::string &input,
                         const std::vector<std::string> &environment) const {
  words.insert(words.begin(), TILENEST_BINARY);
  return spawn(std::move(words), input, environment);
}

Outcome Folder::bash(const std::string &line) const {
  return spawn({"/bin/bash", "-c", line}, "", {std::string("T=") + TILENEST_BINARY});
}

bool holds(const std::string &text, const std::string &part) {
  CHECK_THAT(text, Catch::Matchers::Contains(part));
  return text.find(part) != std::string::npos;
}

} // namespace tilenest::cli_test
