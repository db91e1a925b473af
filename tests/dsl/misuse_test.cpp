// SPDX-License-Identifier: Apache-2.0
// Misuse that C++ compiles and the capture refuses, each with the C++ line of the statement at fault.
#include "tests/dsl/captured.h"

using namespace tilenest;

namespace {

// Captures a kernel on C: f32[8, 8].
template <class F> Result<TileProgram> capture(F body) {
  return tile_kernel("misuse", [&](TensorView<f32, 2> C) { body(C); }).capture(arg("C", tensor_shape(8, 8)));
}
using Matrix = TensorView<f32, 2>;

} // namespace

TEST_CASE("break, return and goto out of a scope are refused at its loop") {
  std::string refused;
  int line = 0;
  refused = refusals(capture([&](Matrix) {
    line = __LINE__ + 1;
    for (auto &nest : parallel(shape(8))) {
      (void)nest;
      break;
    }
  }));
  CHECK(refused == at("T0701", line));
  refused = refusals(capture([&](Matrix C) {
    line = __LINE__ + 1;
    for (auto &step : serial(shape(8))) {
      C(coord(step.index(), 0)).store(1);
      return;
    }
  }));
  CHECK(refused == at("T0701", line));
  // The outer scopes close in their order; one report for each loop that was left.
  refused = refusals(capture([&](Matrix) {
    line = __LINE__ + 1;
    for (auto &nest : parallel(shape(8))) {
      for (auto &k : nest.pipeline(shape(4))) {
        (void)k;
        return;
      }
    }
  }));
  CHECK(refused == at("T0701", line + 1) + " " + at("T0701", line));
}

TEST_CASE("an exception closes what it leaves and passes") {
  struct Mine {};
  CHECK_THROWS_AS(capture([&](Matrix) {
                    for (auto &nest : parallel(shape(8))) {
                      for (auto &inner : nest.parallel(shape(2))) {
                        (void)inner;
                        throw Mine();
                      }
                    }
                  }),
                  Mine);
  CHECK(Capture::current() == nullptr);
  CHECK(refusals(capture([](Matrix C) { C(coord(0, 0)).store(1); })) == "nothing");
}

TEST_CASE("a scope's handle is of no use after its loop", "[EXT-NOW]") {
  std::string refused;
  int line = 0;
  refused = refusals(capture([&](Matrix C) {
    Nest *escaped = nullptr;
    for (auto &nest : parallel(shape(8))) escaped = &nest;
    line = __LINE__ + 1;
    C(coord(escaped->index(), 0)).store(1);
  }));
  CHECK(refused == at("T0608", line));
  refused = refusals(capture([&](Matrix) {
    Nest *escaped = nullptr;
    for (auto &nest : parallel(shape(8))) escaped = &nest;
    line = __LINE__ + 1;
    escaped->sync();
  }));
  CHECK(refused == at("T0608", line));
}

TEST_CASE("index() is a scalar at rank 1 only", "[EXT-NOW]") {
  std::string refused;
  int line = 0;
  refused = refusals(capture([&](Matrix C) {
    for (auto &nest : parallel(shape(8, 8))) {
      line = __LINE__ + 1;
      C(coord(nest.index(), 0)).store(1);
    }
  }));
  CHECK(refused == at("T0702", line));
  refused = refusals(capture([&](Matrix C) {
    for (auto &nest : parallel(shape(8, 8))) {
      line = __LINE__ + 1;
      auto twice = nest.index() * 2;
      C(coord(0, twice)).store(1);
    }
  }));
  CHECK(refused == at("T0702", line));
  // Whole it addresses an object of its rank; each of its axes is a scalar.
  refused = refusals(capture([](Matrix C) {
    auto i = axis("i", 8);
    for (auto &nest : parallel(shape(i, 8))) {
      C(nest.index()).store(1);
      C(coord(nest.index(i), nest.index()[1])).store(2);
    }
  }));
  CHECK(refused == "nothing");
  refused = refusals(capture([&](Matrix C) {
    auto i = axis("i", 8), other = axis("i", 8);
    for (auto &nest : parallel(shape(i))) {
      line = __LINE__ + 1;
      C(coord(nest.index(other), 0)).store(1);
    }
  }));
  CHECK(refused == at("T0703", line));
}

TEST_CASE("a region's call names the innermost parallel", "[CTX-PAR]") {
  std::string refused;
  int line = 0;
  refused = refusals(capture([&](Matrix) {
    for (auto &outer : parallel(shape(8))) {
      for (auto &inner : outer.parallel(shape(2))) {
        (void)inner;
        line = __LINE__ + 1;
        for (auto &i : outer.serial(shape(2))) (void)i;
      }
    }
  }));
  CHECK(refused == at("T0709", line));
  refused = refusals(capture([&](Matrix) {
    for (auto &nest : parallel(shape(8))) {
      (void)nest;
      line = __LINE__ + 1;
      for (auto &k : pipeline(shape(2))) (void)k;
    }
  }));
  CHECK(refused == at("T0709", line));
  // Temporal scopes do not change the prefix: a child may name the nest or a loop inside it.
  refused = refusals(capture([](Matrix) {
    for (auto &i : serial(shape(2)))
      for (auto &nest : i.parallel(shape(2)))
        for (auto &k : nest.pipeline(shape(2))) {
          for (auto &leaf : nest.parallel(shape(2))) (void)leaf;
          for (auto &leaf : k.parallel(shape(2))) (void)leaf;
        }
  }));
  CHECK(refused == "nothing");
}

TEST_CASE("a variable keeps its type and space; its line is the assignment's", "[VAL-OWN]") {
  std::string refused;
  int line = 0;
  refused = refusals(capture([&](Matrix) {
    auto x = zeros<f32>(shape(4));
    auto y = zeros<f32>(shape(5));
    line = __LINE__ + 1;
    x = y;
  }));
  CHECK(refused == at("T0501", line));
  refused = refusals(capture([&](Matrix) {
    auto x = zeros<f32>(shape(4));
    line = __LINE__ + 1;
    x += zeros<f32>(shape(5));
  }));
  CHECK(refused == at("T0201", line));
}

TEST_CASE("a tile that outlives the region of its declaration is refused", "[VAL-OWN]") {
  std::string refused;
  int line = 0;
  refused = refusals(capture([&](Matrix C) {
    std::optional<Tile<f32>> inner;
    for (auto &nest : parallel(shape(8))) inner.emplace(C(coord(nest.index(), 0)).load());
    line = __LINE__ + 1;
    C(coord(0, 0)).store(*inner);
  }));
  CHECK(refused == at("T0502", line));
  refused = refusals(capture([&](Matrix) {
    std::optional<Tile<f32>> inner;
    for (auto &i : serial(shape(8))) inner.emplace(cast<f32>(i.index()));
    line = __LINE__ + 1;
    *inner = 1.0;
  }));
  CHECK(refused == at("T0502", line));
}

TEST_CASE("relabel keeps rank and extents", "[BCAST]") {
  std::string refused;
  int line = 0;
  refused = refusals(capture([&](Matrix) {
    auto x = zeros<f32>(shape(4, 8));
    line = __LINE__ + 1;
    x = relabel(x, {dim(), dim(), dim()});
  }));
  CHECK(refused == at("T0214", line));
}

TEST_CASE("literals meet the type of their operand", "[NUM-LIT]") {
  std::string refused;
  int line = 0;
  refused = refusals(capture([&](Matrix) {
    Scalar<u8> x = 3;
    line = __LINE__ + 1;
    x = x + 300;
  }));
  CHECK(refused == at("T0103", line));
}

TEST_CASE("objects of one capture are refused in another", "[VAL-OWN]") {
  std::string refused;
  int line = 0;
  std::optional<Tile<f32>> tile;
  std::optional<Matrix> view;
  refused = refusals(capture([&](Matrix C) {
    tile.emplace(C(coord(0, 0)).load());
    view.emplace(C);
  }));
  CHECK(refused == "nothing");
  refused = refusals(capture([&](Matrix C) {
    line = __LINE__ + 1;
    C(coord(0, 0)).store(*tile);
  }));
  CHECK(refused == at("T0705", line));
  refused = refusals(capture([&](Matrix) {
    line = __LINE__ + 1;
    (*view)(coord(0, 0)).store(1);
  }));
  CHECK(refused == at("T0705", line));
  tile.reset();
}

TEST_CASE("operations outside every kernel are reported by the next one") {
  const int line = __LINE__ + 1;
  auto stray = zeros<f32>(shape(4)) * 2;
  for (auto &nest : parallel(shape(4))) stray = stray + cast<f32>(nest.index());
  CHECK(refusals(capture([](Matrix C) { C(coord(0, 0)).store(1); })) == at("T0705", line));
  CHECK(refusals(capture([](Matrix C) { C(coord(0, 0)).store(1); })) == "nothing");
}

TEST_CASE("a capture inside a capture is refused") {
  std::string refused;
  std::string inner;
  const int line = __LINE__ + 2;
  refused = refusals(capture([&](Matrix) {
    auto k = tile_kernel("inner", [](TensorView<f32, 1>) {});
    inner = refusals(k.capture(tensor_shape(4)));
  }));
  CHECK(refused == at("T0704", line));
  CHECK(inner == at("T0704", line));
}

TEST_CASE("an open extent has no number on the host", "[SPC-EXT]") {
  int line = 0;
  auto kernel = tile_kernel("unrolled", [&](TensorView<f32, 1> x) {
    line = __LINE__ + 1;
    const std::int64_t n = number(x.extent<0>());
    for (std::int64_t i = 0; i < n; ++i) x(coord(i)).store(i);
  });
  const std::string refused = refusals(kernel.capture(tensor_shape("N")));
  CHECK(refused == at("T0706", line));
  const TileProgram p = captured(kernel.capture(tensor_shape(3)));
  CHECK(count(p, OpKind::store) == 3);
}

TEST_CASE("else_ follows its if_ in one statement") {
  std::string refused;
  int line = 0;
  refused = refusals(capture([&](Matrix C) {
    auto c = C(coord(0, 0)).load() > 0;
    auto &&chain = if_(c, [] {});
    C(coord(0, 1)).store(1);
    line = __LINE__ + 1;
    chain.else_([] {});
  }));
  CHECK(refused == at("T0708", line));
}

TEST_CASE("the function of a map gives a value for each element") {
  std::string refused;
  int line = 0;
  refused = refusals(capture([&](Matrix C) {
    auto x = C[coord(0, 0), shape(8, 8)];
    auto m = C.dim<0>();
    line = __LINE__ + 1;
    [[maybe_unused]] auto y = map(x, [&](auto e) { return sum(e, m); });
  }));
  CHECK(refused == at("T0707", line));
}

TEST_CASE("an inferred domain is opaque and needs an access", "[CTX-INFER]") {
  std::string refused;
  int line = 0;
  refused = refusals(capture([&](Matrix C) {
    for (auto &leaf : parallel(exec::infer)) {
      line = __LINE__ + 1;
      C(coord(leaf.index() + 1, 0)).store(1);
    }
  }));
  CHECK(refused == at("T0605", line));
  refused = refusals(tile_kernel("ranks", [&](TensorView<f32, 2> a, TensorView<f32, 1> b) {
                       for (auto &leaf : parallel(exec::infer)) {
                         a(leaf.index()).store(1);
                         line = __LINE__ + 1;
                         b(leaf.index()).store(1);
                       }
                     }).capture(tensor_shape(4, 4), tensor_shape(4)));
  CHECK(refused == at("T0605", line));
}

TEST_CASE("sync belongs to the innermost parallel", "[SYNC]") {
  std::string refused;
  int line = 0;
  refused = refusals(capture([&](Matrix) {
    for (auto &outer : parallel(shape(2))) {
      for (auto &inner : outer.parallel(shape(2))) {
        (void)inner;
        line = __LINE__ + 1;
        outer.sync();
      }
    }
  }));
  CHECK(refused == at("T0602", line));
}

TEST_CASE("stage stands at the top level of its pipeline", "[PIPE-CUT]") {
  std::string refused;
  int line = 0;
  refused = refusals(capture([&](Matrix C) {
    for (auto &k : pipeline(shape(2))) {
      auto c = C(coord(0, 0)).load() > 0;
      if_(c, [&] {
        line = __LINE__ + 1;
        k.stage("late");
      });
    }
  }));
  CHECK(refused == at("T0601", line));
}

TEST_CASE("several mistakes are reported by one capture") {
  std::string refused;
  int line = 0;
  refused = refusals(capture([&](Matrix C) {
    line = __LINE__ + 1;
    C(coord(0)).store(1);
    C(coord(0, 0), shape(2, 2)).store(zeros<f32>(shape(3, 3)));
  }));
  CHECK(refused == at("T0209", line) + " " + at("T0202", line + 1));
}

TEST_CASE("names that nothing could be called by are refused at the kernel") {
  auto k = tile_kernel("copy", [](TensorView<const f32, 1> x, TensorView<f32, 1> y) { copy(x(0, shape(4)), y(0, shape(4))); }); const int line = __LINE__;
  auto refused = [&](const std::string &x, const std::string &y, const std::string &extent) {
    return refusals(k.capture(arg(x, tensor_shape(extent)), arg(y, tensor_shape(4))));
  };
  CHECK(refused("X", "Y", "M") == "nothing");
  for (const char *bad : {"", "a b", "1x", "\xc3\xa9"}) {
    INFO(bad);
    CHECK(refused(bad, "Y", "M") == at("T0713", line));
    CHECK(refused("X", "Y", bad) == at("T0713", line));
  }
  CHECK(refused("X", "X", "M") == at("T0713", line));
  CHECK(refused("X", "M", "M") == at("T0713", line));
  CHECK(refused("M", "Y", "M") == at("T0713", line));
}
