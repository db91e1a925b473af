// SPDX-License-Identifier: Apache-2.0
// For numpy_check.py: copy_arrays TYPE IN... OUT reads arrays (TYPE "any" or an element type) and writes them
// to OUT.npy, or to OUT.npz as members m0, m1, ... Prints diagnostics and exits as the command line does.
#include "arrays/npz.h"
#include <cstdio>

using namespace tilenest;

namespace {
int failed(const Diagnostics &diagnostics) {
  for (const Diagnostic &d : diagnostics)
    std::fprintf(stderr, "%s: %s\n", d.info().code, d.message().c_str());
  return exit_status(diagnostics);
}
} // namespace

int main(int count, char **words) {
  if (count < 4) return 64;
  const std::vector<std::string> args(words + 1, words + count);
  const std::optional<ScalarType> type = find_scalar_type(args[0]);
  if (!type && args[0] != "any") return 64;
  std::vector<std::pair<std::string, Array>> arrays;
  for (std::size_t i = 1; i + 1 < args.size(); ++i) {
    Result<Array> array = read_array(args[i], type);
    if (!array) return failed(array.errors());
    arrays.emplace_back("m" + std::to_string(i - 1), std::move(*array));
  }
  const std::string &out = args.back();
  return failed(out.ends_with(".npz") ? write_npz(out, arrays) : write_npy(out, arrays[0].second));
}
