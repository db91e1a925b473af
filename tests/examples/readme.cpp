// SPDX-License-Identifier: Apache-2.0
// Reading the table of the README.
#include "tests/examples/readme.h"
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

namespace tilenest::examples {

// | name | what it shows | `words` |
std::vector<Row> readme_rows() {
  std::ifstream in(TILENEST_SOURCE_DIR "/examples/README.md");
  REQUIRE(in.good());
  std::vector<Row> out;
  for (std::string line; std::getline(in, line);) {
    const auto command = line.find("| `examples/");
    if (line.rfind("| ", 0) != 0 || command == std::string::npos) continue;
    Row row{line.substr(2, line.find(' ', 2) - 2), {}};
    std::istringstream words(line.substr(command + 3, line.find('`', command + 3) - command - 3));
    for (std::string word; words >> word;) row.words.push_back(word);
    out.push_back(row);
  }
  return out;
}

} // namespace tilenest::examples
