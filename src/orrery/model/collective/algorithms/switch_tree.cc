// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/algorithms/switch_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "orrery/platform/cluster/cluster.h"
#include "orrery/platform/cluster/fabric/fabric.h"

namespace orrery::model {

using graph::CollectiveType;
using platform::LinkIndex;
using platform::NodeIndex;

namespace {

constexpr std::uint32_t kNone = ~0U;
constexpr std::size_t kMaxProbedMembers = 64;  // maximum number of members that determine the root

}  // namespace

bool switches_can_run(CollectiveType type, const graph::ExpertExchange& exchange) {
  return type == CollectiveType::all_reduce || type == CollectiveType::reduce_scatter ||
         type == CollectiveType::all_gather ||
         (type == CollectiveType::all_to_all && static_cast<bool>(exchange));
}

bool has_stream_limits(const platform::Platform& platform) {
  if (!platform::uses_switches(platform.collectives)) return false;
  if (platform.fabric != nullptr) {
    const auto& reducers = platform.fabric->reducers;
    return std::any_of(reducers.begin(), reducers.end(),
                       [](const auto& one) { return one.figures.streams > 0; });
  }
  return std::any_of(platform.dims.begin(), platform.dims.end(),
                     [](const auto& dim) { return dim.in_network && dim.in_network->streams > 0; });
}

// Scattered data goes down only to its receivers, and gathered data goes up only from its senders.
// Sums go up in full, and data that all members receive goes down in full.
LinkBytes link_bytes(const SwitchCollective& collective, std::uint32_t members,
                     std::uint32_t below) {
  const std::int64_t all = members, data = collective.data;
  switch (collective.type) {
    case CollectiveType::reduce_scatter:
      return {data, (data + all - 1) / all * below};
    case CollectiveType::all_gather:
      return {data * below, data * all};
    case CollectiveType::all_to_all:
      break;
    default:
      return {data, data};
  }
  const graph::ExpertExchange& exchange = collective.exchange;
  const double tokens = static_cast<double>(data) / exchange.top_k, each = 1.0 / members;
  const auto from = [&](std::uint32_t senders) {
    const double there = exchange.experts * each * (members - senders);
    return static_cast<std::int64_t>(
        std::ceil(senders * tokens *
                  graph::probability_any_expert_reached(there, exchange.top_k, exchange.experts)));
  };
  const LinkBytes dispatch{from(below), from(members - below)};
  return exchange.is_combine() ? LinkBytes{dispatch.down, dispatch.up} : dispatch;
}

std::int64_t SwitchTree::with_latency(double flows_ns) const {
  const std::int64_t flows = MultiDimFabric::picoseconds(flows_ns);
  if (flows >= MultiDimFabric::kTooLong - latency - latency_down) return MultiDimFabric::kTooLong;
  return latency + latency_down + flows;
}

std::int64_t SwitchTree::buffered(const SwitchCollective& collective) const {
  std::int64_t maximum = 0;
  for (const Edge& edge : edges) {
    const LinkBytes bytes = link_bytes(collective, edge);
    maximum = std::max({maximum, bytes.up, bytes.down});
  }
  return with_latency(static_cast<double>(maximum) / window);
}

std::int64_t SwitchTree::duration(const SwitchCollective& collective) const {
  double longest = 0;
  for (const SharedLink& link : links_) {
    double bytes = 0;
    for (const auto& [number, down] : link.edges) {
      const LinkBytes both = link_bytes(collective, edges[number]);
      bytes += static_cast<double>(down ? both.down : both.up);
    }
    if (bytes > 0) longest = std::max(longest, bytes / link.bytes_per_ns);
  }
  return std::max(with_latency(longest), buffered(collective));
}

SwitchTrees::SwitchTrees(const platform::Platform& platform)
    : routes_(platform, true), reducer_at_(routes_.topology().node_count(), kNone) {
  if (platform.fabric == nullptr) dims_ = platform.dims;
  const auto& reducers = routes_.reducers();
  for (std::uint32_t i = 0; i < reducers.size(); ++i)
    reducer_at_[reducers[i].node] = routes_.first_reducer() + i;
}

std::string SwitchTrees::name_of(EndPoint reducer) const {
  return routes_.topology().name(routes_.node(reducer));
}

Result<const SwitchTree*> SwitchTrees::of(std::span<const std::uint32_t> ranks) {
  std::vector<std::uint32_t> key(ranks.begin(), ranks.end());
  if (const auto known = cache_.find(key); known != cache_.end()) return &known->second;
  const auto root = dims_.empty() ? root_of(ranks) : switch_of_dim(ranks);
  if (!root) return tl::unexpected(root.error());
  auto tree = grow(ranks, *root);
  if (!tree) return tl::unexpected(tree.error());
  return &cache_.emplace(std::move(key), std::move(*tree)).first->second;
}

Result<EndPoint> SwitchTrees::switch_of_dim(std::span<const std::uint32_t> ranks) const {
  for (std::size_t d = 0; d < dims_.size(); ++d) {
    const auto here = routes_.reducer_of(d, ranks.front());
    if (!here) continue;
    const bool same = std::all_of(ranks.begin(), ranks.end(), [&](std::uint32_t rank) {
      return routes_.reducer_of(d, rank) == here;
    });
    if (same) return *here;
  }
  return fail(
      Errc::config_conflict, "in_network",
      fmt::format("ranks {} and {} share no switch that can reduce", ranks.front(), ranks.back()),
      "use another algorithm, or give the dimension's switches `in_network`");
}

Result<EndPoint> SwitchTrees::root_of(std::span<const std::uint32_t> ranks) {
  using Cost = std::tuple<double, std::size_t, EndPoint>;
  std::vector<std::uint32_t> probed;
  const std::size_t count = std::min(kMaxProbedMembers, ranks.size());
  for (std::size_t i = 0; i < count; ++i)
    probed.push_back(ranks[count == 1 ? 0 : i * (ranks.size() - 1) / (count - 1)]);
  Cost best{std::numeric_limits<double>::infinity(), 0, kNone};
  const EndPoint first = routes_.first_reducer();
  const EndPoint end = first + static_cast<EndPoint>(routes_.reducers().size());
  for (EndPoint root = first; root < end; ++root) {
    double farthest = 0;
    std::size_t hops = 0;
    bool reached = true;
    for (const std::uint32_t rank : probed) {
      const Route* route = routes_.find(routes_.initial_state(), rank, root);
      reached = route != nullptr;
      if (!reached) break;
      farthest = std::max(farthest, route->latency_ns);
      hops += route->steps.size();
    }
    if (reached) best = std::min(best, Cost{farthest, hops, root});
  }
  if (std::get<EndPoint>(best) != kNone) return std::get<EndPoint>(best);
  return fail(
      Errc::config_conflict, "in_network",
      fmt::format("ranks {} to {} reach no switch that can reduce", ranks.front(), ranks.back()),
      "list switches under `fabric: in_network`, or use another algorithm");
}

Result<SwitchTree> SwitchTrees::grow(std::span<const std::uint32_t> ranks, EndPoint root) {
  SwitchTree tree;
  tree.members = static_cast<std::uint32_t>(ranks.size());
  std::map<EndPoint, EndPoint> parent_of;  // of switches
  for (const std::uint32_t rank : ranks) {
    const Route* route = routes_.find(routes_.initial_state(), rank, root);
    if (route == nullptr) {
      return fail(Errc::config_conflict, "in_network",
                  fmt::format("rank {} cannot reach {}", rank, name_of(root)), "");
    }
    EndPoint child = rank;
    for (const platform::RouteLink& step : route->steps) {
      const EndPoint here = reducer_at_[routes_.topology().link(step.link).to];
      if (here == kNone) continue;
      if (child == rank)
        tree.edges.push_back({child, here});
      else
        parent_of[child] = here;
      if (here == root || parent_of.contains(here)) break;
      child = here;
    }
  }
  for (const auto& [child, parent] : parent_of) tree.edges.push_back({child, parent, 0});
  if (auto fine = finish(tree, root); !fine) return tl::unexpected(fine.error());
  return tree;
}

Result<void> SwitchTrees::finish(SwitchTree& tree, EndPoint root) {
  const auto& reducers = routes_.reducers();
  std::map<EndPoint, std::size_t> up;  // by switch: its edge to its parent
  for (std::size_t i = tree.members; i < tree.edges.size(); ++i) up[tree.edges[i].child] = i;
  std::map<EndPoint, std::int64_t> children;
  std::map<LinkIndex, SwitchTree::SharedLink> busy;
  tree.window = std::numeric_limits<double>::infinity();
  const auto carry = [&](std::uint32_t edge, const Route& route, bool down) {
    for (const platform::RouteLink& step : route.steps) {
      SwitchTree::SharedLink& link = busy[step.link];
      link.bytes_per_ns = routes_.bytes_per_ns(routes_.initial_state(), step.link);
      link.edges.emplace_back(edge, down);
    }
  };
  for (std::uint32_t i = 0; i < tree.edges.size(); ++i) {
    SwitchTree::Edge& edge = tree.edges[i];
    const Route* there = routes_.find(routes_.initial_state(), edge.child, edge.parent);
    const Route* back = routes_.find(routes_.initial_state(), edge.parent, edge.child);
    if (there == nullptr || back == nullptr) {
      return fail(Errc::config_conflict, "in_network",
                  fmt::format("no path to {} and back", name_of(edge.parent)), "");
    }
    carry(i, *there, false);
    carry(i, *back, true);
    edge.switch_latency = reducers[edge.parent - routes_.first_reducer()].figures.latency.count();
    edge.latency = MultiDimFabric::picoseconds(there->latency_ns);
    edge.latency_down = MultiDimFabric::picoseconds(back->latency_ns);
    ++children[edge.parent];
  }
  for (std::uint32_t m = 0; m < tree.members; ++m) {
    std::int64_t above = tree.edges[m].latency + tree.edges[m].switch_latency,
                 below = tree.edges[m].latency_down;
    std::uint32_t levels = 1;
    for (EndPoint at = tree.edges[m].parent; at != root; ++levels) {
      SwitchTree::Edge& edge = tree.edges[up.at(at)];
      ++edge.below;
      above += edge.latency + edge.switch_latency;
      below += edge.latency_down;
      at = edge.parent;
    }
    tree.latency = std::max(tree.latency, above);
    tree.latency_down = std::max(tree.latency_down, below);
    tree.levels = std::max(tree.levels, levels);
  }
  if (auto can = apply_switch_limits(tree, children); !can) return can;
  for (auto& [link, one] : busy) tree.links_.push_back(std::move(one));
  return {};
}

// Applies the limits of switches (radix, streams, buffer). `children`: number of inputs by switch.
Result<void> SwitchTrees::apply_switch_limits(
    SwitchTree& tree, const std::map<EndPoint, std::int64_t>& children) const {
  const auto& reducers = routes_.reducers();
  const double round_trip = static_cast<double>(tree.latency + tree.latency_down) / kPsPerNs;
  for (const auto& [at, count] : children) {
    const platform::InNetwork& figures = reducers[at - routes_.first_reducer()].figures;
    if (figures.radix > 0 && count > figures.radix) {
      return fail(Errc::config_conflict, "in_network",
                  fmt::format("{} would reduce {} inputs, but supports {}", name_of(at), count,
                              figures.radix),
                  "use another algorithm, or smaller groups");
    }
    if (figures.streams > 0)
      tree.limited.push_back({at, static_cast<std::uint32_t>(figures.streams)});
    if (figures.buffer.count() > 0 && round_trip > 0)
      tree.window = std::min(tree.window, static_cast<double>(figures.buffer.count()) / round_trip);
  }
  return {};
}

}  // namespace orrery::model
