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

constexpr std::uint64_t kFewestRounds = 8, kMostRounds = 64;

class Weighing {
 public:
  Weighing(const FabricState& fabric, std::span<const ExchangeGroup> groups)
      : fabric_(fabric),
        groups_(groups),
        prices_(fabric, 1e-6),
        far_(fabric.node_count()),
        by_(fabric.node_count()) {}

  LinkWeights run(int rounds) {
    double usual = 0;
    for (const Wire& wire : fabric_.wires) usual += wire.capacity;
    double pairs = 0;
    for (const ExchangeGroup& group : groups_)
      pairs += static_cast<double>(group.members.size() * group.members.size()) * group.share;
    usual = pairs / std::max(usual, 1.0);
    for (int round = 0; round < rounds; ++round) {
      prices_.set(usual, 2 + 6 * round / rounds);
      if (round % 2 == 1) weigh();
      for (const ExchangeGroup& group : groups_) send(group);
    }
    prices_.set(usual, 8);
    weigh();
    return std::move(best_);
  }

 private:
  /// Each pair's bytes, by the cheapest way of now.
  void send(const ExchangeGroup& group) {
    for (const NodeIndex source : group.members) {
      spread(source);
      std::vector<std::uint32_t> wires;
      for (NodeIndex at : group.members) {
        for (; at != source; at = fabric_.wires[by_[at]].from) wires.push_back(by_[at]);
      }
      prices_.carry(wires, group.share);
    }
  }

  /// The bound by weights as they are, if it is the best.
  void weigh() {
    double apart = 0, all = 0, most = 0;
    for (const ExchangeGroup& group : groups_) {
      for (const NodeIndex source : group.members) {
        spread(source);
        for (const NodeIndex node : group.members) apart += group.share * far_[node];
      }
    }
    for (std::uint32_t wire = 0; wire < fabric_.wires.size(); ++wire) {
      const double weight = prices_.cost(wire) * fabric_.wires[wire].capacity;
      all += weight;
      most = std::max(most, weight);
    }
    if (all <= 0 || apart / all <= best_.seconds) return;
    best_.seconds = apart / all;
    best_.wires.clear();
    for (std::uint32_t wire = 0; wire < fabric_.wires.size(); ++wire) {
      if (prices_.cost(wire) * fabric_.wires[wire].capacity >= most / 1000)
        best_.wires.push_back(wire);
    }
  }

  void spread(NodeIndex source) {
    using Entry = std::pair<double, NodeIndex>;
    std::fill(far_.begin(), far_.end(), std::numeric_limits<double>::infinity());
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    far_[source] = 0;
    queue.emplace(0, source);
    while (!queue.empty()) {
      const auto [distance, at] = queue.top();
      queue.pop();
      if (distance > far_[at]) continue;
      for (std::uint32_t w = fabric_.out_offsets[at]; w < fabric_.out_offsets[at + 1]; ++w) {
        const double there = distance + prices_.cost(w);
        const NodeIndex to = fabric_.wires[w].to;
        if (there >= far_[to]) continue;
        far_[to] = there;
        by_[to] = w;
        queue.emplace(there, to);
      }
    }
  }

  const FabricState& fabric_;
  std::span<const ExchangeGroup> groups_;
  LinkPrices prices_;
  std::vector<double> far_;
  std::vector<std::uint32_t> by_;
  LinkWeights best_;
};

}  // namespace

std::optional<LinkWeights> find_link_weights(const FabricState& fabric,
                                             std::span<const ExchangeGroup> groups,
                                             std::uint64_t steps) {
  std::uint64_t members = 0;
  for (const ExchangeGroup& group : groups) members += group.members.size();
  // Every other round is looked at twice.
  const std::uint64_t each = 2 * members * (fabric.wires.size() + 1);
  const std::uint64_t rounds = std::min(steps / each, kMostRounds);
  if (rounds < kFewestRounds) return std::nullopt;
  return Weighing(fabric, groups).run(static_cast<int>(rounds));
}

}  // namespace orrery::synthesis
