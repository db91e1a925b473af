// SPDX-License-Identifier: Apache-2.0
// The object cache on disk: hits, damage, bounds, folders that cannot be used, processes side by side.
#include "tests/cpu/compiled.h"
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilenest::cpu_test {
namespace {

namespace fs = std::filesystem;

struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "tilenest-cache-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() { fs::remove_all(path); }
  std::vector<fs::path> entries() const {
    std::vector<fs::path> out;
    for (const auto &entry : fs::directory_iterator(path)) out.push_back(entry.path());
    return out;
  }
};

cpu::CpuOptions kept_in(const fs::path &folder) {
  cpu::CpuOptions options;
  options.cache_folder = folder.string();
  return options;
}

plan::Plan constant_plan(std::int64_t value) {
  Builder b("cached");
  const auto out = b.argument("out", ScalarType::i64, {1}, 0, ArgumentAccess::out);
  b.launch("one", {b.i64(1)}, [&](const Regs &c) { b.store(out, c[0], b.i64(value)); });
  return b.finish();
}

// Whether the code came from the cache; it must give the value.
bool cached(const cpu::CpuOptions &options, std::int64_t value) {
  const auto code = compiled(constant_plan(value), options);
  Elements target(ScalarType::i64, 1);
  run(*code, {&target});
  CHECK(target.get(0) == static_cast<std::uint64_t>(value));
  return code->from_cache();
}

} // namespace

TEST_CASE("code is kept and found again", "[cpu][cache]") {
  const Folder folder;
  const cpu::CpuOptions options = kept_in(folder.path / "a" / "tilenest");
  CHECK(!cached(options, 5));
  CHECK(cached(options, 5));
  CHECK(!cached(options, 6)); // another plan
  cpu::CpuOptions other = options;
  other.opt_level = 2;
  CHECK(!cached(other, 5));
  other = options;
  other.vector_bits = 128;
  CHECK(!cached(other, 5));
  other.processor = "x86-64";
  CHECK(!cached(other, 5));
  CHECK(cached(options, 5));
  other = options;
  other.no_cache = true;
  CHECK(!cached(other, 5));
  CHECK(std::distance(fs::directory_iterator(folder.path / "a" / "tilenest"), {}) == 5);
}

TEST_CASE("a damaged entry is as none", "[cpu][cache]") {
  const Folder folder;
  const cpu::CpuOptions options = kept_in(folder.path);
  CHECK(!cached(options, 7));
  const std::vector<fs::path> entries = folder.entries();
  REQUIRE(entries.size() == 1);
  std::string whole(fs::file_size(entries[0]), '\0');
  std::ifstream(entries[0], std::ios::binary).read(whole.data(), static_cast<std::streamsize>(whole.size()));
  std::string flipped = whole, longer = whole + "x";
  flipped[whole.size() - 100] ^= 4;
  for (const std::string &damaged : {std::string(), whole.substr(0, 10), whole.substr(0, whole.size() - 1), longer, flipped,
                                     std::string(500, 'x')}) {
    std::ofstream(entries[0], std::ios::binary | std::ios::trunc) << damaged;
    CHECK(!cached(options, 7));
    CHECK(cached(options, 7)); // and is made anew
  }
}

TEST_CASE("the cache has a bound, and the least recently used entries go", "[cpu][cache]") {
  const Folder folder;
  cpu::CpuOptions options = kept_in(folder.path);
  CHECK(!cached(options, 1));
  const std::uint64_t size = fs::file_size(folder.entries()[0]);
  options.cache_limit = size * 7 / 2;
  std::ofstream(folder.path / "other.txt") << std::string(100000, 'x'); // not the cache's: neither counted nor deleted
  for (std::int64_t i = 1; i <= 6; ++i) {
    cached(options, i);
    CHECK(cached(options, 1)); // used all the time
    usleep(20000);
  }
  CHECK(folder.entries().size() == 4);
  CHECK(cached(options, 6));
  CHECK(!cached(options, 2));
}

TEST_CASE("a folder that cannot be used is said once", "[cpu][cache]") {
  const Folder folder;
  std::ofstream(folder.path / "file") << "x";
  std::size_t notes = 0;
  for (int i = 0; i < 3; ++i) {
    const auto code = compiled(constant_plan(i), kept_in(folder.path / "file" / "tilenest"));
    CHECK(!code->from_cache());
    for (const Diagnostic &d : code->notes()) {
      CHECK(std::string(d.info().code) == "N1503");
      CHECK(d.info().severity == Severity::note);
      ++notes;
    }
  }
  CHECK(notes == 1);
  // Code in a folder that others may write is not run.
  const cpu::CpuOptions options = kept_in(folder.path);
  CHECK(!cached(options, 9));
  CHECK(cached(options, 9));
  REQUIRE(chmod(folder.path.c_str(), 0777) == 0);
  CHECK(!cached(options, 9));
  REQUIRE(chmod(folder.path.c_str(), 0500) == 0); // root may write it none the less
  CHECK(cached(options, 9));
  if (geteuid() != 0) CHECK(!cached(options, 10));
  REQUIRE(chmod(folder.path.c_str(), 0700) == 0);
}

TEST_CASE("processes share a cache", "[cpu][cache]") {
  const Folder folder;
  cpu::CpuOptions options = kept_in(folder.path);
  engine();
  std::vector<pid_t> children;
  for (int child = 0; child < 2; ++child) {
    const pid_t pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
      bool right = true;
      for (int round = 0; round < 10; ++round)
        for (std::int64_t value = 0; value < 3; ++value) {
          options.cache_limit = round % 3 == 2 ? 1 : 1 << 20; // deleted under the other's hands
          Elements target(ScalarType::i64, 1);
          run(*compiled(constant_plan(value), options), {&target});
          right = right && target.get(0) == static_cast<std::uint64_t>(value);
        }
      _exit(right ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (pid_t pid : children) {
    int status = 0;
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  }
  CHECK(cached(options, 0) + cached(options, 0) >= 1);
}

TEST_CASE("a module that is not there is N1501", "[cpu][cache]") {
  // In a process of its own: the engine of this one is open.
  engine();
  const std::string command = std::string(TILENEST_CPU_PROBE) + " 2>&1";
  for (const auto &[module, expected] : {std::pair{"/nowhere/libtilenest_cpu.so", "N1501: the CPU engine cannot be loaded: there is no `/nowhere/libtilenest_cpu.so`\n"},
                                         std::pair{TILENEST_CPU_MODULE_BUILT, "loaded\n"}}) {
    FILE *pipe = popen(("TILENEST_CPU_MODULE=" + std::string(module) + " " + command).c_str(), "r");
    REQUIRE(pipe != nullptr);
    char text[300] = {};
    const std::size_t length = fread(text, 1, sizeof text - 1, pipe);
    pclose(pipe);
    CHECK(std::string(text, length) == expected);
  }
}

} // namespace tilenest::cpu_test
