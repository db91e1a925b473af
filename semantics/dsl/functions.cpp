// SPDX-License-Identifier: Apache-2.0
// The value functions of the surface on the Builder, and a kernel's arguments.
#include "semantics/diag/codes.h"
#include "semantics/dsl/functions.h"
#include "semantics/dsl/kernel.h"

namespace tilenest::dsl {

namespace {

struct Operation { // placed at the statement, with its tile operand
  Builder &builder;
  Capture &capture;
  ValueId x;
  explicit Operation(const AnyArg &arg)
      : builder(Capture::at(arg.where).builder()), capture(Capture::here()), x(builder.value(arg.operand)) {}
};

} // namespace

ValueId full(ScalarType type, const Operand &value, const Domain &shape, std::source_location where,
             const char *written) {
  Capture &c = Capture::at(where);
  const Space space = shape.space(c);
  const ValueId x = c.builder().full(type, value, space, written);
  const auto predicate = shape.predicate_value(space);
  return predicate ? c.builder().restrict(x, *predicate) : x;
}

ValueId iota(const Domain &axis, std::source_location where) {
  Capture &c = Capture::at(where);
  const Space space = axis.space(c);
  if (space.rank() == 1) return c.builder().iota(space.factors[0]);
  c.builder().error(Code::T0209,
                    {{"what", "`iota`"}, {"expected", "1 coordinate"}, {"found", std::to_string(space.rank())}});
  return c.builder().refused(ScalarType::i64);
}

ValueId extent(const Extent &e, std::source_location where) { return Capture::at(where).builder().value(e); }
Extent extent_parameter(const char *name, std::source_location where) {
  return Capture::at(where).builder().extent_param(name);
}

ValueId cast(OpKind kind, ScalarType type, const AnyArg &x) {
  return Capture::at(x.where).builder().cast(kind, type, x.operand);
}
ValueId broadcast(const AnyArg &x, const Domain &shape) {
  const Operation o(x);
  return o.builder.broadcast(o.x, shape.space(o.capture));
}
ValueId reshape(const AnyArg &x, const Domain &shape) {
  const Operation o(x);
  return o.builder.reshape(o.x, shape.space(o.capture));
}
ValueId relabel(const AnyArg &x, const DimList &dims) {
  const Operation o(x);
  return o.builder.relabel(o.x, dims.dims);
}
ValueId transpose(const AnyArg &x, const DimList &dims) {
  const Operation o(x);
  return o.builder.transpose(o.x, dims.dims);
}
ValueId insert(const AnyArg &x, const AnyArg &piece, const Coord &origin) {
  const Operation o(x);
  return o.builder.insert(o.x, piece.operand, origin.items());
}
ValueId take(const AnyArg &x, const Coord &index) {
  const Operation o(x);
  return o.builder.take(o.x, index.items());
}
ValueId scan(const AnyArg &x, DimId dim, Reducer reducer, bool exclusive, bool reverse, ReductionPolicy policy) {
  const Operation o(x);
  return o.builder.scan(o.x, dim, reducer, exclusive, reverse, policy);
}
ValueId reduce(const AnyArg &x, const DimList &dims, Reducer reducer, ReductionPolicy policy,
               bool wide_accumulation) {
  const Operation o(x);
  return o.builder.reduce(o.x, dims.dims, reducer, policy, wide_accumulation);
}
DimList all_dims(const AnyArg &x) {
  const Operation o(x);
  std::vector<DimId> dims;
  for (const Factor &f : o.builder.type(o.x).space.factors) dims.push_back(f.dim);
  return dims;
}
ValueId mma(const AnyArg &a, const AnyArg &b, const AnyArg &acc, MmaAttr policy) {
  const Operation o(a);
  return o.builder.mma(o.x, o.builder.value(b.operand), o.builder.value(acc.operand), policy);
}
ValueId per(const ScopeHandle &nest, const AnyArg &x) {
  const Operation o(x);
  if (!const_cast<ScopeHandle &>(nest).usable(o.capture)) return o.x;
  return o.builder.per(nest.scope().level, o.x);
}

void check_map(const AnyArg &x, const TileIdentity &result) {
  const Operation o(x);
  const Space &from = o.builder.type(o.x).space;
  const Space &to = o.builder.type(result.read()).space;
  for (const Factor &f : from.factors)
    if (to.find(f.dim) < 0) {
      o.builder.error(Code::T0707, {{"dim", o.builder.program().dim_text(f.dim)}});
      return;
    }
}

namespace {

// Why no argument or extent can be called so, or null: these names are how a run is told of them.
const char *no_name(const std::string &name) {
  if (name.empty()) return "it is empty";
  for (const char c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) return "it has more than ASCII letters, digits and `_`";
  return name[0] >= '0' && name[0] <= '9' ? "it begins with a digit" : nullptr;
}

void check_name(Builder &b, const std::string &name) {
  if (const char *why = no_name(name)) b.error(Code::T0713, {{"name", name}, {"why", why}});
}

} // namespace

ViewIdentity argument(Capture &capture, const std::string &name, ScalarType type,
                      const std::vector<std::variant<std::string, std::int64_t>> &axes,
                      ArgumentAccess access) {
  Builder &b = capture.builder();
  const auto declared = [&](const std::string &other) {
    const TileProgram &p = b.program();
    return std::any_of(p.arguments.begin(), p.arguments.end(), [&](ObjectId id) { return p.objects[id].name == other; });
  };
  check_name(b, name);
  if (declared(name)) b.error(Code::T0713, {{"name", name}, {"why", "another argument has it"}});
  std::vector<Extent> shape;
  for (const auto &axis : axes) {
    if (const auto *n = std::get_if<std::int64_t>(&axis)) {
      if (*n < 0)
        b.error(Code::T0204,
                {{"extent", std::to_string(*n)}, {"what", "`" + name + "`"}, {"why", "it is negative"}});
      shape.push_back(*n);
    } else {
      const std::string &extent = std::get<std::string>(axis);
      check_name(b, extent);
      if (declared(extent)) b.error(Code::T0713, {{"name", extent}, {"why", "an argument has it, and here an extent"}});
      shape.push_back(b.extent_param(extent));
    }
  }
  const auto is_extent = [&](const Param &q) { return q.name == name; };
  if (std::any_of(b.program().params.begin(), b.program().params.end(), is_extent))
    b.error(Code::T0713, {{"name", name}, {"why", "an extent has it, and here an argument"}});
  return {b.argument(name, type, std::move(shape), access), capture.generation()};
}

Result<TileProgram> nested_capture(const std::string &kernel, std::source_location where) {
  Builder &outer = Capture::at(where).builder();
  outer.error(Code::T0704, {{"kernel", kernel}, {"outer", outer.program().name}},
              "call its function, or capture it before");
  return Diagnostics{outer.diagnostics().back()};
}

} // namespace tilenest::dsl
