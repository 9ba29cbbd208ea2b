// SPDX-License-Identifier: Apache-2.0
//
// Fills a Recording during a simulation. RecordingObserver extends it by the times of
// phases.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "orrery/network/network.h"
#include "orrery/sim/engine/run/engine_run.h"
#include "orrery/sim/engine/state/observer.h"
#include "orrery/sim/observe/recorded_groups.h"
#include "orrery/sim/observe/traffic_bins.h"
#include "orrery/sim/recording.h"

namespace orrery::sim {

/// Fills a Recording. `traffic_` has one slot per port of a simulated rank, or per link; one per
/// dimension if there are more than Recording::kMaxLinks of them. Links that represent others
/// (model::Network::reported_as()) use one slot. Ranks are simulated ranks.
class Recorder : public Observer, public model::LinkObserver {
 public:
  Recorder(const EngineRun& run, std::uint32_t queues);

  /// `node` takes part, as `member`, in the collective of its communicator with first chunk number
  /// `chunk`.
  /// `rings`: the rings of the collective's dimensions; only ranks that differ in these dimensions
  /// communicate.
  void add_member(std::uint32_t rank, graph::NodeId node, std::uint32_t communicator,
                  std::uint32_t member, std::uint64_t chunk,
                  std::span<const model::RingShape> rings, std::int64_t now);
  /// The same for a custom collective: the next one of its communicator at this member.
  void add_custom_member(std::uint32_t rank, graph::NodeId node, std::uint32_t communicator,
                         std::uint32_t member, std::int64_t now);
  /// A phase of `node`'s collective begins that a library runs, with spec `spec` and this duration.
  void add_predicted_phase(std::uint32_t rank, graph::NodeId node, std::uint32_t spec,
                           std::int64_t duration);
  /// `rank` has sent `bytes` for `node`'s collective.
  void sent(std::uint32_t rank, graph::NodeId node, std::uint64_t bytes) override;
  void memory_served(std::uint32_t rank, graph::NodeId node, std::int64_t lost) override;
  /// Arrival of the last member of `node`'s collective; empty while some members are missing.
  [[nodiscard]] std::optional<std::int64_t> last_arrival(std::uint32_t rank,
                                                         graph::NodeId node) const;
  /// A chunk ends its phase at `rank` now and leaves queue `queue`.
  void end_phase(std::uint32_t rank, std::uint32_t queue, std::uint32_t op,
                 const ChunkHistory& history, std::int64_t now);
  /// The history of the last chunk of the same collective, if that chunk has left the queue at
  /// `now`; else null. A chunk that begins continues this history.
  [[nodiscard]] const ChunkHistory* previous_chunk(std::uint32_t rank, std::uint32_t queue,
                                                   std::uint32_t op, std::int64_t now) const;
  /// The last chunk of `node` is done.
  void end_collective(std::uint32_t rank, graph::NodeId node, std::int64_t queue,
                      std::int64_t latency);

  /// Uncontended networks only: bytes that `rank` sends into dimension `dim`, or that a rank of the
  /// workload sends to another.
  void traffic(std::uint32_t rank, std::uint32_t dim, std::int64_t bytes, std::int64_t from,
               std::int64_t until);
  void add_message(std::uint32_t from, std::uint32_t to, std::int64_t bytes, std::int64_t now,
                   std::int64_t delay);
  /// Other networks: see model::LinkObserver.
  void carries(std::uint32_t link, std::int64_t from, std::int64_t until, std::int64_t bytes,
               std::uint32_t times) override;

  // recorder_repetitions.cc: skipped repetitions. Uncontended networks only.
  void begin_window() override;
  void end_window() override;
  void move_node(std::uint32_t rank, graph::NodeId from, graph::NodeId to) override;
  void repeat_node(std::uint32_t rank, graph::NodeId node, graph::NodeId step) override;

  /// Finds the ranks with equal times. Call it when all of them are done.
  void find_equal_times();
  /// By simulated rank: the first one with equal times.
  [[nodiscard]] const std::vector<std::uint32_t>& equal_times() const { return first_equal_; }

  /// Requires find_equal_times(). Only the times of the first of equal ranks are used.
  [[nodiscard]] std::unique_ptr<Recording> finish(std::vector<NodeTimes> times) &&;

 protected:
  /// Chunks that the members of a communicator have issued in the simulation.
  struct IssuedChunks {
    std::uint32_t first = 0;  ///< by its first simulated member
    std::uint32_t least = 0;  ///< by the member that has issued fewest
  };
  /// Appends the state of all collectives to which members can still add. `issued`: by
  /// communicator.
  void append_collectives(std::span<const IssuedChunks> issued, std::int64_t now,
                          std::vector<std::int64_t>& words);
  /// See RecordedGroups.
  [[nodiscard]] std::uint32_t known_member(std::uint32_t rank, std::uint32_t communicator) const {
    return groups_.known_member(rank, communicator);
  }
  /// Adds the collectives and the traffic of skipped repetitions.
  void skip_repetitions(const Jump& jump, std::span<const IssuedChunks> issued);

 private:
  void make_details();
  [[nodiscard]] bool has_details(std::uint32_t rank, graph::NodeId node) const {
    return recording_->detailed[details_of_[rank].graph].number(node) != kNone;
  }
  [[nodiscard]] std::size_t detail_index(std::uint32_t rank, graph::NodeId node) const {
    const Recording::RankDetails& of = details_of_[rank];
    return of.first + recording_->detailed[of.graph].number(node);
  }
  [[nodiscard]] NodeDetail& detail(std::uint32_t rank, graph::NodeId node) {
    return recording_->details[detail_index(rank, node)];
  }
  [[nodiscard]] const NodeDetail& detail(std::uint32_t rank, graph::NodeId node) const {
    return recording_->details[detail_index(rank, node)];
  }
  void add_to_collective(const RecordedGroups::OwnGroup& group, std::uint64_t order,
                         std::uint32_t rank, graph::NodeId node, std::int64_t now);
  [[nodiscard]] std::uint32_t reported_as(std::uint32_t link) const {
    return reported_as_.empty() ? link : reported_as_[link];
  }
  void finish_times(std::vector<NodeTimes> times);
  void finish_ports();
  void finish_slots();
  void add_traffic(std::size_t slot, std::int64_t from, std::int64_t until, std::int64_t bytes,
                   std::uint32_t times);

  // recorder_repetitions.cc
  struct OpenCollective;
  struct CollectivePlace;
  [[nodiscard]] std::vector<std::uint32_t> unfinished(std::span<const IssuedChunks> issued);
  [[nodiscard]] std::uint32_t find(std::uint32_t group_class, std::uint64_t order) const;
  std::uint32_t find_or_add(std::uint32_t group_class, std::uint64_t order);
  [[nodiscard]] std::uint64_t chunks_per_repetition(std::uint32_t group_class) const;
  [[nodiscard]] std::vector<CollectivePlace> repeated_places(
      const Jump& jump, std::span<const std::uint32_t> open) const;
  void repeat_collectives(const Jump& jump, const std::vector<std::uint32_t>& open);
  std::uint32_t one_repetition_later(std::uint32_t collective);
  void repeat_traffic(const Jump& jump);

  const EngineRun& run_;
  bool links_;  // else each rank's port into each dimension
  std::unique_ptr<Recording> recording_ = std::make_unique<Recording>();
  std::vector<Recording::RankDetails> details_of_;  // by simulated rank
  std::vector<std::uint32_t> first_equal_;          // by simulated rank: see equal_times()
  RecordedGroups groups_;
  std::vector<std::vector<std::pair<std::uint64_t, std::uint32_t>>>
      by_order_;  // by group class: (order, collective), ascending
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>
      custom_counts_;  // (communicator, member) → custom collectives so far
  struct LastPhase {
    std::int64_t at = -1;
    std::uint32_t op = kNone;
    ChunkHistory history;
  };
  std::vector<LastPhase> last_phases_;  // [rank × queues + queue]
  std::vector<std::int64_t>
      library_times_;  // by collective: the time of CollectiveInstance::predicted
  std::vector<std::uint32_t>
      open_members_;  // by collective: simulated ranks that have begun it and not ended it
  std::vector<std::uint32_t> open_;            // collectives; contains all that are not finished
  std::vector<std::uint64_t> skipped_chunks_;  // by communicator
  /// Traffic since begin_window().
  struct TrafficSpan {
    std::size_t slot = 0;
    std::int64_t from = 0, until = 0, bytes = 0;
    std::uint32_t times = 0;
  };
  std::vector<TrafficSpan> window_traffic_;
  std::size_t window_collectives_ = 0;  // collectives before the window
  bool in_window_ = false;
  Jump jump_;  // the last one
  std::vector<std::uint32_t>
      one_repetition_later_;  // by collective: the one that repeats it in jump_; kNone: unknown
  std::uint32_t queues_;
  bool by_dimension_;                           // too many links: one slot for each dimension
  std::span<const std::uint32_t> reported_as_;  // by link; empty: each for itself
  std::vector<std::uint32_t>
      represented_;  // [link × dimensions + dimension], if by_dimension_: links that it represents
  TrafficBins traffic_;
};

}  // namespace orrery::sim
