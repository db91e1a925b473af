// SPDX-License-Identifier: Apache-2.0
// The oracle's state: tiles with a tag on each element that is still a shared definition's, instances as
// coroutines that stop at a `sync`, storages by byte. regions.cpp walks, accesses.cpp touches storage,
// values.cpp computes.
#pragma once
#include "tests/oracle/interpreter.h"
#include <coroutine>
#include <exception>
#include <map>
#include <memory>

namespace tilenest::oracle {

// UPD-JOIN: this element is `element` of the definition of `variable` that `run` of a `parallel` shares; the
// instance has not written it.
struct Tag {
  int run, variable;
  std::int64_t element;
  bool operator==(const Tag &) const = default;
};
struct Element {
  Rational value;
  bool active = true;
  int mark = -1;           // of `Machine::marks`
  std::uint64_t stamp = 0; // of the computation that made it; moves keep it
  std::vector<Tag> tags;
};
struct Tile {
  ScalarType elem = ScalarType::i32;
  std::vector<DimId> dims;
  std::vector<std::int64_t> shape;
  std::vector<Element> e; // row-major
};
using Point = std::vector<std::int64_t>;

// A coroutine that starts when awaited or resumed and resumes who awaited it.
class Task {
public:
  struct promise_type {
    std::coroutine_handle<> waiting;
    std::exception_ptr error;
    Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct Back {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept {
          return h.promise().waiting ? h.promise().waiting : std::coroutine_handle<>(std::noop_coroutine());
        }
        void await_resume() noexcept {}
      };
      return Back{};
    }
    void return_void() {}
    void unhandled_exception() { error = std::current_exception(); }
  };
  Task(Task &&other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task(const Task &) = delete;
  Task &operator=(const Task &) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }
  std::coroutine_handle<> handle() const { return handle_; }
  bool done() const { return handle_.done(); }
  void rethrow() const {
    if (handle_.promise().error) std::rethrow_exception(handle_.promise().error);
  }
  bool await_ready() const { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> from) {
    handle_.promise().waiting = from;
    return handle_;
  }
  void await_resume() const { rethrow(); }

private:
  explicit Task(std::coroutine_handle<promise_type> h) : handle_(h) {}
  std::coroutine_handle<promise_type> handle_;
};

// One instance of a `parallel`, or the root.
struct Instance {
  Path path;           // of the current point; its own step is path[own - 1]
  std::size_t own = 0; // steps up to and with its own
  std::map<ValueId, Tile> values;
  std::map<ObjectId, int> memories;          // storages
  std::map<VarId, int> variables;            // numbers of what was declared
  std::map<int, std::vector<int>> shared;    // of a variable: the runs around that carry it, outer first
  std::coroutine_handle<> stopped;           // at a sync, or not started
  std::optional<std::pair<OpId, Path>> sync; // which, and the temporal points inside the parallel
};

// The run cannot go on: a condition without a value, or instances that do not meet.
struct Stop {};

class Machine {
public:
  Machine(const BoundProgram &bound, const std::vector<Argument> &arguments, bool reversed);
  Outcome run();

private:
  struct Byte {
    std::uint8_t value = 0;
    bool defined = false;
    int mark = -1;
  };
  struct Mark {
    const char *code;
    OpId op;
    int first = -1, second = -1; // both of two marks
  };
  struct Cell { // an element of a view
    int storage;
    std::int64_t byte;
  };

  // regions.cpp
  Task body(RegionId region, Instance &in);
  Task loop(OpId id, Instance &in);
  Task rounds(OpId id, Instance &in);
  Task branch(OpId id, Instance &in);
  void parallel(OpId id, Instance &outer);
  void join(const Op &op, int run, Instance &outer, std::vector<std::unique_ptr<Instance>> &instances);
  void assign(OpId id, Instance &in);
  std::vector<Point> domain(const Space &space, const Tile *predicate);
  void set_arguments(const Region &r, const Point &point, const std::vector<Tile> &carried, Instance &in);

  // events
  std::vector<std::int64_t> key(OpId id, const Instance &in) const;
  int event_depth(OpId id) const;
  Event &event(OpId id, Instance &in, Reach **reach = nullptr);
  void read(OpId id, Instance &in, const Element &e);
  void violation(const char *code, OpId op) { out_.violations.insert({code, op}); }
  int mark(const char *code, OpId op);
  int both(int a, int b) {
    if (a < 0 || b < 0) return a < 0 ? b : a;
    marks_.push_back({nullptr, {}, a, b});
    return static_cast<int>(marks_.size()) - 1;
  }
  void observe(const Element &e) { observe(e.mark); } // a mark reaches something observable
  void observe(int mark) {
    if (mark < 0) return;
    const Mark m = marks_[static_cast<std::size_t>(mark)];
    if (m.code != nullptr) violation(m.code, m.op);
    observe(m.first);
    observe(m.second);
  }

  // values.cpp
  void simple(OpId id, Instance &in);
  Tile pure(OpId id, Instance &in);
  Tile elementwise(OpId id, Instance &in, Tile out);
  Tile take(OpId id, Instance &in, Tile out);
  Tile insert(OpId id, Instance &in);
  Tile reduce(OpId id, Instance &in, Tile out);
  Tile contract(OpId id, Instance &in, Tile out);
  const Tile &value(ValueId v, Instance &in) const;
  const Element &scalar(ValueId v, Instance &in) const;
  Tile empty_tile(ValueId type) const; // fresh elements of the value's type and space
  const Element &at(const Tile &t, const Tile &frame, const Point &point) const; // BCAST: by dim identity
  Element fresh(Rational v, int mark = -1);
  // A coordinate, or nothing where it has no value.
  std::optional<std::int64_t> coordinate(OpId id, Instance &in, const Element &e);

  // accesses.cpp
  void access(OpId id, Instance &in);
  void memory(OpId id, Instance &in);
  int storage_of(ObjectId object, const Instance &in) const;
  std::optional<Cell> cell(ViewId view, const Point &point, const Instance &in) const;
  Element load(OpId id, const Cell &cell, ScalarType elem);
  void store(const Cell &cell, ScalarType elem, const Element &e);

  const BoundProgram &bound_;
  const TileProgram &p_;
  bool reversed_;
  std::vector<std::vector<Byte>> storages_;
  std::vector<std::int64_t> argument_offset_; // by ObjectId
  std::vector<std::string> storage_names_, variable_names_;
  std::map<ObjectId, int> argument_storage_;
  std::vector<Mark> marks_;
  std::map<std::vector<std::int64_t>, std::size_t> event_at_;
  std::map<std::vector<std::int64_t>, Tile> loaded_;
  std::set<std::vector<std::int64_t>> done_;
  std::uint64_t next_stamp_ = 1, steps_ = 0;
  int next_run_ = 0;
  Outcome out_;
};

// Calls f for every point of a shape, in lexicographic order.
template <class F> void each_point(const std::vector<std::int64_t> &shape, F &&f) {
  for (const std::int64_t n : shape)
    if (n == 0) return;
  Point point(shape.size(), 0);
  for (;;) {
    f(point);
    std::size_t i = shape.size();
    while (i > 0 && ++point[i - 1] == shape[i - 1]) point[--i] = 0;
    if (i == 0) return;
  }
}
inline std::size_t position(const std::vector<std::int64_t> &shape, const Point &point) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < shape.size(); ++i)
    at = at * static_cast<std::size_t>(shape[i]) + static_cast<std::size_t>(point[i]);
  return at;
}

} // namespace tilenest::oracle
