// SPDX-License-Identifier: Apache-2.0
//
// The planner in checkpoints. What it has planned follows from the requests, and its numbers from
// their order. So a checkpoint stores requests, and loading repeats them.
#include <utility>

#include "orrery/sim/collectives/plans/collective_planner.h"

namespace orrery::sim {

namespace {

/// The first request of a topology.
struct TopologyRequest {
  graph::CollectiveType type = graph::CollectiveType::all_reduce;
  std::uint32_t communicator = 0;
  std::uint32_t dims_mask = 0;
  std::uint32_t chosen = kNone;
};

/// The place where a spec was needed first.
struct SpecRequest {
  std::uint32_t plan = kNone;
  std::uint32_t choice = 0;
  bool anticlockwise = false;
};

}  // namespace

void CollectivePlanner::save(StateWriter& to) const {
  std::vector<TopologyRequest> topologies(topologies_.size());
  for (const auto& [key, number] : topology_of_) {
    const auto& [type, communicator, dims_mask, chosen] = key;
    topologies[number] = {type, communicator, dims_mask, chosen};
  }
  to(topologies, static_cast<std::uint64_t>(plans_by_number_.size()));
  std::vector<SpecRequest> specs(specs_.size());
  for (const auto* planned : plans_by_number_) {
    const ChunkPlan& plan = planned->second;
    to(planned->first, plan.lists);
    for (std::uint32_t c = 0; c < plan.choices.size(); ++c) {
      to(plan.choices[c].spec);
      for (const bool anticlockwise : {false, true}) {
        const std::uint32_t spec = plan.choices[c].spec[anticlockwise ? 1 : 0];
        if (spec != kNone && specs[spec].plan == kNone)
          specs[spec] = {plan.number, c, anticlockwise};
      }
    }
  }
  to(specs, lists_);
}

void CollectivePlanner::load(StateReader& from, const Communicators& communicators) {
  load_topologies(from, communicators);
  const std::size_t plans = from.count();
  for (std::uint32_t number = 0; number < plans && !from.failed(); ++number) {
    const auto request = from.take<ChunkRequest>();
    from.require(request.topology < topologies_.size());
    if (from.failed()) return;
    ChunkPlan& made = *plan(request);
    from.require(made.number == number);
    from(made.lists);
    for (ChunkPlan::Choice& choice : made.choices) from(choice.spec);
  }
  load_specs(from);
  from(lists_);
  list_at_.clear();
  for (const PhaseList& list : lists_) list_at_.push_back(&list);
}

void CollectivePlanner::load_topologies(StateReader& from, const Communicators& communicators) {
  const auto topologies = from.take<std::vector<TopologyRequest>>();
  for (std::uint32_t number = 0; number < topologies.size(); ++number) {
    const TopologyRequest& asked = topologies[number];
    const platform::CollectivePlan* plan = platform_.collectives.plan(asked.type);
    from.require(plan != nullptr && asked.communicator < communicators.all().size() &&
                 (asked.chosen == kNone || asked.chosen < plan->chosen.size()));
    if (from.failed()) return;
    const auto made = topology_by(asked.type, asked.communicator, communicators[asked.communicator],
                                  asked.dims_mask, asked.chosen);
    from.require(made.has_value() && *made == number);
  }
}

void CollectivePlanner::load_specs(StateReader& from) {
  const auto specs = from.take<std::vector<SpecRequest>>();
  for (std::uint32_t id = 0; id < specs.size(); ++id) {
    const SpecRequest& asked = specs[id];
    from.require(asked.plan < plans_by_number_.size() &&
                 asked.choice < plans_by_number_[asked.plan]->second.choices.size());
    if (from.failed()) return;
    const auto& [request, plan] = *plans_by_number_[asked.plan];
    const auto made =
        spec_for(plan.choices[asked.choice], topologies_[request.topology], asked.anticlockwise);
    from.require(made.has_value() && *made == id);
  }
}

}  // namespace orrery::sim
