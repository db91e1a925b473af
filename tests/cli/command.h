// SPDX-License-Identifier: Apache-2.0
// Runs the tilenest binary in a folder of its own: words and standard input in, exit status and both outputs back.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace tilenest::cli_test {

struct Outcome {
  int status = -1; // exit status, or 128 + signal
  std::string out, err;
  std::size_t peak = 0; // bytes of resident memory, at least those of the test program, which it starts as
};

// A fresh folder, removed at the end.
class Folder {
public:
  Folder();
  ~Folder();
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;

  std::string path(const std::string &name) const { return (root_ / name).string(); }
  // Writes a file and returns its path.
  std::string file(const std::string &name, const std::string &contents) const;
  std::string read(const std::string &name) const;
  bool exists(const std::string &name) const { return std::filesystem::exists(root_ / name); }
  std::vector<std::string> names() const; // sorted

  // Runs `tilenest` with these words; relative paths are in this folder. `environment` holds NAME=VALUE to add.
  Outcome tilenest(std::vector<std::string> words, const std::string &input = {},
                   const std::vector<std::string> &environment = {}) const;
  // The same for a line of bash, in which $T is the binary.
  Outcome bash(const std::string &line) const;

private:
  Outcome spawn(std::vector<std::string> words, const std::string &input, const std::vector<std::string> &extra) const;
  std::filesystem::path root_, capture_;
};

// Whether the text holds the part; Catch2 shows both where it does not.
bool holds(const std::string &text, const std::string &part);

} // namespace tilenest::cli_test
