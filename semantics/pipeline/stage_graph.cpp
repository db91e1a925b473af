// SPDX-License-Identifier: Apache-2.0
// Deriving the edges of a stage graph. Values: from definition to use, through carries (each adds 1 to the
// distance) and through the scalars before the first stage, which belong to no stage. Effects: every pair of
// accesses that may conflict, forward at distance 0, back at distance 1; a `sync` conflicts with every effect.
#include "semantics/diag/codes.h"
#include "semantics/pipeline/pipeline.h"
#include <algorithm>
#include <deque>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace tilenest {

namespace {

constexpr int outside = -2, before_stages = -1;

struct Access {
  int stage = 0;
  bool sync = false, writes = false, fresh = false;
  ObjectId object;
  bool atomic = false;
  AtomicKind kind = AtomicKind::add;
  ScalarType elem = ScalarType::f32;
  friend bool operator==(const Access &, const Access &) = default;
};

class Derivation {
public:
  Derivation(const TileProgram &program, OpId pipeline) : p_(program), op_(program.ops[pipeline]) {
    body_ = op_.regions[0];
    const Region &body = p_.regions[body_];
    for (OpId id : body.ops)
      if (p_.ops[id].kind == OpKind::stage) {
        stage_of_region_[p_.ops[id].regions[0]] = static_cast<int>(graph_.stages.size());
        graph_.stages.push_back({std::get<StageAttr>(p_.ops[id].attr).label, id});
      }
    if (graph_.stages.empty()) {
      stage_of_region_[body_] = 0;
      graph_.stages.push_back({"", {}});
    }
    for_each_op(p_, body_, [&](const Op &op, OpId) {
      if (op.kind == OpKind::memory) fresh_.insert(std::get<MemoryAttr>(op.attr).object);
    });
  }

  StageGraph run() {
    for (const auto &[region, stage] : stage_of_region_) {
      derive_values(region, stage);
      collect_accesses(region, stage);
    }
    derive_effects();
    auto key = [](const StageGraph::Edge &e) {
      return std::tuple(e.producer, e.consumer, e.distance, e.kind, e.value, e.object, e.other);
    };
    std::sort(graph_.edges.begin(), graph_.edges.end(),
              [&](const auto &a, const auto &b) { return key(a) < key(b); });
    graph_.edges.erase(std::unique(graph_.edges.begin(), graph_.edges.end()), graph_.edges.end());
    return std::move(graph_);
  }

private:
  // The stage that a region of the body lies in.
  int home(RegionId region) const {
    for (;;) {
      if (const auto at = stage_of_region_.find(region); at != stage_of_region_.end()) return at->second;
      if (region == body_) return before_stages;
      const OpId holder = p_.regions[region].op;
      if (!holder.valid()) return outside;
      region = p_.ops[holder].parent;
    }
  }

  // rule: PIPE-CUT -- value edges come from SSA, loop-carried ones included.
  void derive_values(RegionId region, int stage) {
    std::unordered_set<ValueId> used;
    collect_uses(region, used);
    for (ValueId v : used) trace(v, stage);
  }

  void collect_uses(RegionId region, std::unordered_set<ValueId> &used) const {
    for_each_op(p_, region, [&](const Op &op, OpId) { collect_uses(op, used); });
  }
  // An assignment names the definition before and computes nothing from it.
  void collect_uses(const Op &op, std::unordered_set<ValueId> &used) const {
    const std::size_t n = op.kind == OpKind::assign ? 1 : op.operands.size();
    used.insert(op.operands.begin(), op.operands.begin() + static_cast<std::ptrdiff_t>(n));
    for (RegionId r : op.regions) used.insert(p_.regions[r].yields.begin(), p_.regions[r].yields.end());
  }

  // Breadth first by distance; the least distance to a definition is the strictest.
  void trace(ValueId used, int consumer) {
    std::deque<std::pair<ValueId, std::int64_t>> work{{used, 0}};
    std::unordered_set<ValueId> seen;
    const Region &body = p_.regions[body_];
    const std::size_t coords = body.args.size() - op_.carries.size();
    while (!work.empty()) {
      const auto [v, distance] = work.front();
      work.pop_front();
      if (!seen.insert(v).second) continue;
      const Value &value = p_.values[v];
      if (value.region == body_ && !value.op.valid()) {
        const auto i = static_cast<std::size_t>(value.index);
        if (i >= coords && !rule_broken(Rule::pipe_cut)) work.emplace_back(body.yields[i - coords], distance + 1);
        continue;
      }
      const RegionId region = value.op.valid() ? p_.ops[value.op].parent : value.region;
      const int producer = home(region);
      if (producer >= 0) {
        if (producer != consumer || distance > 0)
          graph_.edges.push_back({producer, consumer, distance, StageGraph::EdgeKind::value, v, {}, {}});
      } else if (producer == before_stages && value.op.valid()) {
        std::unordered_set<ValueId> sources;
        collect_uses(p_.ops[value.op], sources);
        for (RegionId r : p_.ops[value.op].regions) collect_uses(r, sources);
        for (ValueId s : sources) work.emplace_front(s, distance);
      }
    }
  }

  void collect_accesses(RegionId region, int stage) {
    for_each_op(p_, region, [&](const Op &op, OpId) {
      Access a;
      a.stage = stage;
      ViewId view;
      switch (op.kind) {
      case OpKind::sync: a.sync = true; break;
      case OpKind::memory: return; // allocates; the first store is the first access
      case OpKind::load:
      case OpKind::store:
      case OpKind::atomic: {
        const auto &attr = std::get<AccessAttr>(op.attr);
        view = attr.view;
        a.atomic = op.kind == OpKind::atomic;
        if (a.atomic) a.kind = attr.atomic;
        break;
      }
      case OpKind::gather:
      case OpKind::scatter: {
        const auto &attr = std::get<IndexedAttr>(op.attr);
        view = attr.view;
        a.atomic = attr.reducer.has_value();
        if (a.atomic) a.kind = *attr.reducer;
        break;
      }
      default: return;
      }
      if (!a.sync) {
        a.writes = op.kind != OpKind::load && op.kind != OpKind::gather;
        a.object = p_.views[view].object;
        a.fresh = fresh_.count(a.object) > 0;
        if (a.atomic) a.elem = p_.views[view].elem;
      }
      if (std::find(accesses_.begin(), accesses_.end(), a) == accesses_.end()) accesses_.push_back(a);
    });
  }

  bool conflict(const Access &a, const Access &b) const {
    if (a.sync || b.sync) return true;
    if (!a.writes && !b.writes) return false;
    if (a.atomic && b.atomic && a.kind == b.kind && a.elem == b.elem) return false; // ATOM: equal ones are unordered
    auto argument = [&](const Access &x) { return p_.objects[x.object].kind == ObjectKind::argument; };
    return a.object == b.object || (argument(a) && argument(b));
  }

  // rule: PIPE-CUT -- RAW, WAR and WAW alike; a memory declared in the body is another one in each iteration.
  void derive_effects() {
    for (std::size_t i = 0; i < accesses_.size(); ++i)
      for (std::size_t j = i; j < accesses_.size(); ++j) {
        const Access *first = &accesses_[i], *second = &accesses_[j];
        if (!conflict(*first, *second)) continue;
        if (first->stage > second->stage) std::swap(first, second);
        const bool sync = first->sync || second->sync;
        ObjectId low = sync ? ObjectId() : std::min(first->object, second->object);
        ObjectId high = sync ? ObjectId() : std::max(first->object, second->object);
        auto edge = [&](int from, int to, std::int64_t distance) {
          graph_.edges.push_back({from, to, distance, StageGraph::EdgeKind::effect, {}, low, high});
        };
        if (first->stage != second->stage) edge(first->stage, second->stage, 0);
        if (sync || !first->fresh || !second->fresh) edge(second->stage, first->stage, 1);
      }
  }

  const TileProgram &p_;
  const Op &op_;
  RegionId body_;
  std::unordered_map<RegionId, int> stage_of_region_;
  std::unordered_set<ObjectId> fresh_;
  std::vector<Access> accesses_;
  StageGraph graph_;
};

} // namespace

StageGraph stage_graph(const TileProgram &p, OpId pipeline) { return Derivation(p, pipeline).run(); }

// rule: CTX-PIPE
Diagnostics pipelines_ok(const TileProgram &p) {
  Diagnostics out;
  for_each_op(p, p.body, [&](const Op &op, OpId) {
    if (op.kind != OpKind::pipeline || rule_broken(Rule::ctx_pipe)) return;
    const PipelinePolicy &policy = p.policies[std::get<LoopAttr>(op.attr).pipeline];
    if (policy.stages < 0 || policy.initiation_interval < 0 || policy.max_in_flight < 0)
      out.emplace_back(Code::T0607, p.site(op.site),
                       std::vector<std::pair<std::string, std::string>>{
                           {"why", "stages, ii and max_in_flight are positive, or 0 to leave them open"}});
  });
  return out;
}

} // namespace tilenest
