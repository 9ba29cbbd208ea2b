// SPDX-License-Identifier: Apache-2.0
//
// Distributes the embedding tables of a recommendation model over ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/workload/spec/model.h"

namespace orrery::workload {

/// The maximum number of tables, since they are placed one by one.
inline constexpr std::int64_t kMaxTables = std::int64_t{1} << 20;

/// The share of one rank. In elements, not bytes.
struct TableShare {
  std::int64_t tables = 0;      ///< tables, or parts of tables, on this rank
  std::int64_t weights = 0;     ///< elements of these tables
  std::int64_t lookups = 0;     ///< rows read per sample of the global batch (sharding `row`: per
                                ///< sample of the rank's own)
  std::int64_t read = 0;        ///< elements of the rows that are read
  std::int64_t pooled = 0;      ///< elements of the sums over these rows, per sample of the global
                                ///< batch
  std::int64_t max_pooled = 0;  ///< largest `pooled` of any rank
  double distinct_lookups = 0;  ///< those of `lookups` that read a row for the first time in a
                                ///< batch
  bool is_reuse_known = true;   ///< every table on this rank has EmbeddingTables::reuse
};

/// Returns the share of `rank`. Sharding:
/// - `table`: tables are placed in the order of their cost (rows read plus the sum written),
///   largest first. Each goes to the rank with the least cost so far, on a tie to the one with the
///   fewest weights, then to the lowest rank; or to its rank in `placement`.
/// - `row`: rows, and thus lookups, are distributed evenly; every rank sums its rows of each table.
/// - `column`: every rank has some columns of each table.
/// Errc: config_range (more tables than kMaxTables; `placement` has another number of tables, or a
/// rank that does not exist). O(tables × log ranks). Source: Mudigere et al., ISCA 2022 (table-,
/// row- and column-wise sharding; greedy placement by cost).
[[nodiscard]] Result<TableShare> table_share(const Dlrm& dlrm, std::uint64_t ranks,
                                             std::uint64_t rank);

/// The rank of each table in table order, with identical tables listed one by one. Empty if every
/// rank has a part of every table. Errc: as table_share.
[[nodiscard]] Result<std::vector<std::int64_t>> table_placement(const Dlrm& dlrm,
                                                                std::uint64_t ranks);

}  // namespace orrery::workload
