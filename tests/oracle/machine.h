// SPDX-License-Identifier: Apache-2.0
// The oracle's state: tiles that know which elements are still a shared definition's, instances as coroutines
// that stop at a `sync`, storages by byte. regions.cpp walks, accesses.cpp touches storage, values.cpp computes.
#pragma once
#include "tests/oracle/interpreter.h"
#include <coroutine>
#include <deque>
#include <map>
#include <memory>

namespace tilenest::oracle {

using Marks = std::set<Violation>; // what is reported when the mark reaches something observable (VAL-MARK)
struct Element {
  Rational value;
  Marks marks = {};
  bool active = true;
  std::uint64_t stamp = 0; // of the computation that made it
  std::vector<Touch> shared = {}; // UPD-JOIN: definitions whose element it is; the instance has not written it
};
struct Tile {
  ScalarType elem = ScalarType::i32;
  std::vector<DimId> dims;
  std::vector<std::int64_t> shape;
  std::vector<Element> e; // row-major
};
using Point = std::vector<std::int64_t>;
const Element inactive{0, {}, false};

// A coroutine. `step` goes on with it to its next sync, and is false when it has come to its end instead.
struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  std::coroutine_handle<promise_type> handle;
  std::shared_ptr<void> frame{handle.address(), [](void *f) { std::coroutine_handle<>::from_address(f).destroy(); }};
  bool step() {
    handle.resume();
    return !handle.done();
  }
};

struct Cell { // a place in a storage
  int storage = 0;
  std::int64_t byte = 0;
};
using Key = std::vector<std::int64_t>;

// One instance of a `parallel`, or the root.
struct Instance {
  Path path;           // of the current point; its own step is path[own - 1]
  std::size_t own = 0; // steps up to and with its own
  std::vector<std::shared_ptr<const Tile>> values; // by ValueId
  std::map<ObjectId, Cell> objects; // where those begin that it sees
  std::map<VarId, int> variables;   // numbers of what was declared
  Key sync;                         // at which it has stopped; empty: at its end
};

// The run cannot go on: a condition without a value, or instances that do not meet.
struct Stop {};

class Machine {
public:
  Machine(const BoundProgram &bound, bool reversed) : bound_(bound), p_(*bound.program), reversed_(reversed) {}
  Outcome run(const std::vector<Argument> &arguments);

private:
  // regions.cpp
  Task body(RegionId region, Instance &in);
  Task structured(OpId id, Instance &in);
  void parallel(OpId id, Instance &outer);
  void assign(OpId id, Instance &in);
  std::vector<Point> domain(OpId id, Instance &in, const Space &space);
  Rational condition(OpId id, Instance &in, ValueId v);
  void set(ValueId v, Tile t, Instance &in) { in.values[v.index] = std::make_shared<const Tile>(std::move(t)); }
  void enter(const Region &r, const Point &point, const std::vector<Tile> &carried, Instance &in);
  int depth(OpId id) const;
  Key key(OpId id, const Instance &in, int depth) const;

  // values.cpp
  const Tile &value(ValueId v, const Instance &in) const { return *in.values.at(v.index); }
  Tile empty_tile(ScalarType elem, const Space &space) const;
  const Element &at(const Tile &t, const Tile &frame, const Point &point) const;
  Element fresh(Rational v, Marks marks = {}) { return {std::move(v), std::move(marks), true, next_stamp_++}; }
  static Touch element_of(int variable, std::size_t element, How how, int shared_by = -1) {
    return {variable, static_cast<std::int64_t>(element), 1, how, {}, {}, shared_by};
  }
  void touch(OpId id, Instance &in, const Touch &t);
  const Element &read(OpId id, Instance &in, const Element &e);
  void observe(const Marks &marks) { out_.violations.insert(marks.begin(), marks.end()); }
  std::int64_t coordinate(OpId id, Instance &in, const Element &e, Marks &lost);
  bool holds(OpId id, Instance &in, const Element &e);
  Element computed(OpId id, Instance &in, const Tile &out, const Point &point);
  Element taken(OpId id, Instance &in, const Tile &out, const Point &point);
  Element inserted(OpId id, Instance &in, const Tile &out, const Point &point);
  Element folded(OpId id, Instance &in, const Tile &out, const Point &point);

  // accesses.cpp
  int named(const std::string &name); // the number of a new object
  void memory(OpId id, Instance &in);
  void access(OpId id, Instance &in);
  std::optional<Cell> cell(ViewId view, const Point &point, const Instance &in) const;
  Element load(OpId id, const Cell &cell, ScalarType elem);
  void store(const Cell &cell, ScalarType elem, const Element &e);

  struct Byte {
    std::uint8_t value = 0;
    bool defined = false;
    Marks marks = {};
  };
  struct Done { // an access that has happened (ANC-ONCE)
    std::size_t event = 0;
    Tile loaded = {};
  };
  const BoundProgram &bound_;
  const TileProgram &p_;
  bool reversed_;
  std::vector<std::string> names_; // of objects by number
  std::map<int, std::vector<Byte>> storages_;
  std::map<Key, Done> done_;
  std::uint64_t next_stamp_ = 1, steps_ = 0;
  int next_run_ = 0;
  Outcome out_;
};

// Every point of a shape, in lexicographic order.
inline std::vector<Point> points(const std::vector<std::int64_t> &shape) {
  std::vector<Point> all(1);
  for (const std::int64_t n : shape) {
    std::vector<Point> longer;
    for (Point p : all) {
      p.push_back(0);
      for (; p.back() < n; ++p.back()) longer.push_back(p);
    }
    all = std::move(longer);
  }
  return all;
}
inline std::size_t position(const std::vector<std::int64_t> &shape, const Point &point) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < shape.size(); ++i)
    at = at * static_cast<std::size_t>(shape[i]) + static_cast<std::size_t>(point[i]);
  return at;
}

} // namespace tilenest::oracle
