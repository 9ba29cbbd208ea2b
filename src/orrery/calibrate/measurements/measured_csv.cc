// SPDX-License-Identifier: Apache-2.0
#include "orrery/calibrate/measurements/measured_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "orrery/calibrate/measurements/text_lines.h"
#include "orrery/core/limits.h"
#include "orrery/core/text/csv.h"
#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"

namespace orrery::calibrate {
namespace {

using std::string_view;

enum class Cell : std::uint8_t {
  device,
  library,
  version,
  collective,
  dtype,
  ranks,
  nodes,
  bytes,
  time,
  algorithm,
  protocol,
  other
};

struct CellName {
  string_view name;
  Cell cell;
};
constexpr std::array<CellName, 24> kCells{{
    {"gpu", Cell::device},          {"device", Cell::device},
    {"library", Cell::library},     {"nccl", Cell::version},
    {"rccl", Cell::version},        {"oneccl", Cell::version},
    {"version", Cell::version},     {"collective", Cell::collective},
    {"dtype", Cell::dtype},         {"type", Cell::dtype},
    {"gpus", Cell::ranks},          {"ranks", Cell::ranks},
    {"n_ranks", Cell::ranks},       {"nodes", Cell::nodes},
    {"n_nodes", Cell::nodes},       {"bytes", Cell::bytes},
    {"size", Cell::bytes},          {"latency_us", Cell::time},
    {"time_us", Cell::time},        {"us", Cell::time},
    {"algorithm", Cell::algorithm}, {"algo", Cell::algorithm},
    {"protocol", Cell::protocol},   {"proto", Cell::protocol},
}};
constexpr string_view kColumnsHint =
    "columns are gpu, library, version, collective, dtype, gpus, nodes, bytes, latency_us";

Cell cell_named(string_view name) {
  for (const CellName& one : kCells)
    if (one.name == name) return one.cell;
  return Cell::other;
}

bool is_library(string_view name) { return name == "nccl" || name == "rccl" || name == "oneccl"; }

class CsvReader {
 public:
  CsvReader(trace::ByteSource& source, const std::string& where, MeasurementSink& into)
      : lines_(source, where), into_(into) {}

  Result<void> read() {
    string_view line;
    bool has_header = false;
    while (true) {
      const Result<bool> more = lines_.next(line);
      if (!more) return tl::unexpected(more.error());
      if (!*more) return {};
      line = trim_cell(line);
      if (line.empty() || line.front() == '#') continue;
      if (!split_csv_row(line, cells_, unquoted_))
        return fail(Errc::input_corrupt, lines_.place(), "has an unclosed quote");
      const Result<void> done = has_header ? row() : header();
      if (!done) return done;
      has_header = true;
    }
  }

 private:
  Result<void> header() {
    for (const string_view name : cells_) {
      const Cell cell = cell_named(name);
      if (cell == Cell::other) {
        into_.findings.add(FindingCode::key_ignored,
                           fmt::format("{}: column {}", lines_.place(), in_quotes(name)));
      } else if (std::find(columns_.begin(), columns_.end(), cell) != columns_.end()) {
        return fail(Errc::input_corrupt, lines_.place(),
                    fmt::format("column {} duplicates another column", in_quotes(name)),
                    std::string(kColumnsHint));
      }
      if (is_library(name)) library_ = name;
      columns_.push_back(cell);
    }
    const auto has = [&](Cell cell) {
      return std::find(columns_.begin(), columns_.end(), cell) != columns_.end();
    };
    if (!has(Cell::bytes) || !has(Cell::time))
      return fail(Errc::input_corrupt, lines_.place(), "the header has no column for bytes or time",
                  std::string(kColumnsHint));
    if (!has(Cell::collective) && into_.options.collective.empty())
      return fail(Errc::input_missing_attr, lines_.place(),
                  "the header has no column for the collective", std::string(kColumnsHint));
    return {};
  }

  Result<void> row() {
    if (cells_.size() != columns_.size())
      return fail(Errc::input_corrupt, lines_.place(),
                  fmt::format("{} cells, but the header has {}", cells_.size(), columns_.size()));
    MeasuredCollective out;
    out.library = library_;
    string_view collective;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (columns_[i] == Cell::collective) collective = cells_[i];
      if (auto taken = take(columns_[i], cells_[i], out); !taken) return taken;
    }
    if (collective.empty()) collective = into_.options.collective;
    const Collective* const known = find_collective(collective);
    if (known == nullptr && !is_unmodeled_collective(collective)) {
      std::vector<string_view> names;
      for (const Collective& one : collectives()) names.push_back(one.name);
      return fail(Errc::input_corrupt, lines_.place(),
                  in_quotes(collective) + " is not a collective", did_you_mean(collective, names));
    }
    if (known == nullptr || out.bytes == 0) {
      into_.findings.add(FindingCode::measurement_left_out, lines_.place());
      return {};
    }
    out.collective = known->name;
    return add_row(std::move(out), lines_.place(), into_);
  }

  Result<void> take(Cell cell, string_view text, MeasuredCollective& out) {
    constexpr auto kMaxRanks = static_cast<std::int64_t>(limits::kRanks);
    constexpr std::int64_t kMaxBytes = std::int64_t{1} << 62;
    switch (cell) {
      case Cell::device:
        out.device = name_text(text);
        return {};
      case Cell::library:
        out.library = name_text(text);
        return {};
      case Cell::version:
        out.version = name_text(text);
        return {};
      case Cell::dtype:
        out.dtype = name_text(text);
        return {};
      case Cell::ranks:
        return integer(text, kMaxRanks, out.ranks);
      case Cell::nodes:
        return integer(text, kMaxRanks, out.nodes);
      case Cell::bytes:
        return integer(text, kMaxBytes, out.bytes);
      case Cell::time:
        return time(text, out.time_us);
      case Cell::algorithm:
        out.algorithm = setting_text(text);
        return {};
      case Cell::protocol:
        out.protocol = setting_text(text);
        return {};
      case Cell::collective:
      case Cell::other:
        return {};
    }
    return {};
  }

  template <class Number>
  Result<void> integer(string_view text, std::int64_t maximum, Number& into) {
    if (text.empty()) return {};  // not stated
    const Result<std::int64_t> number = parse_integer(text, lines_.place());
    if (!number)
      return fail(Errc::input_corrupt, lines_.place(), in_quotes(text) + " is not a whole number");
    if (*number < 0 || *number > maximum)
      return fail(Errc::input_range, lines_.place(),
                  fmt::format("{} is out of range: 0 to {}", *number, maximum));
    into = static_cast<Number>(*number);
    return {};
  }

  Result<void> time(string_view text, double& into) {
    const Result<double> number = parse_number(text, lines_.place());
    if (!number)
      return fail(Errc::input_corrupt, lines_.place(),
                  in_quotes(text) + " is not a time in microseconds",
                  "remove rows that were not measured");
    if (!(*number > 0) || !(*number < kMaxTimeUs))
      return fail(Errc::input_range, lines_.place(),
                  fmt::format("a time of {} us, but times must be above 0 and below {:g}", *number,
                              kMaxTimeUs),
                  "remove rows that were not measured");
    into = *number;
    return {};
  }

  TextLines lines_;
  MeasurementSink& into_;
  std::vector<Cell> columns_;
  std::string library_;  // from the name of a column
  std::vector<string_view> cells_;
  std::vector<std::string> unquoted_;
};

}  // namespace

bool is_csv_header(std::string_view line) {
  std::vector<string_view> cells;
  std::vector<std::string> retained;
  if (!split_csv_row(trim_cell(line), cells, retained)) return false;
  const auto has = [&](Cell cell) {
    return std::any_of(cells.begin(), cells.end(),
                       [&](string_view name) { return cell_named(name) == cell; });
  };
  return has(Cell::bytes) && has(Cell::time);
}

Result<void> read_measured_csv(trace::ByteSource& source, const std::string& where,
                               MeasurementSink& into) {
  return CsvReader(source, where, into).read();
}

}  // namespace orrery::calibrate
