// SPDX-License-Identifier: Apache-2.0
// Repeating a run that met interference, along the same schedule and on the same arguments.
#include "cli/earlier_sites.h"
#include "interp/chooser.h"
#include "interp/explore.h"
#include "semantics/diag/codes.h"
#include <algorithm>

namespace tilenest::cli {

namespace {

bool is_interference(const Diagnostic &d) { return d.code == Code::U0301 && d.sites.size() == 2; }

bool one_place(const LabelledSite &a, const LabelledSite &b) {
  return a.site.line == b.site.line && a.site.column == b.site.column;
}

// Of one run the same report, but for where the earlier access was.
bool same_report(const Diagnostic &a, const Diagnostic &b) {
  return is_interference(b) && a.args == b.args && one_place(a.sites[0], b.sites[0]) &&
         a.sites[0].label == b.sites[0].label && one_place(a.sites[1], b.sites[1]);
}

} // namespace

void say_where_earlier(Diagnostics &diagnostics, const Program &program, const RunArguments &options,
                       std::optional<EarlierAccesses> seen) {
  if (options.engine != "interp" || std::none_of(diagnostics.begin(), diagnostics.end(), is_interference)) return;
  const auto run = [&](EarlierAccesses &earlier) -> Diagnostics {
    Diagnostics warnings;
    Result<Launch> launch = prepare_launch(program, options, warnings);
    if (!launch) return {};
    RunOptions run_options;
    if (options.while_limit) run_options.while_limit = *options.while_limit;
    run_options.threads = 1;
    run_options.first_only = options.first;
    const std::unique_ptr<Chooser> chooser = chooser_of(options.schedule);
    run_options.chooser = chooser.get();
    run_options.earlier = &earlier;
    return std::move(tilenest::run(launch->bound, launch->buffers(), run_options).diagnostics);
  };
  if (!seen) run(seen.emplace());
  if (seen->empty()) return; // no earlier access stands in a serial loop
  seen->recall();
  const Diagnostics again = run(*seen);
  for (Diagnostic &d : diagnostics) {
    if (!is_interference(d)) continue;
    for (const Diagnostic &better : again)
      if (same_report(d, better)) d.sites[1].label = better.sites[1].label;
  }
}

} // namespace tilenest::cli
