// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/transform/change_provenance.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery::graph {
namespace {

using ProvenanceOfNodes = std::vector<NodeProvenance>;

NodeProvenance with_less_certain(NodeProvenance node, TimeProvenance provenance) {
  node.provenance = std::max(node.provenance, provenance);
  return node;
}

bool have_same_nodes(const Graph& a, const Graph& b) {
  if (a.size() != b.size()) return false;
  for (NodeId n = 0; n < a.size(); ++n)
    if (a.id(n) != b.id(n) || a.kind(n) != b.kind(n) || a.name(n) != b.name(n)) return false;
  return true;
}

ProvenanceOfNodes provenance_of_same_nodes(const Graph& was, const WorkloadProvenance& before,
                                           TimeProvenance provenance, const Graph& is) {
  ProvenanceOfNodes made(is.size());
  for (NodeId n = 0; n < is.size(); ++n) {
    made[n] = before.of(was, n);
    if (is.duration(n) != was.duration(n)) made[n] = with_less_certain(made[n], provenance);
  }
  return made;
}

ProvenanceOfNodes provenance_by_name(const Graph& was, const WorkloadProvenance& before,
                                     TimeProvenance provenance, const Graph& is) {
  std::map<std::string_view, NodeProvenance> by_name;
  for (NodeId n = 0; n < was.size(); ++n) {
    const NodeProvenance node = before.of(was, n);
    const auto [known, added] = by_name.try_emplace(was.name(n), node);
    if (!added && node.provenance > known->second.provenance) known->second = node;
  }
  ProvenanceOfNodes made(is.size());
  for (NodeId n = 0; n < is.size(); ++n)
    if (const auto found = by_name.find(is.name(n)); found != by_name.end())
      made[n] = with_less_certain(found->second, provenance);
  return made;
}

}  // namespace

void set_provenance(const Workload& before, TimeProvenance provenance, std::optional<LagKind> lags,
                    Workload& after) {
  WorkloadProvenance made;
  made.lags = before.provenance.lags;
  if (lags) made.lags = static_cast<std::uint8_t>(made.lags | 1u << static_cast<unsigned>(*lags));
  const std::uint32_t ranks = std::min(before.rank_count(), after.rank_count());
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const Graph &was = before.graph(rank), &is = after.graph(rank);
    if (made.nodes.contains(&is)) continue;
    ProvenanceOfNodes nodes = have_same_nodes(was, is)
                                  ? provenance_of_same_nodes(was, before.provenance, provenance, is)
                                  : provenance_by_name(was, before.provenance, provenance, is);
    const bool changed = std::any_of(nodes.begin(), nodes.end(), [](const NodeProvenance& node) {
      return node != NodeProvenance{};
    });
    if (changed)
      made.nodes.emplace(&is, std::make_shared<const ProvenanceOfNodes>(std::move(nodes)));
  }
  after.provenance = std::move(made);
}

}  // namespace orrery::graph
