// SPDX-License-Identifier: Apache-2.0
//
// Which rank stands where: the mesh of parallel dimensions, and the groups along its axes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "orrery/graph/workload.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// A dimension of the mesh. `ep` has extent 1 unless it is an axis of its own.
enum class Dim : std::uint8_t { tp, cp, ep, dp, pp };
inline constexpr std::size_t kDims = 5;

/// Ranks that communicate. The same text on every rank; who is in the group depends on the rank.
enum class Axis : std::uint8_t {
  tp,
  cp,
  dp,            ///< dp × cp: everybody with the same dense weights
  dp_shard,      ///< of these, who hold one copy together (HSDP; else = dp)
  dp_replicate,  ///< who hold the same shard
  ep,            ///< experts are spread over it
  etp,           ///< tensor parallel inside experts
  edp,           ///< who hold the same experts
  pp,
  embedding,  ///< first and last stage: tied tables
  model,      ///< tp × pp (× ep): everybody with different dense weights; for the gradient norm
  world,
};
inline constexpr std::size_t kAxes = 12;
/// As groups are called: "tp", "dp_shard" …
[[nodiscard]] std::string_view name(Axis axis);

/// Coordinates that all members of a role share; -1 where they may differ.
struct Position {
  std::int32_t stage = 0;  ///< coordinate on pp
  std::int32_t cp =
      -1;  ///< ring attention: 0 = first, 1 = last, 2 = between (2 = absent when cp is 2)
  std::int32_t expert = -1;  ///< imbalance: 0 = the busiest of ep, 1 = the others
  std::int32_t table = -1;   ///< dlrm: the rank itself

  friend bool operator==(const Position&, const Position&) = default;
};

/// The mesh. Rank = Σ coordinate × stride.
class Mesh {
 public:
  Mesh() = default;
  /// From sizes and order of a legal specification.
  explicit Mesh(const Spec& spec);

  [[nodiscard]] std::uint64_t world() const { return world_; }
  [[nodiscard]] std::uint32_t size(Dim dim) const { return size_[static_cast<std::size_t>(dim)]; }
  [[nodiscard]] std::uint32_t stride(Dim dim) const {
    return stride_[static_cast<std::size_t>(dim)];
  }
  [[nodiscard]] std::uint32_t coordinate(std::uint64_t rank, Dim dim) const {
    return static_cast<std::uint32_t>(rank / stride(dim) % size(dim));
  }
  /// Members of the group of `axis`, as digits of the rank; in the order of the group's ring.
  [[nodiscard]] const graph::GroupAxis& axis(Axis axis) const {
    return axes_[static_cast<std::size_t>(axis)];
  }
  /// How many ranks such a group has.
  [[nodiscard]] std::uint32_t extent(Axis axis) const { return this->axis(axis).extent(); }
  /// `rank`'s place in its expert-parallel group.
  [[nodiscard]] std::uint32_t expert_coordinate(std::uint64_t rank) const;

 private:
  std::array<std::uint32_t, kDims> size_{1, 1, 1, 1, 1};
  std::array<std::uint32_t, kDims> stride_{1, 1, 1, 1, 1};
  std::array<graph::GroupAxis, kAxes> axes_;
  std::uint64_t world_ = 1;
};

}  // namespace orrery::workload
