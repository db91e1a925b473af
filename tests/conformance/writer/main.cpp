// SPDX-License-Identifier: Apache-2.0
// write_cases: writes the derived case files into conformance/cases, or into the folder that it is given.
#include "tests/conformance/derived_cases.h"
#include <fstream>
#include <iostream>

int main(int argc, char **argv) {
  const std::string folder = argc > 1 ? argv[1] : TILENEST_SOURCE_DIR "/conformance/cases";
  for (const auto &[name, text] : tilenest::derived::derived_files()) {
    std::ofstream file(folder + "/" + name, std::ios::binary);
    file << text;
    file.close();
    if (file.fail()) {
      std::cerr << "cannot write " << folder << "/" << name << "\n";
      return 1;
    }
  }
}
