// SPDX-License-Identifier: Apache-2.0
//
// Chunks wait for a dimension: which is next, and when.
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

/// Each rank has some queues per dimension; from each a limited number of chunks run their phases
/// at a time. ASTRA rules start at once what can be started. Orrery rules decide when the tick is
/// over: then the order of events inside a tick cannot be seen, neither in what ranks choose nor in
/// whether they agree.
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
  /// To be called before anything waits.
  void run_by(Starter& starter) { starter_ = &starter; }

  /// The rank has issued the chunk, whose first phase may start; `stream.phases` are what it would
  /// choose of `plan`. Orrery rules: all that issue it in this tick have a say in what is chosen
  /// for all (see Chunk::plan); it waits when that is known.
  void issue(Stream& stream, const void* plan, graph::NodeId node);
  /// The chunk waits for its next phase.
  void enqueue(Stream& stream);
  /// A phase of that kind has left the queue, and its place is free.
  void note_gather(std::uint32_t rank, std::uint32_t queue, const Stream& stream);
  void leave(std::uint32_t rank, std::uint32_t queue) { --of(rank, queue).running; }
  /// The queue may start chunks.
  void pump(std::uint32_t rank, std::uint32_t queue);
  /// Orrery rules, at the end of a tick. False: there was nothing left to decide.
  [[nodiscard]] bool settle();
  /// Nothing moves any more: see chunk_deadlock.cc. False: nothing can be started.
  [[nodiscard]] bool break_deadlock() {
    return break_deadlock([](std::uint32_t) { return true; });
  }
  /// The same of one job, while others go on.
  [[nodiscard]] bool break_deadlock_of_job(std::uint16_t job) {
    return break_deadlock([&](std::uint32_t rank) { return run_.jobs.of(rank) == job; });
  }
  /// Whether chunks of the job wait for their turn.
  [[nodiscard]] bool any_waits(std::uint16_t job) const;

  /// Goes on from where another has come to.
  void resume(const ChunkQueues& other) {
    issued_ = other.issued_;
    undecided_ = other.undecided_;
    unsettled_ = other.unsettled_;
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
  [[nodiscard]] bool goes_before(const Stream& newcomer, const Stream& waiting) const;
  [[nodiscard]] bool goes_before_astra(const Stream& newcomer, const Stream& waiting) const;
  [[nodiscard]] std::size_t phases_left(const Stream& stream) const;
  [[nodiscard]] const model::PhaseRequest& phase_of(const Stream& stream) const;
  [[nodiscard]] std::int64_t largest_data(const Stream& stream) const;

  // chunk_deadlock.cc
  using IsMeant = std::function<bool(std::uint32_t)>;  // of ranks
  [[nodiscard]] bool break_deadlock(const IsMeant& meant);
  template <class IsSo>
  [[nodiscard]] bool any_peer(const Chunk& block, const Stream& stream, const IsSo& is_so) const;
  [[nodiscard]] bool peer_has_begun(const Chunk& block, const Stream& stream) const;
  [[nodiscard]] bool peers_are_here(const Chunk& block, const Stream& stream) const;
  template <class Wanted>
  bool begin_beyond(std::uint64_t queue, const Wanted& wanted, bool one);
  [[nodiscard]] std::optional<std::pair<std::int64_t, graph::NodeId>> oldest_of_those_here(
      const IsMeant& meant);

  EngineRun& run_;
  const CollectivePlanner& planner_;
  ChunkPool& chunks_;
  Starter* starter_ = nullptr;
  struct Issued {
    StreamId stream;
    const void* plan;
  };
  std::vector<Issued> issued_;                       // in this tick
  std::vector<std::uint32_t> undecided_;             // their chunks of which nobody knew before
  std::vector<std::uint64_t> unsettled_, settling_;  // queues to look at when the tick is over
};

}  // namespace orrery::sim
