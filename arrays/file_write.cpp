// SPDX-License-Identifier: Apache-2.0
// A file that appears whole or not at all: written without a name in the target's directory (or, where the
// file system has no O_TMPFILE, under a temporary one), synced, and renamed over the target.
#include "arrays/file.h"
#include "semantics/diag/codes.h"
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tilenest {

namespace {
Diagnostic cannot_write(const std::string &path, std::string why) {
  return {Code::P0509, {}, {{"file", path}, {"why", std::move(why)}}};
}

std::string directory_of(const std::string &path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Tries names beside the target until make(name) does not say that the name is taken.
template <class Make> int with_temporary_name(const std::string &target, std::string &name, Make make) {
  const std::string directory = directory_of(target);
  for (int attempt = 0; attempt < 100; ++attempt) {
    name = directory + "/.tilenest-" + std::to_string(getpid()) + "-" + std::to_string(attempt) + ".tmp";
    const int made = make(name);
    if (made >= 0 || errno != EEXIST) return made;
  }
  return -1;
}
} // namespace

Result<ReplacementFile> ReplacementFile::create(const std::string &path, bool allow_unnamed) {
  ReplacementFile file;
  file.path_ = file.target_ = path;
  if (path.empty() || path.back() == '/') return cannot_write(path, "it names a directory");
  struct stat existing;
  const bool exists = stat(path.c_str(), &existing) == 0;
  if (!exists && errno != ENOENT) return cannot_write(path, std::strerror(errno));
  if (exists) {
    if (S_ISDIR(existing.st_mode)) return cannot_write(path, "it is a directory");
    if (!S_ISREG(existing.st_mode)) return cannot_write(path, "it is not a regular file");
    if (::access(path.c_str(), W_OK) != 0) return cannot_write(path, std::strerror(errno));
    char resolved[PATH_MAX];
    if (realpath(path.c_str(), resolved) == nullptr) return cannot_write(path, std::strerror(errno));
    file.target_ = resolved;
  } else if (struct stat link; lstat(path.c_str(), &link) == 0) {
    return cannot_write(path, "it is a symbolic link to nothing");
  }
  if (allow_unnamed && ::access("/proc/self/fd", X_OK) == 0) // commit() names the file through /proc
    file.fd_ = open(directory_of(file.target_).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (file.fd_ < 0)
    file.fd_ = with_temporary_name(file.target_, file.temporary_, [](const std::string &name) {
      return open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    });
  if (file.fd_ < 0) {
    file.temporary_.clear();
    return cannot_write(path, std::strerror(errno));
  }
  // The existing file's permissions stay; a new file has those of the process's mask.
  if (exists && fchmod(file.fd_, existing.st_mode & 07777) != 0)
    return cannot_write(path, std::strerror(errno));
  return file;
}

ReplacementFile::ReplacementFile(ReplacementFile &&other) noexcept
    : path_(std::move(other.path_)), target_(std::move(other.target_)),
      temporary_(std::move(other.temporary_)), fd_(other.fd_), size_(other.size_) {
  other.fd_ = -1;
  other.temporary_.clear();
}

ReplacementFile::~ReplacementFile() {
  if (fd_ >= 0) close(fd_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

Diagnostics ReplacementFile::failure(int error) const { return {cannot_write(path_, std::strerror(error))}; }

Diagnostics ReplacementFile::append(std::span<const std::byte> bytes) {
  Diagnostics failed = overwrite(size_, bytes);
  if (failed.empty()) size_ += bytes.size();
  return failed;
}

Diagnostics ReplacementFile::overwrite(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return failure(n < 0 ? errno : EIO);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
  return {};
}

Diagnostics ReplacementFile::commit() {
  if (fsync(fd_) != 0) return failure(errno);
  if (temporary_.empty()) {
    const std::string self = "/proc/self/fd/" + std::to_string(fd_);
    std::string name;
    if (with_temporary_name(target_, name, [&](const std::string &candidate) {
          return linkat(AT_FDCWD, self.c_str(), AT_FDCWD, candidate.c_str(), AT_SYMLINK_FOLLOW);
        }) != 0)
      return failure(errno);
    temporary_ = std::move(name);
  }
  if (rename(temporary_.c_str(), target_.c_str()) != 0) return failure(errno);
  temporary_.clear();
  // The new name is in place; that it also outlives a power failure is best effort.
  if (const int directory = open(directory_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      directory >= 0) {
    (void)fsync(directory);
    close(directory);
  }
  return {};
}

} // namespace tilenest
