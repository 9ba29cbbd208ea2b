// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/rocpd/rocpd_database.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace orrery::trace::rocpd {
namespace {

constexpr sqlite::FileExpectation kRocpd{"is not an SQLite database",
                                         "use a file written by 'rocprofv3 --output-format rocpd'",
                                         "copy it again, or run rocprofv3 again"};
constexpr std::int64_t kNull = std::numeric_limits<std::int64_t>::min();

// The names of no other tables begin with these.
constexpr std::string_view kBeginnings[] = {"rocpd_string", "rocpd_kernel_dispatch",
                                            "rocpd_memory_copy", "rocpd_region"};

}  // namespace

Result<Database> open_database(const std::string& path) { return Database::open(path, kRocpd); }

Result<Database> open_database(std::span<const std::byte> bytes, std::string where) {
  return Database::in_memory(bytes, std::move(where), kRocpd);
}

bool has_rocpd_tables(const std::string& path) {
  sqlite::FileExpectation any = kRocpd;
  any.cut = true;  // the reader of the file reports it
  const auto database = Database::open(path, any);
  return database && !suffixes_of(*database).empty();
}

std::vector<std::string> suffixes_of(const Database& database) {
  std::set<std::string> found;
  for (const std::string& table : database.tables()) {
    for (const std::string_view beginning : kBeginnings) {
      if (table.starts_with(beginning)) found.insert(table.substr(beginning.size()));
    }
  }
  return {found.begin(), found.end()};
}

Result<void> IntegerTable::read(Database& database, std::string_view table,
                                std::span<const std::string_view> columns) {
  width_ = columns.size() + 1;
  values_.clear();
  order_.clear();
  std::vector<std::string_view> wanted{"id"};
  wanted.insert(wanted.end(), columns.begin(), columns.end());
  auto rows = Rows::of(database, table, wanted);
  if (!rows) return tl::unexpected(std::move(rows.error()));
  bool ascends = true;
  while (true) {
    const auto there = rows->next();
    if (!there) return tl::unexpected(there.error());
    if (!*there) break;
    const auto id = rows->integer(0);
    if (!id) continue;
    if (!values_.empty() && values_[values_.size() - width_] >= *id) ascends = false;
    values_.push_back(*id);
    for (std::size_t i = 1; i < width_; ++i) values_.push_back(rows->integer(i).value_or(kNull));
  }
  if (ascends) return {};
  order_.reserve(values_.size() / width_);
  for (std::size_t at = 0; at < values_.size(); at += width_) order_.emplace_back(values_[at], at);
  std::sort(order_.begin(), order_.end());
  return {};
}

bool IntegerTable::any_positive(std::size_t column) const {
  for (std::size_t at = 0; at < values_.size(); at += width_) {
    if (values_[at + 1 + column] > 0) return true;
  }
  return false;
}

IntegerTable::Row IntegerTable::find(std::optional<std::int64_t> id) const {
  Row row;
  if (!id || values_.empty()) return row;
  std::size_t at = 0;
  if (order_.empty()) {
    std::size_t first = 0, last = values_.size() / width_;
    while (first < last) {
      const std::size_t middle = first + (last - first) / 2;
      if (values_[middle * width_] < *id) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    at = first * width_;
    if (at >= values_.size()) return row;
  } else {
    const auto found =
        std::lower_bound(order_.begin(), order_.end(), std::pair{*id, std::size_t{0}});
    if (found == order_.end()) return row;
    at = found->second;
  }
  if (values_[at] != *id) return row;
  for (std::size_t i = 1; i < width_; ++i) {
    if (values_[at + i] != kNull) row[i - 1] = values_[at + i];
  }
  return row;
}

}  // namespace orrery::trace::rocpd
