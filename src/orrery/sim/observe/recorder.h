// SPDX-License-Identifier: Apache-2.0
//
// Fills a Recording while a simulation runs. The engine calls it where something begins or ends.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "orrery/graph/workload.h"
#include "orrery/network/dimensions/multi_dim_fabric.h"
#include "orrery/network/network.h"
#include "orrery/sim/engine/state/run_state.h"
#include "orrery/sim/observe/traffic_bins.h"
#include "orrery/sim/recording.h"

namespace orrery::sim {

/// See Recording for what is kept. One slot of `use_` per port or link, or per dimension when there
/// are more than Recording::kMostLinks.
class Recorder {
 public:
  Recorder(const graph::Workload& workload, const model::MultiDimFabric& fabric,
           const model::Network& network, const std::vector<Communicator>& communicators,
           std::size_t nodes, std::uint32_t queues);

  /// `node` takes part in the collective of its communicator whose first chunk is number `chunk`.
  /// Of a collective over some dimensions only those ranks meet that differ in them: `rings` are
  /// they.
  void join(std::uint32_t rank, graph::NodeId node, std::uint32_t communicator,
            std::uint32_t member, std::uint64_t chunk, std::span<const model::RingShape> rings,
            std::int64_t now);
  /// The same for a custom collective: the next one of its communicator at this member.
  void custom(std::uint32_t rank, graph::NodeId node, std::uint32_t communicator,
              std::uint32_t member, std::int64_t now);
  /// A phase of `node`'s collective begins that a library runs: spec `spec`, so long.
  void predicted(std::uint32_t rank, graph::NodeId node, std::uint32_t spec, std::int64_t duration);
  /// `rank` has put `bytes` on the network for `node`'s collective.
  void sent(std::uint32_t rank, graph::NodeId node, std::uint64_t bytes);
  void memory_served(std::uint32_t rank, graph::NodeId node, std::int64_t lost);
  /// When the last member of `node`'s collective came; empty as long as some have not.
  [[nodiscard]] std::optional<std::int64_t> together(std::uint32_t rank, graph::NodeId node) const;
  /// A chunk ends its phase at `rank` now and leaves queue `queue` …
  void left(std::uint32_t rank, std::uint32_t queue, std::uint32_t op, const ChunkHistory& history,
            std::int64_t now);
  /// … or one begins: its history goes on from that of the chunk of the same collective that has
  /// just left the queue, if one has.
  [[nodiscard]] const ChunkHistory* just_left(std::uint32_t rank, std::uint32_t queue,
                                              std::uint32_t op, std::int64_t now) const;
  /// The last chunk of `node` is done.
  void done(std::uint32_t rank, graph::NodeId node, std::int64_t queue, std::int64_t latency);

  /// Uncontended networks only: bytes that `rank` puts into dimension `dim`, or sends to `to`.
  void traffic(std::uint32_t rank, std::uint32_t dim, std::int64_t bytes, std::int64_t from,
               std::int64_t until);
  void message(std::uint32_t rank, std::uint32_t to, std::int64_t bytes, std::int64_t now,
               std::int64_t delay);
  /// The others: see model::LinkObserver.
  void carries(std::uint32_t link, std::int64_t from, std::int64_t until, std::int64_t bytes);

  [[nodiscard]] std::unique_ptr<Recording> finish(std::vector<NodeTimes> times) &&;

 private:
  [[nodiscard]] std::size_t index(std::uint32_t rank, graph::NodeId node) const {
    return made_->first_node[rank] + node;
  }
  [[nodiscard]] std::uint32_t group_of(std::uint32_t communicator, std::uint32_t member,
                                       std::span<const model::RingShape> rings);
  void add(std::uint32_t group, std::uint64_t order, std::uint32_t rank, graph::NodeId node,
           std::int64_t now);

  const graph::Workload& workload_;
  const model::MultiDimFabric& fabric_;
  const model::Network& network_;
  bool links_;  // or each rank's port into each dimension
  const std::vector<Communicator>& communicators_;
  std::unique_ptr<Recording> made_ = std::make_unique<Recording>();
  using Part = std::tuple<std::uint32_t, std::uint32_t, std::vector<std::uint32_t>>;
  std::map<Part, std::uint32_t> parts_;  // (communicator, first member, strides) → group
  std::vector<std::vector<std::pair<std::uint64_t, std::uint32_t>>>
      joins_;  // by group: (order, join), ascending
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>
      customs_;  // (communicator, member) → custom collectives so far
  struct Left {
    std::int64_t at = -1;
    std::uint32_t op = kNone;
    ChunkHistory history;
  };
  std::vector<Left> left_;                   // [rank × queues + queue]
  std::vector<std::int64_t> library_times_;  // by join: the time of Join::told
  std::uint32_t queues_;
  bool whole_dims_;                    // too many links: one slot for each dimension
  std::vector<std::uint32_t> dim_of_;  // by link, in that case
  TrafficBins use_;
};

}  // namespace orrery::sim
