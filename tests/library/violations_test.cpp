// SPDX-License-Identifier: Apache-2.0
// Violations that a call meets at run time name the argument: one that has no result for its values (an index out of
// range, a place that two values go to), and one whose marked elements an operation of the expansion uses.
#include "semantics/library/function.h"
#include "tests/library/rows.h"

using namespace tilenest;

namespace {

struct Violation {
  const char *code, *function, *arguments, *says;
};

// `arguments` are of: x [m, n] and l, i32 [m] = 0, 1, 2, 3; v [m, s] and k, i32 [s] = 0, 1, 2; a filter w. u [m, n],
// i [m], j [s] and f, a filter, were never written.
std::string kernel(const Violation &v) {
  std::string names = "r0", uses;
  for (std::size_t i = 0; i < library::find(v.function)->result_count(); ++i) {
    const std::string r = "r" + std::to_string(i);
    if (i > 0) names += ", " + r;
    uses += "  assert((" + r + " == " + r + ") | (" + r + " != " + r + "))\n"; // whatever it is
  }
  return "kernel k(X: f32[4, 6], U: out f32[4, 6], I: out i32[4]) {\n"
         "  axis m = 4, n = 6, q = 8, s = 3\n"
         "  x = X[(0, 0), [m, n]]; l = cast(iota(m), i32); v = X[(0, 0), [m, s]]; k = cast(iota(s), i32); w = X[(0, 0), [4, 2]]\n"
         "  u = U[(0, 0), [m, n]]; i = I[(0), [m]]; j = I[(0), [s]]; f = U[(0, 0), [4, 2]]\n"
         "  " + names + " = " + v.function + "(" + v.arguments + ")\n" + uses + "}";
}

const Violation no_result[] = {
    {"U0104@5", "take_along", "x, l + 3, n", "`take_along` has no value for: an index is out of range"},
    {"U0104@5", "take_along", "x, l - 1, n", "`take_along` has no value for: an index is out of range"},
    {"U0104@5", "take_along", "x, cast(0 - 1, u64) - cast(l, u64), n", "in the expansion of `take_along`, from `indices`\n"},
    {"U0104@5", "cross_entropy", "x, l + 3, n", "`cross_entropy` has no value for: a label is outside the classes"},
    {"U0104@5", "cross_entropy", "cast(x, f16), l - 1, n", "in the expansion of `cross_entropy`, from `labels`\n"},
    {"U0104@5", "put_along", "x, v, k / 2, n", "uses an element that `put_along` has no value for: two values for one place, and no reducer"},
    {"U0107@5", "take_along", "restrict(x, m < 2), l, n", "in the expansion of `take_along`, from `x` and `indices`\n"},
    {"U0107@5", "cross_entropy", "restrict(x, n < 2), l, n", "in the expansion of `cross_entropy`, from `logits` and `labels`\n"},
};

const Violation never_written[] = {
    {"U0106@4", "take_along", "x, i, n", "used in the expansion of `take_along`, from `indices`\n"},
    {"U0106@4", "cross_entropy", "x, i, n", "used in the expansion of `cross_entropy`, from `labels`\n"},
    {"U0106@4", "cross_entropy", "u, l, n", "used in the expansion of `cross_entropy`, from `logits`\n"},
    {"U0106@4", "put_along", "x, v, j, n, reducer = add", "used in the expansion of `put_along`, from `indices`\n"},
    {"U0106@5", "put_along", "x, U[(0, 0), [m, s]], k, n, reducer = max", "used in the expansion of `put_along`, from `values`\n"},
    {"U0106@4", "segment_reduce", "x, i, m, q", "used in the expansion of `segment_reduce`, from `ids`\n"},
    {"U0106@4", "segment_reduce", "u, l, m, q", "used in the expansion of `segment_reduce`, from `x`\n"},
    {"U0106@4", "histogram", "i, q", "used in the expansion of `histogram`, from `x`\n"},
    {"U0106@4", "softmax", "u, n", "used in the expansion of `softmax`, from `x`\n"},
    {"U0106@4", "log_softmax", "u, n", "used in the expansion of `log_softmax`, from `x`\n"},
    {"U0106@4", "logsumexp", "u, n", "used in the expansion of `logsumexp`, from `x`\n"},
    {"U0106@4", "mean", "u, n", "used in the expansion of `mean`, from `x`\n"},
    {"U0106@4", "variance", "u, n", "used in the expansion of `variance`, from `x`\n"},
    {"U0106@4", "layer_norm", "u, n, weight = x", "used in the expansion of `layer_norm`, from `x`\n"},
    {"U0106@4", "rms_norm", "u, n, weight = x", "used in the expansion of `rms_norm`, from `x`\n"},
    {"U0106@4", "argmax", "u, n", "used in the expansion of `argmax`, from `x`\n"},
    {"U0106@4", "argmin", "u, n", "used in the expansion of `argmin`, from `x`\n"},
    {"U0106@4", "sort", "u, n", "used in the expansion of `sort`, from `x`\n"},
    {"U0106@4", "argsort", "u, n", "used in the expansion of `argsort`, from `x`\n"},
    {"U0106@4", "topk", "u, n, 2", "used in the expansion of `topk`, from `x`\n"},
    {"U0106@4", "cumsum", "u, n", "used in the expansion of `cumsum`, from `x`\n"},
    {"U0106@4", "cummax", "u, n, exclusive = true", "used in the expansion of `cummax`, from `x`\n"},
    {"U0106@4", "mse_loss", "x, u", "used in the expansion of `mse_loss`, from `x` and `y`\n"}, // of their difference
    {"U0106@4", "einsum", "\"ij->j\", u", "used in the expansion of `einsum`, from `operands`\n"},
    {"U0106@4", "depthwise_conv2d", "reshape(x, [1, 1, 4, 6]), reshape(f, [1, 4, 2])", "used in the expansion of `depthwise_conv2d`, from `x` and `w`\n"},
    {"U0106@4", "max_pool2d", "u, 2", "used in the expansion of `max_pool2d`, from `x`\n"},
    {"U0106@4", "avg_pool2d", "u, 2", "used in the expansion of `avg_pool2d`, from `x`\n"},
};

TileRun violating_run(const Violation &v) { return run_tile(kernel(v), {array("X", {4, 6}, std::vector<float>(24, 0.5f))}); }

} // namespace

TEST_CASE("values that a function has no result for are told with the argument's name", "[library][VAL-MARK]") {
  for (const Violation &v : no_result) {
    INFO(v.function << "(" << v.arguments << ")");
    const TileRun r = violating_run(v);
    INFO(r.text());
    CHECK(r.codes() == v.code);
    CHECK(r.says(v.says));
  }
  // Values that it has a result for.
  for (const Violation &fine : {Violation{"", "take_along", "x, l + 2, n", ""}, {"", "cross_entropy", "x, l + 2, n", ""}, {"", "put_along", "x, v, k + 3, n", ""}})
    CHECK(violating_run(fine).codes() == "");
}

TEST_CASE("a mark that an expansion uses is told with the argument's name", "[library][VAL-MARK]") {
  for (const Violation &v : never_written) {
    INFO(v.function << "(" << v.arguments << ")");
    const TileRun r = violating_run(v);
    INFO(r.text());
    CHECK(r.codes() == v.code);
    CHECK(r.says(v.says));
  }
}

TEST_CASE("a mark from one call that another one uses is told with both", "[library][VAL-MARK]") {
  const TileRun r = violating_run({"", "softmax", "take_along(x, k + 4, n), s", ""});
  INFO(r.text());
  CHECK(r.codes() == "U0104@5");
  CHECK(r.says("`take_along` has no value for: an index is out of range"));
  CHECK(r.says("used in the expansion of `softmax`, from `x`\n"));
}

TEST_CASE("a place is shown once in a report, however many steps of an expansion stand there", "[library]") {
  const TileRun r = violating_run({"", "put_along", "x, v, k / 2, n", ""});
  const std::string text = r.text();
  INFO(text);
  std::size_t places = 0; // of the call alone: its line has one underline
  for (std::size_t at = 0; (at = text.find("passed through here", at)) != std::string::npos; ++at) ++places;
  CHECK(places == 2); // the comparison and the disjunction of the assertion
}
