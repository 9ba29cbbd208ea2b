// SPDX-License-Identifier: Apache-2.0
//
// Collectives: cut into chunks, chunks wait in dimension queues, phases run one after another.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

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

/// Issues each rank's part of a collective and knows when it is done.
class CollectiveRunner : public PhaseEnds {
 public:
  /// Who wants to know what has ended.
  class Ends {
   public:
    virtual ~Ends() = default;
    virtual void collective_ends(std::uint32_t rank, graph::NodeId node) = 0;
  };

  CollectiveRunner(EngineRun& run, CollectivePlanner& planner, ChunkPool& chunks,
                   ChunkQueues& queues, TimeAccounting& accounts, Ends& ends,
                   KernelInterference& kernel_interference);

  /// The communicator that stands for the one that a collective names. Empty: the run has failed.
  [[nodiscard]] std::optional<std::uint32_t> communicator_of(std::uint32_t rank,
                                                             graph::NodeId node);
  /// The same of a collective that has begun, so that there is one.
  [[nodiscard]] std::uint32_t known_communicator(std::uint32_t rank, graph::NodeId node);
  /// The rank begins its part of `size` bytes by the algorithms of `type`.
  void begin(std::uint32_t rank, graph::NodeId node, graph::CollectiveType type, std::int64_t size);
  /// A chunk has gone through its phase.
  void phase_ends(Stream& stream) override;
  /// Counts what collectives have sent that never end.
  void count_sent_so_far();

  [[nodiscard]] std::vector<CollectiveOp>& operations() { return ops_; }
  /// What a model chose for chunks, each kind once.
  [[nodiscard]] std::vector<ChunkChoice> choices() const { return chooser_->summary(); }

  /// Goes on from where another has come to.
  void resume(const CollectiveRunner& other) {
    for (const auto& [group, loads] : other.themis_) themis_of(group).resume(loads);
    chooser_ = other.chooser_;
    ops_ = other.ops_;
    free_ops_ = other.free_ops_;
  }

 private:
  void issue_chunks(std::uint32_t op, std::uint32_t communicator, graph::CollectiveType type,
                    const model::Chunking& cutting, std::uint32_t topology_number,
                    const ChunkChooser::Chosen* chosen, std::int64_t priority);
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
  Ends& ends_;
  KernelInterference& kernel_interference_;
  std::map<std::uint32_t, Themis> themis_;  // by communicator; or all share number 0
  std::shared_ptr<ChunkChooser> chooser_;
  std::vector<CollectiveOp> ops_;
  std::vector<std::uint32_t> free_ops_;
};

}  // namespace orrery::sim
