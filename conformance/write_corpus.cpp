// SPDX-License-Identifier: Apache-2.0
// write_corpus DIRECTORY: every kernel of the labelled corpus as a file of its own, DIRECTORY/BASE.tile or
// DIRECTORY/BASE-OPERATOR-N.tile, to be read or run by something else.
#include "conformance/corpus/corpus.h"
#include <filesystem>
#include <fstream>
#include <iostream>

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "write_corpus DIRECTORY\n";
    return 64;
  }
  const std::filesystem::path directory = argv[1];
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  std::map<std::string, int> written; // an operator may apply at several marks of a base
  for (const auto &kernel : tilenest::conformance::read_corpus(TILENEST_SOURCE_DIR "/conformance/corpus/bases")) {
    std::string name = kernel.base;
    if (!kernel.mutation.empty()) name += "-" + kernel.mutation + "-" + std::to_string(++written[kernel.name()]);
    std::ofstream file(directory / (name + ".tile"));
    file << kernel.text;
    if (!file) {
      std::cerr << "cannot write " << directory / (name + ".tile") << "\n";
      return 1;
    }
  }
}
