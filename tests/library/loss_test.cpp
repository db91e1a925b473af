// SPDX-License-Identifier: Apache-2.0
// mse_loss, mae_loss and huber_loss against plain loops: elements exactly, sums and means within the bound of
// their roundings; NaN, infinities, no elements, predicates, narrow floats, and what is refused.
#include "tests/library/rows.h"

using namespace tilenest;

namespace {

constexpr double unit = 0x1p-53;

// `call` is of x, y over [m, n]; its result goes to Y of this shape, "[M, N]", "[M]", "[N]" or "[1]".
template <class T>
TileRun run_loss(const std::string &call, const Rows<T> &x, const Rows<T> &y, const std::string &shape) {
  const std::string t(to_string(ElementType<T>::value));
  const std::string store = shape == "[M, N]" ? "Y((0, 0), [m, n]).store(l)"
                            : shape == "[M]"  ? "Y((0), [m]).store(l)"
                            : shape == "[N]"  ? "Y((0), [n]).store(l)"
                                              : "Y((0)).store(l)";
  return run_tile("kernel k(X: " + t + "[M, N], T: " + t + "[M, N], Y: out " + t + shape +
                      ") {\n  axis m = M, n = N\n  x = X[(0, 0), [m, n]]\n" +
                      "  y = T[(0, 0), [m, n]]\n  l = " + call + "\n  " + store + "\n}",
                  {array("X", {x.rows, x.columns}, x.values), array("T", {y.rows, y.columns}, y.values)});
}

// The cost of one element as the documentation states it, each step rounded to double.
double square(double x, double y) { return (x - y) * (x - y); }
double absolute(double x, double y) { return std::fabs(x - y); }
double huber(double x, double y) { // delta 1.5
  const double d = std::fabs(x - y);
  return d <= 1.5 ? 0.5 * d * d : 1.5 * (d - 0.75);
}

struct Loss {
  std::string name, delta;
  double (*cost)(double, double);
  std::string call(const std::string &more = "") const { return name + "(x, y" + delta + more + ")"; }
};
const std::int64_t loss_shapes[][2] = {{5, 9}, {1, 1}, {3, 130}};
const Loss losses[] = {{"mse_loss", "", square}, {"mae_loss", "", absolute}, {"huber_loss", ", 1.5", huber}};

// Rounded to the nearest: a sum of n costs by n - 1 additions, maybe a quotient, and the cast of its divisor.
void check_near(double found, long double sum, double n, double divisor) {
  CHECK(std::fabs(static_cast<double>(found - sum / divisor)) <=
        (n + 1) * unit * static_cast<double>(sum) / divisor);
}

} // namespace

TEST_CASE("losses of each element, summed and averaged", "[library]") {
  for (const Loss &loss : losses)
    for (const auto &[rows, columns] : loss_shapes) {
      INFO(loss.name << " " << rows << " " << columns);
      const Rows<double> x = scattered<double>(rows, columns, -3, 3, 1),
                         y = scattered<double>(rows, columns, -3, 3, 2);
      auto cost = [&](std::int64_t i, std::int64_t j) { return loss.cost(x.at(i, j), y.at(i, j)); };
      const auto each = run_loss(loss.call(", reduction = none"), x, y, "[M, N]").get<double>("Y");
      const auto row_means = run_loss(loss.call(", n"), x, y, "[M]").get<double>("Y");
      const auto row_sums = run_loss(loss.call(", n, reduction = sum"), x, y, "[M]").get<double>("Y");
      const auto column_means = run_loss(loss.call(", m, reduction = mean"), x, y, "[N]").get<double>("Y");
      const auto total = run_loss(loss.call(", reduction = sum"), x, y, "[1]").get<double>("Y");
      const auto mean = run_loss(loss.call(), x, y, "[1]").get<double>("Y");
      const auto both = run_loss(loss.call(", m, n"), x, y, "[1]").get<double>("Y");
      const double m = static_cast<double>(rows), n = static_cast<double>(columns);
      long double all = 0;
      REQUIRE(each.size() == static_cast<std::size_t>(rows * columns));
      REQUIRE(row_means.size() == static_cast<std::size_t>(rows));
      REQUIRE(column_means.size() == static_cast<std::size_t>(columns));
      for (std::int64_t i = 0; i < rows; ++i) {
        long double row = 0;
        for (std::int64_t j = 0; j < columns; ++j) {
          CHECK(each[static_cast<std::size_t>(i * columns + j)] == cost(i, j));
          row += cost(i, j);
        }
        check_near(row_means[static_cast<std::size_t>(i)], row, n, n);
        check_near(row_sums[static_cast<std::size_t>(i)], row, n, 1);
        all += row;
      }
      for (std::int64_t j = 0; j < columns; ++j) {
        long double column = 0;
        for (std::int64_t i = 0; i < rows; ++i) column += cost(i, j);
        check_near(column_means[static_cast<std::size_t>(j)], column, m, m);
      }
      check_near(total[0], all, m * n, 1);
      check_near(mean[0], all, m * n, m * n);
      check_near(both[0], all, m * n, m * n);
    }
}

TEST_CASE("losses worked by hand", "[library]") {
  const Rows<float> x{1, 4, {1, 2, 3, 0}}, y{1, 4, {0, 0, 0, 0}};
  CHECK(run_loss("mse_loss(x, y, n)", x, y, "[M]").get<float>("Y")[0] == 3.5f); // (1 + 4 + 9) / 4
  CHECK(run_loss("mae_loss(x, y, n)", x, y, "[M]").get<float>("Y")[0] == 1.5f); // (1 + 2 + 3) / 4
  CHECK(run_loss("huber_loss(x, y, 2, n)", x, y, "[M]").get<float>("Y")[0] ==
        1.625f); // (1/2 + 2 + 2 (3 - 1)) / 4
  CHECK(run_loss("huber_loss(x, y, 0.5, n)", x, y, "[M]").get<float>("Y")[0] ==
        0.65625f); // (3/8 + 7/8 + 11/8) / 4
  CHECK(run_loss("huber_loss(x, y, inf, n)", x, y, "[M]").get<float>("Y")[0] == 1.75f); // half the mse
  // Where a predicate holds: two of the four.
  CHECK(run_loss("mse_loss(restrict(x, iota(n) < 2), restrict(y, iota(n) < 2), n)", x, y, "[M]")
            .get<float>("Y")[0] == 2.5f);
  CHECK(run_loss("mae_loss(restrict(x, iota(n) < 2), y, n)", x, y, "[M]").get<float>("Y")[0] == 1.5f);
  // A scalar has one element.
  CHECK(run_loss("mse_loss(f32(3), f32(1))", x, y, "[1]").get<float>("Y")[0] == 4);
  CHECK(run_loss("mae_loss(f32(3), f32(1), reduction = sum)", x, y, "[1]").get<float>("Y")[0] == 2);
}

TEST_CASE("losses of NaN and of infinities", "[library]") {
  const Rows<double> x{5, 2, {not_a_number, 1, infinity, 1, -infinity, 1, infinity, 1, 1, 1}};
  const Rows<double> y{5, 2, {0, 0, 0, 0, 0, 0, infinity, 0, -infinity, 0}};
  for (const Loss &loss : losses)
    for (const char *how : {"mean", "sum"}) {
      INFO(loss.name << " " << how);
      const auto found =
          run_loss(loss.call(std::string(", n, reduction = ") + how), x, y, "[M]").get<double>("Y");
      CHECK(std::isnan(found[0]));
      CHECK(found[1] == infinity);
      CHECK(found[2] == infinity);
      CHECK(std::isnan(found[3])); // inf - inf
      CHECK(found[4] == infinity);
    }
}

TEST_CASE("losses of no elements", "[library]") {
  const Rows<double> no_columns{3, 0, {}}, no_rows{0, 4, {}};
  for (const Loss &loss : losses) {
    INFO(loss.name);
    const auto means = run_loss(loss.call(", n"), no_columns, no_columns, "[M]").get<double>("Y");
    REQUIRE(means.size() == 3);
    for (double v : means) CHECK(std::isnan(v));
    CHECK(run_loss(loss.call(", n, reduction = sum"), no_columns, no_columns, "[M]").get<double>("Y") ==
          std::vector<double>{0, 0, 0});
    CHECK(std::isnan(run_loss(loss.call(), no_columns, no_columns, "[1]").get<double>("Y")[0]));
    CHECK(run_loss(loss.call(", n"), no_rows, no_rows, "[M]").get<double>("Y").empty());
    const TileRun each = run_loss(loss.call(", reduction = none"), no_rows, no_rows, "[M, N]");
    CHECK(each.codes() == "");
    CHECK(each.get<double>("Y").empty());
  }
}

TEST_CASE("losses of narrow floats are computed in f32", "[library]") {
  // (300^2 + 0 + 0 + 0) / 4 = 22500, between multiples of 16, which f16 has there; in f16 300^2 would be
  // infinite.
  const TileRun run = run_tile(
      "kernel k(X: f32[4], Y: out f16[1], Z: out f32[1]) {\n  axis n = 4\n  x = cast(X[(0), [n]], f16)\n"
      "  y = mse_loss(x, zeros f16 [n])\n  Y((0)).store(y)\n  Z((0)).store(cast(y, f32))\n}",
      {array("X", std::vector<float>{300, 0, 0, 0})});
  CHECK(run.codes() == "");
  CHECK(run.get<float>("Z")[0] == 22496);
}

TEST_CASE("losses say what they refuse", "[library]") {
  auto check = [](const std::string &call, const std::string &code, const std::string &words) {
    INFO(call);
    const TileRun run =
        run_tile("kernel k(X: f32[4, 6], Z: f64[4, 6], L: i32[4, 6]) {\n  axis m = 4, n = 6, q = 6\n  x = "
                 "X[(0, 0), [m, n]]\n"
                 "  y = X[(0, 0), [m, n]]\n  z = Z[(0, 0), [m, n]]\n  l = L[(0, 0), [m, n]]\n  r = " +
                     call + "\n}",
                 {array("X", {4, 6}, std::vector<float>(24)), array("Z", {4, 6}, std::vector<double>(24)),
                  array("L", {4, 6}, std::vector<std::int32_t>(24))});
    CHECK(run.codes() == code + "@7");
    INFO(run.text());
    CHECK(run.says(words));
  };
  for (const Loss &loss : losses) {
    const std::string f = loss.name, delta = loss.delta;
    auto of = [&](const std::string &tiles, const std::string &more = "") {
      return f + "(" + tiles + delta + more + ")";
    };
    check(of("l, l"), "T0217", "`" + f + "` takes a tile of a float type as `x`");
    check(of("x, l"), "T0217", "`" + f + "` takes a tile of a float type as `y`");
    const std::string alike = "`" + f + "` takes a tile of the type and dims of `x` as `y`";
    check(of("x, z"), "T0217", alike);
    check(of("x, X[(0, 0), [_, n]]"), "T0217", alike);
    check(of("x, X[(0, 0), [n, m]]"), "T0217", alike);
    check(of("x, X[(0, 0), [m, q]]"), "T0217", alike);
    check(of("x, X[(0, 0), [m, n = 1]]"), "T0217", "takes a tile with 6 elements along `n` as `y`, not f32 [m=4, n=1]"); // no repetition
    check(of("x, y", ", q"), "T0216", "`dims` of `" + f + "`");
    check(of("x, y", ", reduction = max"), "T0218", "`reduction` of `" + f + "`");
    check(of("x, y", ", n, reduction = none"), "T0218", "`reduction` of `" + f + "`");
  }
  for (const char *delta : {"-1", "0", "-0.5", "nan", "-inf"})
    check(std::string("huber_loss(x, y, ") + delta + ")", "T0218", "`delta` of `huber_loss`");
}
