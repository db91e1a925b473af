// SPDX-License-Identifier: Apache-2.0
// Calls of the library in the place of their expansions. A call can be shown where its operations stand together in
// one region, give nothing away but its results, and are not pinned one by one; everything else is expanded.
#include "semantics/library/function.h"
#include "semantics/text/printer_state.h"
#include <algorithm>

namespace tilenest::text {

namespace {

using Kind = library::Parameter::Kind;

struct Place { // where the outermost operations of one call stand
  RegionId region;
  std::size_t begin = 0, end = 0;
  int runs = 0;
};

class Calls {
public:
  explicit Calls(TileProgram &p) : p_(p), places_(p.calls.size()), shown_(p.calls.size(), true) {
    find_places(p.body, CallId());
    for (std::size_t i = 0; i < p_.calls.size(); ++i) shown_[i] = showable(CallId(i));
    find_escapes(p.body);
  }

  void collapse() {
    for (Op &op : p_.ops)
      if (op.call.valid() && !shown_[op.call.index]) op.call = CallId();
    std::vector<CallId> order;
    for (std::size_t i = 0; i < p_.calls.size(); ++i)
      if (shown_[i]) order.emplace_back(i);
    // From the back, so that the places before stay valid.
    std::sort(order.begin(), order.end(), [&](CallId a, CallId b) { return places_[a.index].begin > places_[b.index].begin; });
    for (CallId c : order) collapse(c);
  }

private:
  void find_places(RegionId id, CallId outer) {
    const std::vector<OpId> &ops = p_.regions[id].ops;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const CallId c = p_.ops[ops[i]].call;
      if (c.valid() && c != outer) {
        Place &place = places_[c.index];
        if (place.runs == 0 || place.region != id || place.end != i) ++place.runs, place.region = id, place.begin = i;
        place.end = i + 1;
      }
      for (RegionId inner : p_.ops[ops[i]].regions) find_places(inner, c);
    }
  }

  bool showable(CallId c) const {
    const Place &place = places_[c.index];
    const LibraryCall &call = p_.calls[c];
    const library::Function *f = library::find(call.function);
    if (!f || place.runs != 1 || call.results.size() != f->result_count()) return false;
    const std::vector<OpId> &ops = p_.regions[place.region].ops;
    for (std::size_t i = place.begin; i < place.end; ++i) {
      const Op &op = p_.ops[ops[i]];
      if (op.pinned && i + 1 < place.end) return false;
      for (RegionId inner : op.regions) {
        bool pinned = false;
        for_each_op(p_, inner, [&](const Op &o, OpId) { pinned |= o.pinned; });
        if (pinned) return false;
      }
    }
    for (std::size_t i = 0; i < call.results.size(); ++i) {
      const ValueId v = call.results[i];
      if (inside(v) != c || std::find(call.results.begin(), call.results.begin() + static_cast<std::ptrdiff_t>(i), v) !=
                                call.results.begin() + static_cast<std::ptrdiff_t>(i))
        return false;
    }
    return true;
  }

  // The call that defines the value, at whatever depth.
  CallId inside(ValueId v) const {
    const Value &value = p_.values[v];
    if (value.op.valid()) return p_.ops[value.op].call;
    const OpId holder = p_.regions[value.region].op;
    return holder.valid() ? p_.ops[holder].call : CallId();
  }

  // A value of an expansion that is used outside and no result keeps the call from being shown.
  void mention(ValueId v, CallId from) {
    const CallId c = inside(v);
    if (!c.valid() || c == from) return;
    const std::vector<ValueId> &results = p_.calls[c].results;
    if (std::find(results.begin(), results.end(), v) == results.end()) shown_[c.index] = false;
  }
  void find_escapes(RegionId id) {
    const Region &r = p_.regions[id];
    const CallId holder = r.op.valid() ? p_.ops[r.op].call : CallId();
    for (OpId op : r.ops) {
      for (ValueId v : p_.ops[op].operands) mention(v, p_.ops[op].call);
      for (RegionId inner : p_.ops[op].regions) find_escapes(inner);
    }
    for (ValueId v : r.yields) mention(v, holder);
  }

  void collapse(CallId c) {
    const Place place = places_[c.index];
    std::vector<OpId> &ops = p_.regions[place.region].ops;
    const OpId last = ops[place.end - 1];
    Op stand_in;
    stand_in.kind = OpKind::per; // any operation without regions whose operands are captured from left to right
    for (const CallArgument &a : p_.calls[c].arguments)
      if (const auto *values = std::get_if<std::vector<ValueId>>(&a.value))
        stand_in.operands.insert(stand_in.operands.end(), values->begin(), values->end());
    stand_in.results = p_.calls[c].results;
    stand_in.parent = place.region;
    stand_in.site = p_.ops[last].site;
    stand_in.call = c;
    stand_in.pinned = p_.ops[last].pinned;
    stand_in.anchor = p_.ops[last].anchor;
    p_.ops[last] = std::move(stand_in);
    for (std::size_t i = 0; i < p_.calls[c].results.size(); ++i) {
      Value &v = p_.values[p_.calls[c].results[i]];
      v.op = last;
      v.region = RegionId();
      v.index = static_cast<int>(i);
    }
    ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(place.begin), ops.begin() + static_cast<std::ptrdiff_t>(place.end) - 1);
  }

  TileProgram &p_;
  std::vector<Place> places_;
  std::vector<bool> shown_;
};

} // namespace

TileProgram with_calls(const TileProgram &program, bool show) {
  TileProgram p = program;
  if (show)
    Calls(p).collapse();
  else
    for (Op &op : p.ops) op.call = CallId();
  return p;
}

// softmax(x, n); topk(x, n, k = 5)
std::string Printer::call(const Tree &t) {
  const LibraryCall &call = p_.calls[p_.ops[t.op].call];
  const library::Function &f = *library::find(call.function);
  std::string out = function(call.function) + "(";
  std::size_t operand = 0;
  bool by_position = true;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const CallArgument &a = call.arguments[i];
    const library::Parameter &p = *f.parameter(a.name);
    const auto *listed = std::get_if<std::vector<DimId>>(&a.value);
    // An axis `x = 3` by position would read as the argument x.
    by_position = by_position && a.name == f.parameters[i].name && p.kind != Kind::axis &&
                  (p.kind == Kind::dims ? !listed->empty() : p.required());
    std::string s;
    auto item = [&](const std::string &text) { s += (s.empty() ? "" : ", ") + text; };
    if (const auto *values = std::get_if<std::vector<ValueId>>(&a.value))
      for (std::size_t k = 0; k < values->size(); ++k) item(text(t, operand++));
    else if (const auto *n = std::get_if<std::int64_t>(&a.value)) item(literal_text(*n));
    else if (const auto *x = std::get_if<double>(&a.value)) item(literal_text(*x));
    else if (const auto *list = std::get_if<std::vector<Extent>>(&a.value))
      for (const Extent &e : *list) item(p.kind == Kind::operand ? extent_value(e) : names_.extent(e));
    else if (listed) s = dims(*listed);
    else if (const auto *of = std::get_if<Space>(&a.value)) s = p.kind == Kind::axis ? factor(of->factors[0], 0) : space(*of);
    else if (const auto *on = std::get_if<bool>(&a.value)) s = *on ? "true" : "false";
    else if (const auto *type = std::get_if<ScalarType>(&a.value)) s = to_string(*type);
    else if (const auto *word = std::get_if<std::string>(&a.value)) s = p.kind == Kind::text ? quoted(*word) : *word;
    else if (const auto *v = std::get_if<ViewId>(&a.value)) s = names_.view(*v);
    const bool brackets = p.kind == Kind::dim_list || (p.kind == Kind::extents && std::get<std::vector<Extent>>(a.value).size() > 1) || (p.kind == Kind::dims && !by_position);
    if (brackets) s = "[" + s + "]";
    if (i > 0) out += ", ";
    out += (by_position ? "" : a.name + " = ") + s;
    if (p.kind == Kind::tiles || (p.kind == Kind::dims && !brackets)) by_position = false; // they take the rest
  }
  return out + ")";
}

} // namespace tilenest::text
