// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/assembly/roles.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/limits.h"

namespace orrery::workload {
namespace {

std::int64_t table_count(const Dlrm& dlrm) {
  std::int64_t count = 0;
  for (const EmbeddingTables& tables : dlrm.tables) count += tables.count;
  return count;
}

/// Whether every rank has the same share of a dlrm's tables, with any distribution.
bool even_tables(const Dlrm& dlrm, std::uint64_t ranks) {
  if (dlrm.sharding == TableSharding::table && !dlrm.placement.empty()) return false;
  const auto even = [ranks](std::int64_t count) {
    return static_cast<std::uint64_t>(count) % ranks == 0;
  };
  const auto each = [&](auto holds) {
    return std::all_of(dlrm.tables.begin(), dlrm.tables.end(), holds);
  };
  if (dlrm.sharding == TableSharding::column) return even(dlrm.dim);
  if (dlrm.sharding == TableSharding::row)
    return each([&](const EmbeddingTables& table) { return even(table.rows); });
  const EmbeddingTables& first = dlrm.tables.front();
  return even(table_count(dlrm)) && each([&](const EmbeddingTables& table) {
           return table.rows == first.rows && table.pooling == first.pooling;
         });
}

}  // namespace

Result<void> number_roles(Program& program) {
  const Spec& spec = program.spec;
  const std::uint32_t cp = program.mesh.size(Dim::cp);
  if (cp > 1 && spec.parallel.cp_method == ContextMethod::ring)
    program.cp_classes = cp == 2 ? 2 : 3;
  if (spec.model.moe && spec.model.moe->imbalance > 1 && program.mesh.extent(Axis::ep) > 1)
    program.expert_classes = 2;
  if (spec.model.kind != ModelKind::dlrm || !spec.model.dlrm) return {};
  const std::uint64_t ranks = program.mesh.world();
  if (ranks == 1 || even_tables(*spec.model.dlrm, ranks)) return {};
  program.role_per_rank = true;
  const std::uint64_t tables = static_cast<std::uint64_t>(table_count(*spec.model.dlrm)) + 1024;
  if (ranks <= limits::kTableShares / tables) return {};
  return tl::unexpected(Error{
      Errc::limit_exceeded, "/model/dlrm",
      fmt::format("{} ranks with different shares of the tables exceed the limit", ranks),
      "distribute the tables evenly (dim or rows a multiple of the ranks), or use fewer ranks"});
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
  // The busiest rank has 0 in all digits of ep. Some of these may be a part of cp's digit; the last
  // rank of cp is then never the busiest.
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
