// SPDX-License-Identifier: Apache-2.0
//
// Which links are alike, where ranks share them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/graph/workload.h"
#include "orrery/network/network.h"
#include "orrery/sim/shortcuts/folding/graph_shapes.h"
#include "orrery/sim/shortcuts/folding/rank_groups.h"
#include "orrery/sim/shortcuts/folding/rank_partition.h"
#include "orrery/sim/shortcuts/folding/word_interner.h"

namespace orrery::sim {

/// Whether what a graph loads and stores goes over the network.
[[nodiscard]] inline bool accesses_network(const platform::RemoteMemory& memory,
                                           const GraphShapes& shapes, std::uint32_t graph) {
  return memory.kind == platform::RemoteMemoryKind::network && shapes.accesses(graph);
}

/// All ways that ranks' messages may take: "kind" counts the messages of a rank by whom they go to,
/// as its graph and its groups name them, and by which memory of the network they come from or go
/// to, so that ranks of one class have equal kinds.
///
/// Links are alike that have equal bandwidth and carry equally many messages of each kind of each
/// class of ranks; ranks are, if every message of theirs goes over links that are alike, in order.
/// When neither tells anything apart that the other does not, all links of a class are equally busy
/// at all times, since max-min fair rates follow from that alone: the partition of ranks and links
/// together is equitable (see fold()).
class LinkClasses {
 public:
  /// O(messages × links on their ways), of every pair of ranks once for each kind.
  LinkClasses(const graph::Workload& workload, const platform::RemoteMemory& memory,
              const model::Network& network, const GraphShapes& shapes, RankGroups& groups);

  /// Empty: links can be compared.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

  /// Looks at all links, under this partition. O(crossings).
  void look(const RankPartition& ranks);
  /// Appends what the rank's messages cross, as of then.
  void add(std::uint32_t rank, std::vector<std::uint64_t>& words);
  /// As of then.
  [[nodiscard]] model::EquivalentLinks equivalent() const;

 private:
  /// A message's way: of its rank, the kind-th.
  struct MessageRoute {
    std::size_t first = 0;  ///< in crossings_
    std::uint32_t count = 0;
  };
  /// A message on a link.
  struct Carried {
    std::uint64_t what = 0;  ///< class of the sender, kind
    float share = 1;

    friend auto operator<=>(const Carried&, const Carried&) = default;
  };

  void add_route(std::uint32_t from, std::uint32_t to);

  const model::Network& network_;
  std::string why_not_;
  std::vector<std::size_t> first_message_route_;  // by rank, and the end
  std::vector<MessageRoute> message_routes_;
  std::vector<model::Crossing> crossings_;
  bool split_ = false;                      // some message is sent over several ways
  std::vector<std::uint32_t> kinds_;        // by link: those that no message crosses are kNone
  std::vector<std::size_t> first_carried_;  // by link, and the end
  std::vector<Carried> carried_;
  std::vector<std::uint32_t> colours_;  // by link
  WordInterner route_classes_;
  std::vector<std::uint64_t> words_;
  std::vector<model::Crossing> found_;
};

}  // namespace orrery::sim
