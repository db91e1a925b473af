// SPDX-License-Identifier: Apache-2.0
// planted_faults [FAULTS [SEED [KERNELS]]]: so many faults of the lowering, chosen by the seed, each against the suite and then
// KERNELS random kernels. One line a fault, then a summary; those that nothing finds are listed again. A fault gets a process of
// its own and two minutes: one that makes a loop endless, or the engine crash, is found by that.
#include "conformance/fuzz/random.h"
#include "conformance/suite/embedded_cases.h"
#include "conformance/suite/read_cases.h"
#include "tests/conformance/planted/hunt.h"
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilenest;
using namespace tilenest::conformance;

namespace {

// "suite: ...", "fuzzer: ...", "time", "crash", or "" for a survivor.
std::string hunted(const Fault &fault, const std::vector<Case> &cases, std::uint64_t kernels) {
  int ends[2];
  if (pipe(ends) != 0) std::exit(1);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    alarm(120);
    const Hunt h = hunt(fault, cases, kernels);
    const std::string text = h.by.empty() ? "" : h.by + ": " + h.what;
    if (write(ends[1], text.data(), text.size()) < 0) _exit(1);
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t n = 0; (n = read(ends[0], part, sizeof part)) > 0;) text.append(part, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGALRM ? "time" : "crash: signal " + std::to_string(WTERMSIG(status));
  return text;
}

} // namespace

int main(int argc, char **argv) {
  const auto argument = [&](int i, std::uint64_t otherwise) { return argc > i ? std::strtoull(argv[i], nullptr, 10) : otherwise; };
  const std::uint64_t wanted = argument(1, 120), seed = argument(2, 0), kernels = argument(3, 4000);
  std::vector<Case> cases;
  for (std::size_t i = 0; i < embedded_case_file_count; ++i) {
    auto read = read_cases(embedded_case_files[i].text, std::string(embedded_case_files[i].name));
    for (Case &c : *read) cases.push_back(std::move(c));
  }
  std::vector<Fault> faults = all_faults(cases);
  const std::size_t all = faults.size();
  Random random(seed);
  for (std::size_t i = faults.size(); i > 1; --i) std::swap(faults[i - 1], faults[static_cast<std::size_t>(random.below(static_cast<int>(i)))]);
  if (faults.size() > wanted) faults.resize(wanted);
  std::size_t by_suite = 0, by_fuzzer = 0, by_end = 0;
  std::vector<Fault> survivors;
  for (const Fault &f : faults) {
    const std::string by = hunted(f, cases, kernels);
    std::printf("%-60s %s\n", text_of(f).c_str(), by.empty() ? "SURVIVES" : by.substr(0, 160).c_str());
    std::fflush(stdout);
    if (by.empty()) survivors.push_back(f);
    else if (by.starts_with("suite")) ++by_suite;
    else if (by.starts_with("fuzzer")) ++by_fuzzer;
    else ++by_end;
  }
  std::printf("\n%zu of %zu faults: the suite finds %zu, the fuzzer %zu more, %zu do not end, %zu survive\n", faults.size(), all, by_suite, by_fuzzer, by_end,
              survivors.size());
  for (const Fault &f : survivors) std::printf("survives: %s\n", text_of(f).c_str());
}
