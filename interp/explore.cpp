// SPDX-License-Identifier: Apache-2.0
// Runs a program along many groupings on copies of its outputs and keeps what differs.
#include "interp/explore.h"
#include "semantics/numerics/literals.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>

namespace tilenest {

namespace {

// A private copy of one written argument: as it was before a run, and what a run made of it.
class Output {
public:
  Output(std::size_t argument, ScalarType type, const Buffer &buffer) : argument_(argument), type_(type), buffer_(buffer) {
    for (const std::int64_t n : buffer.shape) count_ *= n;
    if (count_ == 0) return;
    std::int64_t low = 0, high = 0; // offsets of elements, in the units of strides
    for (std::size_t d = 0; d < buffer.shape.size(); ++d) {
      const std::int64_t reach = (buffer.shape[d] - 1) * buffer.strides[d];
      (reach < 0 ? low : high) += reach;
    }
    const std::int64_t unit = is_packed(type) ? 2 : 1;
    first_ = (low - (unit - 1)) / unit;
    const std::int64_t end = is_packed(type) ? high / 2 + 1 : high + static_cast<std::int64_t>(byte_size(type));
    before_.assign(static_cast<const std::byte *>(buffer.data) + first_, static_cast<const std::byte *>(buffer.data) + end);
    now_ = before_;
  }

  Buffer fresh() {
    now_ = before_;
    Buffer b = buffer_;
    if (count_ > 0) b.data = now_.data() - first_;
    return b;
  }

  // After a run under the schedule.
  void look(const std::string &schedule) {
    if (reference_.empty()) {
      for (std::int64_t i = 0; i < count_; ++i) reference_.push_back(element(i));
      reference_bytes_ = now_, reference_schedule_ = schedule;
      return;
    }
    if ((now_ == reference_bytes_ && seen_.empty()) || rule_broken(Rule::red_sens)) return;
    for (std::int64_t i = 0; i < count_; ++i) {
      const std::uint64_t bits = element(i);
      auto at = seen_.find(i);
      if (at == seen_.end()) {
        const std::uint64_t first = reference_[static_cast<std::size_t>(i)];
        if (bits == first) continue;
        at = seen_.emplace(i, Seen{}).first;
        add(at->second, first, reference_schedule_);
      }
      add(at->second, bits, schedule);
    }
  }

  ExploredOutput result() const {
    ExploredOutput out{argument_, seen_.size(), {}};
    for (const auto &[index, seen] : seen_) {
      if (out.widest && out.widest->values >= seen.values.size()) continue;
      SensitiveElement e{index, seen.values.size(), {}, {}, {}, {}};
      if (seen.low && seen.low->bits != seen.high->bits)
        e.low = seen.low->bits, e.high = seen.high->bits, e.low_schedule = seen.low->schedule, e.high_schedule = seen.high->schedule;
      out.widest = std::move(e);
    }
    return out;
  }

private:
  struct Extreme {
    std::uint64_t bits;
    std::string schedule;
  };
  struct Seen {
    std::set<std::uint64_t> values;
    std::optional<Extreme> low, high;
  };

  bool less(std::uint64_t a, std::uint64_t b) const {
    if (is_float(type_)) {
      const double x = value_as_f64(type_, a), y = value_as_f64(type_, b);
      return x < y || (x == y && std::signbit(x) && !std::signbit(y)); // -0 below 0
    }
    return is_signed(type_) ? value_as_i64(type_, a) < value_as_i64(type_, b) : a < b;
  }

  void add(Seen &seen, std::uint64_t bits, const std::string &schedule) {
    if (!seen.values.insert(bits).second || is_nan(bits)) return;
    if (!seen.low || less(bits, seen.low->bits)) seen.low = Extreme{bits, schedule};
    if (!seen.high || less(seen.high->bits, bits)) seen.high = Extreme{bits, schedule};
  }

  bool is_nan(std::uint64_t bits) const { return is_float(type_) && std::isnan(value_as_f64(type_, bits)); }

  // Row-major element i; NaN is one value.
  std::uint64_t element(std::int64_t i) const {
    std::int64_t offset = 0;
    for (std::size_t d = buffer_.shape.size(); d-- > 0;) {
      offset += i % buffer_.shape[d] * buffer_.strides[d];
      i /= buffer_.shape[d];
    }
    std::uint64_t bits = 0;
    if (is_packed(type_)) {
      const std::byte *at = now_.data() - first_ + (offset >> 1);
      bits = std::to_integer<std::uint64_t>(*at) >> (offset & 1) * 4 & 15;
      if (is_signed(type_) && bits > 7) bits |= 0xf0;
    } else {
      std::memcpy(&bits, now_.data() - first_ + offset, byte_size(type_));
    }
    return is_nan(bits) ? literal_bits(std::nan(""), type_).value_or(bits) : bits;
  }

  std::size_t argument_;
  ScalarType type_;
  Buffer buffer_;
  std::int64_t count_ = 1, first_ = 0; // first_: bytes from element 0 to the lowest
  std::vector<std::byte> before_, now_, reference_bytes_;
  std::vector<std::uint64_t> reference_;
  std::string reference_schedule_;
  std::map<std::int64_t, Seen> seen_;
};

std::string listed(const std::vector<std::uint64_t> &choices) {
  std::size_t n = choices.size();
  while (n > 0 && choices[n - 1] == 0) --n; // what is not given is 0
  if (n == 0) return "reference";
  std::string out = "groupings=";
  for (std::size_t i = 0; i < n; ++i) out += (i > 0 ? "," : "") + std::to_string(choices[i]);
  return out;
}

} // namespace

std::set<std::string> unexplored_freedoms(const TileProgram &p) {
  std::set<std::string> out;
  for_each_op(p, p.body, [&](const Op &op, OpId) {
    const bool atomic = op.kind == OpKind::atomic || (op.kind == OpKind::scatter && std::get<IndexedAttr>(op.attr).reducer);
    if (op.kind == OpKind::mma || op.kind == OpKind::scan || atomic) out.insert(std::string(info(op.kind).name));
  });
  return out;
}

Exploration explore(const BoundProgram &program, const std::vector<Buffer> &buffers, const ExploreOptions &options) {
  Exploration out;
  const TileProgram &p = *program.program;
  std::vector<Output> outputs;
  std::vector<std::pair<std::size_t, std::size_t>> written; // argument, its output
  for (std::size_t i = 0; i < p.arguments.size(); ++i) {
    const Object &object = p.objects[p.arguments[i]];
    if (object.access == ArgumentAccess::in) continue;
    written.emplace_back(i, outputs.size());
    outputs.emplace_back(i, object.elem, buffers[i]);
  }

  out.unexplored = unexplored_freedoms(p);

  // False: the run had an error, which is the result.
  auto run_along = [&](Chooser &chooser, auto &&schedule) {
    std::vector<Buffer> used = buffers;
    for (const auto &[argument, output] : written) used[argument] = outputs[output].fresh();
    RunOptions run_options = options.run;
    run_options.chooser = &chooser;
    RunResult result = run(program, std::move(used), run_options);
    ++out.runs;
    const std::string name = schedule();
    if (has_error(result.diagnostics)) {
      out.diagnostics = std::move(result.diagnostics), out.schedule = name;
      return false;
    }
    if (out.runs == 1) out.diagnostics = std::move(result.diagnostics);
    for (Output &o : outputs) o.look(name);
    return true;
  };

  ExhaustiveChooser every(Freedom::grouping);
  while (!out.all && out.runs < std::max<std::uint64_t>(options.limit, 1)) {
    if (!run_along(every, [&] { return listed(every.choices()); })) return out;
    if (out.runs == 1 && every.estimate() > static_cast<double>(options.limit)) break; // hopeless
    out.all = !every.next();
  }
  for (std::uint64_t seed = 0; !out.all && seed < options.samples; ++seed) {
    SeededChooser sampled(seed);
    if (!run_along(sampled, [&] { return "seed=" + std::to_string(seed); })) return out;
  }
  out.all &= out.unexplored.empty();
  for (const Output &o : outputs) out.outputs.push_back(o.result());
  return out;
}

std::unique_ptr<Chooser> chooser_of(std::string_view schedule) {
  const auto number = [](std::string_view text) -> std::optional<std::uint64_t> {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
  };
  if (schedule == "reference") return std::make_unique<ListedChooser>(Freedom::grouping, std::vector<std::uint64_t>{});
  if (schedule.starts_with("seed=")) {
    const auto seed = number(schedule.substr(5));
    return seed ? std::make_unique<SeededChooser>(*seed) : nullptr;
  }
  if (!schedule.starts_with("groupings=")) return nullptr;
  std::vector<std::uint64_t> choices;
  for (std::string_view rest = schedule.substr(10);;) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const auto choice = number(rest.substr(0, comma));
    if (!choice) return nullptr;
    choices.push_back(*choice);
    if (comma == rest.size()) break;
    rest.remove_prefix(comma + 1);
  }
  return std::make_unique<ListedChooser>(Freedom::grouping, std::move(choices));
}

} // namespace tilenest
