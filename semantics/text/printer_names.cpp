// SPDX-License-Identifier: Apache-2.0
// Choosing names and the extents of axes.
#include "semantics/text/printer_names.h"
#include "semantics/text/words.h"
#include <algorithm>
#include <map>

namespace tilenest::text {

namespace {

std::string identifier(const std::string &hint, const char *fallback) {
  std::string out;
  for (const char c : hint) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    out += letter || digit ? c : '_';
  }
  if (out.empty() || out.find_first_not_of('_') == std::string::npos) return fallback;
  if (out[0] >= '0' && out[0] <= '9') out.insert(out.begin(), '_');
  return out;
}

} // namespace

std::string PrintNames::unique(const std::string &hint, const char *fallback, bool interface) {
  const std::string base = identifier(hint, fallback);
  const bool word = interface ? reserved_word(base) : word_of_language(base);
  if (!word && used_.insert(base).second) return base;
  int &n = next_[base];
  std::string candidate;
  do candidate = base + "_" + std::to_string(++n);
  while (!used_.insert(candidate).second);
  return candidate;
}

PrintNames::PrintNames(const TileProgram &program) : p_(program) {
  kernel_ = identifier(p_.name, "kernel_1");
  if (reserved_word(kernel_)) kernel_ += "_1";
  for (const Param &q : p_.params) params_.push_back(unique(q.name, "N", true));
  for (ObjectId id : p_.arguments) {
    objects_[id] = unique(p_.objects[id].name, "A", true);
    arguments_.insert(objects_[id]);
  }
  for (std::size_t i = 0; i < p_.levels.size(); ++i)
    levels_.push_back(i == 0 ? "root" : unique(p_.levels[LevelId(i)].name, "nest", false));
  collect_dims();
  for (const Variable &v : p_.variables) variables_.push_back(unique(v.name, "x", false));
  for_each_op(p_, p_.body, [&](const Op &op, OpId id) {
    if (const auto *loop = std::get_if<LoopAttr>(&op.attr)) loops_[id] = unique(loop->name, "i", false);
    if (const auto *m = std::get_if<MemoryAttr>(&op.attr))
      objects_[m->object] = unique(p_.objects[m->object].name, "T", false);
  });
  for (std::size_t i = 0; i < p_.views.size(); ++i) {
    const View &v = p_.views[ViewId(i)];
    const auto object = objects_.find(v.object);
    if (object == objects_.end()) continue;
    if (first_views_.try_emplace(v.object, ViewId(i)).second) views_[ViewId(i)] = object->second;
  }
  std::vector<bool> mentioned(p_.views.size());
  for_each_op(p_, p_.body, [&](const Op &op, OpId) {
    if (const auto *a = std::get_if<AccessAttr>(&op.attr)) mentioned[a->view.index] = true;
    if (const auto *a = std::get_if<IndexedAttr>(&op.attr)) mentioned[a->view.index] = true;
    if (!op.call.valid()) return;
    for (const CallArgument &c : p_.calls[op.call].arguments)
      if (const auto *v = std::get_if<ViewId>(&c.value)) mentioned[v->index] = true;
  });
  for (std::size_t i = 0; i < p_.views.size(); ++i)
    if (mentioned[i] && !views_.count(ViewId(i))) views_[ViewId(i)] = unique(p_.views[ViewId(i)].name, "V", false);
}

void PrintNames::name_value(ValueId id) {
  if (values_.count(id)) return;
  const std::string hint = p_.values[id].name;
  std::string name = hint.empty() ? "v" + std::to_string(value_names_.size()) : identifier(hint, "v");
  while (!value_names_.insert(name).second) name += "_1";
  values_[id] = "%" + name;
}

std::vector<ViewId> PrintNames::other_views(ObjectId id) const {
  std::vector<ViewId> out;
  for (std::size_t i = 0; i < p_.views.size(); ++i)
    if (p_.views[ViewId(i)].object == id && views_.count(ViewId(i)) && first_views_.at(id) != ViewId(i))
      out.push_back(ViewId(i));
  return out;
}

void PrintNames::collect_dims() {
  // Every dim in the order of its first mention, with how often it stands with which extent.
  std::vector<DimId> order;
  std::unordered_map<DimId, std::vector<std::pair<Extent, int>>> extents;
  auto mention = [&](DimId d) {
    if (p_.dims[d].position >= 0 || inferred_.count(d)) return false;
    if (extents.try_emplace(d).second) order.push_back(d);
    return true;
  };
  auto mention_space = [&](const Space &s) {
    for (const Factor &f : s.factors) {
      if (!mention(f.dim)) continue;
      auto &list = extents[f.dim];
      auto at = std::find_if(list.begin(), list.end(), [&](const auto &e) { return e.first == f.extent; });
      if (at == list.end()) list.emplace_back(f.extent, 1);
      else ++at->second;
    }
  };
  for (std::size_t i = 1; i < p_.levels.size(); ++i)
    if (const Level &l = p_.levels[LevelId(i)]; l.inferred)
      for (std::size_t k = 0; k < l.domain.rank(); ++k)
        inferred_[l.domain.factors[k].dim] = {LevelId(i), static_cast<int>(k)};
  for (const View &v : p_.views)
    if (p_.objects[v.object].kind == ObjectKind::argument)
      for (const Factor &f : v.space.factors) mention(f.dim);
  for_each_op(p_, p_.body, [&](const Op &op, OpId) {
    if (op.call.valid())
      for (const CallArgument &c : p_.calls[op.call].arguments) {
        if (const auto *space = std::get_if<Space>(&c.value)) mention_space(*space);
        if (const auto *list = std::get_if<std::vector<DimId>>(&c.value))
          for (DimId d : *list) mention(d);
      }
    if (const auto *a = std::get_if<ParallelAttr>(&op.attr))
      if (op.kind == OpKind::parallel) mention_space(p_.levels[a->level].domain);
    if (const auto *a = std::get_if<LoopAttr>(&op.attr)) mention_space(a->domain);
    if (const auto *a = std::get_if<SpaceAttr>(&op.attr)) mention_space(a->space);
    if (const auto *a = std::get_if<IotaAttr>(&op.attr)) mention_space({{a->factor}});
    if (const auto *a = std::get_if<AccessAttr>(&op.attr)) {
      mention_space(a->window);
      for (const Factor &f : p_.views[a->view].space.factors) mention(f.dim);
    }
    if (const auto *a = std::get_if<IndexedAttr>(&op.attr))
      for (const Factor &f : p_.views[a->view].space.factors) mention(f.dim);
    if (const auto *a = std::get_if<ReduceAttr>(&op.attr))
      for (DimId d : a->dims) mention(d);
    if (const auto *a = std::get_if<MemoryAttr>(&op.attr))
      for (const View &v : p_.views)
        if (v.object == a->object) {
          mention_space(v.space);
          break;
        }
  });
  for (DimId d : order) {
    DeclaredDim declared{d, unique(p_.dims[d].label, "d", false), {}};
    int most = 0;
    for (const auto &[extent, n] : extents[d])
      if (n > most) most = n, declared.extent = extent;
    dim_at_[d] = dims_.size();
    dims_.push_back(std::move(declared));
  }
}

bool PrintNames::has_simple_name(DimId id) const { return dim_at_.count(id) > 0; }

const std::optional<Extent> &PrintNames::declared_extent(DimId id) const {
  static const std::optional<Extent> none;
  const auto at = dim_at_.find(id);
  return at == dim_at_.end() ? none : dims_[at->second].extent;
}

std::string PrintNames::dim(DimId id) const {
  if (const auto at = dim_at_.find(id); at != dim_at_.end()) return dims_[at->second].name;
  if (const auto at = inferred_.find(id); at != inferred_.end())
    return levels_[at->second.first.index] + ".dim(" + std::to_string(at->second.second) + ")";
  return "#" + std::to_string(p_.dims[id].position);
}

std::string PrintNames::extent(const Extent &e) const {
  return e.to_string([this](ParamId id) { return params_[id.index]; });
}

} // namespace tilenest::text
