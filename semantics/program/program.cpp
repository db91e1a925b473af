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

std::string TileProgram::space_text(const Space &s) const {
  std::string out = "[";
  for (const Factor &f : s.factors) {
    if (out.size() > 1) out += ", ";
    if (dims[f.dim].position < 0) out += dim_text(f.dim) + "=";
    out += extent_text(f.extent);
  }
  return out + "]";
}

std::string TileProgram::type_text(const TileType &t) const {
  std::string out(to_string(t.elem));
  if (t.space.rank() > 0) out += " " + space_text(t.space);
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
