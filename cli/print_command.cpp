// SPDX-License-Identifier: Apache-2.0
// tilenest print: programs as the printer writes them; expansions of library calls and anchors are shown on request.
#include "cli/commands.h"
#include "cli/program_source.h"
#include "cli/report.h"
#include "lower/cpu/load.h"
#include "lower/lower.h"
#include "lower/print.h"
#include "semantics/text/printer.h"

namespace tilenest::cli {

int print_command(const PrintArguments &options) {
  const LoadedFile file = load_file(options.file, options.kernel);
  if (has_error(file.diagnostics)) return report_text(file.diagnostics);
  std::vector<Program> kernels = file.kernels;
  if (!options.kernel.empty()) {
    const auto chosen = choose_kernel(file, options.kernel);
    if (const int *status = std::get_if<int>(&chosen)) return *status;
    kernels = {std::get<Program>(chosen)};
  }
  std::string text;
  for (const Program &p : kernels) {
    if (!text.empty()) text += "\n";
    if (options.emit != "program") {
      LowerOptions lowering;
      lowering.strict = options.strict;
      const Result<plan::Plan> lowered = lower(*p, lowering);
      if (!lowered) return report_text(lowered.errors());
      if (options.emit == "plan") {
        text += plan::print(*lowered);
        continue;
      }
      const Result<cpu::CpuEngine *> engine = cpu::load_engine();
      if (!engine) return report_text(engine.errors());
      const Result<std::string> code = options.emit == "llvm" ? (*engine)->emit_llvm(*lowered) : (*engine)->emit_assembly(*lowered);
      if (!code) return report_text(code.errors());
      text += *code;
    } else {
      text += print(*p, PrintOptions{options.anchors, options.expand});
    }
    if (!text.ends_with('\n')) text += '\n';
  }
  print_out(text);
  return report_text(file.diagnostics);
}

} // namespace tilenest::cli
