// SPDX-License-Identifier: Apache-2.0
// The recurrences of a stage graph (strong components, by Boost.Graph), and its Graphviz text.
#include "semantics/pipeline/pipeline.h"
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <algorithm>

namespace tilenest {

namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

Graph as_graph(const StageGraph &g) {
  Graph graph(g.stages.size());
  for (const StageGraph::Edge &e : g.edges)
    boost::add_edge(static_cast<std::size_t>(e.producer), static_cast<std::size_t>(e.consumer), graph);
  return graph;
}

std::string quoted(const std::string &s) {
  std::string out = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string edge_label(const TileProgram &p, const StageGraph::Edge &e) {
  std::string what;
  if (e.kind == StageGraph::EdgeKind::value) {
    what = p.values[e.value].name;
    if (what.empty() && p.values[e.value].op.valid()) what = info(p.ops[p.values[e.value].op].kind).name;
  } else if (!e.object.valid()) {
    what = "sync";
  } else {
    what = p.objects[e.object].name;
    if (e.if_overlap()) what += " over " + p.objects[e.other].name + "?";
  }
  return what + (e.distance != 0 ? " +" + std::to_string(e.distance) : "");
}

} // namespace

std::vector<std::vector<int>> recurrences(const StageGraph &g) {
  const Graph graph = as_graph(g);
  std::vector<int> component(g.stages.size());
  const int count = boost::strong_components(
      graph, boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, graph)));
  std::vector<std::vector<int>> sets(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < component.size(); ++i)
    sets[static_cast<std::size_t>(component[i])].push_back(static_cast<int>(i));
  std::vector<std::vector<int>> out;
  for (const std::vector<int> &s : sets) {
    bool recurs = s.size() > 1;
    for (const StageGraph::Edge &e : g.edges) recurs |= e.producer == s[0] && e.consumer == s[0];
    if (recurs) out.push_back(s);
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string to_graphviz(const TileProgram &p, const StageGraph &g) {
  std::string out = "digraph stages {\n";
  for (std::size_t i = 0; i < g.stages.size(); ++i) {
    const std::string &label = g.stages[i].label;
    out += std::to_string(i) + "[label=" + quoted(label.empty() ? "stage " + std::to_string(i) : label) + "];\n";
  }
  for (const StageGraph::Edge &e : g.edges)
    out += std::to_string(e.producer) + "->" + std::to_string(e.consumer) + " [label=" + quoted(edge_label(p, e)) +
           (e.kind == StageGraph::EdgeKind::effect ? ", style=dashed];\n" : "];\n");
  return out + "}\n";
}

} // namespace tilenest
