// SPDX-License-Identifier: Apache-2.0
// dlopen of libtilenest_cpu.so. The module holds its own copies of what it uses of tilenest and exports one function;
// objects cross the border through virtual calls and standard containers alone.
#include "lower/cpu/load.h"
#include "semantics/diag/codes.h"
#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>
#include <vector>

namespace tilenest::cpu {

namespace {

constexpr char module_name[] = "libtilenest_cpu.so";

std::string folder_of_executable() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0) return {};
  const std::string_view text(path, static_cast<std::size_t>(length));
  return std::string(text.substr(0, text.rfind('/') + 1));
}

std::vector<std::string> &added_places() {
  static std::vector<std::string> places;
  return places;
}

// What the loader of this process looks at, in this order.
std::vector<std::string> places() {
  std::vector<std::string> out;
  if (const char *given = std::getenv("TILENEST_CPU_MODULE")) return {given}; // and nowhere else
  const std::string here = folder_of_executable();
  if (!here.empty()) {
    out.push_back(here + module_name);
    out.push_back(here + TILENEST_CPU_FROM_BIN "/" + module_name);
  }
  out.insert(out.end(), added_places().begin(), added_places().end());
  return out;
}

Result<CpuEngine *> open_engine() {
  std::string why = "this build has none";
  for (const std::string &path : places()) {
    if (access(path.c_str(), F_OK) != 0) {
      why = "there is no `" + path + "`";
      continue;
    }
    void *module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr) {
      why = dlerror();
      continue;
    }
    auto *factory = reinterpret_cast<EngineFactory *>(dlsym(module, "tilenest_cpu_engine"));
    CpuEngine *engine = factory != nullptr ? factory(engine_interface_version) : nullptr;
    if (engine != nullptr) return engine;
    why = "`" + path + "` is of another version";
    dlclose(module);
  }
  return Diagnostic(Code::N1501, {}, {{"why", std::move(why)}});
}

} // namespace

void add_module_place(const char *path) { added_places().emplace_back(path); }

Result<CpuEngine *> load_engine() {
  static const Result<CpuEngine *> engine = open_engine();
  return engine;
}

} // namespace tilenest::cpu
