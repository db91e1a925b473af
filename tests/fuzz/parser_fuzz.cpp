// SPDX-License-Identifier: Apache-2.0
// Any bytes as a .tile file: diagnostics or programs, and programs print and parse back equal.
#include "semantics/judge.h"
#include "semantics/program/equality.h"
#include "semantics/text/parser.h"
#include "semantics/text/printer.h"
#include <cstdio>
#include <cstdlib>

using namespace tilenest;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  ParsedFile parsed = parse_text("fuzz.tile", std::string(reinterpret_cast<const char *>(data), size));
  for (TileProgram &p : parsed.kernels) {
    const ParsedFile again = parse_text("printed.tile", print(p));
    std::string difference = "refused";
    if (again.kernels.size() != 1 || !equal(p, again.kernels[0], &difference)) {
      std::fprintf(stderr, "the printed program differs: %s\n%s", difference.c_str(), print(p).c_str());
      for (const Diagnostic &d : again.diagnostics) std::fprintf(stderr, "%s %s\n", d.info().code, d.message().c_str());
      std::abort();
    }
    (void)judge(p);
  }
  return 0;
}
