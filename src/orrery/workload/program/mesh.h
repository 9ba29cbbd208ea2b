// SPDX-License-Identifier: Apache-2.0
//
// The mesh of parallel dimensions: the coordinates of each rank, and the groups along its axes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "orrery/graph/workload.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// A dimension of the mesh. `ep` has extent 1 unless it is a separate axis (Parallel::ep_own_axis).
enum class Dim : std::uint8_t { tp, cp, ep, dp, pp };
inline constexpr std::size_t kDims = 5;

/// A kind of group. All ranks use the same axis names; the members of the group depend on the rank.
enum class Axis : std::uint8_t {
  tp,
  cp,
  dp,            ///< dp × cp: ranks with the same dense weights
  dp_shard,      ///< the ranks of dp that together hold one copy (HSDP; else = dp)
  dp_replicate,  ///< the ranks of dp that hold the same shard
  ep,            ///< ranks over which experts are distributed
  etp,           ///< tensor parallel inside experts
  edp,           ///< ranks that hold the same experts
  pp,
  embedding,  ///< first and last stage: tied tables
  model,      ///< tp × pp (× ep): ranks with different dense weights, for the gradient norm
  world,
};
inline constexpr std::size_t kAxes = 12;
/// The name of the axis: "tp", "dp_shard" …
[[nodiscard]] std::string_view name(Axis axis);

/// Coordinates that all members of a role share; -1: not shared.
struct Position {
  std::int32_t stage = 0;    ///< coordinate on pp
  std::int32_t cp = -1;      ///< ring attention: 0 = first, 1 = last, 2 = between (not with cp 2)
  std::int32_t expert = -1;  ///< imbalance: 0 = the busiest rank of ep, 1 = the others
  std::int32_t table = -1;   ///< dlrm with a role per rank: the rank

  friend bool operator==(const Position&, const Position&) = default;
};

/// The mesh. Rank = Σ coordinate × stride.
class Mesh {
 public:
  Mesh() = default;
  /// Uses the sizes and order of a legal specification.
  explicit Mesh(const Spec& spec);

  [[nodiscard]] std::uint64_t world() const { return world_; }
  [[nodiscard]] std::uint32_t size(Dim dim) const { return size_[static_cast<std::size_t>(dim)]; }
  [[nodiscard]] std::uint32_t stride(Dim dim) const {
    return stride_[static_cast<std::size_t>(dim)];
  }
  [[nodiscard]] std::uint32_t coordinate(std::uint64_t rank, Dim dim) const {
    return static_cast<std::uint32_t>(rank / stride(dim) % size(dim));
  }
  /// Members of the groups of `axis`, as digits of the rank, in the order of the group's ring.
  [[nodiscard]] const graph::GroupAxis& axis(Axis axis) const {
    return axes_[static_cast<std::size_t>(axis)];
  }
  /// The number of ranks of a group of `axis`.
  [[nodiscard]] std::uint32_t extent(Axis axis) const { return this->axis(axis).extent(); }
  /// The position of `rank` in its expert-parallel group.
  [[nodiscard]] std::uint32_t expert_coordinate(std::uint64_t rank) const;

 private:
  std::array<std::uint32_t, kDims> size_{1, 1, 1, 1, 1};
  std::array<std::uint32_t, kDims> stride_{1, 1, 1, 1, 1};
  std::array<graph::GroupAxis, kAxes> axes_;
  std::uint64_t world_ = 1;
};

}  // namespace orrery::workload
