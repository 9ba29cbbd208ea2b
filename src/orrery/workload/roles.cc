// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/roles.h"

#include <fmt/format.h>

namespace orrery::workload {
namespace {

/// Whether every rank has the same of a dlrm's tables, however they are dealt out.
bool even_tables(const Dlrm& dlrm, std::uint64_t ranks) {
  if (dlrm.sharding != TableSharding::table || ranks == 1) return true;
  std::uint64_t count = 0;
  for (const EmbeddingTables& tables : dlrm.tables) {
    if (tables.rows != dlrm.tables.front().rows || tables.pooling != dlrm.tables.front().pooling)
      return false;
    count += static_cast<std::uint64_t>(tables.count);
  }
  return count % ranks == 0;
}

}  // namespace

void number_roles(Program& program) {
  const Spec& spec = program.spec;
  const std::uint32_t cp = program.mesh.size(Dim::cp);
  if (cp > 1 && spec.parallel.cp_method == ContextMethod::ring)
    program.cp_classes = cp == 2 ? 2 : 3;
  if (spec.model.moe && spec.model.moe->imbalance > 1 && program.mesh.extent(Axis::ep) > 1)
    program.expert_classes = 2;
  program.role_per_rank = spec.model.kind == ModelKind::dlrm && spec.model.dlrm &&
                          !even_tables(*spec.model.dlrm, program.mesh.world());
}

std::uint32_t role_count(const Program& program) {
  if (program.role_per_rank) return static_cast<std::uint32_t>(program.mesh.world());
  return program.mesh.size(Dim::pp) * program.cp_classes * program.expert_classes;
}

Position position_of(const Program& program, std::uint32_t role) {
  Position where;
  if (program.role_per_rank) {
    where.stage = static_cast<std::int32_t>(program.mesh.coordinate(role, Dim::pp));
    where.table = static_cast<std::int32_t>(role);
    return where;
  }
  if (program.expert_classes > 1)
    where.expert = static_cast<std::int32_t>(role % program.expert_classes);
  role /= program.expert_classes;
  if (program.cp_classes > 1) where.cp = static_cast<std::int32_t>(role % program.cp_classes);
  where.stage = static_cast<std::int32_t>(role / program.cp_classes);
  return where;
}

std::uint64_t ranks_of(const Program& program, const Position& where) {
  if (program.role_per_rank) return 1;
  const Mesh& mesh = program.mesh;
  const std::uint64_t all = mesh.world() / mesh.size(Dim::pp);
  const std::uint64_t cp = mesh.size(Dim::cp), ep = mesh.extent(Axis::ep);
  const auto of_ring = [&](std::uint64_t first, std::uint64_t last, std::uint64_t everybody) {
    if (where.cp < 0) return everybody;
    return where.cp == 0 ? first : where.cp == 1 ? last : everybody - first - last;
  };
  // Busiest: all digits of ep are 0. Some of them may be part of cp's digit; then the last of cp is
  // never the busiest.
  std::uint64_t common = 1;
  for (const graph::GroupAxis::Digit& digit : mesh.axis(Axis::ep).digits) {
    if (cp > 1 && digit.stride == mesh.stride(Dim::cp)) common = digit.count;
  }
  const std::uint64_t first = all / ep / (cp / common);
  const std::uint64_t busiest = of_ring(first, common > 1 ? 0 : first, all / ep);
  const std::uint64_t any = of_ring(all / cp, all / cp, all);
  if (where.expert < 0) return any;
  return where.expert == 0 ? busiest : any - busiest;
}

std::string role_name(const Position& where) {
  if (where.table >= 0) return fmt::format("rank {}", where.table);
  std::string name = fmt::format("stage {}", where.stage);
  if (where.cp == 0) name += ", first of cp";
  if (where.cp == 1) name += ", last of cp";
  if (where.cp == 2) name += ", inside cp";
  if (where.expert == 0) name += ", busiest of ep";
  if (where.expert == 1) name += ", not busiest of ep";
  return name;
}

std::uint32_t Program::role_of(std::uint64_t rank) const {
  if (role_per_rank) return static_cast<std::uint32_t>(rank);
  std::uint32_t role = mesh.coordinate(rank, Dim::pp) * cp_classes;
  if (cp_classes > 1) {
    const std::uint32_t cp = mesh.coordinate(rank, Dim::cp);
    role += cp == 0 ? 0 : cp + 1 == mesh.size(Dim::cp) ? 1 : 2;
  }
  role *= expert_classes;
  if (expert_classes > 1 && mesh.expert_coordinate(rank) != 0) ++role;
  return role;
}

}  // namespace orrery::workload
