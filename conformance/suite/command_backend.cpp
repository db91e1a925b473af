// SPDX-License-Identifier: Apache-2.0
// A backend that is a command: files in a folder of its own, a process group with a time limit, files back.
#include "arrays/npz.h"
#include "conformance/suite/backend.h"
#include "semantics/diag/codes.h"
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fcntl.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace tilenest::conformance {

namespace {

class ScratchFolder {
public:
  ScratchFolder() {
    std::error_code error;
    std::string pattern = (std::filesystem::temp_directory_path(error) / "tilenest-conform-XXXXXX").string();
    if (!error && mkdtemp(pattern.data()) != nullptr) root_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (!root_.empty()) std::filesystem::remove_all(root_, ignored);
  }
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;
  bool made() const { return !root_.empty(); }
  std::string path(const char *name) const { return root_ + "/" + name; }

private:
  std::string root_;
};

// The wait status, or a word for why there is none.
struct Ended {
  int status = 0;
  std::string failure;
};

Ended run_process(const std::vector<std::string> &words, const std::string &error_file, double timeout_s) {
  std::vector<char *> argv;
  for (const std::string &w : words) argv.push_back(const_cast<char *>(w.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, error_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  sigaddset(&defaults, SIGXFSZ);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int failed = posix_spawn(&child, argv[0], &files, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) return {0, std::string("cannot be started: ") + std::strerror(failed)};
  Ended out;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeout_s);
  for (useconds_t pause = 100;; pause = std::min<useconds_t>(pause * 2, 5000)) {
    const pid_t done = waitpid(child, &out.status, WNOHANG);
    if (done == child) break;
    if (done < 0 && errno != EINTR) return {0, std::string("cannot be waited for: ") + std::strerror(errno)};
    if (std::chrono::steady_clock::now() >= end) {
      kill(-child, SIGKILL);
      waitpid(child, &out.status, 0);
      char text[64];
      std::snprintf(text, sizeof text, "ran longer than %g s", timeout_s);
      return {0, text};
    }
    usleep(pause);
  }
  kill(-child, SIGKILL); // what it left behind
  return out;
}

std::string last_line(const std::string &path) {
  std::ifstream file(path);
  std::string line, last;
  while (std::getline(file, line))
    if (!line.empty()) last = line;
  return last.substr(0, 200);
}

bool write_file(const std::string &path, const std::string &text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return !file.fail();
}

Array array_over(const Elements &described, std::span<std::byte> bytes) {
  Array out;
  out.type = described.type;
  out.shape = described.shape;
  out.strides = packed_strides(described.type, described.shape);
  out.data = bytes.data();
  return out;
}

const char *access_name(ArgumentAccess access) { return access == ArgumentAccess::in ? "in" : access == ArgumentAccess::mut ? "mut" : "out"; }

class CommandBackend : public Backend {
public:
  CommandBackend(std::string command, const BackendOptions &options) : command_(std::move(command)), options_(options) {}
  std::string name() const override { return "exec:" + command_; }
  std::string kind() const override { return "exec"; }
  bool is_command() const override { return true; }
  const TargetProfile *target() const override { return options_.target.get(); }

  Attempt run(const Case &c, const BoundProgram &bound, const Arrays &arrays, std::uint64_t) const override {
    if (arrays.shares_storage()) return unsupported("arguments that share storage");
    const ScratchFolder folder;
    if (!folder.made() || !write_inputs(folder, c, bound, arrays)) return {{}, "no folder for its files can be made"};
    const std::string kernel = bound.program->name;
    const std::string line = command_ + " \"$@\"";
    const Ended ended = run_process({"/bin/sh", "-c", line, "sh", folder.path("program.tile"), kernel, folder.path("in.npz"), folder.path("out.npz")},
                                    folder.path("said.txt"), options_.timeout_s);
    if (!ended.failure.empty()) return {{}, ended.failure};
    if (WIFSIGNALED(ended.status)) return {{}, "was ended by signal " + std::to_string(WTERMSIG(ended.status))};
    const int status = WEXITSTATUS(ended.status);
    if (status == 5) return unsupported("this kernel");
    if (status == 1) return {{Diagnostic(Code::A0001, {}, {{"text", last_line(folder.path("said.txt"))}})}, {}};
    if (status != 0) {
      const std::string said = last_line(folder.path("said.txt"));
      return {{}, "ended with status " + std::to_string(status) + (said.empty() ? "" : ": " + said)};
    }
    return read_outputs(folder.path("out.npz"), *bound.program, arrays);
  }

private:
  Attempt unsupported(const std::string &what) const { return {{Diagnostic(Code::N0001, {}, {{"what", what}, {"engine", name()}})}, {}}; }

  static bool write_inputs(const ScratchFolder &folder, const Case &c, const BoundProgram &bound, const Arrays &arrays) {
    const TileProgram &p = *bound.program;
    nlohmann::ordered_json about;
    about["schema"] = "tilenest-exec-1";
    about["case"] = c.name;
    about["kernel"] = p.name;
    about["extents"] = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < bound.params.size(); ++i) about["extents"][p.params[ParamId(i)].name] = bound.params[i];
    about["arguments"] = nlohmann::ordered_json::array();
    std::vector<std::pair<std::string, Array>> members;
    for (std::size_t i = 0; i < p.arguments.size(); ++i) {
      const Object &object = p.objects[p.arguments[i]];
      about["arguments"].push_back({{"name", object.name}, {"access", access_name(object.access)}, {"type", std::string(to_string(object.elem))},
                                    {"shape", arrays.description(i).shape}});
      members.emplace_back(object.name, array_over(arrays.description(i), arrays.bytes(i)));
    }
    return write_file(folder.path("program.tile"), c.program) && write_file(folder.path("in.json"), about.dump(2) + "\n") &&
           write_npz(folder.path("in.npz"), members).empty();
  }

  static Attempt read_outputs(const std::string &path, const TileProgram &p, const Arrays &arrays) {
    for (std::size_t i = 0; i < p.arguments.size(); ++i) {
      const Object &object = p.objects[p.arguments[i]];
      if (object.access == ArgumentAccess::in) continue;
      Result<Array> array = read_npz(path, object.name, object.elem);
      if (array) array = make_contiguous(*array);
      if (!array) return {{}, "gives no `" + object.name + "`: " + array.errors()[0].message()};
      const std::vector<std::int64_t> &shape = arrays.description(i).shape, expected = is_packed(object.elem) ? byte_shape(shape) : shape;
      if (array->shape != expected)
        return {{}, "gives `" + object.name + "` as " + describe(object.elem, array->shape) + ", it is " + describe(object.elem, expected)};
      const std::span<std::byte> to = arrays.bytes(i);
      if (!to.empty()) std::memcpy(to.data(), array->data, to.size());
    }
    return {};
  }

  std::string command_;
  BackendOptions options_;
};

} // namespace

std::unique_ptr<Backend> command_backend(const std::string &command, const BackendOptions &options) {
  return std::make_unique<CommandBackend>(command, options);
}

} // namespace tilenest::conformance
