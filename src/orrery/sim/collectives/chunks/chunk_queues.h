// SPDX-License-Identifier: Apache-2.0
//
// The queues in which chunks wait for a dimension: which chunk is next, and when.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "orrery/sim/collectives/chunks/chunk_pool.h"
#include "orrery/sim/collectives/plans/collective_planner.h"
#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// Each rank has several queues per dimension; a limited number of chunks of each queue run their
/// phases at a time. ASTRA rules start a chunk as soon as it can start. Orrery rules decide at the
/// end of the tick. Then the order of events inside a tick affects neither the choices of ranks nor
/// their agreement.
class ChunkQueues {
 public:
  /// Runs phases.
  class Starter {
   public:
    virtual ~Starter() = default;
    virtual void begin_phase(Stream& stream) = 0;
  };

  ChunkQueues(EngineRun& run, const CollectivePlanner& planner, ChunkPool& chunks)
      : run_(run), planner_(planner), chunks_(chunks) {}
  /// Call it before any chunk waits.
  void set_starter(Starter& starter) { starter_ = &starter; }

  /// The rank has issued the chunk, so that its first phase can start. `stream.phases`: the rank's
  /// own choice from `plan`. Orrery rules: the ranks that issue the chunk in this tick determine
  /// the choice for all ranks (see Chunk::plan), and the chunk waits until then.
  void issue(Stream& stream, const void* plan, graph::NodeId node);
  /// The chunk waits for its next phase.
  void enqueue(Stream& stream);
  /// For the RG order: the phase of `stream` has left the queue; stores whether it was an
  /// all-gather.
  void note_gather(std::uint32_t rank, std::uint32_t queue, const Stream& stream);
  void release(std::uint32_t rank, std::uint32_t queue) { --of(rank, queue).running; }
  /// The queue may start chunks: at once, or under Orrery rules at the end of the tick.
  void pump(std::uint32_t rank, std::uint32_t queue);
  /// Orrery rules, at the end of a tick: starts chunks. Returns false if there was nothing to
  /// decide.
  [[nodiscard]] bool settle();
  /// No event is left: starts waiting chunks, see chunk_deadlock.cc. Returns false if none can
  /// start.
  [[nodiscard]] bool break_deadlock() {
    return break_deadlock([](std::uint32_t) { return true; });
  }
  /// The same for one job, while others continue.
  [[nodiscard]] bool break_deadlock_of_job(std::uint16_t job) {
    return break_deadlock([&](std::uint32_t rank) { return run_.jobs.of(rank) == job; });
  }
  /// Whether chunks of the job wait in queues.
  [[nodiscard]] bool has_waiting(std::uint16_t job) const;

  /// Continues from the state of `other`.
  void resume(const ChunkQueues& other) {
    issued_ = other.issued_;
    undecided_ = other.undecided_;
    unsettled_ = other.unsettled_;
  }
  /// Whether nothing remains to be decided in this tick. It then has no state of its own.
  [[nodiscard]] bool is_settled() const {
    return issued_.empty() && undecided_.empty() && unsettled_.empty();
  }

 private:
  [[nodiscard]] ChunkQueue& of(std::uint32_t rank, std::uint32_t queue) {
    return run_.shared.queues[rank * std::size_t{planner_.queue_count()} + queue];
  }
  [[nodiscard]] std::uint32_t rank_of(std::uint64_t queue) const {
    return static_cast<std::uint32_t>(queue / planner_.queue_count());
  }
  void take_issued();
  void start_waiting(std::uint64_t queue);

  // chunk_order.cc
  void insert_waiting(ChunkQueue& queue, Stream& stream);
  void insert_arrived(ChunkQueue& queue);
  [[nodiscard]] bool precedes(const Stream& newcomer, const Stream& waiting) const;
  [[nodiscard]] bool precedes_in_astra(const Stream& newcomer, const Stream& waiting) const;
  [[nodiscard]] std::size_t phases_left(const Stream& stream) const;
  [[nodiscard]] const model::PhaseRequest& phase_of(const Stream& stream) const;
  [[nodiscard]] std::int64_t largest_data(const Stream& stream) const;

  // chunk_deadlock.cc
  using RankFilter = std::function<bool(std::uint32_t)>;
  [[nodiscard]] bool break_deadlock(const RankFilter& is_selected);
  template <class Condition>
  [[nodiscard]] bool any_peer(const Chunk& block, const Stream& stream,
                              const Condition& condition) const;
  [[nodiscard]] bool peer_has_begun(const Chunk& block, const Stream& stream) const;
  [[nodiscard]] bool peers_are_waiting(const Chunk& block, const Stream& stream) const;
  template <class IsSelected>
  bool begin_beyond_limit(std::uint64_t queue, const IsSelected& is_selected, bool one);
  [[nodiscard]] std::optional<std::pair<std::int64_t, graph::NodeId>> oldest_startable(
      const RankFilter& is_selected);

  EngineRun& run_;
  const CollectivePlanner& planner_;
  ChunkPool& chunks_;
  Starter* starter_ = nullptr;
  struct Issued {
    StreamId stream;
    const void* plan;
  };
  std::vector<Issued> issued_;            // issued in this tick
  std::vector<std::uint32_t> undecided_;  // chunks of `issued_` that no member issued before
  std::vector<std::uint64_t> unsettled_, settling_;  // queues to process at the end of the tick
};

}  // namespace orrery::sim
