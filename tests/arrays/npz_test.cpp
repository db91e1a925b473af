// SPDX-License-Identifier: Apache-2.0
// Well-formed .npz files in, and what write_npz writes.
#include "arrays/npz.h"
#include "element_access.h"
#include "file_bytes.h"

using namespace tilenest;
using namespace tilenest_test;
using Shape = std::vector<std::int64_t>;

namespace {
const std::vector<float> six{0, 1, 2, 3, 4, 5};
} // namespace

TEST_CASE("NumPy's archives, stored and deflated", "[arrays]") {
  for (const char *name : {"stored.npz", "deflated.npz"}) {
    INFO(name);
    const Result<Array> a = read_npz(data_file(name), "a"), b = read_npz(data_file(name), "b.npy"),
                        c = read_npz(data_file(name), "c"), e = read_npz(data_file(name), "empty");
    REQUIRE((a.ok() && b.ok() && c.ok() && e.ok()));
    CHECK(values<float>(*a) == std::vector<float>{-5, -4, -3, -2, -1, 0});
    CHECK(values<std::int32_t>(*b) == std::vector<std::int32_t>{-5, -4, -3, -2, -1, 0});
    CHECK(c->strides == Shape{2, 6});
    CHECK(element<std::uint16_t>(*c, {1, 2}) == 7);
    CHECK(e->shape == Shape{0});
    CHECK(read_npz(data_file(name), "c", ScalarType::bf16)->type == ScalarType::bf16);
  }
  const Result<Array> only = read_npz(data_file("single.npz"), "");
  REQUIRE(only.ok());
  CHECK(only->shape == Shape{40, 50});
  CHECK(element<double>(*only, {39, 49}) == 1994);
}

TEST_CASE("data descriptors, forced zip64 and a comment, as Python's zipfile writes them", "[arrays]") {
  CHECK(values<float>(*read_npz(data_file("descriptors.npz"), "a")) ==
        std::vector<float>{-5, -4, -3, -2, -1, 0});
  CHECK(values<std::int32_t>(*read_npz(data_file("descriptors.npz"), "b"))[0] == -5);
}

TEST_CASE("archives put together by hand", "[arrays]") {
  ZipPart stored = ZipPart::stored("x.npy", plain), deflated = ZipPart::deflated("x.npy", plain);
  for (ZipPart part : {stored, deflated})
    for (const bool zip64 : {false, true})
      for (const bool end64 : {false, true})
        for (const int flags : {0, 8}) {
          part.zip64 = zip64;
          part.flags = flags;
          const Result<Array> a = unzipped(zip({part}, "note", end64));
          REQUIRE(a.ok());
          CHECK(values<float>(*a) == six);
        }
  // Folders are no members; a name may lack ".npy".
  CHECK(unzipped(zip({ZipPart::stored("folder/", ""), ZipPart::stored("folder/x", plain)}))->shape ==
        Shape{2, 3});
  CHECK(unzipped(zip({ZipPart::stored("folder/x", plain), stored}), "folder/x").ok());
  CHECK(unzipped(zip({stored}, std::string(0xffff, 'c'))).ok());
  CHECK(unzipped(zip({stored}, "PK\5\6 in a comment, and more than twenty-two bytes of it")).ok());
}

TEST_CASE("places name a file and perhaps a member", "[arrays]") {
  const TemporaryDirectory directory;
  const std::string one = directory.file("one.npz", zip({ZipPart::stored("x.npy", plain)}));
  const std::string two =
      directory.file("two.npz", zip({ZipPart::stored("x.npy", plain), ZipPart::deflated("y:z.npy", plain)}));
  const std::string array = directory.file("plain.npy", plain);
  const std::string odd = directory.file("odd.npz:x", plain);
  for (const std::string &place : {one, one + ":x", one + ":x.npy", two + ":x", two + ":y:z", array, odd}) {
    INFO(place);
    CHECK(read_array(place).ok());
  }
  CHECK(code_of(read_array(two)) == "P0507");
  CHECK(code_of(read_array(two + ":w")) == "P0507");
  CHECK(code_of(read_array(array + ":x")) == "P0501");
  CHECK(message_of(read_array(directory.file("none.npz") + ":x")).find("none.npz`: No such file") !=
        std::string::npos);
  CHECK(read_array(directory.file("misnamed.npy", zip({ZipPart::stored("x.npy", plain)}))).ok());
}

TEST_CASE("written archives are aligned for mapping and read back", "[arrays]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("out.npz");
  Array big = std::move(*make_array(ScalarType::i32, {100, 1000}, Fill::zeros));
  for (int i = 0; i < 100000; ++i) std::memcpy(big.data + 4 * i, &i, 4);
  Array turned = std::move(*make_array(ScalarType::bf16, {3, 2}, Fill::zeros, Order::column_major));
  turned.data[2] = std::byte{9};
  const Array scalar = std::move(*make_array(ScalarType::f64, {}, Fill::zeros));
  REQUIRE(write_npz(path, {{"big", big}, {"t", turned}, {"s", scalar}, {"\xc3\xa9", scalar}}).empty());
  const Result<Array> back = read_npz(path, "big");
  REQUIRE(back.ok());
  CHECK(back->read_only); // on the mapping
  CHECK(reinterpret_cast<std::uintptr_t>(back->data) % 64 == 0);
  CHECK(values<std::int32_t>(*back) == values<std::int32_t>(big));
  const Result<Array> t = read_npz(path, "t", ScalarType::bf16);
  CHECK(values<std::uint16_t>(*t) == values<std::uint16_t>(turned));
  CHECK(read_npz(path, "s")->shape.empty());
  CHECK(read_npz(path, "\xc3\xa9").ok());
  CHECK(directory.names() == std::vector<std::string>{"out.npz"});

  // The same arrays give the same bytes, and the checksum is the one that CRC-32 gives.
  const std::string before = contents(path);
  REQUIRE(write_npz(path, {{"big", big}, {"t", turned}, {"s", scalar}, {"\xc3\xa9", scalar}}).empty());
  CHECK(contents(path) == before);
  REQUIRE(write_npz(path, {{"s", scalar}}).empty());
  CHECK(contents(path).substr(14, 4) == number(crc32_by_bits(npy("<f8", "()", std::string(8, '\0'))), 4));
  REQUIRE(write_npz(path, {}).empty());
  CHECK(code_of(read_npz(path, "")) == "P0507");
}

TEST_CASE("names that an archive cannot have", "[arrays][P0509]") {
  const TemporaryDirectory directory;
  const Array a = std::move(*make_array(ScalarType::f64, {}, Fill::zeros));
  CHECK(code_of(write_npz(directory.file("a.npz"), {{"x", a}, {"x", a}})) == "P0509");
  CHECK(code_of(write_npz(directory.file("a.npz"), {{"", a}})) == "P0509");
  CHECK(code_of(write_npz(directory.file("a.npz"), {{std::string(70000, 'x'), a}})) == "P0509");
  CHECK(directory.names().empty());
}

TEST_CASE("a long list of members is cut in the message", "[arrays]") {
  const TemporaryDirectory directory;
  const Array a = std::move(*make_array(ScalarType::u8, {}, Fill::zeros));
  std::vector<std::pair<std::string, Array>> many;
  for (int i = 0; i < 200; ++i) many.emplace_back("m" + std::to_string(i), a);
  REQUIRE(write_npz(directory.file("a.npz"), many).empty());
  CHECK(read_npz(directory.file("a.npz"), "m199").ok());
  CHECK(message_of(read_npz(directory.file("a.npz"), "m200")).find("`m19` and 180 more") !=
        std::string::npos);
}
