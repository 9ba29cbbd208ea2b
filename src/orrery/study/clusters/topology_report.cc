// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/clusters/topology_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <numeric>

#include "orrery/core/text/text.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/platform/cluster/fabric/fabric.h"
#include "orrery/platform/placement/host_crossings.h"
#include "orrery/platform/topology/formats/read_topology.h"

namespace orrery::study {

namespace {

using platform::LinkIndex;
using platform::NodeIndex;
using platform::Topology;

/// A fabric that was read, and its routing.
struct ReadFabric {
  TopologyAnswer answer;
  platform::Routing routing;
  /// Of a cluster of dimensions; else computed from the graph.
  std::optional<platform::HostCrossings> crossings;
};

Result<ReadFabric> of_cluster(const Result<platform::Platform>& cluster) {
  if (!cluster) return tl::unexpected(cluster.error());
  ReadFabric read;
  TopologyAnswer& answer = read.answer;
  if (cluster->fabric == nullptr) {
    Result<Topology> made = platform::stack_dimensions(cluster->dims, cluster->name);
    if (!made) return tl::unexpected(made.error());
    answer.topology = std::move(*made);
    for (const platform::Dimension& dim : cluster->dims) answer.sizes.push_back(dim.size);
    read.crossings = platform::HostCrossings::of(*cluster);
  } else {
    const platform::Fabric& fabric = *cluster->fabric;
    answer.topology = fabric.topology;
    answer.rank_devices = fabric.rank_devices;
    answer.down = platform::permanently_down(fabric);
    answer.faults = fabric.faults;
    read.routing = fabric.routing;
    if (fabric.definition.network && !fabric.definition.network->sizes.empty()) {
      answer.sizes = fabric.definition.network->sizes;
      if (fabric.definition.levels && !fabric.definition.placement) {
        answer.sizes.clear();
        for (const platform::Dimension& dim : fabric.logical_dims())
          answer.sizes.push_back(dim.size);
      }
    }
  }
  return read;
}

Result<ReadFabric> read_any(const std::string& file, Findings& findings) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored) && platform::is_catalog_cluster(file))
    return of_cluster(platform::read_cluster(file, findings));
  const Result<std::string> text = platform::read_fabric_text(file);
  if (!text) return tl::unexpected(text.error());
  if (platform::topology_format(*text) == platform::TopologyFormat::cluster)
    return of_cluster(platform::parse_cluster(*text, file, findings));
  Result<Topology> topology = platform::read_topology(*text, file, findings);
  if (!topology) return tl::unexpected(topology.error());
  ReadFabric read;
  read.answer.topology = std::move(*topology);
  return read;
}

/// Finds a node by its name or by a rank.
std::optional<NodeIndex> node_of(const TopologyAnswer& read, const std::string& word) {
  for (NodeIndex node = 0; node < read.topology.node_count(); ++node) {
    if (read.topology.name(node) == word) return node;
  }
  std::uint32_t rank = 0;
  const auto [end, wrong] = std::from_chars(word.data(), word.data() + word.size(), rank);
  if (wrong != std::errc{} || end != word.data() + word.size() || rank >= read.rank_devices.size())
    return std::nullopt;
  return read.rank_devices[rank];
}

/// Number of shortest routes with equal bandwidth. It stops growing before it exceeds 64 bits.
std::uint64_t count_routes(const platform::ShortestRoutes& routes, const Topology& topology,
                           NodeIndex at, NodeIndex to, std::map<NodeIndex, std::uint64_t>& known) {
  if (at == to) return 1;
  const auto found = known.find(at);
  if (found != known.end()) return found->second;
  std::vector<LinkIndex> next;
  routes.next(at, to, next);
  std::uint64_t all = 0;
  for (const LinkIndex link : next) {
    const std::uint64_t more = count_routes(routes, topology, topology.link(link).to, to, known);
    all = all + more < all ? all : all + more;
  }
  return known[at] = all;
}

Result<void> find_route(const TopologyQuestion& question, const platform::Routing& routing,
                        TopologyAnswer& answer) {
  FabricRoute route;
  for (const bool first : {true, false}) {
    const std::string& word = question.ends[first ? 0 : 1];
    const auto node = node_of(answer, word);
    if (!node)
      return fail(Errc::usage, "--route", "no node or rank is called " + in_quotes(word),
                  "'orrery network show FILE --list-nodes' lists them");
    (first ? route.from : route.to) = *node;
  }
  if (route.from == route.to)
    return fail(Errc::usage, "--route", "both ends are the same node", {});
  const platform::Router router(answer.topology, routing, answer.down);
  if (!router.find(route.from, route.to, route.steps))
    return fail(Errc::config_conflict, question.file,
                fmt::format("there is no route from {} to {}", question.ends[0], question.ends[1]),
                {});
  std::map<NodeIndex, std::uint64_t> known;
  route.choices = count_routes(router.shortest(), answer.topology, route.from, route.to, known);
  answer.route = std::move(route);
  return {};
}

void warn(const std::string& file, TopologyAnswer& answer) {
  const Topology& topology = answer.topology;
  if (const Result<void> stated = topology.check_figures(file); !stated)
    answer.warnings.push_back(fmt::format("The fabric cannot be simulated: {}. To state them: {}.",
                                          stated.error().what, stated.error().hint));
  if (topology.devices().empty())
    answer.warnings.push_back("The fabric has no accelerators, so no rank can be placed.");
  if (!answer.facts.connected)
    answer.warnings.push_back("Some accelerators have no route to others.");
  if (answer.facts.devices_per_host.minimum != answer.facts.devices_per_host.maximum)
    answer.warnings.push_back(fmt::format("Hosts have different numbers of accelerators: {} to {}.",
                                          answer.facts.devices_per_host.minimum,
                                          answer.facts.devices_per_host.maximum));
}

/// Warns about tensor-parallel groups of consecutive ranks that cross hosts.
void warn_of_hosts(std::int64_t tp, platform::HostCrossings crossings, TopologyAnswer& answer) {
  const auto ranks = static_cast<std::uint32_t>(answer.rank_devices.size());
  if (tp > ranks) return;
  std::vector<std::uint32_t> group(static_cast<std::size_t>(tp));
  const std::uint32_t groups = ranks / static_cast<std::uint32_t>(tp);
  for (std::uint32_t i = 0; i < groups; ++i) {
    std::iota(group.begin(), group.end(), i * static_cast<std::uint32_t>(tp));
    crossings.add_group(group);
  }
  if (crossings.groups() > 0)
    answer.warnings.push_back(
        fmt::format("Tensor parallelism of {} crosses hosts in {} of {} groups: {}.", tp,
                    crossings.groups(), groups, crossings.description()));
}

}  // namespace

Result<TopologyAnswer> topology(const TopologyQuestion& question, Findings& findings) {
  Result<ReadFabric> read = read_any(question.file, findings);
  if (!read) return tl::unexpected(read.error());
  TopologyAnswer& answer = read->answer;
  if (answer.rank_devices.empty())
    answer.rank_devices.assign(answer.topology.devices().begin(), answer.topology.devices().end());
  answer.facts = platform::topology_metrics(answer.topology, answer.rank_devices);
  for (const platform::RoutePolicyEntry& word : platform::kRoutePolicies) {
    if (word.policy == read->routing.policy) answer.policy = word.word;
  }
  if (question.ends.size() == 2) {
    if (auto found = find_route(question, read->routing, answer); !found)
      return tl::unexpected(found.error());
  }
  warn(question.file, answer);
  if (question.tp > 1) {
    if (!read->crossings)
      read->crossings.emplace(answer.topology, answer.rank_devices, read->routing, answer.down);
    warn_of_hosts(question.tp, *std::move(read->crossings), answer);
  }
  return std::move(answer);
}

}  // namespace orrery::study
