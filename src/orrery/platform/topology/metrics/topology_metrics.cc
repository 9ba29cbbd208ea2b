// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/metrics/topology_metrics.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace orrery::platform {

namespace {

constexpr std::uint64_t kMaxSteps = 200'000'000;  // of searches, and of flows

/// Hops from one node to all, and the least latency among ways of so few.
struct Distances {
  std::vector<std::uint32_t> hops;
  std::vector<std::int64_t> latency;
};
constexpr std::uint32_t kUnreached = std::numeric_limits<std::uint32_t>::max();

Distances breadth_first(const Topology& topology, NodeIndex from) {
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
                   TopologyMetrics& metrics) {
  const bool stated =
      std::all_of(topology.links().begin(), topology.links().end(),
                  [](const Link& link) { return link.figures.latency.has_value(); });
  const std::uint64_t each = topology.link_count() + topology.node_count() + std::uint64_t{1};
  const std::uint64_t maximum = std::max<std::uint64_t>(1, kMaxSteps / each);
  const std::uint64_t step =
      std::max<std::uint64_t>(1, (rank_devices.size() + maximum - 1) / maximum);
  metrics.sampled = step > 1;
  std::int64_t farthest = 0;
  for (std::size_t i = 0; i < rank_devices.size(); i += step) {
    const Distances found = breadth_first(topology, rank_devices[i]);
    for (const NodeIndex device_node : rank_devices) {
      if (found.hops[device_node] == kUnreached) {
        metrics.connected = false;
        continue;
      }
      if (found.hops[device_node] < metrics.diameter) continue;
      if (found.hops[device_node] > metrics.diameter) farthest = 0;
      metrics.diameter = found.hops[device_node];
      farthest = std::max(farthest, found.latency[device_node]);
    }
  }
  if (stated) metrics.farthest = Time(farthest);
}

void extend(std::optional<MetricRange>& range, double value) {
  if (!range) range = MetricRange{value, value};
  range->minimum = std::min(range->minimum, value);
  range->maximum = std::max(range->maximum, value);
}

bool is_unstated(const Link& link) { return link.figures.bandwidth.count() == 0; }

void set_bandwidths(const Topology& topology, std::span<const NodeIndex> rank_devices,
                    TopologyMetrics& metrics) {
  std::optional<MetricRange> device, host_range;
  std::map<std::uint32_t, std::pair<double, double>> hosts;  // devices, what leaves
  for (const NodeIndex device_node : rank_devices) {
    double all = 0;
    bool unstated = false;
    const auto [first, last] = topology.out(device_node);
    for (LinkIndex l = first; l < last; ++l) {
      all += topology.link(l).capacity();
      unstated |= is_unstated(topology.link(l));
    }
    metrics.device_unknown |= unstated;
    extend(device, all);
    if (topology.host(device_node) == Topology::kNoHost) {
      extend(host_range, all);
      metrics.host_unknown |= unstated;
    } else {
      hosts[topology.host(device_node)].first += 1;
    }
  }
  for (const Link& link : topology.links()) {
    const std::uint32_t host = topology.host(link.from);
    const auto found = hosts.find(host);
    metrics.any_unknown |= is_unstated(link);
    if (found == hosts.end() || topology.host(link.to) == host) continue;
    found->second.second += link.capacity();
    metrics.host_unknown |= is_unstated(link);
  }
  std::optional<MetricRange> per_host;
  for (const auto& [host, both] : hosts) {
    extend(per_host, both.first);
    extend(host_range, both.second / both.first);
  }
  metrics.device_bandwidth = device.value_or(MetricRange{});
  metrics.host_bandwidth = host_range.value_or(MetricRange{});
  metrics.devices_per_host = per_host.value_or(MetricRange{});
}

void set_oversubscription(const Topology& topology, TopologyMetrics& metrics) {
  for (NodeIndex node = 0; node < topology.node_count(); ++node) {
    const int own = switch_tier(topology.kind(node));
    if (own == 0 || own == 3) continue;
    double below = 0, above = 0;
    bool unstated = false;
    const auto [first, last] = topology.out(node);
    for (LinkIndex l = first; l < last; ++l) {
      const int other = switch_tier(topology.kind(topology.link(l).to));
      if (other == own) continue;
      (other > own ? above : below) += topology.link(l).capacity();
      unstated |= is_unstated(topology.link(l));
    }
    if (above > 0 && below > 0 && !unstated)  // routers between blocks have nothing but spines
      extend(own == 1 ? metrics.leaf_oversubscription : metrics.spine_oversubscription,
             below / above);
  }
}

void count_links(const Topology& topology, TopologyMetrics& metrics) {
  const auto key = [](const LinkFigures& one) {
    return std::tuple(one.kind, -one.bandwidth.count(), one.latency, one.count);
  };
  std::map<decltype(key({})), LinkGroup> kinds;
  for (const Link& link : topology.links()) {
    LinkGroup& kind = kinds[key(link.figures)];
    kind.figures = link.figures;
    ++kind.links;
  }
  for (const auto& entry : kinds) metrics.links.push_back(entry.second);
}

/// Dinic's algorithm on the links and their other directions.
class MaxFlow {
 public:
  explicit MaxFlow(const Topology& topology)
      : topology_(topology), residual_(topology.link_count()), reverse_(topology.link_count()) {
    for (LinkIndex l = 0; l < residual_.size(); ++l) residual_[l] = topology.link(l).capacity();
  }

  std::optional<double> maximum(std::span<const NodeIndex> from, std::span<const NodeIndex> to) {
    sinks_.assign(topology_.node_count(), false);
    for (const NodeIndex node : to) sinks_[node] = true;
    double total = 0;
    while (assign_levels(from)) {
      next_.assign(topology_.node_count(), 0);
      for (const NodeIndex node : from) {
        while (const double more = augment(node)) total += more;
        if (steps_ > kMaxSteps) return std::nullopt;
      }
    }
    return steps_ > kMaxSteps ? std::nullopt : std::optional(total);
  }

 private:
  /// Its i-th path on: links forward, then what may be taken back from links to it.
  struct Arc {
    NodeIndex to;
    double* residual;
    double* reverse;
  };
  [[nodiscard]] std::size_t arc_count(NodeIndex node) const {
    const auto [first, last] = topology_.out(node);
    return last - first + topology_.in(node).size();
  }
  Arc arc(NodeIndex node, std::size_t i) {
    const auto [first, last] = topology_.out(node);
    if (i < last - first) {
      const auto link = static_cast<LinkIndex>(first + i);
      return {topology_.link(link).to, &residual_[link], &reverse_[link]};
    }
    const LinkIndex link = topology_.in(node)[i - (last - first)];
    return {topology_.link(link).from, &reverse_[link], &residual_[link]};
  }
  bool assign_levels(std::span<const NodeIndex> from) {
    level_.assign(topology_.node_count(), kUnreached);
    std::vector<NodeIndex> order(from.begin(), from.end());
    for (const NodeIndex node : from) level_[node] = 0;
    bool reached = false;
    for (std::size_t i = 0; i < order.size() && steps_ <= kMaxSteps; ++i) {
      const NodeIndex at = order[i];
      reached |= sinks_[at];
      for (std::size_t a = 0; a < arc_count(at); ++a, ++steps_) {
        const Arc one = arc(at, a);
        if (*one.residual <= 0 || level_[one.to] != kUnreached) continue;
        level_[one.to] = level_[at] + 1;
        order.push_back(one.to);
      }
    }
    return reached && steps_ <= kMaxSteps;
  }
  /// One path from `start` to a sink; what it carries, 0: there is none left.
  double augment(NodeIndex start) {
    std::vector<std::pair<NodeIndex, Arc>> path;
    NodeIndex at = start;
    while (!sinks_[at]) {
      if (++steps_ > kMaxSteps) return 0;
      if (next_[at] >= arc_count(at)) {
        if (path.empty()) return 0;
        at = path.back().first;
        path.pop_back();
        ++next_[at];
        continue;
      }
      const Arc one = arc(at, next_[at]);
      if (*one.residual <= 0 || level_[one.to] != level_[at] + 1) {
        ++next_[at];
        continue;
      }
      path.emplace_back(at, one);
      at = one.to;
    }
    double minimum = std::numeric_limits<double>::infinity();
    for (const auto& [node, one] : path) minimum = std::min(minimum, *one.residual);
    for (const auto& [node, one] : path) {
      *one.residual -= minimum;
      *one.reverse += minimum;
    }
    return path.empty() ? 0 : minimum;
  }

  const Topology& topology_;
  std::vector<double> residual_, reverse_;
  std::vector<bool> sinks_;
  std::vector<std::uint32_t> level_;
  std::vector<std::size_t> next_;
  std::uint64_t steps_ = 0;
};

}  // namespace

std::optional<double> max_flow(const Topology& topology, std::span<const NodeIndex> from,
                               std::span<const NodeIndex> to) {
  return MaxFlow(topology).maximum(from, to);
}

TopologyMetrics topology_metrics(const Topology& topology,
                                 std::span<const NodeIndex> rank_devices) {
  TopologyMetrics metrics;
  metrics.hosts = topology.host_count();
  for (NodeIndex node = 0; node < topology.node_count(); ++node)
    ++metrics.nodes[static_cast<std::size_t>(topology.kind(node))];
  count_links(topology, metrics);
  set_distances(topology, rank_devices, metrics);
  set_bandwidths(topology, rank_devices, metrics);
  set_oversubscription(topology, metrics);
  if (rank_devices.size() > 1)
    metrics.bisection = max_flow(topology, rank_devices.subspan(0, rank_devices.size() / 2),
                                 rank_devices.subspan(rank_devices.size() / 2));
  return metrics;
}

}  // namespace orrery::platform
