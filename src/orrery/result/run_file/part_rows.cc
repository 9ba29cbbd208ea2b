// SPDX-License-Identifier: Apache-2.0
#include "orrery/result/run_file/part_rows.h"

#include <algorithm>
#include <limits>

#include "orrery/core/limits.h"

namespace orrery::result {

namespace {

// Columns of each table of parts, after `id`.
constexpr std::size_t kRows = 0, kPeriod = 1, kStored = 2;

std::int64_t multiply_add(std::int64_t factor, std::int64_t step, std::int64_t start) {
  // Wraps around; the reader checks the range of the sum.
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(factor) *
                                       static_cast<std::uint64_t>(step) +
                                   static_cast<std::uint64_t>(start));
}

int find_column(const std::vector<std::string_view>& columns, std::string_view name) {
  const auto found = std::find(columns.begin(), columns.end(), name);
  return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

}  // namespace

PartRows::PartRows(DatabaseReader& reader, const PartedTable& parted)
    : reader_(reader),
      parted_(parted),
      parts_(reader, parted.parts),
      stored_(reader, parted.stored),
      part_(parts_.columns_.size() - 1),
      width_(stored_.columns_.size()) {
  add_source("id");
  // The columns that queries see, if they are in one of the two tables.
  for (const Column& column : table(parted.name).columns) {
    const bool in_row = find_column(stored_.columns_, column.name) > 0;
    if (in_row || find_column(parts_.columns_, column.name) > 0) add_source(column.name);
  }
  if (columns_.size() > 1) return;
  for (std::size_t i = 1; i < width_; ++i) add_source(stored_.columns_[i]);
}

void PartRows::add_source(std::string_view column) {
  columns_.push_back(column);
  Source& source = sources_.emplace_back();
  source.row = find_column(stored_.columns_, column);
  if (source.row < 0) source.part = find_column(parts_.columns_, column) - 1;
  for (const SteppedColumn& each : parted_.steps) {
    if (each.column != column) continue;
    if (each.in_part)
      source.part = find_column(parts_.columns_, each.step) - 1;
    else
      source.row_step = find_column(stored_.columns_, each.step);
  }
}

bool PartRows::next(std::uint64_t row) {
  if (++read_ >= rows_ && !next_part(row)) return false;
  place_ = read_ % period_;
  repetition_ = static_cast<std::int64_t>(read_ / period_);
  return repetition_ > 0 || read_stored();
}

bool PartRows::next_part(std::uint64_t row) {
  if (!parts_.next_part(row)) {
    if (reader_.good() && stored_.next()) stored_.refuse("belongs to no part");
    return false;
  }
  for (std::int64_t& value : part_) {
    value = parts_.integer(std::numeric_limits<std::int64_t>::min(),
                           std::numeric_limits<std::int64_t>::max());
  }
  rows_ = static_cast<std::uint64_t>(part_[kRows]);
  period_ = static_cast<std::uint64_t>(part_[kPeriod]);
  read_ = 0;
  check_part(static_cast<std::uint64_t>(part_[kStored]));
  if (!reader_.good()) return false;
  repeats_ = rows_ > period_;
  cells_.clear();
  texts_.clear();
  return true;
}

void PartRows::check_part(std::uint64_t first_stored) {
  if (period_ == 0 || period_ > rows_ || rows_ > limits::kNodesPerRank)
    return parts_.refuse("does not contain a complete period");
  if (first_stored != stored_rows_)
    return parts_.refuse("its first stored row does not follow those of the previous part");
  const std::uint64_t repetitions = (rows_ + period_ - 1) / period_, repeated = rows_ - period_;
  if (repetitions > limits::kRunFileRepetitions || repeated > reader_.repeated_rows()) {
    return parts_.refuse(Errc::limit_exceeded,
                         "more than " + std::to_string(limits::kRunFileRepetitions) +
                             " repetitions, or more than " +
                             std::to_string(limits::kRunFileRepeatedRows) + " repeated rows",
                         {});
  }
  reader_.repeated_rows() -= repeated;
  reader_.note_repetitions(repetitions);
}

bool PartRows::read_stored() {
  if (!stored_.next()) {
    if (reader_.good()) parts_.refuse("has fewer stored rows than its period");
    return false;
  }
  ++stored_rows_;
  if (repeats_) copy_stored();
  return reader_.good();
}

void PartRows::copy_stored() {
  const bool is_repeated = read_ + period_ < rows_;
  for (std::size_t i = 0; i < width_; ++i) {
    const auto column = static_cast<int>(i);
    Cell& cell = cells_.emplace_back(Cell{stored_.type(column), stored_.number(column)});
    if (cell.type != sqlite::Type::text) continue;
    const auto text = stored_.raw_text(column);
    if (!text || (is_repeated && text->size() > limits::kRunFileRepeatedName))
      return stored_.refuse(Errc::limit_exceeded,
                            "a repeated row has a text of more than " +
                                std::to_string(limits::kRunFileRepeatedName) + " bytes",
                            {});
    cell.number = static_cast<std::int64_t>(texts_.size());
    texts_.emplace_back(*text);
  }
  for (const Source& source : sources_) {
    if (source.row_step >= 0 && cell(source.row_step).type != sqlite::Type::integer)
      stored_.refuse("a step is not a whole number");
  }
}

std::int64_t PartRows::computed(const Source& from) const {
  if (from.row < 0) return part_[static_cast<std::size_t>(from.part)];
  const std::int64_t first = cell(from.row).number;
  if (from.part >= 0)
    return multiply_add(repetition_, part_[static_cast<std::size_t>(from.part)], first);
  return from.row_step >= 0 ? multiply_add(repetition_, cell(from.row_step).number, first) : first;
}

std::optional<std::string_view> PartRows::text(int column) const {
  const int row = source(column).row;
  if (!repeats_) return stored_.raw_text(row);
  return texts_[static_cast<std::size_t>(cell(row).number)];
}

}  // namespace orrery::result
