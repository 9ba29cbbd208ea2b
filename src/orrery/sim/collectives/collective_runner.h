// SPDX-License-Identifier: Apache-2.0
//
// Runs collectives: cuts them into chunks, which wait in dimension queues and run their phases.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "orrery/core/state/state_reader.h"
#include "orrery/core/state/state_writer.h"
#include "orrery/model/collective/chunk_plan.h"
#include "orrery/sim/collectives/chunks/chunk_chooser.h"
#include "orrery/sim/collectives/chunks/chunk_pool.h"
#include "orrery/sim/collectives/chunks/chunk_queues.h"
#include "orrery/sim/collectives/chunks/themis.h"
#include "orrery/sim/collectives/phases/phase_runner.h"
#include "orrery/sim/collectives/plans/collective_planner.h"
#include "orrery/sim/engine/ranks/kernel_interference.h"
#include "orrery/sim/engine/run/engine_run.h"
#include "orrery/sim/engine/run/time_accounting.h"

namespace orrery::sim {

/// Issues each rank's part of a collective and detects its end.
class CollectiveRunner : public PhaseObserver {
 public:
  CollectiveRunner(EngineRun& run, CollectivePlanner& planner, ChunkPool& chunks,
                   ChunkQueues& queues, TimeAccounting& accounts, CollectiveObserver& observer,
                   KernelInterference& kernel_interference);

  /// The communicator that represents the collective's own. Empty: the run has failed.
  [[nodiscard]] std::optional<std::uint32_t> communicator_of(std::uint32_t rank,
                                                             graph::NodeId node);
  /// The same for a collective that has begun, whose communicator must exist.
  [[nodiscard]] std::uint32_t known_communicator(std::uint32_t rank, graph::NodeId node);
  /// The rank begins its part of a collective of `size` bytes with the algorithms of `type`.
  void begin(std::uint32_t rank, graph::NodeId node, graph::CollectiveType type, std::int64_t size);
  /// A chunk has completed its phase.
  void on_phase_end(Stream& stream) override;
  /// Counts the bytes that unfinished collectives have sent.
  void count_sent_so_far();

  [[nodiscard]] std::vector<CollectiveOp>& operations() { return ops_; }
  /// The distinct choices of the model of chunks.
  [[nodiscard]] std::vector<ChunkChoice> choices() const { return chooser_->summary(); }

  /// Continues from the state of `other`.
  void resume(const CollectiveRunner& other) {
    for (const auto& [group, loads] : other.themis_) themis_of(group).resume(loads);
    chooser_ = other.chooser_;
    ops_ = other.ops_;
    free_ops_ = other.free_ops_;
  }
  /// For checkpoints. The planner has the same topologies as when the collectives were saved.
  void save(StateWriter& to) const;
  void load(StateReader& from);

 private:
  void issue_chunks(std::uint32_t op, std::uint32_t communicator, graph::CollectiveType type,
                    const model::Chunking& cutting, std::uint32_t topology_number,
                    const ChunkChooser::Selection* chosen, std::int64_t priority);
  [[nodiscard]] std::int64_t next_priority(std::uint32_t rank, graph::NodeId node);
  void note_numbers(std::uint32_t rank, graph::NodeId node, graph::CollectiveType type,
                    const model::LogicalTopology& topology);
  void note_arrival(const Stream& first, graph::NodeId node,
                    const model::LogicalTopology& topology);
  [[nodiscard]] std::uint32_t new_operation(std::uint32_t rank, graph::NodeId node);
  void order_chunk(const Stream& stream, ChunkRequest& request, std::int64_t left,
                   std::int64_t chunk, const model::LogicalTopology& topology);
  [[nodiscard]] std::vector<std::uint8_t> next_rotation(const Stream& stream, std::size_t dims,
                                                        bool gather);
  [[nodiscard]] Themis& themis_of(std::uint32_t communicator);
  [[nodiscard]] bool by_themis(const model::LogicalTopology& topology) const;
  void chunk_done(Stream& stream);
  void collective_done(std::uint32_t op);

  EngineRun& run_;
  CollectivePlanner& planner_;
  ChunkPool& chunks_;
  ChunkQueues& queues_;
  TimeAccounting& accounting_;
  CollectiveObserver& observer_;
  KernelInterference& kernel_interference_;
  std::map<std::uint32_t, Themis> themis_;  // by communicator; ASTRA rules: number 0 for all
  std::shared_ptr<ChunkChooser> chooser_;
  std::vector<CollectiveOp> ops_;
  std::vector<std::uint32_t> free_ops_;
};

}  // namespace orrery::sim
