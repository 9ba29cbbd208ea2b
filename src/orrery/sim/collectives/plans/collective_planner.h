// SPDX-License-Identifier: Apache-2.0
//
// Which phases a chunk goes through, in which dimension order and queues. Plans are worked out once
// and shared.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/model/collective/algorithms/switch_tree.h"
#include "orrery/model/collective/chunk_plan.h"
#include "orrery/model/collective/phase_factory.h"
#include "orrery/model/collective/switch_arithmetic.h"
#include "orrery/network/network.h"
#include "orrery/sim/engine/state/run_state.h"
#include "orrery/sim/prediction_error.h"

namespace orrery::sim {

/// By which end points do what switches cannot: one peer after another.
inline constexpr platform::AlgorithmSpec kInPlaceOfSwitches{platform::Algorithm::direct, 1};

/// What a chunk's plan depends on, queues apart.
struct ChunkRequest {
  graph::CollectiveType type = graph::CollectiveType::all_reduce;
  std::uint32_t topology = 0;  ///< see Planner::topology
  std::int64_t bytes = 0;
  graph::ExpertExchange exchange;
  graph::Format numbers = graph::Format::unsaid;  ///< said only where switches add some alone
  bool two_phase = false;
  std::vector<std::uint8_t> order;  ///< logical dims; empty = natural

  friend auto operator<=>(const ChunkRequest&, const ChunkRequest&) = default;
};

/// The phases of a chunk, with one spec for each direction it may run in.
struct ChunkPlan {
  struct Choice {
    model::PlannedPhase phase;
    std::uint32_t dim = 0;
    graph::ExpertExchange exchange;
    graph::Format numbers = graph::Format::unsaid;
    std::uint32_t spec[2] = {kNone, kNone};  ///< clockwise or max tree, anticlockwise or min tree
  };
  std::vector<Choice> choices;
  std::vector<std::pair<std::vector<std::uint32_t>, std::uint32_t>>
      lists;  ///< queues chosen → phase list
};

/// Which queue of a dimension a rank takes next (three rotating pointers per dimension), and which
/// of the two trees (one per dimension and type of the whole collective).
struct QueuePointers {
  std::vector<std::uint16_t> next;          ///< [dim × 3 + use]
  std::vector<std::uint8_t> tree;           ///< [dim × kTypes + type]
  static constexpr std::size_t kTypes = 4;  ///< those with algorithms, in the order of plan_for
};

class CollectivePlanner {
 public:
  /// `library`: whose collectives run; or null. `meets`: see library_meets().
  CollectivePlanner(const platform::Platform& platform, const model::MultiDimFabric& fabric,
                    const model::Network& network,
                    std::shared_ptr<const model::LibraryTimes> library = {}, bool meets = false);

  /// The number of the logical topology of a communicator for a collective type (ASTRA rules:
  /// sub-groups are one ring; Orrery rules: a group that is a grid of the dimensions keeps them).
  /// Equal ones have one number, so that thousands of groups along one axis share their plans.
  [[nodiscard]] Result<std::uint32_t> topology(graph::CollectiveType type,
                                               std::uint32_t communicator,
                                               const Communicator& group, std::uint32_t dims_mask,
                                               std::int64_t size);
  /// All that it may have, whatever the size: each once. Those that cannot be had are left out.
  [[nodiscard]] std::vector<std::uint32_t> topologies(graph::CollectiveType type,
                                                      std::uint32_t communicator,
                                                      const Communicator& group,
                                                      std::uint32_t dims_mask);
  [[nodiscard]] const model::LogicalTopology& topology(std::uint32_t number) const {
    return topologies_[number];
  }
  /// Whether the members of a library's collectives meet all at once, and send no messages.
  [[nodiscard]] bool library_meets() const { return library_meets_; }
  /// The group as the library sees it that runs collectives; nodes 0 where none does. O(members).
  [[nodiscard]] model::LibraryGroup library_group(const Communicator& group) const;

  /// The plan of a chunk. The pointer stays valid.
  [[nodiscard]] ChunkPlan* plan(const ChunkRequest& request);

  /// Chooses this chunk's queues for one rank, moves its pointers, and returns the number of the
  /// phase list.
  [[nodiscard]] Result<std::uint32_t> choose_queues(ChunkPlan& plan, graph::CollectiveType type,
                                                    const model::LogicalTopology& topology,
                                                    QueuePointers& pointers);

  /// Whether end points do it also where the algorithm is in_network, directly and one peer after
  /// another: all-to-alls that are not said to carry tokens, or that cross several dimensions.
  [[nodiscard]] static bool by_end_points(graph::CollectiveType type,
                                          const graph::ExpertExchange& exchange,
                                          const model::LogicalTopology& topology);

  /// Which numbers switches add. Who cannot add a collective's leaves what sums them to end points,
  /// likewise.
  [[nodiscard]] const model::SwitchArithmetic& adders() const { return adders_; }

  /// How switches join the ring in which a member of the group stands. Errc: as SwitchTrees::of.
  [[nodiscard]] Result<const model::SwitchTree*> switch_tree(const Communicator& group,
                                                             const model::RingShape& ring,
                                                             std::uint32_t member) const;

  [[nodiscard]] const model::PhaseSpec& spec(std::uint32_t id) const { return specs_[id]; }
  [[nodiscard]] const PhaseList& list(std::uint32_t id) const { return lists_[id]; }
  /// An order of phase lists by what they hold, whatever their numbers are. O(phases).
  [[nodiscard]] bool less(std::uint32_t list, std::uint32_t other) const;
  /// What the library says of the phase of a spec that it runs.
  [[nodiscard]] PredictedCollective predicted(std::uint32_t spec) const;
  /// Of all phases so far that it runs, each kind once, by key().
  [[nodiscard]] std::vector<PredictedCollective> predicted() const;
  /// Of the phases of a whole collective, one after another; empty where it runs none of them.
  [[nodiscard]] std::vector<PredictedCollective> predicted(const ChunkRequest& request);
  [[nodiscard]] std::uint32_t queue_count() const;
  [[nodiscard]] QueuePointers fresh_pointers() const;

 private:
  using Algorithms = std::vector<platform::AlgorithmSpec>;
  /// Those that were chosen for groups such as this; numbers in CollectivePlan::chosen.
  [[nodiscard]] const std::vector<std::uint32_t>& chosen_for(graph::CollectiveType type,
                                                             std::uint32_t communicator,
                                                             const Communicator& group);
  [[nodiscard]] bool is_whole(const Communicator& group, std::uint32_t dims_mask) const;
  [[nodiscard]] Result<std::uint32_t> topology_by(graph::CollectiveType type,
                                                  std::uint32_t communicator,
                                                  const Communicator& group,
                                                  std::uint32_t dims_mask, std::uint32_t chosen);
  [[nodiscard]] model::LogicalTopology by_library(const Communicator& group) const;
  void give_to_library(model::LogicalTopology& system) const;
  [[nodiscard]] model::LogicalTopology group_ring(const Algorithms& algorithms,
                                                  const Communicator& group) const;
  [[nodiscard]] std::optional<model::LogicalTopology> group_grid(const Algorithms& algorithms,
                                                                 const Communicator& group) const;
  [[nodiscard]] PredictedCollective predicted(const model::PhaseRequest& request) const;
  [[nodiscard]] model::PhaseRequest request_of(const ChunkPlan::Choice& choice,
                                               const model::LogicalTopology& topology);
  [[nodiscard]] Result<std::uint32_t> spec_for(const ChunkPlan::Choice& choice,
                                               const model::LogicalTopology& topology,
                                               bool anticlockwise);

  const platform::Platform& platform_;
  const model::MultiDimFabric& fabric_;
  bool has_library_;
  bool library_meets_;
  std::size_t node_dims_ = 0;  ///< leading dimensions inside one node, as the library sees it
  model::PhaseFactory factory_;
  model::SwitchArithmetic adders_;
  mutable std::unique_ptr<model::SwitchTrees> switch_trees_;  // when they are first asked for
  std::deque<model::LogicalTopology> topologies_;
  std::map<std::tuple<graph::CollectiveType, std::uint32_t, std::uint32_t, std::uint32_t>,
           std::uint32_t>
      topology_of_;  // (type, communicator, dims_mask, chosen) → number
  std::map<std::pair<graph::CollectiveType, std::uint32_t>, std::vector<std::uint32_t>>
      chosen_for_;  // (type, communicator)
  std::map<ChunkRequest, ChunkPlan> plans_;
  std::deque<model::PhaseSpec> specs_;
  std::deque<PhaseList> lists_;
  std::vector<std::uint32_t> chosen_;  // scratch of choose_queues
};

}  // namespace orrery::sim
