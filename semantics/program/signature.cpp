// SPDX-License-Identifier: Apache-2.0
// Signatures of elementwise, index map, generate, reduce and contract operations; memory's are in
// signature_memory.cpp.
#include "semantics/diag/codes.h"
#include "semantics/program/signature.h"
#include "semantics/program/signature_detail.h"
#include <algorithm>

namespace tilenest {

bool converts_exactly(ScalarType from, ScalarType to) {
  if (from == to) return true;
  auto float_format = [](ScalarType t) -> std::pair<int, int> { // significand bits, exponent range as rank
    switch (t) {
    case ScalarType::f8e4m3fn: return {4, 8};
    case ScalarType::f8e5m2: return {3, 15};
    case ScalarType::f16: return {11, 15};
    case ScalarType::bf16: return {8, 127};
    case ScalarType::f32: return {24, 127};
    default: return {53, 1023};
    }
  };
  if (from == ScalarType::boolean) return true;
  if (to == ScalarType::boolean) return false;
  if (is_float(from)) {
    if (!is_float(to)) return false;
    const auto [p, e] = float_format(from);
    const auto [q, f] = float_format(to);
    // bf16's subnormals lie below f16's range and so on: both significand and range must grow.
    return p <= q && e <= f;
  }
  const int magnitude_bits = bit_width(from) - (is_signed(from) ? 1 : 0);
  if (is_float(to)) {
    const auto [q, f] = float_format(to);
    return magnitude_bits <= q && magnitude_bits <= f;
  }
  if (is_signed(from) && !is_signed(to)) return false;
  return magnitude_bits <= bit_width(to) - (is_signed(to) ? 1 : 0);
}

// rule: MMA
MmaDims mma_dims(const Space &a, const Space &b, const Space &acc) {
  MmaDims d;
  for (const Factor &f : acc.factors) {
    const bool in_a = a.find(f.dim) >= 0, in_b = b.find(f.dim) >= 0;
    (in_a && in_b ? d.batch : in_a ? d.rows : d.cols).push_back(f.dim);
  }
  // Ascending k is lexicographic in a's axis order.
  for (const Factor &f : a.factors)
    if (b.find(f.dim) >= 0 && acc.find(f.dim) < 0) d.contracted.push_back(f.dim);
  if (rule_broken(Rule::mma)) std::reverse(d.contracted.begin(), d.contracted.end());
  return d;
}

bool admits(OpOperands operands, ScalarType t) {
  switch (operands) {
  case OpOperands::none: return false;
  case OpOperands::any: return true;
  case OpOperands::numeric: return t != ScalarType::boolean;
  case OpOperands::integer: return is_integer(t);
  case OpOperands::signed_numeric: return is_float(t) || is_signed(t);
  case OpOperands::floating: return is_float(t);
  case OpOperands::bool_or_int: return !is_float(t);
  case OpOperands::boolean: return t == ScalarType::boolean;
  case OpOperands::computed: return true;
  case OpOperands::stored_numeric: return t != ScalarType::boolean;
  }
  return false;
}

std::string cast_to_compute(ScalarType packed) {
  return std::string("`cast` it first, to ") + (is_signed(packed) ? "i8" : "u8") + " or wider";
}

namespace signature_detail {

bool Checker::require_scalar(ValueId v, const std::string &what) {
  if (type(v).space.rank() == 0 && type(v).active.empty()) return true;
  error(Code::T0106, {{"what", what}, {"type", text(v)}});
  return false;
}
bool Checker::require_bool(ValueId v, const std::string &what) {
  if (type(v).elem == ScalarType::boolean) return true;
  error(Code::T0105, {{"what", what}, {"type", text(v)}});
  return false;
}
// rule: NUM-TYPES
bool Checker::require_computed(ScalarType type, const std::string &what) {
  if (!is_packed(type)) return true;
  error(Code::T0108, {{"what", what}, {"type", std::string(to_string(type))}}, cast_to_compute(type));
  return false;
}
bool Checker::require_integer(ValueId v, const std::string &what) {
  if (is_integer(type(v).elem)) return require_computed(type(v).elem, what);
  error(Code::T0107, {{"what", what}, {"type", text(v)}});
  return false;
}

// rule: BCAST
bool Checker::require_same_space(const Space &expected, const Space &found, const std::string &what) {
  bool same = expected.rank() == found.rank();
  for (std::size_t i = 0; same && i < expected.rank(); ++i) {
    const Factor &e = expected.factors[i], &f = found.factors[i];
    if (e.dim != f.dim && !rule_broken(Rule::dim_id)) same = false;
    const Judged judged = judge_equal(e.extent, f.extent);
    if (judged == Judged::no) same = false;
    if (same && judged == Judged::unknown) equation(e.extent, f.extent, e.dim, Code::T0215, what);
  }
  if (!same) {
    std::string help;
    if (expected.rank() == found.rank()) {
      // `transpose` and `relabel` keep the extents, so they help only where those are the target's.
      bool permuted = true, extents_fit = true, same_dims = true, fit_in_place = true;
      for (std::size_t i = 0; i < found.rank(); ++i) {
        const Factor &f = found.factors[i], &e = expected.factors[i];
        const int at = expected.find(f.dim);
        permuted &= at >= 0;
        extents_fit &= at >= 0 && judge_equal(expected.factors[static_cast<std::size_t>(at)].extent, f.extent) != Judged::no;
        same_dims &= f.dim == e.dim;
        if (judge_equal(e.extent, f.extent) != Judged::no) continue;
        fit_in_place = false;
        if (same_dims && help.empty()) help = "the extents along `" + p.dim_text(f.dim) + "` differ: " + p.extent_text(e.extent) + " and " + p.extent_text(f.extent);
      }
      if (!same_dims) help.clear();
      if (permuted && extents_fit && !same_dims) help = "`transpose` it to the order of the target; dims are never permuted silently";
      if (!permuted && fit_in_place) help = "`relabel` it: dims are identities, equal extents do not make them equal";
    } else if (found.rank() < expected.rank()) {
      help = "`broadcast` it to the target's space";
    }
    error(Code::T0202,
          {{"what", what}, {"expected", p.space_text(expected, &found)}, {"found", p.space_text(found, &expected)}}, help);
  }
  return same;
}

void Checker::check_space(const Space &space) {
  if (const DimId twice = repeated_dim(space); twice.valid())
    error(Code::T0203, {{"dim", p.dim_text(twice)}, {"as", info(op.kind).form == Form::index_map ? std::string(", that of `") + info(op.kind).name + "`" : ""}});
  for (const Factor &f : space.factors) check_extent(f.extent, "dim `" + p.dim_text(f.dim) + "`");
}

void Checker::check_extent(const Extent &e, const std::string &what) {
  if (e.overflowed())
    error(Code::T0204, {{"extent", "expression"}, {"what", what}, {"why", "a coefficient leaves 64 bits"}});
  else if (e.is_constant() && *e.constant() < 0)
    error(Code::T0204, {{"extent", p.extent_text(e)}, {"what", what}, {"why", "it is negative"}});
}

void Checker::check_predicate(ValueId predicate, const Space &space) {
  if (!require_bool(predicate, "a predicate")) return;
  for (const Factor &f : type(predicate).space.factors) {
    const int at = space.find(f.dim);
    if (at < 0) {
      error(Code::T0212, {{"dim", p.dim_text(f.dim)}, {"space", p.space_text(space)}});
      return;
    }
    const Judged judged = judge_equal(space.factors[at].extent, f.extent);
    if (judged == Judged::no)
      error(Code::T0215, {{"dim", p.dim_text(f.dim)}, {"left", p.extent_text(space.factors[at].extent)},
                          {"right", p.extent_text(f.extent)}});
    else if (judged == Judged::unknown)
      equation(space.factors[at].extent, f.extent, f.dim, Code::T0215, "a predicate");
  }
}

void Checker::join_active(ValueId v) {
  for (ValueId predicate : type(v).active)
    if (std::find(out.type.active.begin(), out.type.active.end(), predicate) == out.type.active.end())
      out.type.active.push_back(predicate);
  std::sort(out.type.active.begin(), out.type.active.end());
}

void Checker::refuse_ragged(ValueId v) {
  if (type(v).active.empty()) return;
  error(Code::T0211, {{"op", info(op.kind).name}},
        "give the other points a value first: `ite(p, x, fallback)` of a full tile");
}

namespace {

void elementwise(Checker &c) {
  const OpInfo &row = info(c.op.kind);
  const bool is_ite = c.op.kind == OpKind::ite;
  const std::size_t first = is_ite ? 1 : 0; // the condition has its own type
  if (is_ite) c.require_bool(c.op.operands[0], "the condition of `ite`");
  const ScalarType elem = c.type(c.op.operands[first]).elem;
  for (std::size_t i = first; i < c.op.operands.size(); ++i) {
    const ScalarType other = c.type(c.op.operands[i]).elem;
    const bool converts = c.op.kind == OpKind::cast || c.op.kind == OpKind::cast_sat;
    if (!converts && !c.require_computed(other, std::string("`") + row.name + "`")) break;
    if (!admits(row.operands, other)) {
      c.error(Code::T0102, {{"op", row.name}, {"type", std::string(to_string(other))}, {"operand", c.op.operands.size() == 1 ? "its operand" : "operand " + std::to_string(i + 1)}});
      break;
    }
    if (other != elem) {
      c.error(Code::T0101, {{"op", row.name}, {"left", std::string(to_string(elem))},
                            {"right", std::string(to_string(other))}},
              "there is no implicit conversion: write `cast` where the precision may change");
      break;
    }
  }
  std::vector<const Space *> spaces;
  for (ValueId v : c.op.operands) spaces.push_back(&c.type(v).space);
  const int ite_order[] = {1, 2, 0};
  const Joined joined = join_spaces(spaces, is_ite ? std::span<const int>(ite_order) : std::span<const int>());
  if (!joined.ok)
    c.error(Code::T0201, {{"op", row.name}, {"dim", c.p.dim_text(joined.clash)},
                          {"left", c.p.extent_text(joined.clash_left)},
                          {"right", c.p.extent_text(joined.clash_right)}});
  for (const ExtentEquation &e : joined.open)
    c.out.open.push_back({e, Code::T0201, c.op.site, row.name});
  c.out.type.space = joined.space;
  for (ValueId v : c.op.operands) c.join_active(v);
  switch (row.result) {
  case OpResult::boolean: c.out.type.elem = ScalarType::boolean; break;
  case OpResult::attribute: {
    c.out.type.elem = std::get<CastAttr>(c.op.attr).to;
    if (c.op.kind == OpKind::bitcast && (is_packed(elem) || !c.require_computed(c.out.type.elem, "`bitcast`"))) break;
    // A bool is 0 or 1: not every byte is one, and its bits are no number's.
    const bool has_bool = elem == ScalarType::boolean || c.out.type.elem == ScalarType::boolean;
    if (c.op.kind == OpKind::bitcast && has_bool)
      c.error(Code::T0102, {{"op", "bitcast"}, {"type", "bool"}, {"operand", elem == ScalarType::boolean ? "its operand" : "the type of its result"}}, "`cast` converts a bool; `x != 0` makes one");
    else if (c.op.kind == OpKind::bitcast && bit_width(elem) != bit_width(c.out.type.elem))
      c.error(Code::T0104, {{"from", std::string(to_string(elem))},
                            {"to", std::string(to_string(c.out.type.elem))}});
    if (c.op.kind == OpKind::cast_sat && c.out.type.elem == ScalarType::boolean && elem != ScalarType::boolean)
      c.error(Code::T0102, {{"op", "cast_sat"}, {"type", "bool"}, {"operand", "the type of its result"}});
    break;
  }
  default: c.out.type.elem = elem;
  }
}

std::optional<Extent> element_count(const Space &s) {
  Extent n = 1;
  for (const Factor &f : s.factors) {
    if (const auto k = f.extent.constant())
      n = n.times(*k);
    else if (const auto m = n.constant())
      n = f.extent.times(*m);
    else
      return std::nullopt;
  }
  return n;
}

void index_map(Checker &c) {
  const ValueId x = c.op.operands[0];
  const TileType &in = c.type(x);
  c.out.type.elem = in.elem;
  switch (c.op.kind) {
  case OpKind::broadcast: {
    const Space &to = std::get<SpaceAttr>(c.op.attr).space;
    c.check_space(to);
    for (const Factor &f : in.space.factors) {
      const int at = to.find(f.dim);
      if (at < 0) {
        c.error(Code::T0205, {{"op", "broadcast"}, {"space", c.p.space_text(to)}, {"dim", c.p.dim_text(f.dim)}});
        continue;
      }
      if (f.extent.constant() == 1) continue;
      const Judged judged = judge_equal(f.extent, to.factors[at].extent);
      if (judged == Judged::no && f.extent.is_constant())
        c.error(Code::T0215, {{"dim", c.p.dim_text(f.dim)}, {"as", " in `broadcast`"}, {"left", c.p.extent_text(f.extent)},
                              {"right", c.p.extent_text(to.factors[at].extent)}});
      else if (judged != Judged::yes) {
        c.equation(f.extent, to.factors[at].extent, f.dim, Code::T0215, "broadcast");
        c.out.open.back().equation.one_allowed = true;
      }
    }
    c.out.type.space = to;
    c.join_active(x);
    break;
  }
  case OpKind::reshape: {
    const Space &to = std::get<SpaceAttr>(c.op.attr).space;
    c.check_space(to);
    c.refuse_ragged(x);
    const auto n = element_count(in.space), m = element_count(to);
    const Judged judged = n && m ? judge_equal(*n, *m) : Judged::unknown;
    if (judged == Judged::no)
      c.error(Code::T0206, {{"from", c.p.space_text(in.space)}, {"to", c.p.space_text(to)}});
    // Where the products are not quasi-affine, the machine compares the element counts at binding.
    if (judged == Judged::unknown && n && m) c.equation(*n, *m, {}, Code::T0206, "reshape");
    c.out.type.space = to;
    break;
  }
  case OpKind::transpose: {
    const Space &to = std::get<SpaceAttr>(c.op.attr).space;
    bool same = to.rank() == in.space.rank() && !repeated_dim(to).valid();
    for (const Factor &f : to.factors) same &= in.space.find(f.dim) >= 0;
    if (!same) {
      std::string dims;
      for (const Factor &f : to.factors) dims += (dims.empty() ? "" : ", ") + c.p.dim_text(f.dim);
      c.error(Code::T0207, {{"from", c.p.space_text(in.space)}, {"to", "[" + dims + "]"}});
    }
    c.out.type.space = to;
    c.join_active(x);
    break;
  }
  case OpKind::relabel: {
    const Space &to = std::get<SpaceAttr>(c.op.attr).space;
    c.check_space(to);
    c.refuse_ragged(x);
    bool same = to.rank() == in.space.rank();
    for (std::size_t i = 0; same && i < to.rank(); ++i) {
      const Judged judged = judge_equal(in.space.factors[i].extent, to.factors[i].extent);
      if (judged == Judged::no) same = false;
      if (judged == Judged::unknown)
        c.equation(in.space.factors[i].extent, to.factors[i].extent, to.factors[i].dim, Code::T0215, "relabel");
    }
    if (!same) c.error(Code::T0208, {{"from", c.p.space_text(in.space)}, {"to", c.p.space_text(to)}});
    c.out.type.space = to;
    break;
  }
  case OpKind::take: {
    const std::span<const ValueId> index(c.op.operands.data() + 1, c.op.operands.size() - 1);
    if (index.size() != in.space.rank())
      c.error(Code::T0209, {{"what", "`take`"}, {"expected", std::to_string(in.space.rank()) + " coordinates"},
                            {"found", std::to_string(index.size())}});
    c.join_index_tiles(index, "`take`");
    break;
  }
  case OpKind::insert: {
    const TileType &piece = c.type(c.op.operands[1]);
    if (piece.elem != in.elem)
      c.error(Code::T0101, {{"op", "insert"}, {"left", std::string(to_string(in.elem))},
                            {"right", std::string(to_string(piece.elem))}},
              "there is no implicit conversion: write `cast` where the precision may change");
    // The piece has a subsequence of the tile's dims; an axis that it lacks is a point.
    int last = -1;
    bool ordered = true;
    for (const Factor &f : piece.space.factors) {
      const int at = in.space.find(f.dim);
      ordered &= at > last;
      last = at;
    }
    if (!ordered)
      c.error(Code::T0202, {{"what", "`insert`"}, {"expected", c.p.space_text(in.space, &piece.space)},
                            {"found", c.p.space_text(piece.space, &in.space)}},
              "the piece needs dims of the tile, in the tile's order; `relabel` it");
    const std::size_t origins = c.op.operands.size() - 2;
    if (origins != in.space.rank())
      c.error(Code::T0209, {{"what", "`insert`"}, {"expected", std::to_string(in.space.rank()) + " coordinates"},
                            {"found", std::to_string(origins)}});
    for (std::size_t i = 2; i < c.op.operands.size(); ++i)
      if (c.require_scalar(c.op.operands[i], "an origin"))
        c.require_integer(c.op.operands[i], "an origin");
    c.out.type = in;
    break;
  }
  case OpKind::restrict: {
    c.out.type = in;
    c.check_predicate(c.op.operands[1], in.space);
    c.join_active(c.op.operands[1]);
    auto &active = c.out.type.active;
    active.insert(std::lower_bound(active.begin(), active.end(), c.op.operands[1]), c.op.operands[1]);
    active.erase(std::unique(active.begin(), active.end()), active.end());
    break;
  }
  default: break;
  }
}

void generate(Checker &c) {
  c.out.type.elem = ScalarType::i64;
  switch (c.op.kind) {
  case OpKind::constant: c.out.type.elem = std::get<LiteralAttr>(c.op.attr).type; break;
  case OpKind::iota:
    c.out.type.space.factors = {std::get<IotaAttr>(c.op.attr).factor};
    c.check_space(c.out.type.space);
    break;
  case OpKind::extent: c.check_extent(std::get<ExtentAttr>(c.op.attr).extent, "an extent"); break;
  case OpKind::map_coord:
    for (ValueId v : c.op.operands)
      if (c.require_scalar(v, "a coordinate")) c.require_integer(v, "a coordinate");
    break;
  default: break;
  }
}

// The element type that a reducer folds is its operand's.
void folded_type(Checker &c, const ReduceAttr &attr, const TileType &in) {
  static constexpr const char *folds[] = {"sum", "prod", "reduce_min", "reduce_max", "reduce_minnum", "reduce_maxnum", "reduce_and", "reduce_or", "reduce_xor"};
  const std::string name = c.op.kind == OpKind::reduce ? folds[static_cast<int>(attr.reducer)] : info(c.op.kind).name;
  const bool bits = attr.reducer >= Reducer::bit_and;
  const bool num = attr.reducer == Reducer::minnum || attr.reducer == Reducer::maxnum;
  if (c.require_computed(in.elem, "`" + name + "`") &&
      (bits ? is_float(in.elem) : num ? !is_float(in.elem) : in.elem == ScalarType::boolean))
    c.error(Code::T0102, {{"op", name}, {"type", std::string(to_string(in.elem))}, {"operand", "`x`"}});
  c.out.type.elem = in.elem;
  c.out.type.space = in.space;
  for (std::size_t i = 0; i < attr.dims.size(); ++i)
    if (std::find(attr.dims.begin(), attr.dims.begin() + static_cast<std::ptrdiff_t>(i), attr.dims[i]) != attr.dims.begin() + static_cast<std::ptrdiff_t>(i))
      return c.error(Code::T0218, {{"argument", "dims"}, {"function", name}, {"value", "`" + c.p.dim_text(attr.dims[i]) + "` twice"}, {"why", "a dim is reduced once"}});
  for (DimId d : attr.dims)
    if (in.space.find(d) < 0)
      c.error(Code::T0304, {{"dim", c.p.dim_text(d)}, {"argument", c.op.kind == OpKind::scan ? "dim" : "dims"}, {"function", name}, {"space", c.p.space_text(in.space)}});
}

void reduce(Checker &c) {
  const auto &attr = std::get<ReduceAttr>(c.op.attr);
  const TileType &in = c.type(c.op.operands[0]);
  folded_type(c, attr, in);
  for (DimId d : attr.dims)
    if (const int at = c.out.type.space.find(d); at >= 0)
      c.out.type.space.factors.erase(c.out.type.space.factors.begin() + at);
  // A predicate over kept dims alone stays; the others are consumed, the inactive points skipped.
  for (ValueId predicate : in.active) {
    bool kept = true;
    for (const Factor &f : c.type(predicate).space.factors) kept &= c.out.type.space.find(f.dim) >= 0;
    if (kept) c.out.type.active.push_back(predicate);
  }
}

// Inactive points are skipped and stay inactive.
void scan(Checker &c) {
  const TileType &in = c.type(c.op.operands[0]);
  folded_type(c, std::get<ReduceAttr>(c.op.attr), in);
  c.out.type.active = in.active;
}

// rule: MMA
void contract(Checker &c) {
  const TileType &a = c.type(c.op.operands[0]), &b = c.type(c.op.operands[1]),
                 &acc = c.type(c.op.operands[2]);
  c.out.type = acc;
  for (int i = 0; i < 3; ++i)
    if (!c.require_computed(c.type(c.op.operands[i]).elem, "`mma`")) return;
  constexpr const char *arguments[] = {"`a`", "`b`", "`acc`"};
  for (int i = 0; i < 3; ++i)
    if (c.type(c.op.operands[i]).elem == ScalarType::boolean)
      return c.error(Code::T0102, {{"op", "mma"}, {"type", "bool"}, {"operand", arguments[i]}}, "`cast` it first, to a type of numbers");
  for (int i = 0; i < 2; ++i)
    if (!converts_exactly(c.type(c.op.operands[i]).elem, acc.elem))
      c.error(Code::T0303, {{"which", i == 0 ? "left input" : "right input"},
                            {"from", std::string(to_string(c.type(c.op.operands[i]).elem))},
                            {"to", std::string(to_string(acc.elem))}},
              "`cast` the input first: an input never loses precision silently");
  if (mma_dims(a.space, b.space, acc.space).contracted.empty())
    c.error(Code::T0301, {},
            "give both inputs one dim object for the contracted axis (`dims`, `with_dims`, `relabel`), or use "
            "`matmul`, which goes by position");
  auto agree = [&](const Factor &f, const Space &other, const char *which, bool required) {
    const int at = other.find(f.dim);
    if (at < 0) {
      if (required)
        c.error(Code::T0302, {{"dim", c.p.dim_text(f.dim)}, {"which", which}, {"space", c.p.space_text(other)}});
      return;
    }
    const Judged judged = judge_equal(f.extent, other.factors[at].extent);
    if (judged == Judged::no)
      c.error(Code::T0201, {{"op", "mma"}, {"dim", c.p.dim_text(f.dim)}, {"left", c.p.extent_text(f.extent)},
                            {"right", c.p.extent_text(other.factors[at].extent)}});
    else if (judged == Judged::unknown)
      c.equation(f.extent, other.factors[at].extent, f.dim, Code::T0201, "mma");
  };
  for (const Factor &f : a.space.factors) {
    agree(f, b.space, "left input", false);
    agree(f, acc.space, "left input", b.space.find(f.dim) < 0);
  }
  for (const Factor &f : b.space.factors) agree(f, acc.space, "right input", a.space.find(f.dim) < 0);
  for (const Factor &f : acc.space.factors)
    if (a.space.find(f.dim) < 0 && b.space.find(f.dim) < 0)
      c.error(Code::T0302, {{"dim", c.p.dim_text(f.dim)}, {"which", "accumulator"},
                            {"space", c.p.space_text(a.space) + " or " + c.p.space_text(b.space)}});
}

void meta(Checker &c) {
  if (c.op.kind == OpKind::per) {
    c.out.type = c.type(c.op.operands[0]);
  } else if (c.op.kind == OpKind::assert_) {
    c.require_bool(c.op.operands[0], "the condition of `assert`");
  } else if (c.op.kind == OpKind::assign) {
    c.out.type = c.type(c.op.operands[0]);
  }
}

} // namespace

void Checker::join_index_tiles(std::span<const ValueId> index, const std::string &of) {
  std::vector<const Space *> spaces;
  for (ValueId v : index) {
    require_integer(v, (index.size() == 1 ? "the index" : "index " + std::to_string(spaces.size())) + " of " + of);
    join_active(v);
    spaces.push_back(&type(v).space);
  }
  const Joined joined = join_spaces(spaces);
  if (!joined.ok)
    error(Code::T0201, {{"op", info(op.kind).name}, {"dim", p.dim_text(joined.clash)},
                        {"left", p.extent_text(joined.clash_left)},
                        {"right", p.extent_text(joined.clash_right)}});
  for (const ExtentEquation &e : joined.open) out.open.push_back({e, Code::T0201, op.site, info(op.kind).name});
  out.type.space = joined.space;
}

} // namespace signature_detail

Signature signature(const TileProgram &p, const Op &op) {
  Signature out;
  signature_detail::Checker c{p, op, out};
  switch (info(op.kind).form) {
  case Form::elementwise: signature_detail::elementwise(c); break;
  case Form::index_map: signature_detail::index_map(c); break;
  case Form::generate: signature_detail::generate(c); break;
  case Form::reduce: op.kind == OpKind::scan ? signature_detail::scan(c) : signature_detail::reduce(c); break;
  case Form::contract: signature_detail::contract(c); break;
  case Form::memory: signature_detail::memory(c); break;
  case Form::control:
  case Form::meta: signature_detail::meta(c); break;
  }
  return out;
}

} // namespace tilenest
