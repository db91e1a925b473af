// SPDX-License-Identifier: Apache-2.0
// Writing .npy files: their bytes, round trips, and that a file appears whole or not at all.
#include "arrays/npy.h"
#include "element_access.h"
#include "file_bytes.h"
#include <csignal>
#include <numeric>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tilenest;
using namespace tilenest_test;
using Shape = std::vector<std::int64_t>;

namespace {
Array filled(ScalarType type, Shape shape, Order order = Order::row_major) {
  Array a = std::move(*make_array(type, std::move(shape), Fill::zeros, order));
  for (std::int64_t i = 0; i < a.bytes(); ++i)
    a.data[i] = static_cast<std::byte>(type == ScalarType::boolean ? i % 2 : i * 7 + 3);
  return a;
}

std::string raw(const Array &a) {
  return {reinterpret_cast<const char *>(a.data), static_cast<std::size_t>(a.bytes())};
}

// Files may not grow over `bytes` while this lives; growing further is an error, not a signal.
class FileSizeLimit {
public:
  explicit FileSizeLimit(rlim_t bytes) {
    old_action_ = std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old_);
    rlimit limit = old_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_action_);
  }

private:
  rlimit old_;
  void (*old_action_)(int);
};
} // namespace

TEST_CASE("the bytes of a file are NumPy's", "[arrays]") {
  const TemporaryDirectory directory;
  const struct {
    ScalarType type;
    const char *descr;
  } rows[] = {{ScalarType::boolean, "|b1"}, {ScalarType::i8, "|i1"},       {ScalarType::i16, "<i2"},
              {ScalarType::i32, "<i4"},     {ScalarType::i64, "<i8"},      {ScalarType::u8, "|u1"},
              {ScalarType::u16, "<u2"},     {ScalarType::u32, "<u4"},      {ScalarType::u64, "<u8"},
              {ScalarType::f16, "<f2"},     {ScalarType::bf16, "<V2"},     {ScalarType::f32, "<f4"},
              {ScalarType::f64, "<f8"},     {ScalarType::f8e4m3fn, "|V1"}, {ScalarType::f8e5m2, "|V1"}};
  CHECK(std::size(rows) == scalar_type_count - 2); // i4 and u4: packed_test.cpp
  for (const auto &row : rows) {
    INFO(row.descr);
    const std::string path = directory.file("a.npy");
    for (const auto &[shape, text] : std::vector<std::pair<Shape, std::string>>{
             {{2, 3}, "(2, 3)"}, {{5}, "(5,)"}, {{}, "()"}, {{4, 0, 2}, "(4, 0, 2)"}}) {
      const Array a = filled(row.type, shape);
      REQUIRE(write_npy(path, a).empty());
      CHECK(contents(path) == npy(row.descr, text, raw(a)));
      const Result<Array> back = read_npy(path, row.type);
      REQUIRE(back.ok());
      CHECK(back->shape == shape);
      CHECK(raw(*back) == raw(a));
    }
  }
}

TEST_CASE("orders and strides", "[arrays]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a.npy");
  const Array f = filled(ScalarType::i32, {3, 4}, Order::column_major);
  REQUIRE(write_npy(path, f).empty());
  CHECK(contents(path) == npy("<i4", "(3, 4)", raw(f), true));
  CHECK(values<std::int32_t>(*read_npy(path)) == values<std::int32_t>(f));

  Array every_other = filled(ScalarType::i16, {5, 6});
  every_other.shape = {5, 3};
  every_other.strides = {12, 4};
  REQUIRE(write_npy(path, every_other).empty());
  const Result<Array> back = read_npy(path);
  CHECK(back->is_contiguous());
  CHECK(values<std::int16_t>(*back) == values<std::int16_t>(every_other));

  const Array deep = filled(ScalarType::u8, Shape(30000, 1)); // its header needs version 2.0
  REQUIRE(write_npy(path, deep).empty());
  CHECK(contents(path)[6] == 2);
  CHECK(read_npy(path)->shape == deep.shape);
}

TEST_CASE("a replaced file keeps its permissions, a new one has the process's", "[arrays]") {
  const TemporaryDirectory directory;
  const Array a = filled(ScalarType::f32, {10});
  const auto mode = [](const std::string &path) {
    struct stat s;
    REQUIRE(stat(path.c_str(), &s) == 0);
    return s.st_mode & 07777;
  };
  const mode_t old = umask(027);
  REQUIRE(write_npy(directory.file("new.npy"), a).empty());
  CHECK(mode(directory.file("new.npy")) == 0640);
  umask(old);
  REQUIRE(chmod(directory.file("new.npy").c_str(), 0604) == 0);
  REQUIRE(write_npy(directory.file("new.npy"), a).empty());
  CHECK(mode(directory.file("new.npy")) == 0604);

  // A link is followed, and what an array was mapped from can be written over.
  REQUIRE(symlink("new.npy", directory.file("link.npy").c_str()) == 0);
  const Array big = filled(ScalarType::u8, {200000});
  REQUIRE(write_npy(directory.file("link.npy"), big).empty());
  CHECK(std::filesystem::is_symlink(directory.file("link.npy")));
  const Result<Array> mapped = read_npy(directory.file("link.npy"));
  REQUIRE(mapped->read_only);
  REQUIRE(write_npy(directory.file("link.npy"), a).empty());
  CHECK(raw(*mapped) == raw(big));
  CHECK(raw(*read_npy(directory.file("new.npy"))) == raw(a));
  CHECK(directory.names() == std::vector<std::string>{"link.npy", "new.npy"});
}

TEST_CASE("places that cannot be written", "[arrays][P0509]") {
  const TemporaryDirectory directory;
  const Array a = filled(ScalarType::f32, {10});
  const std::string plain = directory.file("plain", "text");
  REQUIRE(mkfifo(directory.file("pipe").c_str(), 0600) == 0);
  REQUIRE(symlink("nowhere", directory.file("dangling").c_str()) == 0);
  std::filesystem::create_directory(directory.file("folder"));
  const auto why = [&](const std::string &path) {
    const Diagnostics d = write_npy(path, a);
    CHECK(code_of(d) == "P0509");
    CHECK(exit_status(d) == 2);
    return d.empty() ? "" : d[0].message();
  };
  const auto says = [&](const std::string &path, const std::string &reason) {
    CHECK(why(path) == "cannot write `" + path + "`: " + reason);
  };
  says(directory.file("folder"), "it is a directory");
  says(directory.file("folder/"), "it names a directory");
  says("", "it names a directory");
  says(directory.file("missing/a.npy"), "No such file or directory");
  says(plain + "/a.npy", "Not a directory");
  says(directory.file("pipe"), "it is not a regular file");
  says("/dev/null", "it is not a regular file");
  says(directory.file("dangling"), "it is a symbolic link to nothing");
  says(directory.file(std::string(300, 'x')), "File name too long");
  CHECK(std::filesystem::is_symlink(directory.file("dangling")));
  CHECK(directory.names() == std::vector<std::string>{"dangling", "folder", "pipe", "plain"});

  // Root may write anything.
  REQUIRE(chmod(plain.c_str(), 0444) == 0);
  if (access(plain.c_str(), W_OK) != 0) says(plain, "Permission denied");
  REQUIRE(chmod(directory.file("folder").c_str(), 0555) == 0);
  if (access(directory.file("folder").c_str(), W_OK) != 0)
    says(directory.file("folder/a.npy"), "Permission denied");
  CHECK(contents(plain) == "text");
}

TEST_CASE("a write that fails midway leaves nothing and changes nothing", "[arrays][P0509]") {
  const TemporaryDirectory directory;
  const Array a = filled(ScalarType::u8, {10 << 20});
  const std::string existing = directory.file("existing.npy", "as it was");
  Diagnostics over, fresh;
  {
    const FileSizeLimit limit(1 << 20);
    over = write_npy(existing, a);
    fresh = write_npy(directory.file("fresh.npy"), a);
  }
  CHECK(code_of(over) == "P0509");
  CHECK(code_of(fresh) == "P0509");
  CHECK(contents(existing) == "as it was");
  CHECK(directory.names() == std::vector<std::string>{"existing.npy"});
}

TEST_CASE("a replacement file, with and without a temporary name", "[arrays]") {
  const TemporaryDirectory directory;
  for (const bool unnamed : {true, false}) {
    const std::string path = directory.file("out", "before");
    const std::string text = "after";
    {
      Result<ReplacementFile> file = ReplacementFile::create(path, unnamed);
      REQUIRE(file.ok());
      REQUIRE(file->append(std::as_bytes(std::span(text))).empty());
      CHECK(contents(path) == "before");
      if (!unnamed) CHECK(directory.names().size() == 2);
    } // given up
    CHECK(contents(path) == "before");
    CHECK(directory.names() == std::vector<std::string>{"out"});
    {
      Result<ReplacementFile> file = ReplacementFile::create(path, unnamed);
      REQUIRE(file.ok());
      REQUIRE(file->append(std::as_bytes(std::span(text))).empty());
      REQUIRE(file->overwrite(1, std::as_bytes(std::span("F", 1))).empty());
      CHECK(file->size() == 5);
      REQUIRE(file->commit().empty());
    }
    CHECK(contents(path) == "aFter");
    CHECK(directory.names() == std::vector<std::string>{"out"});
  }
}
