// SPDX-License-Identifier: Apache-2.0
// BoundProgram, and the order of the steps of binding; the steps are in bind_params.cpp and bind_check.cpp.
#include "semantics/program/bind.h"
#include "semantics/program/bind_detail.h"
#include "semantics/space/element_count.h"

namespace tilenest {

Extent::Lookup BoundProgram::lookup() const {
  return [this](ParamId id) -> std::optional<std::int64_t> {
    if (id.index >= params.size()) return std::nullopt;
    return params[id.index];
  };
}

std::int64_t BoundProgram::extent(const Extent &e) const {
  if (const auto constant = e.constant()) return *constant;
  return e.evaluate(lookup()).value_or(0);
}

std::vector<std::int64_t> BoundProgram::shape(const Space &s) const {
  std::vector<std::int64_t> out;
  out.reserve(s.rank());
  for (const Factor &f : s.factors) out.push_back(extent(f.extent));
  return out;
}

std::int64_t BoundProgram::count(const Space &s) const { return element_count(shape(s)); }

namespace bind_detail {

std::optional<std::int64_t> Binding::evaluate(const Extent &e) const {
  return e.evaluate([this](ParamId id) { return params[id.index]; });
}

std::string Binding::value_text(const Extent &e) const {
  const auto value = evaluate(e);
  const std::string number = value ? std::to_string(*value) : "not a 64-bit number";
  return e.is_constant() ? number : p.extent_text(e) + " = " + number;
}

std::string Binding::shape_text(const Space &s) const {
  std::string out = "[";
  for (const Factor &f : s.factors) {
    if (out.size() > 1) out += ", ";
    if (p.dims[f.dim].position < 0) out += p.dim_text(f.dim) + " = ";
    out += value_text(f.extent);
  }
  return out + "]";
}

Diagnostic &Binding::error(Code code, SiteId site, std::vector<std::pair<std::string, std::string>> args,
                           std::string help) {
  return errors.emplace_back(code, p.site(site), std::move(args), std::move(help));
}

bool Binding::full() const { return errors.size() >= 20; }

} // namespace bind_detail

// rule: SPC-EXT
Result<BoundProgram> bind(std::shared_ptr<const TileProgram> program, const std::vector<ArgumentShape> &shapes,
                          const std::map<std::string, std::int64_t> &named) {
  using namespace bind_detail;
  Binding b{*program, shapes, {}, {}, {}, {}};
  b.params.resize(program->params.size());
  b.sources.resize(program->params.size());
  b.given.resize(program->arguments.size(), nullptr);
  take_named(b, named);
  match_arguments(b);
  if (b.errors.empty()) solve_params(b);
  if (b.errors.empty()) check_axes(b);
  if (b.errors.empty()) check_constraints(b);
  if (b.errors.empty()) check_extents(b);
  if (b.errors.empty()) check_maps(b);
  if (b.errors.empty()) check_orders(b);
  if (b.errors.empty()) check_promises(b);
  if (!b.errors.empty()) return std::move(b.errors);
  BoundProgram bound{std::move(program), {}};
  for (const auto &value : b.params) bound.params.push_back(*value);
  return bound;
}

} // namespace tilenest
