// SPDX-License-Identifier: Apache-2.0
// einsum: letters name axes by position; what the output lacks is summed. Operands are contracted from left to right.
#include "semantics/library/families.h"
#include <algorithm>
#include <map>

namespace tilenest::library {

namespace {

using Letters = std::string;

struct Spec {
  std::vector<Letters> inputs;
  Letters output;
};

bool has(const Letters &letters, char l) { return letters.find(l) != Letters::npos; }

bool refuse(Call &c, const std::string &why) { return c.refuse_option("spec", "\"" + c.word("spec") + "\"", why); }

// "ij,jk->ik"; without an arrow the letters that occur once, in alphabetical order.
bool parse(Call &c, Spec &spec) {
  const std::string text = c.word("spec");
  spec.inputs.emplace_back();
  bool arrow = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char l = text[i];
    if (l == ' ') continue;
    if (l == '-' && !arrow && i + 1 < text.size() && text[i + 1] == '>') {
      arrow = true;
      ++i;
    } else if (l == ',' && !arrow) {
      spec.inputs.emplace_back();
    } else if (('a' <= l && l <= 'z') || ('A' <= l && l <= 'Z')) {
      (arrow ? spec.output : spec.inputs.back()) += l;
    } else {
      return refuse(c, l == '.' ? "there is no ellipsis: every axis has a letter"
                                : "it is letters, commas between operands and one `->`");
    }
  }
  std::map<char, int> times;
  for (const Letters &in : spec.inputs)
    for (char l : in) ++times[l];
  if (!arrow)
    for (const auto &[l, n] : times)
      if (n == 1) spec.output += l;
  for (char l : spec.output) {
    if (!times.count(l)) return refuse(c, std::string("`") + l + "` is in the output and in no operand");
    if (std::count(spec.output.begin(), spec.output.end(), l) > 1) return refuse(c, std::string("`") + l + "` is twice in the output");
  }
  const std::size_t given = c.tiles("operands").size();
  if (spec.inputs.size() != given)
    return refuse(c, "it is for " + std::to_string(spec.inputs.size()) + (spec.inputs.size() == 1 ? " operand" : " operands") + ", the call has " + std::to_string(given));
  return true;
}

// What stands at one step of the contraction.
struct Term {
  ValueId value;
  Letters letters; // in the order of the value's dims
};

struct Contraction {
  Call &c;
  std::map<char, Factor> factor; // a dim of its own per letter
  ScalarType acc;

  std::vector<DimId> dims(const Letters &letters) const {
    std::vector<DimId> out;
    for (char l : letters) out.push_back(factor.at(l).dim);
    return out;
  }
  Space space(const Letters &letters) const {
    Space s;
    for (char l : letters) s.factors.push_back(factor.at(l));
    return s;
  }
  ValueId widened(ValueId x) { return c.elem(x) == acc ? x : c.b.cast(OpKind::cast, acc, x); }

  // The axes under their letters; a letter twice is the diagonal.
  Term operand(ValueId x, const Letters &letters) {
    Letters once;
    for (char l : letters)
      if (!has(once, l)) once += l;
    if (once.size() == letters.size()) return {c.b.relabel(x, dims(letters)), letters};
    std::vector<Operand> index;
    for (char l : letters) index.push_back(c.b.iota(factor.at(l)));
    return {c.b.transpose(c.b.take(x, index), dims(once)), once};
  }
  // Summed over what is not kept.
  Term kept(Term t, const Letters &keep) {
    Letters rest, gone;
    for (char l : t.letters) (has(keep, l) ? rest : gone) += l;
    if (gone.empty()) return t;
    return {c.fold(widened(t.value), dims(gone), Reducer::add), rest};
  }
  Term product(const Term &a, const Term &b, const Letters &keep) {
    Letters shared, result;
    for (char l : a.letters) {
      if (has(b.letters, l) && !has(keep, l)) shared += l;
      else result += l;
    }
    for (char l : b.letters)
      if (!has(a.letters, l)) result += l;
    if (!shared.empty()) return {c.b.mma(a.value, b.value, c.b.full(acc, std::int64_t{0}, space(result))), result};
    const ValueId x = c.b.broadcast(widened(a.value), space(result)), y = c.b.broadcast(widened(b.value), space(result));
    return {c.op(OpKind::mul, {x, y}), result};
  }
};

std::vector<ValueId> build(Call &c) {
  Spec spec;
  if (!parse(c, spec)) return {};
  const std::vector<ValueId> &tiles = c.tiles("operands");
  Contraction k{c, {}, accumulator(c.elem(tiles[0]))};
  std::map<char, DimId> own; // the operand's dim of each letter
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const Space &s = c.space(tiles[i]);
    const std::string which = "operand " + std::to_string(i + 1);
    if (!c.type(tiles[i]).active.empty()) return refuse(c, which + " has a predicate"), std::vector<ValueId>{};
    if (c.elem(tiles[i]) != c.elem(tiles[0])) return refuse(c, which + " is " + std::string(to_string(c.elem(tiles[i]))) + ", the first " + std::string(to_string(c.elem(tiles[0])))), std::vector<ValueId>{};
    if (s.rank() != spec.inputs[i].size())
      return refuse(c, which + " has rank " + std::to_string(s.rank()) + " and " + std::to_string(spec.inputs[i].size()) + " letters"), std::vector<ValueId>{};
    for (std::size_t axis = 0; axis < s.rank(); ++axis) {
      const char l = spec.inputs[i][axis];
      const Extent &extent = s.factors[axis].extent;
      if (const auto known = k.factor.find(l); known == k.factor.end()) {
        k.factor[l] = {c.b.dim(std::string(1, l)), extent};
        own[l] = s.factors[axis].dim;
      } else if (judge_equal(known->second.extent, extent) == Judged::no) {
        return refuse(c, std::string("`") + l + "` is " + c.b.program().extent_text(known->second.extent) + " and, in " + which + ", " +
                             c.b.program().extent_text(extent)), std::vector<ValueId>{};
      } else if (!c.need_extent("operands", tiles[i], s.factors[axis].dim, known->second.extent, " (" + which + ")")) {
        return {};
      }
    }
  }
  auto later = [&](std::size_t from) { // letters that the output or an operand from there on has
    Letters out = spec.output;
    for (std::size_t i = from; i < spec.inputs.size(); ++i) out += spec.inputs[i];
    return out;
  };
  Term all = k.kept(k.operand(tiles[0], spec.inputs[0]), later(1));
  for (std::size_t i = 1; i < tiles.size(); ++i)
    all = k.product(all, k.kept(k.operand(tiles[i], spec.inputs[i]), later(i + 1) + all.letters), later(i + 1));
  const ValueId ordered = c.b.transpose(k.widened(all.value), k.dims(spec.output));
  std::vector<DimId> wanted;
  for (char l : spec.output) wanted.push_back(own[l]);
  return {c.b.relabel(ordered, result_dims(c, std::move(wanted)))};
}

constexpr Function einsum_table[] = {
    {"einsum", {text("spec"), tiles("operands", OpOperands::numeric)}, "y", build, "sums of products, axes named by letters: \"bij,bjk->bik\"",
     "operands: one type, a letter per axis. What the output lacks is summed; a letter twice in one operand is its diagonal; without `->` "
     "the output has the letters that occur once, in alphabetical order. Each axis of the result has the dim of the first operand with its "
     "letter where these are distinct, else the positional dims. Spaces in the letters are skipped. It is f32 for narrower floats, i32 for narrower integers, else of their "
     "type. Refused: other signs, an ellipsis, a letter of the output that no operand has, another number of operands or axes than the "
     "letters say, one letter with two extents, operands of two types or with a predicate",
     "as mma: products and sums rounded in the accumulator's type, in any grouping; operands from left to right",
     "kernel k(A: f32[4, 3], B: f32[3, 5], Y: out f32[5, 4]) { dims m, n; y = einsum(\"ij,jk->ki\", A[(0, 0), [4, 3]], B[(0, 0), [3, 5]]); Y((0, 0), [n = 5, m = 4]).store(relabel(y, [n, m])) }"},
};

} // namespace

Family einsum() { return {"einsum", "Sums of products by letters", einsum_table}; }

} // namespace tilenest::library
