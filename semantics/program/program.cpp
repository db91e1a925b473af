// SPDX-License-Identifier: Apache-2.0
// Names of types and spaces for messages, and the order of levels.
#include "semantics/program/program.h"

namespace tilenest {

const Site &TileProgram::site(SiteId id) const {
  static const Site nowhere;
  return id.valid() ? sites[id] : nowhere;
}

std::string TileProgram::extent_text(const Extent &e) const {
  return e.to_string([this](ParamId id) { return params[id].name; });
}

std::string TileProgram::dim_text(DimId d) const {
  const Dim &dim = dims[d];
  return dim.position >= 0 ? "#" + std::to_string(dim.position) : dim.label;
}

std::string TileProgram::space_text(const Space &s, const Space *beside) const {
  std::string out = "[", others;
  for (std::size_t i = 0; i < s.rank(); ++i) {
    const Factor &f = s.factors[i];
    if (i > 0) out += ", ";
    if (dims[f.dim].position != static_cast<int>(s.rank() - 1 - i)) out += dim_text(f.dim) + "=";
    out += extent_text(f.extent);
    if (!beside || beside->find(f.dim) >= 0) continue;
    for (const Factor &other : beside->factors)
      if (dim_text(other.dim) == dim_text(f.dim)) {
        others += (others.empty() ? "" : ", ") + ("`" + dim_text(f.dim) + "`");
        break;
      }
  }
  return out + "]" + (others.empty() ? "" : " with another " + others);
}

std::string TileProgram::type_text(const TileType &t, const Space *beside) const {
  std::string out(to_string(t.elem));
  if (t.space.rank() > 0) out += " " + space_text(t.space, beside);
  if (!t.active.empty()) out += " where ...";
  return out;
}

bool encloses(const TileProgram &p, LevelId outer, LevelId inner) {
  while (p.levels[inner].depth > p.levels[outer].depth) inner = p.levels[inner].parent;
  return inner == outer;
}

LevelId deeper(const TileProgram &p, LevelId a, LevelId b) {
  return p.levels[a].depth >= p.levels[b].depth ? a : b;
}

} // namespace tilenest
