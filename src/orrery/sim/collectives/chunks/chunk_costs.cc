// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/collectives/chunks/chunk_costs.h"

#include <algorithm>
#include <cmath>

#include "orrery/model/collective/algorithms/closed_form.h"

namespace orrery::sim {

using graph::CollectiveType;

ChunkCosts::ChunkCosts(const platform::Platform& platform, const model::MultiDimFabric& fabric,
                       const model::LogicalTopology& topology, CollectiveType type)
    : platform_(platform), topology_(topology), factory_(platform, &fabric), type_(type) {
  for (std::uint32_t d = 0; d < topology.dims.size(); ++d) {
    const model::LogicalDim& logical = topology.dims[d];
    if (!logical.involved || logical.ring.size < 2) continue;
    active_.push_back(d);
    // Reducing switches need less time for a complete all-reduce than for its halves, in any order.
    known_ = known_ && logical.along_dim && logical.library.nodes == 0 &&
             !platform::entry(logical.algorithm.algorithm).by_switches;
  }
  known_ = known_ && !active_.empty() && active_.size() <= model::kMaxOrderedDims;
}

std::vector<std::uint8_t> ChunkCosts::in_topology(const model::DimOrder& order) const {
  std::vector<std::uint8_t> all;
  for (const std::uint8_t d : order) all.push_back(static_cast<std::uint8_t>(active_[d]));
  return all;
}

namespace {

/// Time of a phase from probed costs; nullopt for types that were not probed.
std::optional<std::int64_t> time_by(const ChunkCosts::Probed& probed, CollectiveType type,
                                    std::int64_t data, std::uint32_t ranks) {
  const double others = ranks - 1.0, share = static_cast<double>(data) / ranks;
  double time = 0;
  if (type == CollectiveType::reduce_scatter || type == CollectiveType::all_reduce)
    time += probed.scatter.fixed + probed.scatter.per_byte * share * others;
  if (type == CollectiveType::all_reduce)
    time += probed.gather.fixed + probed.gather.per_byte * share * others;
  if (type == CollectiveType::all_gather)
    time += probed.gather.fixed + probed.gather.per_byte * static_cast<double>(data) * others;
  if (!(time > 0) || !(time < 1e18)) return std::nullopt;
  return static_cast<std::int64_t>(std::ceil(time));
}

}  // namespace

std::optional<std::int64_t> ChunkCosts::time_of(std::uint32_t logical, CollectiveType type,
                                                std::int64_t data) const {
  const model::LogicalDim& dim = topology_.dims[logical];
  if (const auto found = probed_.find(logical); found != probed_.end()) {
    const auto time = time_by(found->second, type, data, dim.ring.size);
    if (time) return time;
  }
  model::PhaseRequest request;
  request.algorithm = dim.algorithm;
  request.type = type;
  request.ring = dim.ring;
  request.dim = dim.dim;
  request.data = data;
  const auto spec = factory_.make(request);
  if (!spec || !model::has_closed_form(*spec)) return std::nullopt;
  const auto time = model::uniform_duration(*spec);
  if (!time || *time >= model::MultiDimFabric::kTooLong) return std::nullopt;
  return time;
}

std::optional<model::ChunkPath> ChunkCosts::path(const model::DimOrder& order, std::int64_t bytes,
                                                 bool two_phase) {
  std::vector<std::uint32_t> logical;
  for (const std::uint8_t d : order) logical.push_back(active_[d]);
  model::ChunkPath path;
  for (const model::PlannedPhase& phase :
       model::phases(type_, bytes, topology_, logical, two_phase, platform_)) {
    const auto [known, is_new] =
        times_.try_emplace({phase.logical_dim, phase.type, phase.data}, std::nullopt);
    if (is_new) known->second = time_of(phase.logical_dim, phase.type, phase.data);
    if (!known->second) return std::nullopt;
    const model::LogicalDim& dim = topology_.dims[phase.logical_dim];
    const std::int64_t after =
        model::data_after(phase.type, phase.data, dim.ring.size, platform_.rules);
    path.push_back({static_cast<std::uint8_t>(dim.dim), phase.queues,
                    phase.type == CollectiveType::all_gather, *known->second,
                    std::max(phase.data, after)});
  }
  return path;
}

// Derives the cost from two sizes, one twice the other, that are so large that rounding has no
// effect. Time is convex in bytes, so that the line through both points exceeds it only between
// them.
std::optional<model::PhaseCost> ChunkCosts::cost_of(std::uint32_t logical,
                                                    CollectiveType type) const {
  const std::int64_t n = topology_.dims[logical].ring.size;
  const bool gather = type == CollectiveType::all_gather;
  for (const int large : {30, 24, 18}) {
    const std::int64_t size = (gather ? 1 : n) << large;
    const auto once = time_of(logical, type, size), twice = time_of(logical, type, 2 * size);
    if (!once || !twice) continue;
    // A complete all-reduce sends its scattered bytes twice.
    const double times = type == CollectiveType::all_reduce ? 2 : 1;
    const double sent =
        times * static_cast<double>(gather ? size : size / n) * static_cast<double>(n - 1);
    const double per_byte = static_cast<double>(*twice - *once) / sent;
    const double round_mixture =
        4.0 * static_cast<double>(n);  // more than one picosecond per message
    const double fixed = static_cast<double>(*once) - per_byte * sent - round_mixture;
    return model::PhaseCost{std::max(0.0, fixed), per_byte};
  }
  return std::nullopt;
}

std::vector<model::ChunkDim> ChunkCosts::costs() const {
  if (!known_ || !model::has_chunk_order(type_)) return {};
  std::vector<model::ChunkDim> all;
  const auto& config = platform_.collectives;
  const std::int64_t q = config.queues_per_dim;
  for (const std::uint32_t logical : active_) {
    const auto scatter = cost_of(logical, CollectiveType::reduce_scatter);
    const auto gather = cost_of(logical, CollectiveType::all_gather);
    const auto both = cost_of(logical, CollectiveType::all_reduce);
    if (!scatter || !gather || !both) return {};
    model::ChunkDim& dim = all.emplace_back();
    dim.size = topology_.dims[logical].ring.size;
    dim.servers = static_cast<double>(q * ((config.active_chunks + q - 1) / q));
    dim.scatter = *scatter;
    dim.gather = *gather;
    if (type_ != CollectiveType::all_reduce) continue;
    // If a complete all-reduce is cheaper than its halves, the last dimension can save the
    // difference.
    const double saved = scatter->fixed + gather->fixed - both->fixed;
    const double saved_per_byte = scatter->per_byte + gather->per_byte - 2 * both->per_byte;
    dim.scatter.fixed = std::max(0.0, dim.scatter.fixed - std::max(0.0, saved));
    dim.scatter.per_byte =
        std::max(dim.scatter.per_byte / 2, dim.scatter.per_byte - std::max(0.0, saved_per_byte));
  }
  return all;
}

std::vector<model::ChunkDim> ChunkCosts::probed_costs() const {
  std::vector<model::ChunkDim> all = costs();
  for (std::size_t d = 0; d < all.size(); ++d) {
    const auto found = probed_.find(active_[d]);
    if (found == probed_.end()) continue;
    all[d].scatter = found->second.scatter;
    all[d].gather = found->second.gather;
  }
  return all;
}

}  // namespace orrery::sim
