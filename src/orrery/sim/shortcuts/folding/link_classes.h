// SPDX-License-Identifier: Apache-2.0
//
// Finds equivalent links if ranks share links.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/graph/workload.h"
#include "orrery/network/network.h"
#include "orrery/sim/shortcuts/folding/graph_shapes.h"
#include "orrery/sim/shortcuts/folding/rank_groups.h"
#include "orrery/sim/shortcuts/folding/rank_partition.h"
#include "orrery/sim/shortcuts/folding/sender_order.h"
#include "orrery/sim/shortcuts/folding/word_interner.h"

namespace orrery::sim {

/// Whether loads and stores of a graph use the network.
[[nodiscard]] inline bool accesses_network(const platform::RemoteMemory& memory,
                                           const GraphShapes& shapes, std::uint32_t graph) {
  return memory.kind == platform::RemoteMemoryKind::network && shapes.accesses(graph);
}

/// The routes of all messages of ranks. The "kind" of a message of a rank is its peer, as the
/// rank's graph and groups name it, or the memory of the network that it comes from or goes to. So
/// ranks of one class have equal kinds.
///
/// Links are equivalent if they have equal bandwidth and carry equally many messages of each kind
/// of each class of ranks. Ranks are equivalent if every message of theirs crosses equivalent
/// links, in order. If neither criterion splits a class any more, all links of a class are equally
/// busy at all times, because max-min fair rates depend on nothing else: the partition of ranks and
/// links together is equitable (see fold()). For links that serve messages in order of arrival, see
/// SenderOrder.
class LinkClasses {
 public:
  /// O(messages × links on their routes), with one message per pair of ranks and kind. `ordered`:
  /// by link, see SenderOrder; empty: none.
  LinkClasses(const graph::Workload& workload, const platform::RemoteMemory& memory,
              const model::Network& network, const GraphShapes& shapes, RankGroups& groups,
              std::vector<bool> ordered);

  /// Why links cannot be compared; empty: they can.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

  /// Classifies all links under this partition of the ranks. O(crossings).
  void classify(const RankPartition& ranks);
  /// Appends the classes of the links that the rank's messages cross, as of the last classify().
  void add_classes(std::uint32_t rank, std::vector<std::uint64_t>& words);
  /// The equivalent links, as of the last classify().
  [[nodiscard]] model::EquivalentLinks equivalent() const;

 private:
  /// The route of a message; the index in its rank's routes is its kind.
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

  void add_routes(const graph::Workload& workload, const platform::RemoteMemory& memory,
                  const GraphShapes& shapes, RankGroups& groups);
  void add_route(std::uint32_t from, std::uint32_t to);
  [[nodiscard]] std::vector<CarriedMessage> carried_messages() const;
  void count_carried(const RankPartition& ranks);
  void color_by_counts();

  const model::Network& network_;
  std::string why_not_;
  std::vector<std::size_t> first_message_route_;  // by rank, and the end
  std::vector<MessageRoute> message_routes_;
  std::vector<model::Crossing> crossings_;
  bool split_ = false;                      // some message uses several routes
  std::vector<std::uint32_t> kinds_;        // by link; kNone: no message crosses it
  std::vector<std::size_t> first_carried_;  // by link, and the end
  std::vector<Carried> carried_;
  std::optional<SenderOrder> order_;   // empty: links do not serve messages in order
  std::vector<std::uint32_t> colors_;  // by link
  WordInterner route_classes_;
  std::vector<std::uint64_t> words_;
  std::vector<model::Crossing> found_;
};

}  // namespace orrery::sim
