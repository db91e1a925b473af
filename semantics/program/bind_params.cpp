// SPDX-License-Identifier: Apache-2.0
// Numbers for the extent parameters: by name, from axes that are a lone parameter, from affine axes with one
// unknown; then every given axis is checked.
#include "semantics/diag/codes.h"
#include "semantics/program/bind_detail.h"
#include "semantics/support/rule.h"
#include <algorithm>

namespace tilenest::bind_detail {

namespace {

std::string axis_text(const Binding &b, const Source &s) {
  if (!s.argument.valid()) return "name";
  return "axis " + std::to_string(s.axis) + " of `" + b.p.objects[s.argument].name + "`";
}

template <class Table, class Name> std::string listed(const Table &table, Name name) {
  std::string out;
  for (const auto &item : table) out += (out.empty() ? "`" : ", `") + name(item) + "`";
  return out.empty() ? "none" : out;
}

// The parameter that an extent is, if it is one and nothing else.
ParamId lone_param(const Extent &e) {
  if (e.overflowed() || e.constant_part() != 0 || e.terms().size() != 1) return {};
  const Extent::Term &t = e.terms()[0];
  return t.coefficient == 1 && !t.atom.numerator ? t.atom.param : ParamId{};
}

void set_param(Binding &b, ParamId id, std::int64_t value, Source source) {
  b.params[id.index] = value;
  b.sources[id.index] = source;
}

struct AxisExtent {
  Source at;
  const Extent *extent;
  std::int64_t found; // elements; of an axis in bytes the most that they hold
  bool in_bytes;

  bool fits(std::int64_t n) const { return n == found || (in_bytes && n > 0 && n == found - 1); }
};

std::vector<AxisExtent> given_axes(const Binding &b) {
  std::vector<AxisExtent> out;
  for (std::size_t i = 0; i < b.given.size(); ++i) {
    if (!b.given[i]) continue;
    const ObjectId id = b.p.arguments[i];
    const Object &object = b.p.objects[id];
    for (std::size_t axis = 0; axis < object.shape.size(); ++axis) {
      const bool in_bytes = b.given[i]->in_bytes && axis + 1 == object.shape.size();
      std::int64_t found = b.given[i]->shape[axis];
      if (in_bytes && __builtin_mul_overflow(found, 2, &found)) found = INT64_MAX;
      out.push_back({{id, axis}, &object.shape[axis], found, in_bytes});
    }
  }
  return out;
}

// One axis whose extent is linear in exactly one parameter without a number: that parameter, if its value is
// exact and >= 0. An unknown under a floor is left to other axes.
void solve_axis(Binding &b, const AxisExtent &axis) {
  const Extent &e = *axis.extent;
  if (e.overflowed()) return;
  std::int64_t rest = axis.found, coefficient = 0;
  if (__builtin_sub_overflow(rest, e.constant_part(), &rest)) return;
  ParamId unknown;
  for (const Extent::Term &t : e.terms()) {
    if (!t.atom.numerator && !b.params[t.atom.param.index]) {
      if (unknown.valid()) return;
      unknown = t.atom.param, coefficient = t.coefficient;
      continue;
    }
    const auto value = b.evaluate(t.atom.numerator ? t.atom.numerator->floor_div(t.atom.divisor)
                                                   : Extent::parameter(t.atom.param));
    std::int64_t product;
    if (!value || __builtin_mul_overflow(*value, t.coefficient, &product) ||
        __builtin_sub_overflow(rest, product, &rest))
      return;
  }
  if (!unknown.valid() || coefficient == 0 || (coefficient == -1 && rest == INT64_MIN)) return;
  if (rest % coefficient != 0 || rest / coefficient < 0) {
    b.error(Code::T1006, b.p.objects[axis.at.argument].site,
            {{"axis", axis_text(b, axis.at)}, {"found", std::to_string(axis.found)},
             {"param", b.p.params[unknown].name}, {"extent", b.p.extent_text(e)}});
    return;
  }
  set_param(b, unknown, rest / coefficient, axis.at);
}

} // namespace

void take_named(Binding &b, const std::map<std::string, std::int64_t> &named) {
  for (const auto &[name, value] : named) {
    ParamId id;
    for (std::size_t i = 0; i < b.p.params.size(); ++i)
      if (b.p.params[ParamId(i)].name == name) id = ParamId(i);
    if (!id.valid())
      b.error(Code::T1003, {}, {{"param", name}},
              "the parameters of `" + b.p.name + "`: " + listed(b.p.params, [](const Param &x) { return x.name; }));
    else if (value < 0)
      b.error(Code::T1004, {}, {{"param", name}, {"value", std::to_string(value)}});
    else
      set_param(b, id, value, {});
  }
}

void match_arguments(Binding &b) {
  for (const ArgumentShape &shape : b.shapes) {
    std::size_t at = 0;
    while (at < b.p.arguments.size() && b.p.objects[b.p.arguments[at]].name != shape.argument) ++at;
    if (at == b.p.arguments.size()) {
      b.error(Code::T1001, {}, {{"argument", shape.argument}},
              "the arguments of `" + b.p.name + "`: " +
                  listed(b.p.arguments, [&](ObjectId id) { return b.p.objects[id].name; }));
      continue;
    }
    const Object &object = b.p.objects[b.p.arguments[at]];
    if (b.given[at])
      b.error(Code::T1009, object.site, {{"argument", shape.argument}});
    else if (object.shape.size() != shape.shape.size())
      b.error(Code::T1002, object.site,
              {{"argument", object.name}, {"expected", std::to_string(object.shape.size())},
               {"found", std::to_string(shape.shape.size())}});
    else
      b.given[at] = &shape;
  }
}

// rule: SPC-EXT
void solve_params(Binding &b) {
  std::vector<AxisExtent> axes = given_axes(b);
  // What only bounds an extent speaks after what determines it.
  std::stable_partition(axes.begin(), axes.end(), [](const AxisExtent &axis) { return !axis.in_bytes; });
  std::vector<std::pair<ParamId, std::int64_t>> refused; // axes that agree with each other share one report
  for (const AxisExtent &axis : axes) {
    const ParamId id = lone_param(*axis.extent);
    if (!id.valid()) continue;
    const auto &known = b.params[id.index];
    if (!known) {
      set_param(b, id, axis.found, axis.at);
    } else if (!axis.fits(*known) && !rule_broken(Rule::spc_ext)) {
      const std::pair claim(id, axis.found);
      if (std::find(refused.begin(), refused.end(), claim) != refused.end()) continue;
      refused.push_back(claim);
      Diagnostic &d = b.error(Code::T1005, b.p.objects[axis.at.argument].site,
                              {{"param", b.p.params[id].name}, {"first", std::to_string(*known)},
                               {"first_source", axis_text(b, b.sources[id.index])},
                               {"second", std::to_string(axis.found)}, {"second_source", axis_text(b, axis.at)}});
      const Source &source = b.sources[id.index];
      if (!d.sites.empty() && source.argument.valid() && source.argument != axis.at.argument) {
        d.label(std::to_string(axis.found) + " by " + axis_text(b, axis.at));
        d.also(b.p.site(b.p.objects[source.argument].site),
               std::to_string(*known) + " by " + axis_text(b, source));
      }
    }
  }
  // Each round gives a parameter a number or is the last.
  for (bool progress = true; progress && b.errors.empty();) {
    progress = false;
    for (const AxisExtent &axis : axes) {
      std::size_t before = 0, after = 0;
      for (const auto &value : b.params) before += value.has_value();
      solve_axis(b, axis);
      for (const auto &value : b.params) after += value.has_value();
      progress |= after > before;
    }
  }
  if (!b.errors.empty()) return;
  for (std::size_t i = 0; i < b.params.size(); ++i) {
    if (b.params[i]) continue;
    const std::string &name = b.p.params[ParamId(i)].name;
    std::string arguments;
    SiteId site;
    for (ObjectId id : b.p.arguments)
      for (std::size_t axis = 0; axis < b.p.objects[id].shape.size(); ++axis) {
        if (lone_param(b.p.objects[id].shape[axis]) != ParamId(i)) continue;
        if (!site.valid()) site = b.p.objects[id].site;
        arguments += (arguments.empty() ? ", or an array for `" : " or `") + b.p.objects[id].name + "`";
        break;
      }
    b.error(Code::T1007, site, {{"param", name}}, "give it by name, `--shape " + name + "=...`" + arguments);
  }
}

// rule: SPC-EXT
void check_axes(Binding &b) {
  if (rule_broken(Rule::spc_ext)) return;
  for (const AxisExtent &axis : given_axes(b)) {
    const auto expected = b.evaluate(*axis.extent);
    if ((expected && axis.fits(*expected)) || lone_param(*axis.extent).valid()) continue;
    Diagnostic &d = b.error(Code::T1008, b.p.objects[axis.at.argument].site,
                            {{"axis", axis_text(b, axis.at)}, {"found", std::to_string(axis.found)},
                             {"extent", b.value_text(*axis.extent)}});
    std::vector<ParamId> params;
    axis.extent->collect_params(params);
    for (ParamId id : params)
      d.note("`" + b.p.params[id].name + "` is " + std::to_string(*b.params[id.index]) + " by " +
             axis_text(b, b.sources[id.index]));
  }
}

} // namespace tilenest::bind_detail
