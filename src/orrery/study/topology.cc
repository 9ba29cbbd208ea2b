// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>

#include "orrery/config/document.h"
#include "orrery/core/text.h"
#include "orrery/platform/cluster.h"
#include "orrery/platform/fabric.h"
#include "orrery/platform/topology/formats/read_topology.h"

namespace orrery::study {

namespace {

using platform::LinkIndex;
using platform::NodeIndex;
using platform::Topology;

struct Read {
  Topology topology;
  std::vector<NodeIndex> seats;
  std::vector<bool> down;
  platform::Routing routing;
  std::vector<std::int64_t> sizes;
};

Result<Read> of_cluster(const std::string& file, Findings& findings) {
  const auto cluster = platform::read_cluster(file, findings);
  if (!cluster) return tl::unexpected(cluster.error());
  Read read;
  if (cluster->fabric == nullptr) {
    Result<Topology> made = platform::stacked(cluster->dims, cluster->name);
    if (!made) return tl::unexpected(made.error());
    read.topology = std::move(*made);
    for (const platform::Dimension& dim : cluster->dims) read.sizes.push_back(dim.size);
  } else {
    const platform::Fabric& fabric = *cluster->fabric;
    read.topology = fabric.topology;
    read.seats = fabric.seats;
    read.routing = fabric.routing;
    read.down = platform::down_always(fabric);
    if (fabric.written.network && fabric.written.network->sizes)
      read.sizes = *fabric.written.network->sizes;
  }
  return read;
}

Result<Read> read_any(const std::string& file, Findings& findings) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored) && platform::names_catalogue_cluster(file))
    return of_cluster(file, findings);
  const Result<std::string> text = config::read_text(file);
  if (text && platform::topology_format(*text) == platform::TopologyFormat::cluster)
    return of_cluster(file, findings);
  Result<Topology> topology = platform::read_topology_file(file, findings);
  if (!topology) return tl::unexpected(topology.error());
  Read read;
  read.topology = std::move(*topology);
  return read;
}

/// By name, or by rank.
std::optional<NodeIndex> node_of(const Read& read, const std::string& word) {
  for (NodeIndex node = 0; node < read.topology.node_count(); ++node) {
    if (read.topology.name(node) == word) return node;
  }
  std::uint32_t rank = 0;
  const auto [end, wrong] = std::from_chars(word.data(), word.data() + word.size(), rank);
  if (wrong != std::errc{} || end != word.data() + word.size() || rank >= read.seats.size())
    return std::nullopt;
  return read.seats[rank];
}

/// Ways of the fewest hops that are as wide, counted along the way down; no more than 2^63.
std::uint64_t count_ways(const platform::ShortestRoutes& routes, const Topology& topology,
                         NodeIndex at, NodeIndex to, std::map<NodeIndex, std::uint64_t>& known) {
  if (at == to) return 1;
  const auto found = known.find(at);
  if (found != known.end()) return found->second;
  std::vector<LinkIndex> next;
  routes.next(at, to, next);
  std::uint64_t all = 0;
  for (const LinkIndex link : next) {
    const std::uint64_t more = count_ways(routes, topology, topology.link(link).to, to, known);
    all = all + more < all ? all : all + more;
  }
  return known[at] = all;
}

Result<void> find_way(const TopologyQuestion& question, const Read& read, TopologyAnswer& answer) {
  FoundWay way;
  for (const bool first : {true, false}) {
    const std::string& word = question.ends[first ? 0 : 1];
    const auto node = node_of(read, word);
    if (!node)
      return fail(Errc::usage, "--route", "there is no node and no rank " + in_quotes(word),
                  "'orrery topology FILE --nodes' lists them");
    (first ? way.from : way.to) = *node;
  }
  if (way.from == way.to) return fail(Errc::usage, "--route", "both ends are the same node", {});
  const platform::Router router(read.topology, read.routing, read.down);
  if (!router.find(way.from, way.to, way.steps))
    return fail(Errc::config_conflict, question.file,
                fmt::format("there is no way from {} to {}", question.ends[0], question.ends[1]),
                {});
  std::map<NodeIndex, std::uint64_t> known;
  way.choices = count_ways(router.shortest(), read.topology, way.from, way.to, known);
  answer.way = std::move(way);
  return {};
}

std::string ranks_text(std::size_t first, std::size_t last) {
  return first == last ? fmt::format("rank {}", first) : fmt::format("ranks {} to {}", first, last);
}

void warn(const TopologyQuestion& question, const Read& read, TopologyAnswer& answer) {
  const Topology& topology = read.topology;
  if (const Result<void> stated = topology.check_figures(question.file); !stated)
    answer.warnings.push_back("It cannot be simulated as it is: " + stated.error().what + ".");
  if (topology.devices().empty())
    answer.warnings.push_back("There is no accelerator in it: no rank has a place.");
  if (!answer.facts.connected) answer.warnings.push_back("Some accelerators do not reach others.");
  if (answer.facts.devices_per_host.least != answer.facts.devices_per_host.most)
    answer.warnings.push_back(fmt::format("Hosts are unequal: {} to {} accelerators.",
                                          answer.facts.devices_per_host.least,
                                          answer.facts.devices_per_host.most));
  const auto tp = static_cast<std::size_t>(std::max<std::int64_t>(question.tp, 0));
  for (std::size_t first = 0; tp > 1 && first + tp <= read.seats.size(); first += tp) {
    std::set<std::uint32_t> hosts;
    for (std::size_t rank = first; rank < first + tp; ++rank)
      hosts.insert(topology.host(read.seats[rank]));
    const bool alone = hosts.size() == 1 && *hosts.begin() == Topology::kNoHost;
    if (hosts.size() < 2 || alone) continue;
    answer.warnings.push_back(
        fmt::format("Tensor parallelism of {} crosses hosts: {} sit on {} of them.", tp,
                    ranks_text(first, first + tp - 1), hosts.size()));
    break;
  }
}

}  // namespace

Result<TopologyAnswer> topology(const TopologyQuestion& question, Findings& findings) {
  Result<Read> read = read_any(question.file, findings);
  if (!read) return tl::unexpected(read.error());
  if (read->seats.empty())
    read->seats.assign(read->topology.devices().begin(), read->topology.devices().end());
  TopologyAnswer answer;
  answer.facts = platform::facts_of(read->topology, read->seats);
  for (const platform::RouteWord& word : platform::kRoutePolicies) {
    if (word.policy == read->routing.policy) answer.policy = word.word;
  }
  if (question.ends.size() == 2) {
    if (auto found = find_way(question, *read, answer); !found)
      return tl::unexpected(found.error());
  }
  warn(question, *read, answer);
  answer.topology = std::move(read->topology);
  answer.seats = std::move(read->seats);
  answer.down = std::move(read->down);
  answer.sizes = std::move(read->sizes);
  return answer;
}

}  // namespace orrery::study
