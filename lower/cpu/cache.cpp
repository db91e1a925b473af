// SPDX-License-Identifier: Apache-2.0
// The object cache. Only a folder that belongs to the user and that nobody else may write is used: what lies in it is
// run.
#include "lower/cpu/cache.h"
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/SHA256.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace tilenest::cpu {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view magic = "tilenest-object 1\n";
constexpr std::size_t digest_size = 32;

std::string digest(std::string_view bytes) {
  const auto hash = llvm::SHA256::hash({reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size()});
  return {hash.begin(), hash.end()};
}

std::string default_folder() {
  const char *cache = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/tilenest";
  if (home != nullptr && *home != '\0') return std::string(home) + "/.cache/tilenest";
  return {};
}

} // namespace

ObjectCache::ObjectCache(std::string folder, std::uint64_t limit_bytes)
    : folder_(folder.empty() ? default_folder() : std::move(folder)), limit_(limit_bytes) {}

std::string ObjectCache::key(std::string_view everything) { return llvm::toHex(digest(everything), true); }

std::string ObjectCache::open_folder() const {
  if (folder_.empty()) return "neither XDG_CACHE_HOME nor HOME names a folder";
  std::error_code error;
  fs::create_directories(fs::path(folder_).parent_path(), error);
  if (mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST) return "`" + folder_ + "` cannot be made: " + std::strerror(errno);
  struct stat state {};
  if (stat(folder_.c_str(), &state) != 0 || !S_ISDIR(state.st_mode)) return "`" + folder_ + "` is no folder";
  if (state.st_uid != geteuid() || (state.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return "others may write `" + folder_ + "`";
  if (access(folder_.c_str(), W_OK | X_OK) != 0) return "`" + folder_ + "` cannot be written";
  return {};
}

std::optional<std::string> ObjectCache::find(const std::string &key) const {
  struct stat state {};
  if (folder_.empty() || stat(folder_.c_str(), &state) != 0 || state.st_uid != geteuid() ||
      (state.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return std::nullopt;
  std::ifstream file(path(key), std::ios::binary);
  if (!file) return std::nullopt;
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::size_t head = magic.size() + digest_size;
  if (bytes.size() < head || bytes.compare(0, magic.size(), magic) != 0) return std::nullopt;
  std::string object = bytes.substr(head);
  if (digest(object) != bytes.substr(magic.size(), digest_size)) return std::nullopt;
  std::error_code ignored;
  fs::last_write_time(path(key), fs::file_time_type::clock::now(), ignored);
  return object;
}

std::string ObjectCache::keep(const std::string &key, std::string_view object) const {
  if (std::string why = open_folder(); !why.empty()) return why;
  static std::atomic<unsigned> number{0};
  const std::string beside = path(key) + "." + std::to_string(getpid()) + "." + std::to_string(number++) + ".new";
  std::FILE *file = std::fopen(beside.c_str(), "wbx");
  if (file == nullptr) return "`" + folder_ + "` cannot be written: " + std::strerror(errno);
  const std::string sum = digest(object);
  bool written = std::fwrite(magic.data(), 1, magic.size(), file) == magic.size();
  written = written && std::fwrite(sum.data(), 1, sum.size(), file) == sum.size();
  written = written && std::fwrite(object.data(), 1, object.size(), file) == object.size();
  written = std::fclose(file) == 0 && written;
  if (!written || std::rename(beside.c_str(), path(key).c_str()) != 0) {
    std::remove(beside.c_str());
    return "`" + folder_ + "` cannot be written";
  }
  shrink();
  return {};
}

void ObjectCache::shrink() const {
  struct Entry {
    fs::path path;
    fs::file_time_type used;
    std::uint64_t bytes;
  };
  std::vector<Entry> entries;
  std::uint64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone; // by another process meanwhile
    const std::uint64_t bytes = at->file_size(gone);
    const fs::file_time_type used = gone ? fs::file_time_type() : at->last_write_time(gone);
    const fs::path &path = at->path(); // nothing else that lies there is touched
    if (gone || (path.extension() != ".o" && path.extension() != ".new")) continue;
    entries.push_back({path, used, bytes});
    total += bytes;
  }
  if (total <= limit_) return;
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) { return a.used < b.used; });
  for (const Entry &entry : entries) {
    if (total <= limit_) return;
    fs::remove(entry.path, error);
    total -= entry.bytes;
  }
}

} // namespace tilenest::cpu
