// SPDX-License-Identifier: Apache-2.0
#include "addons/kernel_fitting/training/measured_lookups.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "orrery/core/text/csv.h"
#include "orrery/core/text/text.h"
#include "orrery/model/kernels/learned/model_file_format.h"

namespace orrery::model {
namespace {

using std::string_view;

enum RowCell {
  kCellName,
  kCellDevice,
  kCellPass,
  kCellUs,
  kCellBatch,
  kCellRows,
  kCellPooling,
  kCellFeatures,
  kCellReuse
};
constexpr std::array<string_view, 9> kRowColumns = {
    "lookup", "device", "pass", "us", "batch", "rows", "pooling", "features", "reuse"};
constexpr std::int64_t kMaxCell = 1ll << 40;

class LookupCsv {
 public:
  LookupCsv(string_view text, const std::string& where) : lines_(text, where), where_(where) {}

  Result<std::vector<MeasuredLookup>> read() {
    bool has_header = false;
    for (string_view line; lines_.next(line);) {
      if (line.empty() || line.starts_with('#')) continue;
      if (!split_csv_row(line, cells_, kept_)) return wrong("has an unclosed quote");
      auto fine = has_header ? row() : header();
      if (!fine) return tl::unexpected(fine.error());
      has_header = true;
      if (++rows_ > kMaxLookupRows)
        return fail(Errc::limit_exceeded, lines_.place(),
                    fmt::format("more than {} rows", kMaxLookupRows));
    }
    if (lookups_.empty()) return fail(Errc::input_empty, where_, "contains no lookups");
    return std::move(lookups_);
  }

 private:
  [[nodiscard]] tl::unexpected<Error> wrong(std::string what) const {
    return fail(Errc::input_corrupt, lines_.place(), std::move(what),
                "lookup,device,pass,us,batch,rows,pooling,features,reuse");
  }
  [[nodiscard]] tl::unexpected<Error> out_of_range(RowCell cell) const {
    return fail(
        Errc::input_range, lines_.place(),
        fmt::format("{} is not a valid {}", in_quotes(cells_[*at_[cell]]), kRowColumns[cell]));
  }

  Result<void> header() {
    for (std::size_t i = 0; i < cells_.size(); ++i)
      for (std::size_t column = 0; column < kRowColumns.size(); ++column)
        if (cells_[i] == kRowColumns[column] && !at_[column]) at_[column] = i;
    for (std::size_t column = 0; column < kCellReuse; ++column)
      if (!at_[column])
        return fail(Errc::input_missing_attr, lines_.place(),
                    fmt::format("no column is named {}", kRowColumns[column]),
                    "lookup,device,pass,us,batch,rows,pooling,features,reuse");
    columns_ = cells_.size();
    return {};
  }

  Result<void> row() {
    if (cells_.size() != columns_)
      return wrong(fmt::format("{} cells, but {} columns", cells_.size(), columns_));
    MeasuredLookup is;
    is.device = cells_[*at_[kCellDevice]];
    if (is.device.empty() || is.device.find_first_of(" \t") != std::string::npos ||
        printable(is.device) != is.device)
      return wrong("a device must be one word");
    const string_view pass = cells_[*at_[kCellPass]];
    is.backward = pass == "backward";
    if (pass != "forward" && !is.backward) return wrong("a pass must be forward or backward");
    LookupTable table;
    if (!read_number(cells_[*at_[kCellUs]], is.us) || !(is.us > 1e-6) || !(is.us < 1e12))
      return out_of_range(kCellUs);
    if (!read_number(cells_[*at_[kCellPooling]], table.pooling) || !(table.pooling >= 0) ||
        !(table.pooling < 1e12))
      return out_of_range(kCellPooling);
    for (const auto& [cell, value] :
         {std::pair{kCellBatch, &table.batch}, std::pair{kCellRows, &table.rows},
          std::pair{kCellFeatures, &table.features}})
      if (!read_number(cells_[*at_[cell]], *value) || *value < 1 || *value > kMaxCell)
        return out_of_range(cell);
    if (auto fine = reuse(table); !fine) return fine;
    const string_view name = cells_[*at_[kCellName]];
    if (lookups_.empty() || name != name_) {
      name_ = name;
      lookups_.push_back(std::move(is));
    } else if (const MeasuredLookup& begun = lookups_.back();
               begun.device != is.device || begun.backward != is.backward || begun.us != is.us) {
      return wrong("the tables of one lookup differ in device, pass or time");
    }
    lookups_.back().tables.push_back(table);
    return {};
  }

  Result<void> reuse(LookupTable& table) {
    string_view rest = at_[kCellReuse] ? cells_[*at_[kCellReuse]] : string_view();
    if (rest.empty()) {
      const double lookups = table.pooling * static_cast<double>(table.batch);
      if (!(lookups <= 0x1p50)) return out_of_range(kCellPooling);
      table.shares = uniform_shares(table.rows, std::max<std::int64_t>(1, std::llround(lookups)));
      return {};
    }
    double sum = 0;
    for (double& share : table.shares) {
      if (!read_number(next_token(rest), share) || !(share >= 0 && share <= 1))
        return out_of_range(kCellReuse);
      sum += share;
    }
    if (!rest.empty() || !(std::abs(sum - 1) <= 0.05)) return out_of_range(kCellReuse);
    for (double& share : table.shares) share /= sum;
    return {};
  }

  TrimmedLineReader lines_;
  const std::string& where_;
  std::vector<string_view> cells_;
  std::vector<std::string> kept_;
  std::array<std::optional<std::size_t>, kRowColumns.size()> at_;
  std::size_t columns_ = 0, rows_ = 0;
  std::string name_;
  std::vector<MeasuredLookup> lookups_;
};

}  // namespace

Result<std::vector<MeasuredLookup>> read_lookup_rows(string_view text, const std::string& where) {
  return LookupCsv(text, where).read();
}

std::string write_lookup_rows(std::span<const MeasuredLookup> lookups) {
  std::string text = "lookup,device,pass,us,batch,rows,pooling,features,reuse\n";
  for (std::size_t i = 0; i < lookups.size(); ++i) {
    const MeasuredLookup& is = lookups[i];
    for (const LookupTable& table : is.tables) {
      text += fmt::format("{},{},{},{},{},{},{},{},", i, is.device,
                          is.backward ? "backward" : "forward", is.us, table.batch, table.rows,
                          table.pooling, table.features);
      for (std::size_t bin = 0; bin < kReuseBins; ++bin)
        text += fmt::format("{}{}", bin == 0 ? "" : " ", table.shares[bin]);
      text += '\n';
    }
  }
  return text;
}

}  // namespace orrery::model
