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

#include "orrery/core/check.h"
#include "orrery/model/network/fabric.h"
#include "orrery/model/network/network.h"
#include "orrery/sim/comings.h"
#include "orrery/sim/communicators.h"
#include "orrery/sim/deviations.h"
#include "orrery/sim/parts.h"
#include "orrery/sim/planner.h"
#include "orrery/sim/quotient.h"
#include "orrery/sim/rank_results.h"
#include "orrery/sim/simulate.h"
#include "orrery/sim/state.h"

namespace orrery::sim {

/// Only read while parts run, but for what belongs to one rank or to one communicator: those of a
/// part are touched by that part alone.
struct SharedState {
  SharedState(const platform::Platform& platform, const Options& options)
      : fabric(platform), network(platform, options), deviations(platform) {}

  /// A copy goes on by itself.
  class Wires {
   public:
    Wires(const platform::Platform& platform, const Options& options)
        : of_(options.network ? options.network(platform) : model::make_network(platform)) {
      ORRERY_CHECK(of_ != nullptr);
    }
    Wires(const Wires& other) : of_(other.of_->snapshot()) { ORRERY_CHECK(of_ != nullptr); }
    Wires& operator=(const Wires&) = delete;
    ~Wires() = default;
    [[nodiscard]] const std::shared_ptr<model::Network>& get() const { return of_; }

   private:
    std::shared_ptr<model::Network> of_;  // kept by recordings, too
  };

  model::Fabric fabric;
  Wires network;
  Deviations deviations;
  Communicators communicators;
  Quotient quotient;
  Parts parts;
  // By simulated rank.
  std::vector<Agenda> agendas;
  std::vector<RankState> states;
  std::vector<model::HostClock> hosts;   ///< empty: no device waits for its host
  std::vector<BesideState> beside;       ///< empty: kernels are never slower beside collectives
  std::vector<std::size_t> first_times;  ///< where its nodes' times begin
  std::vector<NodeTimes> times;
  std::vector<Comings> comings;        ///< by communicator; empty: times are not kept
  std::vector<std::int64_t> gpu_time;  ///< ASTRA-sim's sum of compute
  std::vector<ChunkQueue> queues;      ///< [rank × queue_count + queue]
  std::vector<QueuePointers> pointers;
  std::vector<std::uint8_t> round_robin;
  std::vector<std::uint8_t> last_was_gather;  ///< for the RG queue order
  std::vector<RankResult> results;            ///< what becomes of it
};

}  // namespace orrery::sim
