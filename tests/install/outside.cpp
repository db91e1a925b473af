// SPDX-License-Identifier: Apache-2.0
// An outside project's use of the installed library.
#include "interp/executor.h"
#include "semantics/diag/codes.h"
#include "semantics/diag/explain.h"
#include "semantics/diag/render.h"
#include <atomic>
#include <cstdio>

int main() {
  std::atomic<std::size_t> total{0};
  tilenest::parallel_for(100, 8, [&](std::size_t begin, std::size_t end) { total += end - begin; });
  const tilenest::Diagnostic bug(tilenest::Code::B0001, {}, {{"what", "none"}});
  std::printf("%s%zu\n", tilenest::render_text(bug).c_str(), total.load());
  return total == 100 && tilenest::explanation("B0001") ? 0 : 1;
}
