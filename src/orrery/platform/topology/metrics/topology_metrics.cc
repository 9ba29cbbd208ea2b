// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/metrics/topology_metrics.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace orrery::platform {

namespace {

constexpr std::uint64_t kMostSteps = 200'000'000;  // of searches, and of flows

/// Hops from one node to all, and the least latency among ways of so few.
struct Distances {
  std::vector<std::uint32_t> hops;
  std::vector<std::int64_t> latency;
};
constexpr std::uint32_t kUnreached = std::numeric_limits<std::uint32_t>::max();

Distances search(const Topology& topology, NodeIndex from) {
  Distances found{std::vector<std::uint32_t>(topology.node_count(), kUnreached),
                  std::vector<std::int64_t>(topology.node_count(), 0)};
  std::vector<NodeIndex> order{from};
  found.hops[from] = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const NodeIndex at = order[i];
    const auto [first, last] = topology.out(at);
    for (LinkIndex l = first; l < last; ++l) {
      const Link& link = topology.link(l);
      const std::int64_t latency =
          found.latency[at] + link.figures.latency.value_or(Time{}).count();
      if (found.hops[link.to] == kUnreached) {
        found.hops[link.to] = found.hops[at] + 1;
        found.latency[link.to] = latency;
        order.push_back(link.to);
      } else if (found.hops[link.to] == found.hops[at] + 1) {
        found.latency[link.to] = std::min(found.latency[link.to], latency);
      }
    }
  }
  return found;
}

void set_distances(const Topology& topology, std::span<const NodeIndex> rank_devices,
                   TopologyMetrics& facts) {
  const bool stated =
      std::all_of(topology.links().begin(), topology.links().end(),
                  [](const Link& link) { return link.figures.latency.has_value(); });
  const std::uint64_t each = topology.link_count() + topology.node_count() + std::uint64_t{1};
  const std::uint64_t maximum = std::max<std::uint64_t>(1, kMostSteps / each);
  const std::uint64_t step =
      std::max<std::uint64_t>(1, (rank_devices.size() + maximum - 1) / maximum);
  facts.sampled = step > 1;
  std::int64_t farthest = 0;
  for (std::size_t i = 0; i < rank_devices.size(); i += step) {
    const Distances found = search(topology, rank_devices[i]);
    for (const NodeIndex seat : rank_devices) {
      if (found.hops[seat] == kUnreached) {
        facts.connected = false;
        continue;
      }
      if (found.hops[seat] < facts.diameter) continue;
      if (found.hops[seat] > facts.diameter) farthest = 0;
      facts.diameter = found.hops[seat];
      farthest = std::max(farthest, found.latency[seat]);
    }
  }
  if (stated) facts.farthest = Time(farthest);
}

void widen(std::optional<MetricRange>& range, double value) {
  if (!range) range = MetricRange{value, value};
  range->minimum = std::min(range->minimum, value);
  range->maximum = std::max(range->maximum, value);
}

int tier(NodeClass kind) {
  switch (kind) {
    case NodeClass::leaf:
      return 1;
    case NodeClass::spine:
      return 2;
    case NodeClass::core:
      return 3;
    default:
      return 0;
  }
}

bool is_open(const Link& link) { return link.figures.bandwidth.count() == 0; }

void set_widths(const Topology& topology, std::span<const NodeIndex> rank_devices,
                TopologyMetrics& facts) {
  std::optional<MetricRange> device, host_range;
  std::map<std::uint32_t, std::pair<double, double>> hosts;  // devices, what leaves
  for (const NodeIndex seat : rank_devices) {
    double all = 0;
    bool open = false;
    const auto [first, last] = topology.out(seat);
    for (LinkIndex l = first; l < last; ++l) {
      all += topology.link(l).capacity();
      open |= is_open(topology.link(l));
    }
    facts.device_unknown |= open;
    widen(device, all);
    if (topology.host(seat) == Topology::kNoHost) {
      widen(host_range, all);
      facts.host_unknown |= open;
    } else {
      hosts[topology.host(seat)].first += 1;
    }
  }
  for (const Link& link : topology.links()) {
    const std::uint32_t host = topology.host(link.from);
    const auto found = hosts.find(host);
    facts.any_unknown |= is_open(link);
    if (found == hosts.end() || topology.host(link.to) == host) continue;
    found->second.second += link.capacity();
    facts.host_unknown |= is_open(link);
  }
  std::optional<MetricRange> per_host;
  for (const auto& [host, both] : hosts) {
    widen(per_host, both.first);
    widen(host_range, both.second / both.first);
  }
  facts.device_bandwidth = device.value_or(MetricRange{});
  facts.host_bandwidth = host_range.value_or(MetricRange{});
  facts.devices_per_host = per_host.value_or(MetricRange{});
}

void set_oversubscription(const Topology& topology, TopologyMetrics& facts) {
  for (NodeIndex node = 0; node < topology.node_count(); ++node) {
    const int own = tier(topology.kind(node));
    if (own == 0 || own == 3) continue;
    double below = 0, above = 0;
    bool open = false;
    const auto [first, last] = topology.out(node);
    for (LinkIndex l = first; l < last; ++l) {
      const int other = tier(topology.kind(topology.link(l).to));
      if (other == own) continue;
      (other > own ? above : below) += topology.link(l).capacity();
      open |= is_open(topology.link(l));
    }
    if (above > 0 && below > 0 && !open)  // routers between blocks have nothing but spines
      widen(own == 1 ? facts.leaf_oversubscription : facts.spine_oversubscription, below / above);
  }
}

void count_links(const Topology& topology, TopologyMetrics& facts) {
  const auto key = [](const LinkFigures& one) {
    return std::tuple(one.kind, -one.bandwidth.count(), one.latency, one.count);
  };
  std::map<decltype(key({})), LinkGroup> kinds;
  for (const Link& link : topology.links()) {
    LinkGroup& kind = kinds[key(link.figures)];
    kind.figures = link.figures;
    ++kind.links;
  }
  for (const auto& entry : kinds) facts.links.push_back(entry.second);
}

/// Dinic's algorithm on the links and their other directions.
class Flow {
 public:
  explicit Flow(const Topology& topology)
      : topology_(topology), left_(topology.link_count()), back_(topology.link_count()) {
    for (LinkIndex l = 0; l < left_.size(); ++l) left_[l] = topology.link(l).capacity();
  }

  std::optional<double> maximum(std::span<const NodeIndex> from, std::span<const NodeIndex> to) {
    sinks_.assign(topology_.node_count(), false);
    for (const NodeIndex node : to) sinks_[node] = true;
    double total = 0;
    while (levels(from)) {
      next_.assign(topology_.node_count(), 0);
      for (const NodeIndex node : from) {
        while (const double more = push(node)) total += more;
        if (steps_ > kMostSteps) return std::nullopt;
      }
    }
    return steps_ > kMostSteps ? std::nullopt : std::optional(total);
  }

 private:
  /// Its i-th way on: links forward, then what may be taken back from links to it.
  struct Arc {
    NodeIndex to;
    double* room;
    double* other;
  };
  [[nodiscard]] std::size_t arcs(NodeIndex node) const {
    const auto [first, last] = topology_.out(node);
    return last - first + topology_.in(node).size();
  }
  Arc arc(NodeIndex node, std::size_t i) {
    const auto [first, last] = topology_.out(node);
    if (i < last - first) {
      const auto link = static_cast<LinkIndex>(first + i);
      return {topology_.link(link).to, &left_[link], &back_[link]};
    }
    const LinkIndex link = topology_.in(node)[i - (last - first)];
    return {topology_.link(link).from, &back_[link], &left_[link]};
  }
  bool levels(std::span<const NodeIndex> from) {
    level_.assign(topology_.node_count(), kUnreached);
    std::vector<NodeIndex> order(from.begin(), from.end());
    for (const NodeIndex node : from) level_[node] = 0;
    bool reached = false;
    for (std::size_t i = 0; i < order.size() && steps_ <= kMostSteps; ++i) {
      const NodeIndex at = order[i];
      reached |= sinks_[at];
      for (std::size_t a = 0; a < arcs(at); ++a, ++steps_) {
        const Arc one = arc(at, a);
        if (*one.room <= 0 || level_[one.to] != kUnreached) continue;
        level_[one.to] = level_[at] + 1;
        order.push_back(one.to);
      }
    }
    return reached && steps_ <= kMostSteps;
  }
  /// One way from `start` to a sink; what it carries, 0: there is none left.
  double push(NodeIndex start) {
    std::vector<std::pair<NodeIndex, Arc>> way;
    NodeIndex at = start;
    while (!sinks_[at]) {
      if (++steps_ > kMostSteps) return 0;
      if (next_[at] >= arcs(at)) {
        if (way.empty()) return 0;
        at = way.back().first;
        way.pop_back();
        ++next_[at];
        continue;
      }
      const Arc one = arc(at, next_[at]);
      if (*one.room <= 0 || level_[one.to] != level_[at] + 1) {
        ++next_[at];
        continue;
      }
      way.emplace_back(at, one);
      at = one.to;
    }
    double minimum = std::numeric_limits<double>::infinity();
    for (const auto& [node, one] : way) minimum = std::min(minimum, *one.room);
    for (const auto& [node, one] : way) {
      *one.room -= minimum;
      *one.other += minimum;
    }
    return way.empty() ? 0 : minimum;
  }

  const Topology& topology_;
  std::vector<double> left_, back_;
  std::vector<bool> sinks_;
  std::vector<std::uint32_t> level_;
  std::vector<std::size_t> next_;
  std::uint64_t steps_ = 0;
};

}  // namespace

std::optional<double> max_flow(const Topology& topology, std::span<const NodeIndex> from,
                               std::span<const NodeIndex> to) {
  return Flow(topology).maximum(from, to);
}

TopologyMetrics topology_metrics(const Topology& topology,
                                 std::span<const NodeIndex> rank_devices) {
  TopologyMetrics facts;
  facts.hosts = topology.host_count();
  for (NodeIndex node = 0; node < topology.node_count(); ++node)
    ++facts.nodes[static_cast<std::size_t>(topology.kind(node))];
  count_links(topology, facts);
  set_distances(topology, rank_devices, facts);
  set_widths(topology, rank_devices, facts);
  set_oversubscription(topology, facts);
  if (rank_devices.size() > 1)
    facts.bisection = max_flow(topology, rank_devices.subspan(0, rank_devices.size() / 2),
                               rank_devices.subspan(rank_devices.size() / 2));
  return facts;
}

}  // namespace orrery::platform
