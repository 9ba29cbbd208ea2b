// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/inferred_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/core/text/text.h"

namespace orrery::graph {
namespace {

using Order = std::vector<std::pair<CollectiveType, std::int64_t>>;
/// By undescribed group: the collectives of one graph in it, in node order.
using Orders = std::map<std::string, Order, std::less<>>;

Orders orders_in(const Workload& workload, const Graph& graph) {
  std::map<StringId, Order*> known;  // null: the workload describes it
  Orders orders;
  for (NodeId n = 0; n < graph.size(); ++n) {
    if (graph.kind(n) != NodeKind::coll) continue;
    const Collective& collective = graph.collective(n);
    const auto [group, added] = known.try_emplace(collective.group, nullptr);
    if (added) {
      const std::string_view name = graph.string(collective.group);
      if (!name.empty() && !workload.groups.contains(name) && !workload.axes.contains(name))
        group->second = &orders[std::string(name)];
    }
    if (group->second != nullptr)
      group->second->emplace_back(collective.type, collective.size.count());
  }
  return orders;
}

}  // namespace

void infer_groups(Workload& workload) {
  std::vector<Orders> orders;
  for (const GraphRef& graph : workload.graphs) orders.push_back(orders_in(workload, *graph));
  std::map<std::string, std::vector<std::uint32_t>> members;
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank)
    for (const auto& entry : orders[workload.graph_of_rank[rank]])
      members[entry.first].push_back(rank);
  for (auto& [name, ranks] : members) {
    const auto order_of = [&, &group = name](std::uint32_t rank) -> const Order& {
      return orders[workload.graph_of_rank[rank]].find(group)->second;
    };
    const Order& first = order_of(ranks.front());
    const bool same = std::all_of(ranks.begin(), ranks.end(),
                                  [&](std::uint32_t rank) { return order_of(rank) == first; });
    if (ranks.size() < 2 || !same) continue;
    workload.findings.add(
        FindingCode::group_from_order,
        fmt::format("{}: {} of {} ranks", in_quotes(name), ranks.size(), workload.rank_count()));
    workload.groups[name] = {name, std::move(ranks)};
  }
}

}  // namespace orrery::graph
