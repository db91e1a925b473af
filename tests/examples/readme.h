// SPDX-License-Identifier: Apache-2.0
// The table of examples/README.md: a row for each example, with its command.
#pragma once
#include <string>
#include <vector>

namespace tilenest::examples {

struct Row {
  std::string name;
  std::vector<std::string> words; // what follows `tilenest run`
};
std::vector<Row> readme_rows();

} // namespace tilenest::examples
