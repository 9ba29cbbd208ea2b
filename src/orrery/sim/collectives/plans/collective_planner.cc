// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/collectives/plans/collective_planner.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "orrery/model/collective/algorithms/collective_algorithm.h"
#include "orrery/model/collective/library/library_machine.h"
#include "orrery/model/collective/library/library_times.h"

namespace orrery::sim {

using graph::CollectiveType;
using model::LogicalDim;
using model::LogicalTopology;
using model::QueueUse;

namespace {

constexpr std::uint32_t kMinTreeBit = 16;  // bit above the queue number in `chosen_`

bool by_tree(const platform::AlgorithmSpec& algorithm) {
  return model::algorithm_of(algorithm).peers() == model::Peers::tree;
}

std::size_t tree_index(CollectiveType type) {
  switch (type) {
    case CollectiveType::all_reduce:
      return 0;
    case CollectiveType::all_gather:
      return 1;
    case CollectiveType::reduce_scatter:
      return 2;
    default:
      return 3;
  }
}

}  // namespace

CollectivePlanner::CollectivePlanner(const platform::Platform& platform,
                                     const model::MultiDimFabric& fabric,
                                     const model::Network& network,
                                     std::shared_ptr<const model::LibraryTimes> library, bool meets)
    : platform_(platform),
      fabric_(fabric),
      has_library_(library != nullptr),
      library_meets_(has_library_ && meets),
      node_dims_(has_library_ ? model::library_machine(platform).node_dims : 0),
      factory_(platform, network.by_dimensions(), std::move(library)),
      switch_arithmetic_(platform) {}

Result<const model::SwitchTree*> CollectivePlanner::switch_tree(const Communicator& group,
                                                                const model::RingShape& ring,
                                                                std::uint32_t member) const {
  if (switch_trees_ == nullptr) switch_trees_ = std::make_unique<model::SwitchTrees>(platform_);
  std::vector<std::uint32_t> ranks;
  const std::uint32_t base = member - ring.position(member) * ring.stride;
  for (std::uint32_t p = 0; p < ring.size; ++p) {
    ranks.push_back(group.rank_at(base + p * ring.stride));
  }
  return switch_trees_->of(ranks);
}

std::uint32_t CollectivePlanner::queue_count() const {
  return static_cast<std::uint32_t>(fabric_.dim_count()) *
         static_cast<std::uint32_t>(platform_.collectives.queues_per_dim);
}

QueuePointers CollectivePlanner::initial_pointers() const {
  QueuePointers pointers;
  pointers.next.assign(fabric_.dim_count() * 3, 0);
  pointers.tree.assign(fabric_.dim_count() * QueuePointers::kTypes, 0);
  return pointers;
}

ChunkPlan* CollectivePlanner::plan(const ChunkRequest& request) {
  const std::size_t hash = static_cast<std::size_t>(request.bytes) * 31 + request.topology * 7 +
                           static_cast<std::size_t>(request.type);
  auto*& recent = recent_plans_[hash % recent_plans_.size()];
  if (recent != nullptr && recent->first == request) return &recent->second;
  const auto found = plans_.find(request);
  if (found != plans_.end()) return &(recent = &*found)->second;
  const LogicalTopology& topology = topologies_[request.topology];
  std::vector<std::uint32_t> order(request.order.begin(), request.order.end());
  if (order.empty()) {
    for (std::uint32_t d = 0; d < topology.dims.size(); ++d) order.push_back(d);
    if (request.type == CollectiveType::all_gather) std::reverse(order.begin(), order.end());
  }
  ChunkPlan plan;
  for (const model::PlannedPhase& phase :
       model::phases(request.type, request.bytes, topology, order, request.two_phase, platform_)) {
    plan.choices.push_back(
        {phase, topology.dims[phase.logical_dim].dim, request.exchange, request.format});
  }
  plan.number = static_cast<std::uint32_t>(plans_by_number_.size());
  plans_by_number_.push_back(&*plans_.emplace(request, std::move(plan)).first);
  return &plans_by_number_.back()->second;
}

// The copies of a token in one of several dimensions depend on the other dimensions.
bool CollectivePlanner::needs_end_points(CollectiveType type, const graph::ExpertExchange& exchange,
                                         const LogicalTopology& topology) {
  if (type != CollectiveType::all_to_all) return false;
  const auto wide = std::count_if(topology.dims.begin(), topology.dims.end(), [](const auto& dim) {
    return dim.involved && dim.ring.size > 1;
  });
  return !exchange || wide > 1;
}

model::PhaseRequest CollectivePlanner::request_of(const ChunkPlan::Choice& choice,
                                                  const LogicalTopology& topology) {
  const model::PlannedPhase& phase = choice.phase;
  const LogicalDim& logical = topology.dims[phase.logical_dim];
  model::PhaseRequest request;
  request.algorithm = logical.algorithm;
  request.type = phase.type;
  request.ring = logical.ring;
  request.dim = logical.dim;
  request.data = phase.data;
  request.sub_group = topology.sub_group;
  request.along_dim = logical.along_dim;
  request.library = logical.library;
  if (logical.library.nodes > 0) {
    if (choice.exchange.uses_library()) request.exchange = choice.exchange;
  } else if (needs_end_points(phase.type, choice.exchange, topology) ||
             (model::is_reduction(phase.type, choice.exchange) &&
              !switch_arithmetic_.can_add(logical, choice.format))) {
    if (platform::entry(request.algorithm.algorithm).by_switches)
      request.algorithm = kSwitchFallback;
  } else if (platform::entry(request.algorithm.algorithm).by_switches) {
    request.exchange = choice.exchange;
  }
  return request;
}

Result<std::uint32_t> CollectivePlanner::spec_for(const ChunkPlan::Choice& choice,
                                                  const LogicalTopology& topology,
                                                  bool anticlockwise) {
  model::PhaseRequest request = request_of(choice, topology);
  const bool tree = by_tree(request.algorithm);
  request.anticlockwise = anticlockwise && !tree;
  request.min_tree = anticlockwise && tree;
  for (const model::PhaseSpec& spec : specs_) {
    if (spec.request == request) return spec.id;
  }
  auto made = factory_.make(request);
  if (!made) return tl::unexpected(made.error());
  made->id = static_cast<std::uint32_t>(specs_.size());
  spec_at_.push_back(&specs_.emplace_back(std::move(*made)));
  return specs_.back().id;
}

Result<const model::PhaseSpec*> CollectivePlanner::phase(ChunkPlan::Choice& choice,
                                                         const LogicalTopology& topology) {
  if (choice.spec[0] == kNone) {
    const auto made = spec_for(choice, topology, false);
    if (!made) return tl::unexpected(made.error());
    choice.spec[0] = *made;
  }
  return &specs_[choice.spec[0]];
}

Result<std::uint32_t> CollectivePlanner::choose_queues(ChunkPlan& plan, CollectiveType type,
                                                       const LogicalTopology& topology,
                                                       QueuePointers& pointers) {
  const auto q = static_cast<std::uint32_t>(platform_.collectives.queues_per_dim);
  std::vector<std::uint32_t>& chosen = chosen_;
  chosen.clear();
  for (const ChunkPlan::Choice& choice : plan.choices) {
    std::uint16_t& next =
        pointers.next[choice.dim * 3 + static_cast<std::uint32_t>(choice.phase.queues)];
    const std::uint32_t first = choice.phase.queues == QueueUse::second_half ? q / 2 : 0;
    const std::uint32_t count = choice.phase.queues == QueueUse::all          ? q
                                : choice.phase.queues == QueueUse::first_half ? std::max(q / 2, 1u)
                                                                              : q - q / 2;
    chosen.push_back(first + next);
    next = static_cast<std::uint16_t>((next + 1) % count);
    if (!by_tree(topology.dims[choice.phase.logical_dim].algorithm)) continue;
    chosen.back() |= (pointers.tree[choice.dim * QueuePointers::kTypes + tree_index(type)]++ % 2u)
                     << kMinTreeBit;
  }
  for (const auto& [queues, list] : plan.lists) {
    if (queues == chosen) return list;
  }
  PhaseList list;
  for (std::size_t i = 0; i < plan.choices.size(); ++i) {
    ChunkPlan::Choice& choice = plan.choices[i];
    const bool tree = by_tree(topology.dims[choice.phase.logical_dim].algorithm);
    const std::uint32_t queue = chosen[i] & ((1u << kMinTreeBit) - 1);
    const bool anticlockwise =
        tree ? chosen[i] >> kMinTreeBit != 0
             : choice.phase.queues == QueueUse::second_half ||
                   (choice.phase.queues == QueueUse::all && q > 1 && queue >= q / 2);
    std::uint32_t& spec = choice.spec[anticlockwise ? 1 : 0];
    if (spec == kNone) {
      auto made = spec_for(choice, topology, anticlockwise);
      if (!made) return tl::unexpected(made.error());
      spec = *made;
    }
    list.push_back({spec, choice.dim * q + queue});
  }
  const auto number = static_cast<std::uint32_t>(lists_.size());
  list_at_.push_back(&lists_.emplace_back(std::move(list)));
  plan.lists.emplace_back(chosen, number);
  return number;
}

bool CollectivePlanner::is_less(std::uint32_t list, std::uint32_t other) const {
  const auto what = [this](const QueuedPhase& phase) {
    const model::PhaseRequest& request = specs_[phase.spec].request;
    return std::tuple(phase.queue, request.type, request.data, request.ring.size,
                      request.ring.stride, request.anticlockwise, request.min_tree,
                      request.library.nodes, request.exchange);
  };
  return std::lexicographical_compare(
      lists_[list].begin(), lists_[list].end(), lists_[other].begin(), lists_[other].end(),
      [&](const QueuedPhase& a, const QueuedPhase& b) { return what(a) < what(b); });
}

// The sources of the predicted durations of collectives that a library runs.

namespace {

TimeProvenance time_provenance_named(const model::LibraryEstimate& answer) {
  if (answer.source == model::LibrarySource::cost_model ||
      answer.source == model::LibrarySource::callable)
    return TimeProvenance::formula;
  if (answer.extrapolated) return TimeProvenance::extrapolated;
  return answer.source == model::LibrarySource::measured ? TimeProvenance::interpolated
                                                         : TimeProvenance::scaled;
}

}  // namespace

void sort_predicted_collectives(std::vector<PredictedCollective>& all) {
  std::sort(all.begin(), all.end(), [](const PredictedCollective& a, const PredictedCollective& b) {
    return a.key() < b.key();
  });
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

PredictedCollective CollectivePlanner::predicted(const model::PhaseRequest& request) const {
  const model::LibraryEstimate answer = factory_.predicted(request);
  PredictedCollective made;
  made.type = graph::name(request.type);
  made.bytes = Bytes(model::PhaseFactory::full_buffer(request));
  made.ranks = request.ring.size;
  made.nodes = request.library.nodes;
  made.time = answer.time;
  made.source = name(answer.source);
  if (answer.choice) {
    made.algorithm = name(answer.choice->algorithm);
    made.algorithm += ", ";
    made.algorithm += name(answer.choice->protocol);
  } else if (request.exchange) {
    made.algorithm = name(request.exchange.transport());
    made.algorithm += request.exchange.is_combine() ? ", combine" : ", dispatch";
  }
  if (answer.band) made.error = ErrorInterval{answer.band->lower, answer.band->upper};
  made.provenance = time_provenance_named(answer);
  return made;
}

PredictedCollective CollectivePlanner::predicted(std::uint32_t spec) const {
  return predicted(specs_[spec].request);
}

std::vector<PredictedCollective> CollectivePlanner::predicted() const {
  std::vector<PredictedCollective> all;
  for (const model::PhaseSpec& spec : specs_)
    if (spec.request.library.nodes > 0) all.push_back(predicted(spec.request));
  sort_predicted_collectives(all);
  return all;
}

std::vector<PredictedCollective> CollectivePlanner::predicted(const ChunkRequest& request) {
  std::vector<PredictedCollective> phases;
  const model::LogicalTopology& topology = topologies_[request.topology];
  for (const ChunkPlan::Choice& choice : plan(request)->choices) {
    if (topology.dims[choice.phase.logical_dim].library.nodes == 0) return {};
    phases.push_back(predicted(request_of(choice, topology)));
  }
  return phases;
}

}  // namespace orrery::sim
