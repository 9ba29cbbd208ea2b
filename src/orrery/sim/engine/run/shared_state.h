// SPDX-License-Identifier: Apache-2.0
//
// What the parts of a run have in common (see parallel_parts.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "orrery/core/check.h"
#include "orrery/network/dimensions/multi_dim_fabric.h"
#include "orrery/network/network.h"
#include "orrery/sim/collectives/plans/collective_planner.h"
#include "orrery/sim/engine/state/arrivals.h"
#include "orrery/sim/engine/state/communicators.h"
#include "orrery/sim/engine/state/rank_deviations.h"
#include "orrery/sim/engine/state/run_state.h"
#include "orrery/sim/rank_results.h"
#include "orrery/sim/shortcuts/folding/folded_workload.h"
#include "orrery/sim/shortcuts/parts/parallel_parts.h"
#include "orrery/sim/simulate.h"

namespace orrery::sim {

/// Only read while parts run, but for what belongs to one rank or to one communicator: those of a
/// part are touched by that part alone.
struct SharedState {
  SharedState(const platform::Platform& platform, const Options& options)
      : fabric(platform), network(platform, options), deviations(platform) {}

  /// A copy goes on by itself.
  class OwnedNetwork {
   public:
    OwnedNetwork(const platform::Platform& platform, const Options& options)
        : of_(options.network ? options.network(platform) : model::make_network(platform)) {
      ORRERY_CHECK(of_ != nullptr);
    }
    OwnedNetwork(const OwnedNetwork& other) : of_(other.of_->snapshot()) {
      ORRERY_CHECK(of_ != nullptr);
    }
    OwnedNetwork& operator=(const OwnedNetwork&) = delete;
    ~OwnedNetwork() = default;
    [[nodiscard]] const std::shared_ptr<model::Network>& get() const { return of_; }

   private:
    std::shared_ptr<model::Network> of_;  // kept by recordings, too
  };

  model::MultiDimFabric fabric;
  OwnedNetwork network;
  RankDeviations deviations;
  Communicators communicators;
  FoldedWorkload folded_workload;
  ParallelParts parts;
  // By simulated rank.
  std::vector<RankEvents> local_events;
  std::vector<RankState> states;
  std::vector<model::HostClock> hosts;  ///< empty: no device waits for its host
  std::vector<InterferenceState>
      kernel_interference;               ///< empty: kernels are never slower beside collectives
  std::vector<std::size_t> first_times;  ///< where its nodes' times begin
  std::vector<NodeTimes> times;
  std::vector<Arrivals> arrivals;      ///< by communicator; empty: times are not kept
  std::vector<std::int64_t> gpu_time;  ///< ASTRA-sim's sum of compute
  std::vector<ChunkQueue> queues;      ///< [rank × queue_count + queue]
  std::vector<QueuePointers> pointers;
  std::vector<std::uint8_t> round_robin;
  std::vector<std::uint8_t> last_was_gather;  ///< for the RG queue order
  std::vector<RankResult> results;            ///< what becomes of it
};

}  // namespace orrery::sim
