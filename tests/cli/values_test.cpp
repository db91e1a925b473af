// SPDX-License-Identifier: Apache-2.0
// Generated values and summaries, against their description in docs/cli.md worked out here by hand.
#include "tests/cli/command.h"
#include "tests/cli/npy_bytes.h"
#include "tests/cli/programs.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

using namespace tilenest::cli_test;

namespace {

// Sebastiano Vigna's splitmix64.c: the n-th output (from 0) after seeding with x.
std::uint64_t splitmix64(std::uint64_t x, std::uint64_t n) {
  std::uint64_t z = 0;
  for (std::uint64_t i = 0; i <= n; ++i) {
    z = (x += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    z = z ^ (z >> 31);
  }
  return z;
}

// Copies `count` random elements of a type to a file and returns its data.
std::string drawn(const std::string &type, const std::string &seed, int count) {
  const Folder f;
  f.file("copy.tile", copy_of(type));
  const Outcome o = f.tilenest(
      {"run", "copy.tile", "--shape", "M=" + std::to_string(count), "--random", seed, "-o", "B=b.npy"});
  CHECK(o.err == "");
  REQUIRE(o.status == 0);
  return npy_data(f.read("b.npy"));
}

template <class T> std::vector<T> as(const std::string &data) {
  std::vector<T> out(data.size() / sizeof(T));
  std::memcpy(out.data(), data.data(), data.size());
  return out;
}

} // namespace

TEST_CASE("the generator is the published one", "[cli][random]") {
  // The first outputs of splitmix64.c for seed 1234567.
  CHECK(splitmix64(1234567, 0) == 6457827717110365317u);
  CHECK(splitmix64(1234567, 1) == 3203168211198807973u);
}

TEST_CASE("random values are those of the description", "[cli][random]") {
  const int n = 1000;
  const std::uint64_t seed = 42, key = splitmix64(seed, 0); // the first argument
  const auto f32 = as<float>(drawn("f32", "42", n));
  const auto f64 = as<double>(drawn("f64", "42", n));
  const auto i32 = as<std::int32_t>(drawn("i32", "42", n));
  const auto u8 = as<std::uint8_t>(drawn("u8", "42", n));
  const auto b = as<std::uint8_t>(drawn("bool", "42", n));
  const auto f16 = as<std::uint16_t>(drawn("f16", "42", n));
  const auto bf16 = as<std::uint16_t>(drawn("bf16", "42", n));
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const std::uint64_t r = splitmix64(key, static_cast<std::uint64_t>(i));
    REQUIRE(f64[i] == std::ldexp(static_cast<double>(r >> 11), -52) - 1);
    REQUIRE(f32[i] == static_cast<float>(std::ldexp(static_cast<double>(r >> 40), -23) - 1));
    REQUIRE(i32[i] == static_cast<std::int32_t>(r >> 60) - 8);
    REQUIRE(u8[i] == (r >> 60));
    REQUIRE(b[i] == (r >> 63));
    // f16 and bf16: compare through their definitions, sign, exponent, fraction.
    auto value = [](std::uint16_t bits, int fraction, int bias) {
      const int exponent = (bits & 0x7fff) >> fraction, rest = bits & ((1 << fraction) - 1);
      const double magnitude = exponent ? std::ldexp(1 + std::ldexp(rest, -fraction), exponent - bias)
                                        : std::ldexp(rest, 1 - bias - fraction);
      return bits >> 15 ? -magnitude : magnitude;
    };
    REQUIRE(value(f16[i], 10, 15) == std::ldexp(static_cast<double>(r >> 53), -10) - 1);
    REQUIRE(value(bf16[i], 7, 127) == std::ldexp(static_cast<double>(r >> 56), -7) - 1);
    REQUIRE((f32[i] >= -1 && f32[i] < 1));
    sum += f64[i];
  }
  CHECK(std::fabs(sum / n) < 0.1); // standard deviation of the mean: 0.018
}

TEST_CASE("seeds and arguments have streams of their own", "[cli][random]") {
  CHECK(drawn("f64", "1", 50) == drawn("f64", "1", 50));
  CHECK(drawn("f64", "1", 50) != drawn("f64", "2", 50));
  CHECK(drawn("f64", "1", 50).substr(0, 160) == drawn("f64", "1", 20));
  const Folder f;
  f.file("diff.tile", "kernel diff(A: f64[8], B: f64[8], C: out f64[8]) {\n"
                      "  axis m = 8\n"
                      "  C((0), [m]).store(A[(0), [m]] - B[(0), [m]])\n"
                      "}\n");
  REQUIRE(f.tilenest({"run", "diff.tile", "--random", "18446744073709551615", "-o", "C=c.npy"}).status == 0);
  for (double x : values_of<double>(f.read("c.npy"))) CHECK(x != 0);
}

TEST_CASE("--fill gives the row-major index, zeros or one value", "[cli]") {
  const Folder f;
  f.file("copy2.tile", copy2_of("f32"));
  auto filled = [&](const std::string &what) {
    REQUIRE(f.tilenest({"run", "copy2.tile", "--shape", "M=2,N=3", "--fill", what, "-o", "B=b.npy"}).status == 0);
    return values_of<float>(f.read("b.npy"));
  };
  CHECK(filled("iota") == std::vector<float>{0, 1, 2, 3, 4, 5});
  CHECK(filled("zeros") == std::vector<float>(6, 0.0f));
  CHECK(filled("-1.5") == std::vector<float>(6, -1.5f));
  CHECK(filled("3") == std::vector<float>(6, 3.0f));
  CHECK(filled("inf") == std::vector<float>(6, std::numeric_limits<float>::infinity()));
  f.file("bytes.tile", copy_of("u8"));
  REQUIRE(f.tilenest({"run", "bytes.tile", "--shape", "M=300", "--fill", "iota", "-o", "B=b.npy"}).status == 0);
  const auto bytes = values_of<std::uint8_t>(f.read("b.npy"));
  CHECK(bytes[255] == 255);
  CHECK(bytes[256] == 0);
}

TEST_CASE("a `mut` argument is filled, an `out` argument is not", "[cli]") {
  const Folder f;
  for (const std::string access : {"mut", "out"}) {
    f.file("keep.tile", "kernel keep(B: " + access + " i32[4]) {\n  axis m = 2\n  B((0), [m]).store(full(5, i32 [m]))\n}\n");
    f.file("keep.tile", "kernel keep(A: i32[2], B: " + access + " i32[4]) {\n"
                        "  axis m = 2\n"
                        "  B((0), [m]).store(A[(0), [m]])\n"
                        "}\n");
    const Outcome o = f.tilenest({"run", "keep.tile", "--fill", "5", "-o", "B=" + access + ".npy"});
    CHECK(o.status == (access == "mut" ? 0 : 3));
  }
  CHECK(values_of<std::int32_t>(f.read("mut.npy")) == std::vector<std::int32_t>{5, 5, 5, 5});
}

TEST_CASE("summaries", "[cli]") {
  const Folder f;
  f.file("copy.tile", copy_of("f32"));
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  f.file("a.npy", npy("<f4", "(5,)", little(std::vector<float>{1, nan, -3.5f, nan, 4})));
  const Outcome text = f.tilenest({"run", "copy.tile", "-i", "A=a.npy"});
  CHECK(text.out == "B: f32 [5]  min -3.5  max 4.0  mean 0.5  NaN 2\n");

  auto json = [&](const std::string &dtype, const std::string &shape, const std::string &data) {
    f.file("x.npy", npy(dtype, shape, data));
    const Outcome o = f.tilenest({"run", "copy.tile", "-i", "A=x.npy", "--json"});
    CHECK(o.status == 0);
    CHECK(o.err == "");
    return nlohmann::json::parse(o.out).at("outputs").at(0);
  };
  const auto numbers = json("<f4", "(3,)", little(std::vector<float>{1, -inf, nan}));
  CHECK(numbers.at("name") == "B");
  CHECK(numbers.at("type") == "f32");
  CHECK(numbers.at("shape") == nlohmann::json::array({3}));
  CHECK(numbers.at("min") == "-inf");
  CHECK(numbers.at("max") == 1.0);
  CHECK(numbers.at("mean") == "-inf");
  CHECK(numbers.at("nan_count") == 1);
  CHECK(numbers.at("never_written") == 0);
  CHECK(numbers.at("file").is_null());
  const auto empty = json("<f4", "(0,)", "");
  CHECK(empty.at("min").is_null());
  CHECK(empty.at("mean").is_null());
  const auto all_nan = json("<f4", "(1,)", little(std::vector<float>{nan}));
  CHECK(all_nan.at("max").is_null());
  CHECK(all_nan.at("nan_count") == 1);
  f.file("copy.tile", copy_of("i64"));
  const auto wide = json("<i8", "(2,)", little(std::vector<std::int64_t>{INT64_MAX, INT64_MIN}));
  CHECK(wide.at("max") == INT64_MAX);
  CHECK(wide.at("min") == INT64_MIN);
  f.file("copy.tile", copy_of("bool"));
  const auto booleans = json("|b1", "(4,)", std::string("\1\0\1\1", 4));
  CHECK(booleans.at("min") == false);
  CHECK(booleans.at("max") == true);
  CHECK(booleans.at("mean") == 0.75);

  // Stretches of zeros are counted at once: the first of equal ones is the least and the greatest, -0 like any other.
  f.file("copy.tile", copy_of("f32"));
  std::vector<float> long_one(5000, 0.0f);
  long_one[4500] = -0.0f;
  CHECK(json("<f4", "(5000,)", little(long_one)).at("mean") == 0.0);
  f.file("a.npy", npy("<f4", "(5000,)", little(long_one)));
  CHECK(f.tilenest({"run", "copy.tile", "-i", "A=a.npy"}).out == "B: f32 [5000]  min 0.0  max 0.0  mean 0  NaN 0\n");
  long_one[0] = -0.0f;
  f.file("a.npy", npy("<f4", "(5000,)", little(long_one)));
  CHECK(f.tilenest({"run", "copy.tile", "-i", "A=a.npy"}).out == "B: f32 [5000]  min -0.0  max -0.0  mean 0  NaN 0\n");
  long_one[3000] = nan;
  long_one[3001] = 5000;
  const auto both = json("<f4", "(5000,)", little(long_one));
  CHECK(both.at("nan_count") == 1);
  CHECK(both.at("mean") == 5000.0 / 4999);
}

TEST_CASE("summaries of outputs that are written in part", "[cli]") {
  const Folder f;
  f.file("part.tile", "kernel part(B: out i32[100000]) {\n  B(70000).store(-7)\n}\n");
  CHECK(f.tilenest({"run", "part.tile", "--allow-partial"}).out == "B: i32 [100000]  min -7  max 0  mean -7e-05  NaN 0  never written 99999 (counted as zero)\n");
  f.file("part.tile", "kernel part(B: out f32[100000]) {\n  B(70000).store(-0.0)\n  B(99999).store(nan)\n}\n");
  CHECK(f.tilenest({"run", "part.tile", "--allow-partial"}).out == "B: f32 [100000]  min 0.0  max 0.0  mean 0  NaN 1  never written 99998 (counted as zero)\n");
}
