// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/routing/router.h"

#include <algorithm>
#include <limits>

#include "orrery/core/random.h"
#include "orrery/platform/topology/routing/end_port_numbers.h"

namespace orrery::platform {

std::uint64_t hash_pair(std::uint64_t a, std::uint64_t b) {
  return mix_bits(a * 0x9E3779B97F4A7C15ULL + b);
}

bool uses_hash(RoutePolicy policy, const Topology& topology, bool is_split) {
  switch (policy) {
    case RoutePolicy::known:
      return topology.formula_routes() == nullptr;
    case RoutePolicy::spray:
      return !is_split;
    case RoutePolicy::d_mod_k:
    case RoutePolicy::adaptive:
      return false;
    case RoutePolicy::ecmp:
    case RoutePolicy::valiant:
    case RoutePolicy::ugal:
      break;
  }
  return true;
}

double route_capacity(const Topology& topology, std::span<const RouteLink> route) {
  double minimum = std::numeric_limits<double>::infinity();
  for (const RouteLink& step : route)
    minimum = std::min(minimum, topology.link(step.link).capacity() / step.share);
  return minimum;
}

Router::Router(const Topology& topology, Routing routing, std::vector<bool> down)
    : topology_(topology),
      routing_(std::move(routing)),
      down_(std::move(down)),
      shortest_(topology, down_) {
  for (std::size_t i = 0; i < routing_.fixed_routes.size(); ++i) {
    const std::vector<NodeIndex>& nodes = routing_.fixed_routes[i].nodes;
    if (nodes.size() > 1) fixed_[{nodes.front(), nodes.back()}] = i;
  }
  if (routing_.policy == RoutePolicy::d_mod_k) {
    port_numbers_ = end_port_numbers(topology);
    if (std::find(down_.begin(), down_.end(), true) != down_.end())
      without_faults_ = std::make_unique<const ShortestRoutes>(topology);
  }
  if (routing_.policy != RoutePolicy::valiant && routing_.policy != RoutePolicy::ugal) return;
  const auto all_of = [&](const auto& is_one) {
    for (NodeIndex node = 0; node < topology.node_count(); ++node) {
      if (is_one(topology.kind(node))) midpoints_.push_back(node);
    }
    return !midpoints_.empty();
  };
  if (all_of([](NodeClass kind) { return kind == NodeClass::leaf; }) || all_of(is_switch)) return;
  midpoints_.assign(topology.devices().begin(), topology.devices().end());
}

LinkIndex Router::choose(std::span<const LinkIndex> links, NodeIndex from, NodeIndex to) const {
  if (links.size() == 1) return links.front();
  if (routing_.policy == RoutePolicy::d_mod_k) return links[port_numbers_[to] % links.size()];
  const std::uint64_t key = hash_pair(hash_pair(routing_.seed, from), to);
  LinkIndex best = links.front();
  std::uint64_t highest = 0;
  for (const LinkIndex link : links) {
    const std::uint64_t hash = hash_pair(key, link);
    if (hash < highest) continue;
    highest = hash;
    best = link;
  }
  return best;
}

bool Router::find_fixed(NodeIndex from, NodeIndex to, std::vector<RouteLink>& out) const {
  const auto found = fixed_.find({from, to});
  if (found == fixed_.end()) return false;
  const std::vector<NodeIndex>& nodes = routing_.fixed_routes[found->second].nodes;
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    const auto [first, last] = topology_.between(nodes[i], nodes[i + 1]);
    next_.clear();
    for (LinkIndex link = first; link < last; ++link) {
      if (!is_down(link)) next_.push_back(link);
    }
    if (next_.empty()) {
      out.clear();
      return false;
    }
    out.push_back({choose(next_, from, to)});
  }
  return true;
}

bool Router::find_by_formula(NodeIndex from, NodeIndex to, std::vector<RouteLink>& out) const {
  const FormulaRoutes* known = topology_.formula_routes();
  if (known == nullptr || topology_.rank(to) == Topology::kNoRank) return false;
  for (NodeIndex at = from; at != to; at = topology_.link(out.back().link).to) {
    known->next(topology_, at, to, next_);
    const bool lost = next_.empty() || out.size() == topology_.node_count();
    if (!lost) out.push_back({choose(next_, from, to)});
    if (lost || is_down(out.back().link)) {
      out.clear();
      return false;
    }
  }
  return true;
}

bool Router::follow_shortest(NodeIndex from, NodeIndex to, std::vector<RouteLink>& out,
                             const LinkLoads* loads) const {
  for (NodeIndex at = from; at != to; at = topology_.link(out.back().link).to) {
    shortest_.next(at, to, next_);
    if (next_.empty()) return false;
    if (loads != nullptr && next_.size() > 1) {
      double minimum = loads->load(next_.front());
      for (const LinkIndex link : next_) minimum = std::min(minimum, loads->load(link));
      std::erase_if(next_, [&](LinkIndex link) { return loads->load(link) > minimum; });
    }
    out.push_back({choose(next_, from, to)});
  }
  return true;
}

bool Router::find_by_destination(NodeIndex from, NodeIndex to, std::vector<RouteLink>& out) const {
  const ShortestRoutes& healthy = without_faults_ ? *without_faults_ : shortest_;
  std::vector<std::size_t> choices;  // number of links at each node so far
  for (NodeIndex at = from; at != to; at = topology_.link(out.back().link).to) {
    shortest_.next(at, to, next_);
    if (next_.empty()) return false;
    healthy.next(at, to, healthy_);
    // Hosts at both ends have as many hops: on the way down, the tier is that on the way up.
    const std::size_t hops_after = shortest_.distance(at, to) - 1;
    std::size_t number = port_numbers_[to];
    for (std::size_t i = 0; i < std::min(choices.size(), hops_after); ++i) number /= choices[i];
    choices.push_back(healthy_.size());
    LinkIndex link = healthy_[number % healthy_.size()];
    if (!std::binary_search(next_.begin(), next_.end(), link)) link = next_[number % next_.size()];
    out.push_back({link});
  }
  return true;
}

bool Router::find_sprayed(NodeIndex from, NodeIndex to, std::vector<RouteLink>& out) const {
  // Every link leads nearer, so nodes are complete when they are taken farthest first.
  std::map<std::pair<std::uint32_t, NodeIndex>, double, std::greater<>> waiting;
  const std::uint32_t far = shortest_.distance(from, to);
  if (far == ShortestRoutes::kNoRoute) return false;
  waiting[{far, from}] = 1;
  while (!waiting.empty()) {
    const auto [place, share] = *waiting.begin();
    waiting.erase(waiting.begin());
    if (place.second == to) continue;
    shortest_.next(place.second, to, next_);
    const double each = share / static_cast<double>(next_.size());
    for (const LinkIndex link : next_) {
      out.push_back({link, each});
      const NodeIndex there = topology_.link(link).to;
      waiting[{shortest_.distance(there, to), there}] += each;
    }
  }
  return true;
}

bool Router::find_via_midpoint(NodeIndex from, NodeIndex to, std::vector<RouteLink>& out) const {
  const std::uint64_t key = hash_pair(hash_pair(routing_.seed ^ 0x56616C69616E74ULL, from), to);
  const NodeIndex midway = midpoints_[key % midpoints_.size()];
  if (midway == from || midway == to) return follow_shortest(from, to, out, nullptr);
  return follow_shortest(from, midway, out, nullptr) && follow_shortest(midway, to, out, nullptr);
}

bool Router::find(NodeIndex from, NodeIndex to, std::vector<RouteLink>& out,
                  const LinkLoads* loads) const {
  out.clear();
  if (find_fixed(from, to, out)) return true;
  switch (routing_.policy) {
    case RoutePolicy::d_mod_k:
      if (find_by_formula(from, to, out)) return true;
      out.clear();
      return find_by_destination(from, to, out);
    case RoutePolicy::known:
      if (find_by_formula(from, to, out)) return true;
      break;
    case RoutePolicy::spray:
      return find_sprayed(from, to, out);
    case RoutePolicy::adaptive:
      return follow_shortest(from, to, out, loads);
    case RoutePolicy::valiant:
      if (find_via_midpoint(from, to, out)) return true;
      out.clear();
      break;
    case RoutePolicy::ugal: {
      if (!follow_shortest(from, to, out, nullptr) || loads == nullptr) break;
      // Of both ways the busiest link, times the hops.
      const auto price = [&](const std::vector<RouteLink>& route) {
        double busiest = 0;
        for (const RouteLink& step : route) busiest = std::max(busiest, loads->load(step.link));
        return busiest * static_cast<double>(route.size());
      };
      std::vector<RouteLink> other;
      if (find_via_midpoint(from, to, other) && price(other) < price(out)) out = std::move(other);
      return true;
    }
    case RoutePolicy::ecmp:
      break;
  }
  out.clear();
  return follow_shortest(from, to, out, nullptr);
}

}  // namespace orrery::platform
