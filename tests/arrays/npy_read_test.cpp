// SPDX-License-Identifier: Apache-2.0
// Reading well-formed .npy files: NumPy's own, and ones put together by hand.
#include "arrays/npy.h"
#include "element_access.h"
#include "file_bytes.h"

using namespace tilenest;
using namespace tilenest_test;
using Shape = std::vector<std::int64_t>;

namespace {
// The file's elements are those of make_data.py's ramp.
template <class T> void check_ramp(const std::string &name, ScalarType type, bool big = true) {
  for (const char *suffix : {"", "_big"}) {
    if (*suffix != '\0' && !big) continue;
    INFO(name << suffix);
    const Result<Array> a = read_npy(data_file("ramp_" + name + suffix + ".npy"));
    REQUIRE(a.ok());
    CHECK(a->type == type);
    CHECK(a->shape == Shape{2, 3});
    std::vector<T> expected;
    for (int k = 0; k < 6; ++k) expected.push_back(static_cast<T>(std::is_unsigned_v<T> ? k : k - 5));
    CHECK(values<T>(*a) == expected);
    CHECK(read_npy(data_file("ramp_" + name + suffix + ".npy"), type).ok());
  }
}
} // namespace

TEST_CASE("NumPy's files of every element type, both byte orders", "[arrays]") {
  check_ramp<std::int8_t>("i1", ScalarType::i8, false);
  check_ramp<std::int16_t>("i2", ScalarType::i16);
  check_ramp<std::int32_t>("i4", ScalarType::i32);
  check_ramp<std::int64_t>("i8", ScalarType::i64);
  check_ramp<std::uint8_t>("u1", ScalarType::u8, false);
  check_ramp<std::uint16_t>("u2", ScalarType::u16);
  check_ramp<std::uint32_t>("u4", ScalarType::u32);
  check_ramp<std::uint64_t>("u8", ScalarType::u64);
  check_ramp<float>("f4", ScalarType::f32);
  check_ramp<double>("f8", ScalarType::f64);
  const Result<Array> b = read_npy(data_file("ramp_bool.npy"));
  REQUIRE(b.ok());
  CHECK(b->type == ScalarType::boolean);
  CHECK(values<std::uint8_t>(*b) == std::vector<std::uint8_t>{0, 1, 0, 1, 0, 1});
  for (const char *name : {"ramp_f2", "ramp_f2_big"}) {
    const Result<Array> h = read_npy(data_file(name + std::string(".npy")));
    REQUIRE(h.ok());
    CHECK(h->type == ScalarType::f16); // -5, -4, -3, -2, -1, 0
    CHECK(values<std::uint16_t>(*h) == std::vector<std::uint16_t>{0xc500, 0xc400, 0xc200, 0xc000, 0xbc00, 0});
  }
}

TEST_CASE("NumPy's files in Fortran order, of rank 0, empty, of versions 2.0 and 3.0", "[arrays]") {
  const Result<Array> f = read_npy(data_file("fortran_f4.npy"));
  REQUIRE(f.ok());
  CHECK(f->shape == Shape{2, 3, 4});
  CHECK(f->strides == Shape{4, 8, 24});
  CHECK(element<float>(*f, {0, 0, 0}) == -5);
  CHECK(element<float>(*f, {1, 2, 3}) == 18);
  CHECK(element<float>(*f, {0, 1, 2}) == 1);
  const Result<Array> g = read_npy(data_file("fortran_i2_big.npy"));
  REQUIRE(g.ok());
  CHECK(g->strides == Shape{2, 4, 12});
  CHECK(element<std::int16_t>(*g, {1, 0, 1}) == 8);
  const Result<Array> scalar = read_npy(data_file("scalar_f8.npy"));
  REQUIRE(scalar.ok());
  CHECK(scalar->shape.empty());
  CHECK(element<double>(*scalar, {}) == 2.5);
  const Result<Array> empty = read_npy(data_file("empty_f4.npy"));
  REQUIRE(empty.ok());
  CHECK(empty->shape == Shape{3, 0, 2});
  CHECK(empty->data != nullptr);
  for (const char *name : {"version_2", "version_3"}) {
    const Result<Array> v = read_npy(data_file(name + std::string(".npy")));
    REQUIRE(v.ok());
    CHECK(values<std::int32_t>(*v) == std::vector<std::int32_t>{-5, -4, -3, -2, -1, 0});
  }
}

TEST_CASE("bf16 and f8 are typed by the parameter", "[arrays]") {
  const std::vector<std::uint16_t> halves{0, 1, 2, 3, 4, 5};
  const std::vector<std::uint8_t> bytes{0, 1, 2, 3, 4, 5};
  for (const char *name : {"bytes_v2", "ramp_u2", "ramp_u2_big"}) {
    INFO(name);
    const Result<Array> a = read_npy(data_file(name + std::string(".npy")), ScalarType::bf16);
    REQUIRE(a.ok());
    CHECK(a->type == ScalarType::bf16);
    CHECK(values<std::uint16_t>(*a) == halves);
  }
  for (const char *name : {"bytes_v1", "ramp_u1"})
    for (const ScalarType type : {ScalarType::f8e4m3fn, ScalarType::f8e5m2}) {
      const Result<Array> a = read_npy(data_file(name + std::string(".npy")), type);
      REQUIRE(a.ok());
      CHECK(a->type == type);
      CHECK(values<std::uint8_t>(*a) == bytes);
    }
  const std::string e5m2 = npy("<f1", "(2,)", std::string("\x3c\x40", 2));
  CHECK(parse_npy(block_of(e5m2), "m")->type == ScalarType::f8e5m2);
  CHECK(code_of(parse_npy(block_of(e5m2), "m", ScalarType::f8e4m3fn)) == "T0901");
  CHECK(code_of(read_npy(data_file("bytes_v2.npy"))) == "T0903");
  CHECK(code_of(read_npy(data_file("bytes_v1.npy"))) == "T0903");
  CHECK(code_of(read_npy(data_file("bytes_v2.npy"), ScalarType::u16)) == "T0901");
  CHECK(code_of(read_npy(data_file("bytes_v2.npy"), ScalarType::f8e5m2)) == "T0901");
  CHECK(code_of(read_npy(data_file("bytes_v1.npy"), ScalarType::bf16)) == "T0901");
  CHECK(code_of(read_npy(data_file("ramp_u2.npy"), ScalarType::f16)) == "T0901");
  CHECK(code_of(read_npy(data_file("ramp_f2.npy"), ScalarType::bf16)) == "T0901");
}

TEST_CASE("a header is a Python literal, not one spelling of it", "[arrays]") {
  const std::string data = elements<std::int16_t>({1, 2, 3, 4, 5, 6});
  for (const char *header : {"{'shape':(2,3),'fortran_order':False,'descr':'<i2'}",
                             "{\"descr\": \"i2\", 'fortran_order': False, 'shape': (2L, 3L,)}\n",
                             "  { 'descr' : '=i2' ,\t'fortran_order' :False,\n'shape': ( 2 , 3 ) , }  \n",
                             "{'descr': '|i2', 'fortran_order': False, 'shape': (2, 3)}"}) {
    INFO(header);
    const Result<Array> a = parse_npy(block_of(npy_with_header(header, data)), "m");
    REQUIRE(a.ok());
    CHECK(a->shape == Shape{2, 3});
    CHECK(values<std::int16_t>(*a) == std::vector<std::int16_t>{1, 2, 3, 4, 5, 6});
  }
  CHECK(parse_npy(block_of(npy("?", "()", "\1")), "m")->type == ScalarType::boolean);
}

TEST_CASE("a shape of 10,000 dimensions is read", "[arrays]") {
  std::string shape = "(";
  for (int i = 0; i < 10000; ++i) shape += "1,";
  const Result<Array> a = parse_npy(block_of(npy("<f4", shape + ")", elements<float>({7}))), "m");
  REQUIRE(a.ok());
  CHECK(a->shape.size() == 10000);
  CHECK(values<float>(*a) == std::vector<float>{7});
}

TEST_CASE("files are mapped where they can be", "[arrays]") {
  const TemporaryDirectory directory;
  std::vector<float> numbers(100000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  const std::string path = directory.file("big.npy", npy("<f4", "(100, 1000)", elements(numbers)));
  const std::string before = contents(path);

  const Result<Array> mapped = read_npy(path);
  REQUIRE(mapped.ok());
  CHECK(mapped->read_only);
  CHECK(values<float>(*mapped) == numbers);

  Result<Array> own = read_npy(path, ScalarType::f32, MapMode::copy_on_write);
  REQUIRE(own.ok());
  CHECK(!own->read_only);
  std::memset(own->data, 0, static_cast<std::size_t>(own->bytes()));
  CHECK(contents(path) == before);
  CHECK(values<float>(*mapped) == numbers);

  std::filesystem::remove(path); // the mapping stays
  CHECK(values<float>(*mapped) == numbers);

  // Misaligned data and the other byte order are copied.
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (100, 1000)}\n";
  while ((header.size() + 10) % 4 != 1) header.insert(0, " ");
  for (const std::string &bytes :
       {npy_with_header(header, elements(numbers)), npy(">f4", "(100, 1000)", elements(numbers, true))}) {
    const Result<Array> copied = read_npy(directory.file("copied.npy", bytes));
    REQUIRE(copied.ok());
    CHECK(!copied->read_only);
    CHECK(reinterpret_cast<std::uintptr_t>(copied->data) % 4 == 0);
    CHECK(values<float>(*copied) == numbers);
  }
}
