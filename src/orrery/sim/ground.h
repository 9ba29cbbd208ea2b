// SPDX-License-Identifier: Apache-2.0
//
// What the parts of a run have in common (see parts.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "orrery/model/network/fabric.h"
#include "orrery/sim/communicators.h"
#include "orrery/sim/deviations.h"
#include "orrery/sim/folding.h"
#include "orrery/sim/node_pages.h"
#include "orrery/sim/parts.h"
#include "orrery/sim/peers.h"
#include "orrery/sim/planner.h"
#include "orrery/sim/rank_results.h"
#include "orrery/sim/state.h"

namespace orrery::sim {

/// Only read while parts run, but for what belongs to one rank or to one communicator: those of a
/// part are touched by that part alone.
struct Ground {
  explicit Ground(const platform::Platform& platform) : fabric(platform), deviations(platform) {}

  model::Fabric fabric;
  Deviations deviations;
  Communicators communicators;
  Folding folding;
  std::optional<Peers> peers;  ///< with folding
  Parts parts;
  // By simulated rank.
  std::vector<Agenda> agendas;
  std::vector<RankState> states;
  std::vector<std::size_t> first_times;  ///< where its nodes' times begin
  std::vector<NodeTimes> times;
  std::optional<NodePages> pages;  ///< in place of both and RankState::waits: times are not kept
  std::vector<std::int64_t> gpu_time;  ///< ASTRA-sim's sum of compute
  std::vector<ChunkQueue> queues;      ///< [rank × queue_count + queue]
  std::vector<QueuePointers> pointers;
  std::vector<std::uint8_t> round_robin;
  std::vector<std::uint8_t> last_was_gather;  ///< for the RG queue order
  std::vector<RankResult> seats;              ///< what becomes of it
};

/// An engine's hands on it.
class OnGround {
 protected:
  explicit OnGround(std::shared_ptr<Ground> ground) : kept_(std::move(ground)) { look(); }
  /// To be called when ranks have been added.
  void look() {
    agendas_ = ground_.agendas;
    states_ = ground_.states;
    first_times_ = ground_.first_times;
    times_ = ground_.times;
    pages_ = ground_.pages ? &*ground_.pages : nullptr;
    queues_ = ground_.queues;
  }
  [[nodiscard]] const std::shared_ptr<Ground>& ground() const { return kept_; }
  /// Of a node that has not ended, unless times are kept.
  [[nodiscard]] NodeTimes& times_of(std::uint32_t rank, graph::NodeId node) {
    return pages_ == nullptr ? times_[first_times_[rank] + node] : pages_->times(rank, node);
  }

 private:
  std::shared_ptr<Ground> kept_;

 protected:
  Ground& ground_ = *kept_;
  const model::Fabric& fabric_ = ground_.fabric;
  const Deviations& deviations_ = ground_.deviations;
  Communicators& communicators_ = ground_.communicators;
  Folding& folding_ = ground_.folding;
  std::optional<Peers>& peers_ = ground_.peers;
  std::span<Agenda> agendas_;
  std::span<RankState> states_;
  std::span<std::size_t> first_times_;
  std::span<NodeTimes> times_;
  NodePages* pages_ = nullptr;
  std::span<ChunkQueue> queues_;
  std::vector<std::int64_t>& gpu_time_ = ground_.gpu_time;
  std::vector<QueuePointers>& pointers_ = ground_.pointers;
  std::vector<std::uint8_t>& round_robin_ = ground_.round_robin;
  std::vector<std::uint8_t>& last_was_gather_ = ground_.last_was_gather;
  std::vector<RankResult>& seats_ = ground_.seats;
};

}  // namespace orrery::sim
