// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/models/table_share.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

namespace orrery::workload {

namespace {

// Sums are exact: 2^20 tables × 2^16 lookups × 2^16 columns are 2^52. Only the number of weights
// can be larger.
constexpr std::int64_t kMaxWeights = std::int64_t{1} << 62;

Result<std::int64_t> count_tables(const Dlrm& dlrm) {
  std::int64_t tables = 0;
  unsigned __int128 weights = 0;
  for (const EmbeddingTables& equivalent : dlrm.tables) {
    tables += equivalent.count;
    weights += static_cast<unsigned __int128>(equivalent.count * dlrm.dim) *
               static_cast<unsigned __int128>(equivalent.rows);
  }
  if (tables > kMaxTables)
    return tl::unexpected(Error{Errc::config_range, "model.dlrm.tables",
                                fmt::format("{} tables, but the limit is {}", tables, kMaxTables),
                                "use fewer tables, e.g. merge several tables into one"});
  if (weights > static_cast<unsigned __int128>(kMaxWeights))
    return tl::unexpected(Error{Errc::config_range, "model.dlrm.tables",
                                "the tables have more than 2^62 weights in total", ""});
  return tables;
}

/// The share of `rank` in `total`, distributed evenly; the first ranks have one more.
std::int64_t even_share(std::int64_t total, std::int64_t ranks, std::int64_t rank) {
  return total / ranks + (rank < total % ranks ? 1 : 0);
}

void hold(TableShare& share, const EmbeddingTables& table, std::int64_t count, std::int64_t rows,
          std::int64_t columns) {
  share.tables += count;
  share.weights += count * rows * columns;
  share.lookups += count * table.pooling;
  share.read += count * table.pooling * columns;
  share.pooled += count * columns;
  const auto lookups = static_cast<double>(count * table.pooling);
  share.distinct_lookups += table.reuse > 1 ? lookups / table.reuse : lookups;
  share.is_reuse_known = share.is_reuse_known && table.reuse > 0;
}

struct Load {  // load of a rank; ranks with less load get the next table
  std::int64_t cost = 0;
  std::int64_t weights = 0;
  std::int64_t rank = 0;

  friend bool operator>(const Load& a, const Load& b) {
    return std::tie(a.cost, a.weights, a.rank) > std::tie(b.cost, b.weights, b.rank);
  }
};

std::vector<std::int64_t> costliest_first(const Dlrm& dlrm, std::int64_t tables,
                                          std::int64_t ranks) {
  struct Alike {
    EmbeddingTables table;
    std::int64_t first;  // index among all tables
  };
  std::vector<Alike> costliest;
  std::int64_t first = 0;
  for (const EmbeddingTables& table : dlrm.tables) {
    costliest.push_back({table, first});
    first += table.count;
  }
  std::stable_sort(costliest.begin(), costliest.end(), [](const Alike& a, const Alike& b) {
    return std::tie(a.table.pooling, a.table.rows) > std::tie(b.table.pooling, b.table.rows);
  });
  // With more ranks than tables each table gets a separate rank; the others stay empty.
  std::priority_queue<Load, std::vector<Load>, std::greater<>> queue;
  for (std::int64_t r = 0; r < std::min(ranks, tables); ++r) queue.push({0, 0, r});
  std::vector<std::int64_t> placement(static_cast<std::size_t>(tables));
  for (const Alike& equivalent : costliest) {
    for (std::int64_t i = 0; i < equivalent.table.count; ++i) {
      Load next = queue.top();
      queue.pop();
      placement[static_cast<std::size_t>(equivalent.first + i)] = next.rank;
      next.cost += equivalent.table.pooling + 1;
      next.weights += equivalent.table.rows * dlrm.dim;
      queue.push(next);
    }
  }
  return placement;
}

/// Checks a placement that the job specifies.
Result<void> check_placement(const Dlrm& dlrm, std::int64_t tables, std::int64_t ranks) {
  const auto& placement = dlrm.placement;
  if (static_cast<std::int64_t>(placement.size()) != tables)
    return tl::unexpected(
        Error{Errc::config_range, "model.dlrm.placement",
              fmt::format("lists {} ranks, but there are {} tables", placement.size(), tables),
              "list one rank per table, and `count` ranks for identical tables"});
  if (const auto maximum = *std::max_element(placement.begin(), placement.end()); maximum >= ranks)
    return tl::unexpected(Error{Errc::config_range, "model.dlrm.placement",
                                fmt::format("rank {} does not exist", maximum),
                                fmt::format("there are {} ranks, numbered from 0", ranks)});
  return {};
}

TableShare by_placement(const Dlrm& dlrm, const std::vector<std::int64_t>& placement,
                        std::int64_t ranks, std::int64_t rank) {
  std::vector<std::int64_t> held(static_cast<std::size_t>(ranks));
  TableShare share;
  std::size_t next = 0;
  for (const EmbeddingTables& table : dlrm.tables)
    for (std::int64_t i = 0; i < table.count; ++i) {
      const std::int64_t on = placement[next++];
      ++held[static_cast<std::size_t>(on)];
      if (on == rank) hold(share, table, 1, table.rows, dlrm.dim);
    }
  share.max_pooled = *std::max_element(held.begin(), held.end()) * dlrm.dim;
  return share;
}

}  // namespace

Result<std::vector<std::int64_t>> table_placement(const Dlrm& dlrm, std::uint64_t ranks) {
  const Result<std::int64_t> tables = count_tables(dlrm);
  if (!tables) return tl::unexpected(tables.error());
  if (dlrm.sharding != TableSharding::table) return std::vector<std::int64_t>();
  const auto n = static_cast<std::int64_t>(ranks);
  if (dlrm.placement.empty()) return costliest_first(dlrm, *tables, n);
  if (auto fine = check_placement(dlrm, *tables, n); !fine) return tl::unexpected(fine.error());
  return dlrm.placement;
}

Result<TableShare> table_share(const Dlrm& dlrm, std::uint64_t ranks, std::uint64_t rank) {
  const Result<std::int64_t> tables = count_tables(dlrm);
  if (!tables) return tl::unexpected(tables.error());
  const auto n = static_cast<std::int64_t>(ranks);
  const auto r = static_cast<std::int64_t>(rank);
  if (dlrm.sharding == TableSharding::table) {
    const auto placement = table_placement(dlrm, ranks);
    if (!placement) return tl::unexpected(placement.error());
    return by_placement(dlrm, *placement, n, r);
  }
  TableShare share;
  const bool by_row = dlrm.sharding == TableSharding::row;
  const std::int64_t columns = by_row ? dlrm.dim : even_share(dlrm.dim, n, r);
  for (const EmbeddingTables& table : dlrm.tables)
    hold(share, table, table.count, by_row ? even_share(table.rows, n, r) : table.rows, columns);
  share.max_pooled = *tables * (by_row ? dlrm.dim : even_share(dlrm.dim, n, 0));
  if (columns == 0)
    share = {.max_pooled = share.max_pooled};  // more ranks than columns: this rank reads nothing
  return share;
}

}  // namespace orrery::workload
