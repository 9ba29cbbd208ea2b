// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/shortcuts/shortcut_rules.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "orrery/model/collective/algorithms/switch_tree.h"

namespace orrery::sim {

using platform::InterDimension;
using platform::RemoteMemoryKind;
using platform::Rules;

namespace {

bool has_memory_nodes(const graph::Workload& workload) {
  const auto is_memory = [](graph::NodeKind kind) {
    return kind == graph::NodeKind::mem_load || kind == graph::NodeKind::mem_store;
  };
  return std::any_of(workload.graphs.begin(), workload.graphs.end(), [&](const auto& graph) {
    const auto kinds = graph->kinds();
    return std::any_of(kinds.begin(), kinds.end(), is_memory);
  });
}

bool any_lags(const graph::Workload& workload) {
  return std::any_of(workload.graphs.begin(), workload.graphs.end(),
                     [](const auto& graph) { return graph->has_lags(); });
}

bool lists_a_rank_twice(const graph::Workload& workload) {
  std::vector<std::uint32_t> listed;  // by rank: number of the last group that lists it, from 1
  std::uint32_t number = 0;
  for (const auto& [name, group] : workload.groups) {
    listed.resize(workload.rank_count());
    ++number;
    for (const std::uint32_t rank : group.ranks) {
      if (std::exchange(listed[rank], number) == number) return true;
    }
  }
  return false;
}

// Equivalent ranks have equivalent queues only if nothing is served in order of arrival.
std::string shares_memory(RemoteMemoryKind kind, Rules rules) {
  if (rules == Rules::orrery) return {};
  switch (kind) {
    case RemoteMemoryKind::none:
    case RemoteMemoryKind::per_npu:
    case RemoteMemoryKind::network:  // the network states whether it can fold
      return {};
    case RemoteMemoryKind::per_node:
    case RemoteMemoryKind::pool:
      break;
  }
  return "remote memory serves requests in order of arrival";
}

// A network whose links serve in order of arrival reports when rank numbers decide the order, and
// announces arrivals, which the guard of ASTRA rules needs.
std::string shares_links(const model::Traits& network, Rules rules) {
  if (!network.foldable) return "routes or links change during the run";
  if (network.uncontended || network.in_order || rules == Rules::orrery) return {};
  return "the network does not announce arrivals";
}

// Under Orrery rules the engine decides at the end of a tick, so that rank numbers have no
// influence.
std::string orders_by_issue(InterDimension order, Rules rules) {
  switch (order) {
    case InterDimension::ascending:
    case InterDimension::round_robin:
    case InterDimension::best:
      return {};
    case InterDimension::themis:
    case InterDimension::themis_flex:
    case InterDimension::themis_published:
      break;
  }
  return rules == Rules::orrery ? "" : "Themis counts the loads of all ranks in order of issue";
}

// What a recording contains beyond nodes, groups and ports of ranks.
std::string why_not_recorded(const platform::Platform& platform, const Options& options) {
  if (options.record_chunks) return "the phases of chunks are recorded";
  if (platform.replay_only) return "nodes with recorded durations are recorded";
  return {};
}

}  // namespace

std::string why_not_fold(const graph::Workload& workload, const platform::Platform& platform,
                         const model::Traits& network) {
  if (std::string why = shares_links(network, platform.rules); !why.empty()) return why;
  if (std::string why = shares_memory(platform.remote_memory.kind, platform.rules);
      !why.empty() && has_memory_nodes(workload))
    return why;
  std::string why = orders_by_issue(platform.collectives.inter_dimension, platform.rules);
  if (why.empty() && lists_a_rank_twice(workload)) why = "a process group lists a rank twice";
  return why;
}

std::string why_not_fold(const graph::Workload& workload, const platform::Platform& platform,
                         const model::Traits& network, const Options& options) {
  if (!options.fold) return "off";
  if (options.record) {
    if (std::string why = why_not_recorded(platform, options); !why.empty()) return why;
  }
  if (options.replay) return "a recording is replayed";
  if (!workload.custom_collectives.empty()) return "collectives are given as traces";
  if (platform.rules == Rules::astra && platform.collectives.rendezvous)
    return "messages use rendezvous";
  return why_not_fold(workload, platform, network);
}

std::string why_not_skip(const graph::Workload& workload, const platform::Platform& platform,
                         const model::Traits& network, const Options& options) {
  if (!options.skip_repeats) return "off";
  if (options.record && options.record_chunks) return "the phases of chunks are recorded";
  if (options.replay) return "a recording is replayed";
  if (!options.keep_times) return "times are not stored";
  if (platform.rules != Rules::orrery) return "ASTRA rules depend on the order of events";
  if (platform.collectives.rendezvous) return "messages use rendezvous";
  if (!workload.custom_collectives.empty()) return "collectives are given as traces";
  if (any_lags(workload)) return "dependencies have delays";
  // A Snapshot does not contain messages in flight in a network.
  if (!network.repeatable || !network.uncontended) return "messages share links";
  if (model::has_stream_limits(platform)) return "collectives wait for switches";
  switch (platform.remote_memory.kind) {
    case RemoteMemoryKind::none:
      break;
    case RemoteMemoryKind::per_npu:
    case RemoteMemoryKind::per_node:
    case RemoteMemoryKind::pool:
    case RemoteMemoryKind::network:
      if (has_memory_nodes(workload)) return "accesses wait at a memory";
  }
  switch (platform.collectives.inter_dimension) {
    case InterDimension::ascending:
    case InterDimension::round_robin:
    case InterDimension::best:
      break;
    case InterDimension::themis:
    case InterDimension::themis_flex:
    case InterDimension::themis_published:
      return "Themis counts loads";
  }
  return {};
}

std::string why_one_part(const graph::Workload& workload, const platform::Platform& platform,
                         const model::Traits& network) {
  if (platform.rules != Rules::orrery) return "ASTRA rules depend on the order of events";
  if (platform.collectives.rendezvous) return "messages use rendezvous";
  if (!workload.custom_collectives.empty()) return "collectives are given as traces";
  if (!network.parallel || !network.uncontended) return "messages share links";
  if (model::has_stream_limits(platform)) return "collectives wait for switches";
  // The set of concurrent memory accesses is known only when the tick is over in all parts.
  if (platform.remote_memory.kind != RemoteMemoryKind::none && has_memory_nodes(workload))
    return "ranks share memory";
  switch (platform.collectives.inter_dimension) {
    case InterDimension::ascending:
    case InterDimension::best:
      break;
    case InterDimension::round_robin:
    case InterDimension::themis:
    case InterDimension::themis_flex:
    case InterDimension::themis_published:
      return "the order of chunks depends on other ranks";
  }
  return {};
}

}  // namespace orrery::sim
