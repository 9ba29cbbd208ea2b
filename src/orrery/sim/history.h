// SPDX-License-Identifier: Apache-2.0
//
// Listens to a run and writes a Recording of it: who meets whom, when phases waited and ran, what
// they sent.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "orrery/sim/chunks.h"
#include "orrery/sim/moved_memory.h"
#include "orrery/sim/observer.h"
#include "orrery/sim/planner.h"
#include "orrery/sim/recorder.h"
#include "orrery/sim/run.h"
#include "orrery/sim/transport.h"

namespace orrery::sim {

class History : public Observer, private model::LinkObserver {
 public:
  /// `operations` are those that chunks belong to (Stream::op).
  History(Run& run, const Planner& planner, Chunks& chunks, const Transport& transport,
          const std::vector<CollectiveOp>& operations);
  History(const History&) = delete;
  History& operator=(const History&) = delete;
  ~History() override { run_.network.observe(nullptr); }

  void memory_served(std::uint32_t rank, graph::NodeId node, std::int64_t lost) override;
  void memory_moves(const model::MemoryPools::Moved& moved) override { moved_.add(moved); }
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
  [[nodiscard]] const MovedMemory& moved() const { return moved_; }

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

  Run& run_;
  const Planner& planner_;
  Chunks& chunks_;
  const Transport& transport_;
  const std::vector<CollectiveOp>& ops_;
  Recorder recorder_;
  MovedMemory moved_;
  std::vector<ChunkPhase> chunk_phases_;
  std::vector<std::pair<std::int64_t, std::int64_t>> undisturbed_;  // by spec; -1: not known yet
};

}  // namespace orrery::sim
