// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/embeddings/embedding_tables.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <set>

#include "orrery/core/text/csv.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"

namespace orrery::study {
namespace {

using std::string_view;

enum TableCell { kTableName, kTableRows, kTableFeatures, kTablePooling, kTableFormat, kTableReuse };
constexpr std::array<string_view, 6> kTableColumns = {"name",    "rows",   "features",
                                                      "pooling", "format", "reuse"};
constexpr double kMaxTableCell = 1ll << 40;

class TableCsv {
 public:
  TableCsv(string_view text, const std::string& where) : lines_(text, where), where_(where) {}

  Result<std::vector<EmbeddingTable>> read() {
    for (string_view line; lines_.next(line);) {
      if (line.empty() || line.starts_with('#')) continue;
      if (!split_csv_row(line, cells_, kept_)) return wrong("a quoted cell has no closing quote");
      if (auto fine = columns_ > 0 ? row() : header(); !fine) return tl::unexpected(fine.error());
      if (tables_.size() > kMaxEmbeddingTables)
        return fail(Errc::limit_exceeded, lines_.place(),
                    fmt::format("more than {} tables", kMaxEmbeddingTables));
    }
    if (tables_.empty()) return fail(Errc::input_empty, where_, "has no tables");
    return std::move(tables_);
  }

 private:
  [[nodiscard]] tl::unexpected<Error> wrong(std::string what) const {
    return fail(Errc::input_corrupt, lines_.place(), std::move(what),
                "name,rows,features,pooling,format,reuse");
  }
  [[nodiscard]] tl::unexpected<Error> out_of_range(TableCell cell) const {
    return fail(Errc::input_range, lines_.place(),
                fmt::format("{} is not a valid value of {}", in_quotes(cells_[*at_[cell]]),
                            kTableColumns[cell]));
  }

  Result<void> header() {
    for (std::size_t i = 0; i < cells_.size(); ++i)
      for (std::size_t column = 0; column < kTableColumns.size(); ++column)
        if (cells_[i] == kTableColumns[column] && !at_[column]) at_[column] = i;
    for (std::size_t column = 0; column <= kTablePooling; ++column)
      if (!at_[column])
        return fail(Errc::input_missing_attr, lines_.place(),
                    fmt::format("column {} is missing", kTableColumns[column]),
                    "name,rows,features,pooling,format,reuse");
    columns_ = cells_.size();
    return {};
  }

  Result<void> row() {
    if (cells_.size() != columns_)
      return wrong(
          fmt::format("the row has {} cells, the header {} columns", cells_.size(), columns_));
    EmbeddingTable table;
    table.name = cells_[*at_[kTableName]];
    if (table.name.empty() || printable(table.name) != table.name)
      return wrong("the name of the table is missing or not printable");
    if (!names_.insert(table.name).second)
      return fail(Errc::input_duplicate_id, lines_.place(),
                  fmt::format("two tables are called {}", in_quotes(table.name)));
    for (const auto& [cell, value] :
         {std::pair{kTableRows, &table.rows}, std::pair{kTableFeatures, &table.features}}) {
      const auto number = parse_number(std::string(cells_[*at_[cell]]));
      if (!number || !(*number >= 1) || *number > kMaxTableCell || *number != std::floor(*number))
        return out_of_range(cell);
      *value = static_cast<std::int64_t>(*number);
    }
    const auto pooling = parse_number(std::string(cells_[*at_[kTablePooling]]));
    if (!pooling || !(*pooling > 0) || *pooling > 1e6) return out_of_range(kTablePooling);
    table.pooling = *pooling;
    if (auto fine = format(table); !fine) return fine;
    if (auto fine = reuse(table); !fine) return fine;
    tables_.push_back(std::move(table));
    return {};
  }

  Result<void> format(EmbeddingTable& table) {
    const string_view cell = at_[kTableFormat] ? cells_[*at_[kTableFormat]] : string_view();
    if (cell.empty()) return {};
    const auto known = graph::format_of(cell);
    if (!known || graph::bits_of(*known) == 0) return out_of_range(kTableFormat);
    table.format = *known;
    return {};
  }

  Result<void> reuse(EmbeddingTable& table) {
    string_view rest = at_[kTableReuse] ? cells_[*at_[kTableReuse]] : string_view();
    if (rest.empty()) return {};
    model::ReuseHistogram shares{};
    double sum = 0;
    for (double& share : shares) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      const auto number = parse_number(std::string(rest.substr(0, end)));
      rest.remove_prefix(std::min(rest.size(), end + 1));
      if (!number || !(*number >= 0 && *number <= 1)) return out_of_range(kTableReuse);
      sum += share = *number;
    }
    if (!rest.empty() || !(std::abs(sum - 1) <= 0.05)) return out_of_range(kTableReuse);
    for (double& share : shares) share /= sum;
    table.reuse = shares;
    return {};
  }

  TrimmedLineReader lines_;
  const std::string& where_;
  std::vector<string_view> cells_;
  std::vector<std::string> kept_;
  std::array<std::optional<std::size_t>, kTableColumns.size()> at_;
  std::size_t columns_ = 0;
  std::set<std::string> names_;
  std::vector<EmbeddingTable> tables_;
};

}  // namespace

Result<std::vector<EmbeddingTable>> read_embedding_tables(string_view text,
                                                          const std::string& where) {
  return TableCsv(text, where).read();
}

}  // namespace orrery::study
