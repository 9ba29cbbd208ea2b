// SPDX-License-Identifier: Apache-2.0
//
// The state that all parts of a run share (see parallel_parts.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "orrery/core/check.h"
#include "orrery/network/dimensions/multi_dim_fabric.h"
#include "orrery/network/network.h"
#include "orrery/sim/collectives/plans/collective_planner.h"
#include "orrery/sim/engine/state/arrivals.h"
#include "orrery/sim/engine/state/communicators.h"
#include "orrery/sim/engine/state/node_layout.h"
#include "orrery/sim/engine/state/rank_deviations.h"
#include "orrery/sim/engine/state/run_state.h"
#include "orrery/sim/rank_results.h"
#include "orrery/sim/shortcuts/folding/folded_workload.h"
#include "orrery/sim/shortcuts/parts/parallel_parts.h"
#include "orrery/sim/simulate.h"

namespace orrery::sim {

/// Read-only while parts run, except the state of a single rank or communicator: only its own part
/// accesses that.
struct SharedState {
  SharedState(const platform::Platform& platform, const Options& options)
      : fabric(platform), network(platform, options), deviations(platform) {}

  /// The network of a run. A copy is an independent snapshot.
  class OwnedNetwork {
   public:
    OwnedNetwork(const platform::Platform& platform, const Options& options)
        : network_(options.network ? options.network(platform) : model::make_network(platform)) {
      ORRERY_CHECK(network_ != nullptr);
    }
    OwnedNetwork(const OwnedNetwork& other) : network_(other.network_->snapshot()) {
      ORRERY_CHECK(network_ != nullptr);
    }
    OwnedNetwork& operator=(const OwnedNetwork&) = delete;
    ~OwnedNetwork() = default;
    [[nodiscard]] const std::shared_ptr<model::Network>& get() const { return network_; }

   private:
    std::shared_ptr<model::Network> network_;  // recordings also share it
  };

  /// The values of the nodes of a rank.
  [[nodiscard]] RankNodes<NodeTimes> times_of(std::uint32_t rank) {
    return layout.of(rank, times.data());
  }
  [[nodiscard]] RankNodes<std::uint32_t> waits_of(std::uint32_t rank) {
    return layout.of(rank, waits.data());
  }

  /// Its state, for checkpoints: what set-up does not make again. The network saves itself.
  static auto fields(auto& self) {
    auto& [fabric, network, deviations, communicators, folded_workload, parts, graphs, local_events,
           states, hosts, kernel_interference, layout, times, waits, arrivals, gpu_time, queues,
           pointers, round_robin, last_was_gather, results] = self;
    return std::tie(local_events, states, hosts, kernel_interference, times, waits, arrivals,
                    gpu_time, queues, pointers, round_robin, last_was_gather, results);
  }

  model::MultiDimFabric fabric;
  OwnedNetwork network;
  RankDeviations deviations;
  Communicators communicators;
  FoldedWorkload folded_workload;
  ParallelParts parts;
  // By simulated rank.
  std::vector<const graph::Graph*> graphs;
  std::vector<RankEvents> local_events;
  std::vector<RankState> states;
  std::vector<model::HostClock> hosts;                 ///< empty: no device waits for its host
  std::vector<InterferenceState> kernel_interference;  ///< empty: collectives never slow kernels
  // By node, in the order of `layout`; empty: NodePages stores them.
  NodeLayout layout;
  std::vector<NodeTimes> times;
  std::vector<std::uint32_t> waits;    ///< dependencies not yet done; kDone
  std::vector<Arrivals> arrivals;      ///< by communicator; empty: times are not stored
  std::vector<std::int64_t> gpu_time;  ///< ASTRA-sim's sum of compute
  std::vector<ChunkQueue> queues;      ///< [rank × queue_count + queue]
  std::vector<QueuePointers> pointers;
  std::vector<std::uint8_t> round_robin;
  std::vector<std::uint8_t> last_was_gather;  ///< for the RG queue order
  std::vector<RankResult> results;            ///< results by rank
};

}  // namespace orrery::sim
