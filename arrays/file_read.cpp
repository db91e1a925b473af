// SPDX-License-Identifier: Apache-2.0
// Reading a whole regular file: mapped, or read into the heap where it is small.
#include "arrays/file.h"
#include "semantics/diag/codes.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tilenest {

namespace {
constexpr std::size_t map_threshold = 64 * 1024;

Diagnostic cannot_read(const std::string &path, std::string why, std::string help = {}) {
  return {Code::P0501, {}, {{"file", path}, {"why", std::move(why)}}, std::move(help)};
}

Result<ByteBlock> read_small(int fd, const std::string &path, std::size_t size) {
  auto *heap = static_cast<std::byte *>(::operator new (size, std::align_val_t{64}, std::nothrow));
  if (heap == nullptr) return cannot_read(path, std::strerror(ENOMEM));
  std::shared_ptr<void> owner(heap, [](void *p) { ::operator delete (p, std::align_val_t{64}); });
  std::size_t have = 0;
  while (have < size) {
    const ssize_t n = read(fd, heap + have, size - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return cannot_read(path, std::strerror(errno));
    if (n == 0) break;
    have += static_cast<std::size_t>(n);
  }
  return ByteBlock{{heap, have}, std::move(owner), true};
}

Result<ByteBlock> map_open(int fd, const std::string &path, MapMode access) {
  struct stat s;
  if (fstat(fd, &s) != 0) return cannot_read(path, std::strerror(errno));
  if (S_ISDIR(s.st_mode)) return cannot_read(path, "it is a directory");
  if (!S_ISREG(s.st_mode))
    return cannot_read(path, "it is not a regular file", "write the array to a file and pass that");
  const auto size = static_cast<std::size_t>(s.st_size);
  if (size == 0) return ByteBlock{};
  if (size < map_threshold) return read_small(fd, path, size);
  const bool writable = access == MapMode::copy_on_write;
  void *region = mmap(nullptr, size, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_PRIVATE, fd, 0);
  if (region == MAP_FAILED) return cannot_read(path, std::strerror(errno));
  std::shared_ptr<void> owner(region, [size](void *p) { munmap(p, size); });
  return ByteBlock{{static_cast<std::byte *>(region), size}, std::move(owner), writable};
}
} // namespace

Result<ByteBlock> map_file(const std::string &path, MapMode access) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return cannot_read(path, std::strerror(errno));
  Result<ByteBlock> block = map_open(fd, path, access);
  close(fd);
  return block;
}

} // namespace tilenest
