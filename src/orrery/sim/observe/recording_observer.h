// SPDX-License-Identifier: Apache-2.0
//
// Listens to a run and writes a Recording of it: who meets whom, when phases waited and ran, what
// they sent.
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

class RecordingObserver : public Observer, private model::LinkObserver {
 public:
  /// `operations` are those that chunks belong to (Stream::op).
  RecordingObserver(EngineRun& run, const CollectivePlanner& planner, ChunkPool& chunks,
                    const Transport& transport, const std::vector<CollectiveOp>& operations);
  RecordingObserver(const RecordingObserver&) = delete;
  RecordingObserver& operator=(const RecordingObserver&) = delete;
  ~RecordingObserver() override { run_.network.observe(nullptr); }

  void memory_served(std::uint32_t rank, graph::NodeId node, std::int64_t lost) override;
  void memory_moves(const model::MemoryPools::TransferSpan& moved) override { moved_.add(moved); }
  void message(std::uint32_t from, std::uint32_t to, std::int64_t bytes,
               std::int64_t delay) override;
  void carries(std::uint32_t link, std::int64_t from, std::int64_t until,
               std::int64_t bytes) override {
    recorder_.carries(link, from, until, bytes);
  }
  void joins(std::uint32_t rank, graph::NodeId node, std::uint32_t communicator,
             const model::LogicalTopology& topology) override;
  void joins_custom(std::uint32_t rank, graph::NodeId node, std::uint32_t communicator) override;
  void sent(std::uint32_t rank, graph::NodeId node, std::uint64_t bytes) override;
  void chunk_waits(const Stream& stream) override;
  void phase_begins(const Stream& stream) override;
  void phase_ends(const Stream& stream) override;
  void last_chunk_ends(const Stream& stream) override;

  /// What remote memories have moved so far.
  [[nodiscard]] const RemoteMemoryTraffic& moved() const { return moved_; }

  [[nodiscard]] std::unique_ptr<Recording> finish(std::vector<NodeTimes> times) &&;

 private:
  void note_library_traffic(const Stream& stream, std::int64_t begun);
  void note_traffic(const Stream& stream, std::int64_t begun);
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> slowest_message(const Stream& stream,
                                                                      std::uint32_t packet) const;
  [[nodiscard]] std::int64_t shared_links(const Stream& stream) const;
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> undisturbed(const Stream& stream);
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> by_switches(const Stream& stream) const;
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> work_out(const Stream& stream) const;

  EngineRun& run_;
  const CollectivePlanner& planner_;
  ChunkPool& chunks_;
  const Transport& transport_;
  const std::vector<CollectiveOp>& ops_;
  Recorder recorder_;
  RemoteMemoryTraffic moved_;
  std::vector<ChunkPhase> chunk_phases_;
  std::vector<std::pair<std::int64_t, std::int64_t>> undisturbed_;  // by spec; -1: not known yet
};

}  // namespace orrery::sim
