// SPDX-License-Identifier: Apache-2.0
#include "orrery/calibrate/measurements/nccl_tests_row.h"

#include <algorithm>

#include "orrery/core/text/units.h"

namespace orrery::calibrate {
namespace {

constexpr std::size_t kMaxWords = 64;

bool is_number(std::string_view word) { return parse_number(word).has_value(); }

}  // namespace

std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  constexpr std::string_view kBlank = " \t\r";
  for (std::size_t at = line.find_first_not_of(kBlank); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlank, at), line.size());
    if (words.size() == kMaxWords) return {};
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kBlank, end);
  }
  return words;
}

TableLayout::Column TableLayout::column_of(std::string_view word) {
  if (word == "size" || word == "bytes") return Column::size;
  if (word == "type") return Column::type;
  if (word == "redop" || word == "op") return Column::redop;
  if (word == "root") return Column::root;
  if (word == "time") return Column::time;
  if (word == "cputime") return Column::cputime;
  if (word == "algbw") return Column::algbw;
  if (word == "busbw") return Column::busbw;
  if (word == "#wrong") return Column::wrong;
  return Column::other;
}

bool TableLayout::parse_header(std::span<const std::string_view> words) {
  const auto is_time = [](Column column) {
    return column == Column::time || column == Column::cputime;
  };
  bool has_timestamp = false;
  std::vector<Column> columns;
  for (const std::string_view word : words) {
    has_timestamp = word == "timestamp";
    if (!has_timestamp) columns.push_back(column_of(word));
  }
  const auto time = std::find_if(columns.begin(), columns.end(), is_time);
  const auto bandwidth = std::find(columns.begin(), columns.end(), Column::algbw);
  const auto size = std::find(columns.begin(), columns.end(), Column::size);
  if (size >= time || time >= bandwidth || bandwidth == columns.end()) return false;
  const auto next = std::find_if(time + 1, columns.end(), is_time);
  columns_ = columns;
  has_timestamp_ = has_timestamp;
  first_time_ = static_cast<std::size_t>(time - columns.begin());
  time_stride_ = static_cast<std::size_t>(next - time);
  return true;
}

std::optional<std::size_t> TableLayout::type_column() const {
  const auto type = std::find(columns_.begin(), columns_.end(), Column::type);
  if (type == columns_.end()) return std::nullopt;
  return static_cast<std::size_t>(type - columns_.begin());
}

bool TableLayout::parse_row(std::span<const std::string_view> words,
                            std::vector<BenchmarkRow>& rows, double& wrong) const {
  if (has_timestamp_ && words.size() > 2 && words.back().find(':') != std::string_view::npos)
    words = words.first(words.size() - 2);
  if (words.size() == columns_.size()) return add_measurements(words, columns_, rows, wrong, false);
  if (words.size() > columns_.size()) return false;
  std::vector<Column> columns = columns_;
  const std::size_t missing = columns.size() - words.size();
  const auto first_time = columns.begin() + static_cast<std::ptrdiff_t>(first_time_);
  // Runs that replay a trace print no out-of-place times.
  if (missing == time_stride_ && columns.size() == first_time_ + 2 * time_stride_) {
    columns.erase(first_time, first_time + static_cast<std::ptrdiff_t>(time_stride_));
    return add_measurements(words, columns, rows, wrong, true);
  }
  // Old versions leave reduction and root blank if the collective has none.
  const auto redop = std::find(columns.begin(), first_time, Column::redop);
  const auto root = std::find(columns.begin(), first_time, Column::root);
  const auto at = static_cast<std::size_t>(redop - columns.begin());
  if (missing == 1 && redop != first_time && is_number(words[at])) {
    columns.erase(redop);
  } else if (missing == 1 && root != first_time) {
    columns.erase(root);
  } else if (missing == 2 && redop != first_time && root != first_time) {
    columns.erase(root);
    columns.erase(std::find(columns.begin(), columns.end(), Column::redop));
  } else {
    return false;
  }
  return add_measurements(words, columns, rows, wrong, false);
}

bool TableLayout::add_measurements(std::span<const std::string_view> words,
                                   std::span<const Column> columns, std::vector<BenchmarkRow>& rows,
                                   double& wrong, bool first_absent) const {
  BenchmarkRow both;
  std::size_t at = 0;
  for (; columns[at] != Column::time && columns[at] != Column::cputime; ++at)
    if (!parse_common_cell(words[at], columns[at], both)) return false;
  bool in_place = in_place_ || first_absent;
  while (at < columns.size()) {
    BenchmarkRow row = both;
    row.in_place = in_place;
    row.host_time = columns[at] == Column::cputime;
    const bool absent = words[at] == "N/A";
    const std::size_t end = std::min(at + time_stride_, columns.size());
    for (; at < end; ++at)
      if (!absent && !parse_time_cell(words[at], columns[at], row, wrong)) return false;
    if (!absent) rows.push_back(std::move(row));
    in_place = true;
  }
  return true;
}

bool TableLayout::parse_common_cell(std::string_view word, Column column, BenchmarkRow& row) const {
  if (column == Column::type) row.dtype = name_text(word);
  if (column == Column::redop) row.reduces = word != "none";
  if (column == Column::size || column == Column::root) {
    const Result<std::int64_t> number = parse_integer(word);
    if (!number) return false;
    if (column == Column::root) row.rooted = *number >= 0;
    if (column == Column::size) row.bytes = *number;
  }
  return row.bytes >= 0;
}

bool TableLayout::parse_time_cell(std::string_view word, Column column, BenchmarkRow& row,
                                  double& wrong) {
  if (column == Column::other || word == "N/A") return true;
  const std::optional<PrintedNumber> number = parse_printed(word);
  if (!number) return false;
  if (column == Column::time || column == Column::cputime) row.time_us = *number;
  if (column == Column::algbw) row.algbw = *number;
  if (column == Column::busbw) row.busbw = *number;
  if (column == Column::wrong) wrong += number->value;
  return true;
}

}  // namespace orrery::calibrate
