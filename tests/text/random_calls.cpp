// SPDX-License-Identifier: Apache-2.0
// Random calls of the library: each function of its table, arguments by the kinds of its parameters. A function whose
// arguments have to fit each other gets them from a recipe of its own.
#include "semantics/library/call.h"
#include "semantics/program/signature.h"
#include "tests/text/random_state.h"

namespace tilenest {

namespace {

using library::Parameter;
using Kind = Parameter::Kind;

CallArgument of(const char *name, ValueId v) { return {name, std::vector<ValueId>{v}}; }

} // namespace

// At least one dim, and no extent that is known to be 0.
Space Generator::solid_space(std::size_t rank) {
  Space s;
  while (s.rank() < rank) {
    Factor f = any_factor();
    while (s.find(f.dim) >= 0) f.dim = fresh_dim();
    if (f.extent.is_constant() && *f.extent.constant() < 1) f.extent = Extent(1 + below(4));
    s.factors.push_back(f);
  }
  return s;
}

ScalarType Generator::type_of(OpOperands types) {
  ScalarType t = any_type();
  while (!admits(types, t) || is_packed(t)) t = any_type();
  return t;
}

// One dim of x, a word, a literal, ... : what fits whatever the other arguments are.
CallArgument Generator::plain_argument(const Parameter &p, const Space &x) {
  CallArgument a{p.name, {}};
  static const std::vector<double> numbers = {0.5, 1e-5, 0.25};
  switch (p.kind) {
  case Kind::dim: a.value = std::vector<DimId>{pick(x.factors).dim}; break;
  case Kind::dims: {
    std::vector<DimId> list;
    for (const Factor &f : x.factors)
      if (chance(60)) list.push_back(f.dim);
    a.value = std::move(list);
    break;
  }
  case Kind::integer: a.value = std::int64_t{std::string_view(p.name) != "correction"}; break; // few elements may be left
  case Kind::operand: a.value = std::int64_t{1}; break;
  case Kind::extent:
  case Kind::extents: a.value = std::vector<Extent>{Extent(1)}; break;
  case Kind::number: a.value = pick(numbers); break;
  case Kind::flag: a.value = chance(50); break;
  case Kind::type: a.value = any_type(); break;
  case Kind::axis: a.value = solid_space(1); break;
  case Kind::word: {
    std::vector<std::string> words = {""};
    for (const char *c = p.choices; *c; ++c)
      if (*c == '|') words.emplace_back();
      else words.back() += *c;
    a.value = pick(words);
    break;
  }
  default: break;
  }
  return a;
}

std::vector<CallArgument> Generator::arguments_of(const library::Function &f) {
  const std::string name = f.name;
  std::vector<CallArgument> out;
  if (name == "matmul") {
    const Space s = solid_space(3);
    const ScalarType t = type_of(OpOperands::numeric);
    const ValueId a = value(t, {{s.factors[0], s.factors[1]}}, 2);
    out = {of("a", a), of("b", value(t, {{s.factors[1], s.factors[2]}}, 2))};
    return out;
  }
  if (name == "select") {
    const ScalarType t = type_of(OpOperands::any);
    const Space s = solid_space(2);
    const ValueId condition = value(ScalarType::boolean, part_of(s), 2);
    out = {of("condition", condition), of("x", value(t, s, 2)), {"y", {}}};
    const Operand y = operand(t, {}, 2);
    if (const auto *v = std::get_if<ValueId>(&y)) out[2] = of("y", *v);
    if (const auto *i = std::get_if<std::int64_t>(&y)) out[2].value = *i;
    if (const auto *d = std::get_if<double>(&y)) out[2].value = *d;
    if (const auto *e = std::get_if<Extent>(&y)) out[2].value = std::vector<Extent>{*e};
    return out;
  }
  if (name == "one_hot") {
    const ScalarType t = type_of(OpOperands::integer);
    out = {of("labels", value(t, solid_space(1), 2)), {"classes", Space{{{fresh_dim(), Extent(1 + below(4))}}}}};
    if (chance(50)) out.push_back({"type", any_type()});
    return out;
  }
  if (name == "cross_entropy") {
    const Space s = solid_space(2);
    const ScalarType t = type_of(OpOperands::floating), of_labels = type_of(OpOperands::integer);
    const ValueId logits = value(t, s, 2);
    out = {of("logits", logits), of("labels", value(of_labels, {{s.factors[0]}}, 2)), {"dim", std::vector<DimId>{s.factors[1].dim}}};
    return out;
  }
  if (name == "mse_loss" || name == "mae_loss" || name == "huber_loss") {
    const Space s = solid_space(1 + static_cast<std::size_t>(below(2)));
    const ScalarType t = type_of(OpOperands::floating);
    const ValueId x = value(t, s, 2);
    out = {of("x", x), of("y", value(t, s, 2))};
    if (name == "huber_loss") out.push_back({"delta", 0.5});
    if (chance(60)) out.push_back({"dims", std::vector<DimId>{pick(s.factors).dim}});
    else if (chance(50)) out.push_back({"reduction", std::string("none")});
    return out;
  }
  if (name == "histogram") {
    const ValueId x = value(type_of(OpOperands::integer), solid_space(1 + static_cast<std::size_t>(below(2))), 2);
    return {of("x", x), {"bins", Space{{{fresh_dim(), Extent(1 + below(4))}}}}};
  }
  if (name == "affine_scan") {
    const Space s = solid_space(1 + static_cast<std::size_t>(below(2)));
    const ScalarType t = type_of(OpOperands::numeric);
    const ValueId m = value(t, s, 2);
    return {of("m", m), of("b", value(t, s, 2)), {"dim", std::vector<DimId>{pick(s.factors).dim}}, {"reverse", chance(50)}};
  }
  if (name == "segment_reduce" || name == "put_along") {
    Space s = solid_space(2);
    const ScalarType t = type_of(OpOperands::numeric), of_indices = type_of(OpOperands::integer);
    const Factor along = s.factors[1], fresh{fresh_dim(), Extent(1 + below(4))};
    const ValueId x = value(t, s, 2);
    std::vector<std::string> words = {"add", "mul", "min", "max"};
    if (name == "segment_reduce") {
      out = {of("x", x), of("ids", value(of_indices, {{along}}, 2)), {"dim", std::vector<DimId>{along.dim}}, {"segments", Space{{fresh}}}};
    } else {
      words.push_back("none");
      s.factors[1] = fresh;
      const ValueId values = value(t, s, 2);
      out = {of("x", x), of("values", values), of("indices", value(of_indices, {{fresh}}, 2)), {"dim", std::vector<DimId>{along.dim}}};
    }
    if (chance(60)) out.push_back({"reducer", pick(words)});
    return out;
  }
  if (name == "einsum") {
    const Space s = solid_space(3);
    const ScalarType t = type_of(OpOperands::numeric);
    const ValueId a = value(t, {{s.factors[0], s.factors[1]}}, 2);
    if (chance(30)) return {{"spec", std::string("ab->b")}, of("operands", a)};
    out = {{"spec", std::string(chance(50) ? "ij,jk->ki" : "ij, jk")}, {"operands", std::vector<ValueId>{a, value(t, {{s.factors[1], s.factors[2]}}, 2)}}};
    return out;
  }
  if (name == "conv2d" || name == "depthwise_conv2d") {
    const ScalarType t = type_of(OpOperands::numeric);
    auto image = [&](std::initializer_list<std::int64_t> extents) {
      Space s;
      for (std::int64_t n : extents) s.factors.push_back({fresh_dim(), Extent(n)});
      return value(t, s, 2);
    };
    const ValueId x = image({1, 4, 5, 6});
    const bool grouped = name == "conv2d" && chance(50);
    out = {of("x", x), of("w", name == "conv2d" ? image({2, grouped ? 2 : 4, 2, 3}) : image({4, 3, 2}))};
    if (chance(50)) out.push_back({"stride", std::vector<Extent>{Extent(2)}});
    if (chance(50)) out.push_back({"padding", std::vector<Extent>{Extent(0), Extent(1)}});
    if (chance(50)) out.push_back({"dilation", std::vector<Extent>{Extent(1), Extent(2)}});
    if (grouped) out.push_back({"groups", std::int64_t{2}});
    return out;
  }
  if (name == "max_pool2d" || name == "avg_pool2d") {
    const ScalarType t = type_of(name == "max_pool2d" ? OpOperands::numeric : OpOperands::floating);
    const Space s{{{fresh_dim(), Extent(4)}, {fresh_dim(), Extent(5)}}};
    out = {of("x", value(t, s, 2)), {"window", std::vector<Extent>{Extent(2), Extent(3)}}};
    if (chance(50)) out.push_back({"stride", std::vector<Extent>{Extent(1)}});
    if (chance(50)) out.push_back({"padding", std::vector<Extent>{Extent(1)}});
    if (name == "avg_pool2d" && chance(50)) out.push_back({"count_padding", chance(50)});
    return out;
  }
  if (name == "concat") {
    const ScalarType t = type_of(OpOperands::any);
    const Space s = solid_space(2);
    const ValueId a = value(t, s, 2);
    return {{"parts", std::vector<ValueId>{a, value(t, s, 2)}}, {"dim", std::vector<DimId>{pick(s.factors).dim}}};
  }
  if (name == "take_along") {
    const Space s = solid_space(2);
    const ValueId x = value(any_type(), s, 2);
    return {of("x", x), of("indices", value(type_of(OpOperands::integer), part_of(s), 2)), {"dim", std::vector<DimId>{s.factors[1].dim}}};
  }
  if (name == "quantise" || name == "dequantise") {
    const bool there = name == "quantise";
    const ValueId x = value(there ? type_of(OpOperands::floating) : type_where([](ScalarType t) { return t != ScalarType::boolean; }), solid_space(2), 2);
    const ScalarType to = type_of(there ? OpOperands::integer : OpOperands::floating);
    out = {of(there ? "x" : "q", x), {"scale", 0.5}, {"to", to}};
    if (chance(50)) out.push_back({"zero", 3.0});
    return out;
  }
  ScalarType first = ScalarType::f32; // optional tiles have the type of the first, over some of its dims
  const Space x = solid_space(1 + static_cast<std::size_t>(below(3)));
  for (std::size_t i = 0; i < f.parameter_count(); ++i) {
    const Parameter &p = f.parameters[i];
    if (!p.required() && chance(50)) continue;
    if (p.kind != Kind::tile) {
      out.push_back(plain_argument(p, x));
    } else if (p.required()) {
      first = type_of(p.types);
      out.push_back(of(p.name, value(first, x, 2)));
    } else {
      out.push_back(of(p.name, value(first, part_of(x), 2)));
    }
  }
  return out;
}

void Generator::call() {
  std::vector<const library::Function *> functions;
  for (const library::Family &family : library::families())
    for (const library::Function &f : family.functions) functions.push_back(&f);
  const library::Function &f = *pick(functions);
  std::vector<CallArgument> arguments = arguments_of(f);
  const std::vector<ValueId> results = library::call(b_, f, std::move(arguments));
  if (chance(15)) pin();
  const bool variables = chance(60);
  for (ValueId v : results) {
    if (!b_.type(v).active.empty()) continue;
    if (variables) variables_.push_back(b_.declare(any_name(), v));
    else keep(v);
  }
}

} // namespace tilenest
