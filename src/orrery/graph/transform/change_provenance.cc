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

using StandsOfNodes = std::vector<NodeProvenance>;

NodeProvenance less_sure(NodeProvenance stand, TimeProvenance provenance) {
  stand.provenance = std::max(stand.provenance, provenance);
  return stand;
}

bool same_nodes(const Graph& a, const Graph& b) {
  if (a.size() != b.size()) return false;
  for (NodeId n = 0; n < a.size(); ++n)
    if (a.id(n) != b.id(n) || a.kind(n) != b.kind(n) || a.name(n) != b.name(n)) return false;
  return true;
}

StandsOfNodes same_nodes_stand(const Graph& was, const WorkloadProvenance& before,
                               TimeProvenance provenance, const Graph& is) {
  StandsOfNodes made(is.size());
  for (NodeId n = 0; n < is.size(); ++n) {
    made[n] = before.of(was, n);
    if (is.duration(n) != was.duration(n)) made[n] = less_sure(made[n], provenance);
  }
  return made;
}

StandsOfNodes other_nodes_stand(const Graph& was, const WorkloadProvenance& before,
                                TimeProvenance provenance, const Graph& is) {
  std::map<std::string_view, NodeProvenance> by_name;
  for (NodeId n = 0; n < was.size(); ++n) {
    const NodeProvenance stand = before.of(was, n);
    const auto [known, added] = by_name.try_emplace(was.name(n), stand);
    if (!added && stand.provenance > known->second.provenance) known->second = stand;
  }
  StandsOfNodes made(is.size());
  for (NodeId n = 0; n < is.size(); ++n)
    if (const auto found = by_name.find(is.name(n)); found != by_name.end())
      made[n] = less_sure(found->second, provenance);
  return made;
}

}  // namespace

void set_provenance(const Workload& before, TimeProvenance provenance, std::optional<LagKind> lags,
                    Workload& after) {
  WorkloadProvenance made;
  made.lags = before.stands.lags;
  if (lags) made.lags = static_cast<std::uint8_t>(made.lags | 1u << static_cast<unsigned>(*lags));
  const std::uint32_t ranks = std::min(before.rank_count(), after.rank_count());
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const Graph &was = before.graph(rank), &is = after.graph(rank);
    if (made.nodes.contains(&is)) continue;
    StandsOfNodes stands = same_nodes(was, is)
                               ? same_nodes_stand(was, before.stands, provenance, is)
                               : other_nodes_stand(was, before.stands, provenance, is);
    const bool changed = std::any_of(stands.begin(), stands.end(), [](const NodeProvenance& stand) {
      return stand != NodeProvenance{};
    });
    if (changed) made.nodes.emplace(&is, std::make_shared<const StandsOfNodes>(std::move(stands)));
  }
  after.stands = std::move(made);
}

}  // namespace orrery::graph
