// SPDX-License-Identifier: Apache-2.0
//
// Which part of a recommendation model's embedding tables lies on which rank.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/workload/spec/model.h"

namespace orrery::workload {

/// More tables than this are refused: they are placed one by one.
inline constexpr std::int64_t kMaxTables = std::int64_t{1} << 20;

/// What one of `ranks` ranks holds. Elements, not bytes.
struct TableShare {
  std::int64_t tables = 0;   ///< (pieces of) tables on this rank
  std::int64_t weights = 0;  ///< of them
  std::int64_t lookups = 0;  ///< rows read, per sample of the global batch (row: of the rank's own)
  std::int64_t read = 0;     ///< elements of these rows
  std::int64_t pooled = 0;   ///< elements summed up from them, per sample of the global batch
  std::int64_t max_pooled = 0;  ///< largest `pooled` of any rank
  double distinct_lookups = 0;  ///< of `lookups`, those of a row that the batch did not read before
  bool reuse_known = true;      ///< of every table on this rank
};

/// The share of `rank`. Sharding `table`: the table that costs most (rows read plus the sum
/// written) goes to the rank with the least so far, then to the one with the fewest weights, then
/// to the lowest; or where `placement` says. `row`: rows are spread evenly, and so are lookups;
/// every rank sums up what it has of each table. `column`: every rank has some columns of each
/// table. Errc: config_range (more tables than kMaxTables; a placement of other tables, or on other
/// ranks). O(tables × log ranks). Source: Mudigere et al., ISCA 2022 (table-, row- and column-wise
/// sharding; greedy placement by cost).
[[nodiscard]] Result<TableShare> table_share(const Dlrm& dlrm, std::uint64_t ranks,
                                             std::uint64_t rank);

/// The rank of each table, in their order, those alike one by one; none where every table lies on
/// all ranks. Errc: as table_share.
[[nodiscard]] Result<std::vector<std::int64_t>> table_placement(const Dlrm& dlrm,
                                                                std::uint64_t ranks);

}  // namespace orrery::workload
