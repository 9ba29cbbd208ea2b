// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/formats/graph_inspection.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "orrery/trace/chakra/load.h"

namespace orrery::intake {

using graph::NodeKind;

namespace {

profile::Inspection inspect_graph(const graph::Graph& graph) {
  profile::Inspection result;
  result.on_device = true;
  std::map<std::pair<bool, std::string_view>, profile::NameSummary> uses;
  for (graph::NodeId n = 0; n < graph.size(); ++n) {
    const NodeKind kind = graph.kind(n);
    if (kind == NodeKind::metadata || kind == NodeKind::invalid) continue;
    const bool cpu = graph.is_cpu(n);
    const Time time = graph.duration(n);
    profile::NameSummary& use = uses[{cpu, graph.name(n)}];
    ++use.count;
    use.total = saturating_sum(use.total, time);
    use.longest = std::max(use.longest, time);
    const auto slot = static_cast<std::size_t>(cpu ? profile::Kind::op : profile::Kind::kernel);
    ++result.events[slot];
    if (cpu) continue;
    const bool comm = kind == NodeKind::coll || kind == NodeKind::send || kind == NodeKind::recv;
    Time& part = comm ? result.whole.comm_only : result.whole.compute_only;
    part = saturating_sum(part, time);
  }
  result.whole.length = saturating_sum(result.whole.compute_only, result.whole.comm_only);
  for (auto& [key, use] : uses) {
    use.name = key.second;
    use.kind = key.first ? profile::Kind::op : profile::Kind::kernel;
    (key.first ? result.host : result.device).push_back(std::move(use));
  }
  return result;
}

}  // namespace

Result<profile::Inspection> inspect_chakra(const std::string& path, Findings& findings) {
  const auto graph = trace::chakra::load_rank(path, std::make_shared<StringPool>(),
                                              graph::Repair::repair, findings);
  if (!graph) return tl::unexpected(graph.error());
  return inspect_graph(*graph);
}

}  // namespace orrery::intake
