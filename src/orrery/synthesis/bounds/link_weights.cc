// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/bounds/link_weights.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include "orrery/synthesis/fabric/link_prices.h"

namespace orrery::synthesis {

namespace {

constexpr std::uint64_t kFewestRounds = 8, kMaxRounds = 64;

class LinkWeightSearch {
 public:
  LinkWeightSearch(const FabricState& fabric, std::span<const ExchangeGroup> groups)
      : fabric_(fabric),
        groups_(groups),
        prices_(fabric, 1e-6),
        distance_(fabric.node_count()),
        last_wire_(fabric.node_count()) {}

  LinkWeights run(int rounds) {
    double capacity = 0;
    for (const Wire& wire : fabric_.wires) capacity += wire.capacity;
    double pairs = 0;
    for (const ExchangeGroup& group : groups_)
      pairs += static_cast<double>(group.members.size() * group.members.size()) * group.share;
    const double mean_load = pairs / std::max(capacity, 1.0);
    for (int round = 0; round < rounds; ++round) {
      prices_.set(mean_load, 2 + 6 * round / rounds);
      if (round % 2 == 1) weigh();
      for (const ExchangeGroup& group : groups_) send(group);
    }
    prices_.set(mean_load, 8);
    weigh();
    return std::move(best_);
  }

 private:
  /// Routes each pair's bytes over the currently cheapest route.
  void send(const ExchangeGroup& group) {
    for (const NodeIndex source : group.members) {
      spread(source);
      std::vector<std::uint32_t> wires;
      for (NodeIndex at : group.members) {
        for (; at != source; at = fabric_.wires[last_wire_[at]].from)
          wires.push_back(last_wire_[at]);
      }
      prices_.add_load(wires, group.share);
    }
  }

  /// Computes the bound from the current weights; stores it if it is the best.
  void weigh() {
    double distance_sum = 0, all = 0, most = 0;
    for (const ExchangeGroup& group : groups_) {
      for (const NodeIndex source : group.members) {
        spread(source);
        for (const NodeIndex node : group.members) distance_sum += group.share * distance_[node];
      }
    }
    for (std::uint32_t wire = 0; wire < fabric_.wires.size(); ++wire) {
      const double weight = prices_.cost(wire) * fabric_.wires[wire].capacity;
      all += weight;
      most = std::max(most, weight);
    }
    if (all <= 0 || distance_sum / all <= best_.seconds) return;
    best_.seconds = distance_sum / all;
    best_.wires.clear();
    for (std::uint32_t wire = 0; wire < fabric_.wires.size(); ++wire) {
      if (prices_.cost(wire) * fabric_.wires[wire].capacity >= most / 1000)
        best_.wires.push_back(wire);
    }
  }

  void spread(NodeIndex source) {
    using Entry = std::pair<double, NodeIndex>;
    std::fill(distance_.begin(), distance_.end(), std::numeric_limits<double>::infinity());
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    distance_[source] = 0;
    queue.emplace(0, source);
    while (!queue.empty()) {
      const auto [distance, at] = queue.top();
      queue.pop();
      if (distance > distance_[at]) continue;
      for (std::uint32_t w = fabric_.out_offsets[at]; w < fabric_.out_offsets[at + 1]; ++w) {
        const double there = distance + prices_.cost(w);
        const NodeIndex to = fabric_.wires[w].to;
        if (there >= distance_[to]) continue;
        distance_[to] = there;
        last_wire_[to] = w;
        queue.emplace(there, to);
      }
    }
  }

  const FabricState& fabric_;
  std::span<const ExchangeGroup> groups_;
  LinkPrices prices_;
  std::vector<double> distance_;
  std::vector<std::uint32_t> last_wire_;
  LinkWeights best_;
};

}  // namespace

std::optional<LinkWeights> find_link_weights(const FabricState& fabric,
                                             std::span<const ExchangeGroup> groups,
                                             std::uint64_t steps) {
  std::uint64_t members = 0;
  for (const ExchangeGroup& group : groups) members += group.members.size();
  // Every other round evaluates the links twice.
  const std::uint64_t each = 2 * members * (fabric.wires.size() + 1);
  const std::uint64_t rounds = std::min(steps / each, kMaxRounds);
  if (rounds < kFewestRounds) return std::nullopt;
  return LinkWeightSearch(fabric, groups).run(static_cast<int>(rounds));
}

}  // namespace orrery::synthesis
