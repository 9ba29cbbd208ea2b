// SPDX-License-Identifier: Apache-2.0
//
// Observes a run and writes a Recording of it: the members of collectives, the times of phases, and
// the bytes sent.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "orrery/sim/collectives/chunks/chunk_pool.h"
#include "orrery/sim/collectives/plans/collective_planner.h"
#include "orrery/sim/engine/messages/transport.h"
#include "orrery/sim/engine/run/engine_run.h"
#include "orrery/sim/engine/state/observer.h"
#include "orrery/sim/observe/recorder.h"
#include "orrery/sim/observe/remote_memory_traffic.h"

namespace orrery::sim {

class RecordingObserver : public Recorder {
 public:
  /// `operations`: the collectives that Stream::op refers to.
  RecordingObserver(EngineRun& run, const CollectivePlanner& planner, ChunkPool& chunks,
                    const Transport& transport, const std::vector<CollectiveOp>& operations);
  RecordingObserver(const RecordingObserver&) = delete;
  RecordingObserver& operator=(const RecordingObserver&) = delete;
  ~RecordingObserver() override { run_.network.observe(nullptr); }

  void memory_transfers(const model::MemoryPools::TransferSpan& transfer) override {
    memory_traffic_.add(transfer);
  }
  void message(std::uint32_t from, std::uint32_t to, std::int64_t bytes,
               std::int64_t delay) override;
  void collective_begins(std::uint32_t rank, graph::NodeId node, std::uint32_t communicator,
                         const model::LogicalTopology& topology) override;
  void custom_collective_begins(std::uint32_t rank, graph::NodeId node,
                                std::uint32_t communicator) override;
  void chunk_waits(const Stream& stream) override;
  void phase_begins(const Stream& stream) override;
  void phase_ends(const Stream& stream) override;
  void last_chunk_ends(const Stream& stream) override;
  void append_state(std::vector<std::int64_t>& words) override;
  void append_state(const Stream& stream, std::vector<std::int64_t>& words) override;
  void skip(const Jump& jump) override;

  /// Transfers of remote memories so far.
  [[nodiscard]] const RemoteMemoryTraffic& memory_traffic() const { return memory_traffic_; }

  [[nodiscard]] std::unique_ptr<Recording> finish(std::vector<NodeTimes> times) &&;

 private:
  [[nodiscard]] ChunkHistory& history_of(const Stream& stream);
  [[nodiscard]] std::vector<IssuedChunks> issued_chunks() const;
  void note_library_traffic(const Stream& stream, std::int64_t begun);
  void note_traffic(const Stream& stream, std::int64_t begun);
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> slowest_message(const Stream& stream,
                                                                      std::uint32_t packet) const;
  [[nodiscard]] std::int64_t shared_links(const Stream& stream) const;
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> uncontended_times(const Stream& stream);
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> switch_times(const Stream& stream) const;
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> compute_uncontended(
      const Stream& stream) const;

  EngineRun& run_;
  const CollectivePlanner& planner_;
  ChunkPool& chunks_;
  const Transport& transport_;
  const std::vector<CollectiveOp>& ops_;
  RemoteMemoryTraffic memory_traffic_;
  std::vector<ChunkPhase> chunk_phases_;
  std::vector<model::RingShape> rings_;                             // of a collective that begins
  std::vector<std::pair<std::int64_t, std::int64_t>> uncontended_;  // by spec; -1: not computed yet
};

}  // namespace orrery::sim
