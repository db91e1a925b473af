// SPDX-License-Identifier: Apache-2.0
// tilenest: from the command line to a command and its exit status. Nothing is decided here.
#include "cli/command_line.h"
#include "cli/report.h"
#include "semantics/diag/codes.h"
#include <csignal>
#include <exception>
#include <fcntl.h>
#include <new>
#include <unistd.h>

namespace {

int dispatch(const tilenest::cli::Command &command) {
  using namespace tilenest::cli;
  struct Run {
    int operator()(const RunArguments &a) { return run_command(a); }
    int operator()(const ExploreArguments &a) { return explore_command(a); }
    int operator()(const JudgeArguments &a) { return judge_command(a); }
    int operator()(const CheckArguments &a) { return check_command(a); }
    int operator()(const PrintArguments &a) { return print_command(a); }
    int operator()(const ConformArguments &a) { return conform_command(a); }
    int operator()(const FuzzArguments &a) { return fuzz_command(a); }
    int operator()(const OpsArguments &a) { return ops_command(a); }
    int operator()(const ExplainArguments &a) { return explain_command(a); }
    int operator()(const CompletionArguments &a) { return completion_command(a); }
  };
  return std::visit(Run{}, command);
}

// A standard stream that is closed must not become the descriptor of a file that a command opens: it gets one that
// every read or write of the stream fails on.
void occupy_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) return;
}

} // namespace

int main(int argc, char **argv) {
  using namespace tilenest;
  occupy_standard_streams();
  // A reader that goes away is no fault: writes to it fail, and the run ends as it would have.
  std::signal(SIGPIPE, SIG_IGN);
  // Nor is a limit on the size of files: a write past it fails (EFBIG), and what was begun is removed.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const auto parsed = cli::parse_command_line(argc, argv);
    if (const int *status = std::get_if<int>(&parsed)) return cli::finish_output(*status);
    return cli::finish_output(dispatch(std::get<cli::Command>(parsed)));
  } catch (const std::bad_alloc &) {
    return cli::report_text({Diagnostic(Code::L0301, {}, {{"what", "the command needs more than the machine gives"}})});
  } catch (const std::exception &e) {
    return cli::report_text({Diagnostic(Code::B0001, {}, {{"what", e.what()}})});
  }
}
