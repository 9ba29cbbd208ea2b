// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/program/rank_classes.h"

#include <cstddef>

namespace orrery::estimate {

using workload::Dim;
using workload::Program;

namespace {

constexpr std::uint32_t kNoClass = ~std::uint32_t{0};

}  // namespace

RankClasses::RankClasses(const Program& program) {
  std::size_t maximum = program.roles.size();
  if (program.cp_classes > 1) {
    by_cp_ = program.mesh.size(Dim::cp);
    if (program.expert_classes > 1) by_expert_ = program.mesh.extent(workload::Axis::ep);
    maximum = std::size_t{program.mesh.size(Dim::pp)} * by_cp_ * by_expert_;
  }
  class_of_number_.assign(maximum, kNoClass);
  for (std::uint32_t rank = 0; rank < program.mesh.world() && ranks_.size() < maximum; ++rank) {
    std::uint32_t& rank_class = class_of_number_[number(program, rank)];
    if (rank_class != kNoClass) continue;
    rank_class = size();
    ranks_.push_back(rank);
  }
}

std::size_t RankClasses::number(const Program& program, std::uint32_t rank) const {
  if (by_cp_ == 1) return program.role_of(rank);
  const workload::Mesh& mesh = program.mesh;
  const std::size_t stage = mesh.coordinate(rank, Dim::pp), cp = mesh.coordinate(rank, Dim::cp);
  return (stage * by_cp_ + cp) * by_expert_ + (by_expert_ == 1 ? 0 : mesh.expert_coordinate(rank));
}

std::uint32_t RankClasses::class_of(const Program& program, std::uint32_t rank) const {
  return class_of_number_[number(program, rank)];
}

RankClasses::Peer RankClasses::peer(const Program& program, std::uint32_t rank_class,
                                    workload::Axis axis, std::int32_t shift) const {
  const graph::GroupAxis& on = program.mesh.axis(axis);
  const std::uint32_t rank = ranks_[rank_class];
  const auto members = on.members(on.first(rank));
  const auto extent = static_cast<std::int64_t>(members.size());
  const std::int64_t place = std::int64_t{on.position(rank)} + shift;
  const std::uint32_t to = members[static_cast<std::size_t>((place % extent + extent) % extent)];
  return {class_of(program, to), to};
}

}  // namespace orrery::estimate
