// SPDX-License-Identifier: Apache-2.0
//
// Plans the phases of a chunk: dimension order, algorithms and queues. Computes each plan once and
// shares it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/state/state_reader.h"
#include "orrery/core/state/state_writer.h"
#include "orrery/model/collective/algorithms/switch_tree.h"
#include "orrery/model/collective/chunk_plan.h"
#include "orrery/model/collective/phase_factory.h"
#include "orrery/model/collective/switch_arithmetic.h"
#include "orrery/network/network.h"
#include "orrery/sim/engine/state/communicators.h"
#include "orrery/sim/engine/state/run_state.h"
#include "orrery/sim/prediction_error.h"

namespace orrery::sim {

/// The algorithm by which end points run what switches cannot: direct, one peer after another.
inline constexpr platform::AlgorithmSpec kSwitchFallback{platform::Algorithm::direct, 1};

/// The inputs of a chunk's plan, without queues.
struct ChunkRequest {
  graph::CollectiveType type = graph::CollectiveType::all_reduce;
  std::uint32_t topology = 0;  ///< see CollectivePlanner::topology
  std::int64_t bytes = 0;
  graph::ExpertExchange exchange;
  graph::Format format = graph::Format::unsaid;  ///< unsaid if switches can add all formats
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
    graph::Format format = graph::Format::unsaid;
    std::uint32_t spec[2] = {kNone, kNone};  ///< clockwise or max tree, anticlockwise or min tree
  };
  std::vector<Choice> choices;
  std::vector<std::pair<std::vector<std::uint32_t>, std::uint32_t>>
      lists;                 ///< queues chosen → phase list
  std::uint32_t number = 0;  ///< in the order of creation
};

/// A rank's next queue in each dimension (three rotating pointers per dimension), and its next of
/// the two trees (one pointer per dimension and type of collective).
struct QueuePointers {
  std::vector<std::uint16_t> next;          ///< [dim × 3 + use]
  std::vector<std::uint8_t> tree;           ///< [dim × kTypes + type]
  static constexpr std::size_t kTypes = 4;  ///< types with algorithms, in the order of tree_index()
};

class CollectivePlanner {
 public:
  /// `library`: the library that runs the collectives; null: none. `meets`: see library_meets().
  CollectivePlanner(const platform::Platform& platform, const model::MultiDimFabric& fabric,
                    const model::Network& network,
                    std::shared_ptr<const model::LibraryTimes> library = {}, bool meets = false);

  /// The number of a communicator's logical topology for a collective type. ASTRA rules: sub-groups
  /// are one ring. Orrery rules: a group that is a grid of the dimensions keeps them. Equal
  /// topologies have one number, so that thousands of groups along one axis share their plans.
  [[nodiscard]] Result<std::uint32_t> topology(graph::CollectiveType type,
                                               std::uint32_t communicator,
                                               const Communicator& group, std::uint32_t dims_mask,
                                               std::int64_t size);
  /// All distinct topologies that the communicator can have, for any size. Omits those that are not
  /// possible.
  [[nodiscard]] std::vector<std::uint32_t> topologies(graph::CollectiveType type,
                                                      std::uint32_t communicator,
                                                      const Communicator& group,
                                                      std::uint32_t dims_mask);
  [[nodiscard]] const model::LogicalTopology& topology(std::uint32_t number) const {
    return topologies_[number];
  }
  /// Whether all members of a library's collective meet at once, without messages.
  [[nodiscard]] bool library_meets() const { return library_meets_; }
  /// The group as the library that runs collectives sees it; `nodes` is 0 without a library.
  /// O(members).
  [[nodiscard]] model::LibraryGroup library_group(const Communicator& group) const;

  /// The plan of a chunk. The pointer stays valid.
  [[nodiscard]] ChunkPlan* plan(const ChunkRequest& request);

  /// Chooses this chunk's queues for one rank, moves its pointers, and returns the number of the
  /// phase list.
  [[nodiscard]] Result<std::uint32_t> choose_queues(ChunkPlan& plan, graph::CollectiveType type,
                                                    const model::LogicalTopology& topology,
                                                    QueuePointers& pointers);

  /// The phase of a choice of a plan, in its first direction. The pointer stays valid. Errc: as
  /// model::PhaseFactory.
  [[nodiscard]] Result<const model::PhaseSpec*> phase(ChunkPlan::Choice& choice,
                                                      const model::LogicalTopology& topology);

  /// Whether end points run the collective even if the algorithm is in_network, by
  /// kSwitchFallback. That applies to all-to-alls that carry no tokens, or that span several
  /// dimensions.
  [[nodiscard]] static bool needs_end_points(graph::CollectiveType type,
                                             const graph::ExpertExchange& exchange,
                                             const model::LogicalTopology& topology);

  /// The number formats that switches can add. If they cannot add the format of a collective, end
  /// points run its reductions, by kSwitchFallback.
  [[nodiscard]] const model::SwitchArithmetic& switch_arithmetic() const {
    return switch_arithmetic_;
  }

  /// The tree of switches that connects the ring of a member of the group. Errc: as
  /// SwitchTrees::of.
  [[nodiscard]] Result<const model::SwitchTree*> switch_tree(const Communicator& group,
                                                             const model::RingShape& ring,
                                                             std::uint32_t member) const;

  [[nodiscard]] const model::PhaseSpec& spec(std::uint32_t id) const { return *spec_at_[id]; }
  [[nodiscard]] const PhaseList& list(std::uint32_t id) const { return *list_at_[id]; }
  /// Order of phase lists by content, independent of their numbers. O(phases).
  [[nodiscard]] bool is_less(std::uint32_t list, std::uint32_t other) const;
  /// The library's prediction for the phase of a spec that it runs.
  [[nodiscard]] PredictedCollective predicted(std::uint32_t spec) const;
  /// The same for all phases so far that the library runs, without duplicates, by key().
  [[nodiscard]] std::vector<PredictedCollective> predicted() const;
  /// The same for the consecutive phases of a complete collective; empty if the library does not
  /// run all of them.
  [[nodiscard]] std::vector<PredictedCollective> predicted(const ChunkRequest& request);
  [[nodiscard]] std::uint32_t queue_count() const;
  [[nodiscard]] QueuePointers initial_pointers() const;

  /// For checkpoints: what was planned so far, as requests. Loading plans it again, so that every
  /// number is the same.
  void save(StateWriter& to) const;
  void load(StateReader& from, const Communicators& communicators);
  /// The plan with this number, and the spec; null if there is none.
  [[nodiscard]] const ChunkPlan* plan_numbered(std::uint32_t number) const {
    return number < plans_by_number_.size() ? &plans_by_number_[number]->second : nullptr;
  }
  [[nodiscard]] const model::PhaseSpec* spec_numbered(std::uint32_t id) const {
    return id < specs_.size() ? &specs_[id] : nullptr;
  }
  [[nodiscard]] std::uint32_t topology_count() const {
    return static_cast<std::uint32_t>(topologies_.size());
  }

 private:
  using Algorithms = std::vector<platform::AlgorithmSpec>;
  /// The plans chosen for groups with this extent: indexes in CollectivePlan::chosen.
  [[nodiscard]] const std::vector<std::uint32_t>& chosen_for(graph::CollectiveType type,
                                                             std::uint32_t communicator,
                                                             const Communicator& group);
  [[nodiscard]] bool spans_all_dims(const Communicator& group, std::uint32_t dims_mask) const;
  [[nodiscard]] Result<std::uint32_t> topology_by(graph::CollectiveType type,
                                                  std::uint32_t communicator,
                                                  const Communicator& group,
                                                  std::uint32_t dims_mask, std::uint32_t chosen);
  [[nodiscard]] model::LogicalTopology library_topology(const Communicator& group) const;
  void assign_to_library(model::LogicalTopology& system) const;
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
  void load_topologies(StateReader& from, const Communicators& communicators);
  void load_specs(StateReader& from);

  const platform::Platform& platform_;
  const model::MultiDimFabric& fabric_;
  bool has_library_;
  bool library_meets_;
  std::size_t node_dims_ = 0;  ///< leading dimensions inside one node, as the library sees it
  model::PhaseFactory factory_;
  model::SwitchArithmetic switch_arithmetic_;
  mutable std::unique_ptr<model::SwitchTrees> switch_trees_;  // created on first use
  std::deque<model::LogicalTopology> topologies_;
  std::map<std::tuple<graph::CollectiveType, std::uint32_t, std::uint32_t, std::uint32_t>,
           std::uint32_t>
      topology_of_;  // (type, communicator, dims_mask, chosen) → number
  /// A recent entry of topology_of_.
  struct RecentTopology {
    graph::CollectiveType type = graph::CollectiveType::unknown;
    std::uint32_t dims_mask = 0;
    std::uint32_t chosen = 0;
    std::uint32_t number = kNone;
  };
  std::vector<std::array<RecentTopology, 4>> recent_topologies_;  // by communicator, and type
  std::map<std::pair<graph::CollectiveType, std::uint32_t>, std::vector<std::uint32_t>>
      chosen_for_;  // (type, communicator)
  std::map<ChunkRequest, ChunkPlan> plans_;
  std::array<std::pair<const ChunkRequest, ChunkPlan>*, 16> recent_plans_{};
  std::vector<std::pair<const ChunkRequest, ChunkPlan>*> plans_by_number_;
  std::deque<model::PhaseSpec> specs_;
  std::deque<PhaseList> lists_;
  std::vector<const model::PhaseSpec*>
      spec_at_;  // the same by number, found faster than in a deque
  std::vector<const PhaseList*> list_at_;
  std::vector<std::uint32_t> chosen_;  // scratch of choose_queues
};

}  // namespace orrery::sim
