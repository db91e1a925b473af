// SPDX-License-Identifier: Apache-2.0
// Convolutions and pooling against plain loops, in integers or where floats are exact; empty and odd shapes; refusals.
#include "tests/interp/tile_run.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace tilenest;
using I32 = std::vector<std::int32_t>;
using F = std::vector<float>;

namespace {

struct Shape {
  int n, c, h, w, o, r, s, stride_y, stride_x, pad_y, pad_x, dilation_y, dilation_x, groups;
  int out_h() const { return (h + 2 * pad_y - dilation_y * (r - 1) - 1) / stride_y + 1; }
  int out_w() const { return (w + 2 * pad_x - dilation_x * (s - 1) - 1) / stride_x + 1; }
};

I32 values(std::size_t n, int seed) {
  I32 v;
  for (std::size_t i = 0; i < n; ++i) v.push_back(static_cast<std::int32_t>((i * 13 + static_cast<std::size_t>(seed) * 7) % 17) - 8);
  return v;
}

std::string brackets(std::initializer_list<int> list) {
  std::string out;
  for (int i : list) out += (out.empty() ? "[" : ", ") + std::to_string(i);
  return out + "]";
}

void convolve(const Shape &k) {
  const int part = k.c / k.groups, filters = k.o / k.groups;
  const I32 x = values(static_cast<std::size_t>(k.n * k.c * k.h * k.w), 1), w = values(static_cast<std::size_t>(k.o * part * k.r * k.s), 2);
  I32 expected;
  for (int n = 0; n < k.n; ++n)
    for (int o = 0; o < k.o; ++o)
      for (int y = 0; y < k.out_h(); ++y)
        for (int z = 0; z < k.out_w(); ++z) {
          std::int32_t sum = 0;
          for (int c = 0; c < part; ++c)
            for (int r = 0; r < k.r; ++r)
              for (int s = 0; s < k.s; ++s) {
                const int at_y = y * k.stride_y - k.pad_y + r * k.dilation_y, at_x = z * k.stride_x - k.pad_x + s * k.dilation_x;
                if (at_y < 0 || at_y >= k.h || at_x < 0 || at_x >= k.w) continue;
                const int channel = o / filters * part + c;
                sum += x[static_cast<std::size_t>(((n * k.c + channel) * k.h + at_y) * k.w + at_x)] *
                       w[static_cast<std::size_t>(((o * part + c) * k.r + r) * k.s + s)];
              }
          expected.push_back(sum);
        }
  const std::string in = brackets({k.n, k.c, k.h, k.w}), weights = brackets({k.o, part, k.r, k.s}), out = brackets({k.n, k.o, k.out_h(), k.out_w()});
  const std::string text = "kernel k(X: i32" + in + ", W: i32" + weights + ", Y: out i32" + out + ") {\n  Y((0, 0, 0, 0), " + out + ").store(conv2d(X[(0, 0, 0, 0), " + in +
                           "], W[(0, 0, 0, 0), " + weights + "], stride = " + brackets({k.stride_y, k.stride_x}) + ", padding = " + brackets({k.pad_y, k.pad_x}) +
                           ", dilation = " + brackets({k.dilation_y, k.dilation_x}) + ", groups = " + std::to_string(k.groups) + "))\n}";
  const TileRun run = run_tile(text, {array("X", {k.n, k.c, k.h, k.w}, x), array("W", {k.o, part, k.r, k.s}, w)});
  INFO(text << "\n" << run.text());
  CHECK(run.codes() == "");
  CHECK(run.get<std::int32_t>("Y") == expected);
}

} // namespace

TEST_CASE("conv2d with strides, padding, dilation and groups", "[library]") {
  convolve({1, 1, 5, 5, 1, 3, 3, 1, 1, 0, 0, 1, 1, 1});
  convolve({2, 3, 7, 6, 4, 3, 2, 2, 1, 1, 0, 1, 1, 1});
  convolve({1, 4, 9, 8, 6, 3, 3, 2, 3, 2, 1, 2, 1, 2});
  convolve({1, 4, 6, 6, 4, 2, 2, 1, 1, 0, 1, 1, 3, 4}); // a group per channel
  convolve({1, 2, 3, 3, 2, 3, 3, 1, 1, 0, 0, 1, 1, 1}); // one output
  convolve({1, 2, 4, 4, 2, 1, 1, 3, 3, 2, 2, 1, 1, 1}); // outputs in the padding alone
  convolve({0, 2, 4, 4, 3, 2, 2, 1, 1, 0, 0, 1, 1, 1}); // no image
}

TEST_CASE("what conv2d refuses names the argument", "[library]") {
  auto run = [](const std::string &options, const std::string &w = "[2, 4, 3, 3]", const std::string &type = "f32") {
    return run_tile("kernel k(X: f32[1, 4, 5, 5], W: " + type + w + ") {\n  y = conv2d(X[(0, 0, 0, 0), [1, 4, 5, 5]], W[(0, 0, 0, 0), " + w + "]" + options + ")\n}",
                    {}, [] { TileRunOptions o; return o; }());
  };
  CHECK(run(", stride = 0").codes() == "T0218@2");
  CHECK(run(", stride = 0").says("`stride` of `conv2d` cannot be 0"));
  CHECK(run(", dilation = 0").codes() == "T0218@2");
  CHECK(run(", padding = -1").codes() == "T0218@2");
  CHECK(run(", stride = [1, 2, 3]").codes() == "T0218@2");
  CHECK(run(", groups = 0").codes() == "T0218@2");
  CHECK(run(", groups = 3").codes() == "T0218@2");
  CHECK(run(", groups = 2").codes() == "T0217@2"); // 2 groups of 4 channels are 8
  CHECK(run("", "[2, 3, 3, 3]").codes() == "T0217@2");
  CHECK(run("", "[2, 4, 6, 3]").codes() == "T0219@2");
  CHECK(run(", dilation = 3").codes() == "T0219@2");
  CHECK(run("", "[2, 4, 3, 3]", "f64").codes() == "T0217@2");
  CHECK(run_tile("kernel k(X: f32[4, 5, 5], W: f32[2, 4, 3, 3]) {\n  y = conv2d(X[(0, 0, 0), [4, 5, 5]], W[(0, 0, 0, 0), [2, 4, 3, 3]])\n}").codes() == "T0217@2");
}

TEST_CASE("depthwise_conv2d is conv2d with a group per channel", "[library]") {
  const I32 x = values(2 * 3 * 6 * 7, 4), w = values(3 * 2 * 3, 5);
  const TileRun run = run_tile("kernel k(X: i32[2, 3, 6, 7], W: i32[3, 2, 3], V: i32[3, 1, 2, 3], Y: out i32[2, 3, 4, 4], Z: out i32[2, 3, 4, 4]) {\n"
                               "  x = X[(0, 0, 0, 0), [2, 3, 6, 7]]\n  Y((0, 0, 0, 0), [2, 3, 4, 4]).store(depthwise_conv2d(x, W[(0, 0, 0), [3, 2, 3]], stride = 2, padding = 1))\n"
                               "  Z((0, 0, 0, 0), [2, 3, 4, 4]).store(conv2d(x, V[(0, 0, 0, 0), [3, 1, 2, 3]], stride = 2, padding = 1, groups = 3))\n}",
                               {array("X", {2, 3, 6, 7}, x), array("W", {3, 2, 3}, w), array("V", {3, 1, 2, 3}, w)});
  INFO(run.text());
  CHECK(run.codes() == "");
  CHECK(run.get<std::int32_t>("Y") == run.get<std::int32_t>("Z")); // conv2d is held against loops above
}

TEST_CASE("pooling counts what is inside the image", "[library]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  // 3 x 4; windows of 2 x 2, stride 2, padding 1 give 2 x 3.
  auto run = [](const std::string &call, const F &x) {
    return run_tile("kernel k(X: f32[3, 4], Y: out f32[2, 3]) {\n  Y((0, 0), [2, 3]).store(" + call + ")\n}", {array("X", {3, 4}, x)});
  };
  const F x = {-1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  CHECK(run("max_pool2d(X[(0, 0), [3, 4]], 2, padding = 1)", x).codes() == "");
  CHECK(run("max_pool2d(X[(0, 0), [3, 4]], 2, padding = 1)", x).get<float>("Y") == F{-1, 3, 4, 9, 11, 12});
  CHECK(run("avg_pool2d(X[(0, 0), [3, 4]], 2, padding = 1)", x).get<float>("Y") == F{-0.25f, 1.25f, 1, 3.5f, 8.5f, 5});
  CHECK(run("avg_pool2d(X[(0, 0), [3, 4]], 2, padding = 1, count_padding = false)", x).get<float>("Y") == F{-1, 2.5f, 4, 7, 8.5f, 10});
  F with_nan = x;
  with_nan[5] = nan;
  const F y = run("max_pool2d(X[(0, 0), [3, 4]], 2, padding = 1)", with_nan).get<float>("Y");
  CHECK((y[0] == -1 && y[3] == 9 && std::isnan(y[4])));
  CHECK(run("max_pool2d(X[(0, 0), [3, 4]], 2, padding = 2)", x).codes() == "T0218@2");
  CHECK(run("max_pool2d(X[(0, 0), [3, 4]], 0)", x).codes() == "T0218@2");
  CHECK(run("max_pool2d(X[(0, 0), [3, 4]], [4, 2])", x).codes() == "T0219@2");
  CHECK(run("max_pool2d(X[(0, 0), [3, 4]], 2, stride = 0)", x).codes() == "T0218@2");
}
