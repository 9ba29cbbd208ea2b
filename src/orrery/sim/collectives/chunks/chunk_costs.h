// SPDX-License-Identifier: Apache-2.0
//
// The phases of a collective's chunks and their times, for models of chunks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "orrery/model/collective/chunk_plan.h"
#include "orrery/model/collective/chunk_search.h"
#include "orrery/model/collective/phase_factory.h"
#include "orrery/platform/platform.h"

namespace orrery::sim {

/// The dimensions in which a group has more than one member, as one type of collective uses them:
/// numbered from 0, innermost first. Phase times assume no other traffic and ports without
/// deviations.
class ChunkCosts {
 public:
  /// Simulated costs of a reduce-scatter (scatter) and of an all-gather phase.
  struct Probed {
    model::PhaseCost scatter, gather;
  };

  /// `platform` and `fabric` are without deviations. They and `topology` must outlive this object.
  ChunkCosts(const platform::Platform& platform, const model::MultiDimFabric& fabric,
             const model::LogicalTopology& topology, graph::CollectiveType type);

  /// Whether the time of every phase is known. It is unknown with trees, reducing switches, a
  /// library or a shared bus, and for groups that are not a grid or use part of a ring.
  [[nodiscard]] bool known() const { return known_; }
  [[nodiscard]] std::size_t dims() const { return active_.size(); }
  /// The dimension of the machine.
  [[nodiscard]] std::uint32_t dim(std::size_t d) const { return topology_.dims[active_[d]].dim; }
  /// The bandwidth of one of its links.
  [[nodiscard]] Bandwidth link(std::size_t d) const { return platform_.dims[dim(d)].bandwidth; }
  /// Its ring of members and its algorithm.
  [[nodiscard]] const model::LogicalDim& logical(std::size_t d) const {
    return topology_.dims[active_[d]];
  }
  /// Phases of this dimension cost `probed` from now on, except in costs().
  void set_probed(std::size_t d, const Probed& probed) { probed_[active_[d]] = probed; }
  [[nodiscard]] std::vector<std::uint8_t> in_topology(const model::DimOrder& order) const;

  /// The phases of one chunk of `bytes` in this order. Empty if the time of a phase is unknown or
  /// exceeds the clock.
  [[nodiscard]] std::optional<model::ChunkPath> path(const model::DimOrder& order,
                                                     std::int64_t bytes, bool two_phase);
  /// Costs without contention, for chunk_bound(). Empty if they are unknown, and for types without
  /// an order.
  [[nodiscard]] std::vector<model::ChunkDim> costs() const;
  /// costs(), replaced by the probed costs where there are any.
  [[nodiscard]] std::vector<model::ChunkDim> probed_costs() const;

 private:
  [[nodiscard]] std::optional<std::int64_t> time_of(std::uint32_t logical,
                                                    graph::CollectiveType type,
                                                    std::int64_t data) const;
  [[nodiscard]] std::optional<model::PhaseCost> cost_of(std::uint32_t logical,
                                                        graph::CollectiveType type) const;

  const platform::Platform& platform_;
  const model::LogicalTopology& topology_;
  model::PhaseFactory factory_;
  graph::CollectiveType type_;
  std::vector<std::uint32_t> active_;  // logical dimensions
  bool known_ = true;
  std::map<std::uint32_t, Probed> probed_;  // by logical dimension
  std::map<std::tuple<std::uint32_t, graph::CollectiveType, std::int64_t>,
           std::optional<std::int64_t>>
      times_;
};

}  // namespace orrery::sim
