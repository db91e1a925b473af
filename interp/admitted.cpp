// SPDX-License-Identifier: Apache-2.0
// Enclosures of stored elements, and which operands decide.
#include "interp/admitted.h"
#include "semantics/numerics/scalar_apply.h"

namespace tilenest {

namespace {

std::uint64_t width(ScalarType type) { return is_packed(type) ? 1 : 2 * byte_size(type); }

} // namespace

Enclosure enclosure_of(const Tile &t, ScalarType type, std::int64_t i) {
  if (t.spread) return t.spread.as<Enclosure>()[i];
  return Enclosure::of(type, load_bits(type, t.data.as<>() + i * static_cast<std::int64_t>(byte_size(type))));
}

AdmittedSets::AdmittedSets(const TargetProfile &p, const TileProgram &program) : profile(p) {
  constexpr auto types = static_cast<std::size_t>(ScalarType::u4) + 1;
  for (std::size_t i = 0; i < types; ++i) {
    const auto type = static_cast<ScalarType>(i);
    add_.push_back(is_float(type) ? step_error(profile, Primitive::add, type) : StepError{});
    mul_.push_back(is_float(type) ? step_error(profile, Primitive::mul, type) : StepError{});
  }
  for (const View &v : program.views) mixed_ |= bit_width(v.elem) != bit_width(program.views[ViewId(0)].elem);
}

Enclosure AdmittedSets::value(const Cell &cell) const {
  if (!cell.open) return cell.set;
  Enclosure out = cell.open->close(add_error(cell.type), mul_error(cell.type));
  if (!out.is_point()) out.origin = Enclosure::many;
  return out;
}

Enclosure AdmittedSets::load(std::uint64_t place, ScalarType type, std::uint64_t bits) const {
  if (cells_.empty()) return Enclosure::of(type, bits);
  Enclosure any = Enclosure::everything(type);
  any.origin = Enclosure::many;
  const auto at = cells_.find(place);
  if (at != cells_.end()) return at->second.type == type ? value(at->second) : any;
  if (mixed_) { // a stored element that this one overlaps
    for (std::uint64_t back = 1; back < 16; ++back)
      if (const auto c = cells_.find(place - back); c != cells_.end() && back < width(c->second.type)) return any;
    for (std::uint64_t on = 1; on < width(type); ++on)
      if (cells_.contains(place + on)) return any;
  }
  return Enclosure::of(type, bits);
}

void AdmittedSets::store(std::uint64_t place, ScalarType type, const Enclosure &set) {
  // The bits of a computed NaN are a freedom, which another view would see.
  const bool point = set.is_point() && !(mixed_ && set.nan);
  if (point && cells_.empty()) return;
  if (mixed_) {
    for (std::uint64_t back = 1; back < 16; ++back)
      if (const auto c = cells_.find(place - back); c != cells_.end() && back < width(c->second.type)) {
        // What is left of it may be anything.
        const auto rest = c->second.type;
        c->second = {Enclosure::everything(rest), rest, std::nullopt};
        c->second.set.origin = Enclosure::many;
      }
    for (std::uint64_t on = 1; on < width(type); ++on) cells_.erase(place + on);
  }
  if (point) cells_.erase(place);
  else cells_[place] = {set, type, std::nullopt};
}

void AdmittedSets::update(std::uint64_t place, ScalarType type, Primitive by, std::uint64_t before, const Enclosure &with) {
  const auto at = cells_.find(place);
  if (!is_float(type) || by != Primitive::add) {
    const Enclosure now = load(place, type, before);
    if (now.is_point() && with.is_point()) return;
    bool undefined = false;
    const Enclosure operands[] = {now, with};
    return store(place, type, enclose(profile, by, type, type, operands, undefined));
  }
  Cell cell = at != cells_.end() && at->second.type == type ? at->second : Cell{load(place, type, before), type, std::nullopt};
  if (!cell.open) {
    cell.open.emplace(type);
    cell.open->add(cell.set);
  }
  cell.open->add(with);
  store(place, type, Enclosure::everything(type)); // clears what overlaps
  cells_[place] = std::move(cell);
}

std::vector<std::uint8_t> deciding_operands(const Op &op) {
  std::size_t first = 0, end = op.operands.size(), skip = end;
  switch (op.kind) {
  case OpKind::load:
    if (std::get<AccessAttr>(op.attr).has_fallback) skip = std::get<AccessAttr>(op.attr).axes.size() + (std::get<AccessAttr>(op.attr).has_predicate ? 1 : 0);
    break;
  case OpKind::gather:
    if (std::get<IndexedAttr>(op.attr).has_fallback) skip = end - 1;
    break;
  case OpKind::store:
  case OpKind::atomic:
  case OpKind::scatter:
  case OpKind::take:
  case OpKind::restrict: first = 1; break;
  case OpKind::insert: first = 2; break;
  case OpKind::map_coord:
  case OpKind::assert_:
  case OpKind::if_:
  case OpKind::switch_: break;
  case OpKind::parallel:
  case OpKind::serial:
  case OpKind::pipeline:
  case OpKind::reduce_region: end = op.control_operand_count(); break;
  default: return {};
  }
  std::vector<std::uint8_t> out;
  for (std::size_t i = first; i < end; ++i)
    if (i != skip) out.push_back(static_cast<std::uint8_t>(i));
  return out;
}

} // namespace tilenest
