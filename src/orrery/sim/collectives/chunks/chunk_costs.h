// SPDX-License-Identifier: Apache-2.0
//
// What chunks of a collective go through, and what that takes, for models of chunks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "orrery/model/collective/chunk_plan.h"
#include "orrery/model/collective/chunk_search.h"
#include "orrery/model/collective/phase_factory.h"
#include "orrery/platform/platform.h"

namespace orrery::sim {

/// A group's dimensions with more than one member, as one type of collective uses them: numbered
/// from 0, innermost first. Phases take what they take alone, on ports that do not deviate.
class ChunkCosts {
 public:
  /// What was found by doing it: a phase there and one back.
  struct Probed {
    model::PhaseCost scatter, gather;
  };

  /// `platform` and `fabric`: without deviations; they outlive it, as `topology` does.
  ChunkCosts(const platform::Platform& platform, const model::MultiDimFabric& fabric,
             const model::LogicalTopology& topology, graph::CollectiveType type);

  /// Every phase's time is known. Not where trees, switches that sum, a library or a shared bus
  /// have a part, nor for groups that are no grid or take part of a ring.
  [[nodiscard]] bool known() const { return known_; }
  [[nodiscard]] std::size_t dims() const { return active_.size(); }
  /// The machine's dimension.
  [[nodiscard]] std::uint32_t dim(std::size_t d) const { return topology_.dims[active_[d]].dim; }
  /// The bandwidth of one of its links.
  [[nodiscard]] Bandwidth link(std::size_t d) const { return platform_.dims[dim(d)].bandwidth; }
  /// Its members, and by which algorithm they go.
  [[nodiscard]] const model::LogicalDim& logical(std::size_t d) const {
    return topology_.dims[active_[d]];
  }
  /// Phases of that dimension take this from now on; costs() does not.
  void set_probed(std::size_t d, const Probed& probed) { probed_[active_[d]] = probed; }
  [[nodiscard]] std::vector<std::uint8_t> in_topology(const model::DimOrder& order) const;

  /// Empty: a phase's time is not known, or beyond the clock.
  [[nodiscard]] std::optional<model::ChunkPath> way(const model::DimOrder& order,
                                                    std::int64_t bytes, bool two_phase);
  /// For chunk_bound(): without anybody in the way. Empty likewise, and for types that have no
  /// order.
  [[nodiscard]] std::vector<model::ChunkDim> costs() const;
  /// With what was probed in place of that.
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
