// SPDX-License-Identifier: Apache-2.0
// Reading a program's text, and the way from text to judged kernels.
#include "cli/program_source.h"
#include "cli/report.h"
#include "semantics/diag/codes.h"
#include "semantics/judge.h"
#include "semantics/text/parser.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace tilenest::cli {

namespace {

// At most one byte more than the parser takes, so that it is the parser that refuses a longer file.
int read_all(int fd, std::string &text) {
  constexpr std::size_t limit = text::max_file_bytes + 1;
  char buffer[1 << 16];
  while (text.size() < limit) {
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n == 0) break;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  if (text.size() > limit) text.resize(limit);
  return 0;
}

int read_path(const std::string &path, std::string &text) {
  if (path == "-") return read_all(STDIN_FILENO, text);
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  const int error = read_all(fd, text);
  close(fd);
  return error;
}

} // namespace

LoadedFile load_file(const std::string &path, const std::string &kernel) {
  LoadedFile out;
  out.name = path == "-" ? "<stdin>" : path;
  auto source = std::make_shared<SourceFile>();
  source->name = out.name;
  if (const int error = read_path(path, source->text)) {
    out.diagnostics.emplace_back(
        Code::P0501, Site{},
        std::vector<std::pair<std::string, std::string>>{{"file", out.name}, {"why", std::strerror(error)}});
    return out;
  }
  ParsedFile parsed = parse(source);
  out.diagnostics = std::move(parsed.diagnostics);
  for (TileProgram &p : parsed.kernels) {
    if (kernel.empty() || p.name == kernel) {
      Diagnostics judged = judge(p);
      const bool refused = has_error(judged);
      for (Diagnostic &d : judged) out.diagnostics.push_back(std::move(d));
      if (refused) continue;
    }
    out.kernels.push_back(std::make_shared<const TileProgram>(std::move(p)));
  }
  if (out.kernels.empty() && !has_error(out.diagnostics))
    out.diagnostics.emplace_back(Code::P1101, Site{},
                                 std::vector<std::pair<std::string, std::string>>{{"file", out.name}});
  return out;
}

std::variant<Program, int> choose_kernel(const LoadedFile &file, const std::string &kernel) {
  std::string names;
  for (const Program &p : file.kernels) {
    if (kernel.empty() ? file.kernels.size() == 1 : p->name == kernel) return p;
    names += (names.empty() ? "`" : ", `") + p->name + "`";
  }
  if (kernel.empty())
    return usage_error("`" + file.name + "` has several kernels", "choose one with `--kernel`: " + names);
  return usage_error("`" + file.name + "` has no kernel `" + kernel + "`", "its kernels: " + names);
}

} // namespace tilenest::cli
