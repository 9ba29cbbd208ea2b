// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "orrery/core/text/csv.h"
#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/study/questions/job_description.h"
#include "orrery/validate/measured_points_internal.h"

namespace orrery::validate {

namespace {

using std::string_view;

enum class Cell : std::uint8_t {
  id,
  source,
  note,
  model,
  gpu,
  n,
  dom,
  nvl,
  ib,
  cluster,
  measured,
  prec,
  assumed,
  skip_reason,
  path  // of the specification
};

struct CellName {
  string_view name;
  Cell cell;
};
constexpr std::array<CellName, 15> kCells{{{"id", Cell::id},
                                           {"source", Cell::source},
                                           {"src", Cell::source},
                                           {"note", Cell::note},
                                           {"model_name", Cell::model},
                                           {"gpu", Cell::gpu},
                                           {"n", Cell::n},
                                           {"dom", Cell::dom},
                                           {"nvl", Cell::nvl},
                                           {"ib", Cell::ib},
                                           {"cluster", Cell::cluster},
                                           {"measured_s", Cell::measured},
                                           {"prec", Cell::prec},
                                           {"assumed", Cell::assumed},
                                           {"why_not", Cell::skip_reason}}};

struct Column {
  Cell cell = Cell::path;
  std::string path;  ///< of the specification
};

/// The path of a name without points: that of the option of `orrery run`.
std::optional<std::string> option_path(string_view name) {
  for (const study::JobDescriptionKey& key : study::job_description_keys())
    if (name == key.name) return std::string(key.path);
  return std::nullopt;
}

Result<Column> column_called(string_view name, const std::string& place) {
  for (const CellName& one : kCells)
    if (one.name == name) return Column{one.cell, {}};
  if (const auto path = option_path(name)) return Column{Cell::path, *path};
  if (name.find('.') != string_view::npos) return Column{Cell::path, std::string(name)};
  std::vector<string_view> known;
  for (const CellName& one : kCells) known.push_back(one.name);
  const std::string near = did_you_mean(name, known);
  return fail(Errc::config_unknown_key, place,
              fmt::format("column {} means nothing", in_quotes(name)),
              near.empty() ? "columns are a point's keys, options of orrery run, and paths of the "
                             "specification (docs/reference/workload.md)"
                           : near);
}

class CsvPoints {
 public:
  CsvPoints(string_view text, const std::string& where)
      : lines_(text, where), source_(std::filesystem::path(where).stem().string()) {}

  Result<std::vector<MeasuredPoint>> read() {
    string_view line;
    while (lines_.next(line)) {
      if (line.empty() || line.front() == '#') continue;
      if (!split_csv_row(line, cells_, kept_))
        return fail(Errc::input_corrupt, lines_.place(), "a quoted cell does not end, or goes on");
      auto fine = columns_.empty() ? read_columns() : read_point();
      if (!fine) return tl::unexpected(fine.error());
    }
    return std::move(points_);
  }

 private:
  Result<void> read_columns() {
    for (const string_view name : cells_) {
      auto column = column_called(name, lines_.place());
      if (!column) return tl::unexpected(column.error());
      columns_.push_back(*std::move(column));
    }
    return {};
  }

  Result<void> read_point() {
    if (cells_.size() != columns_.size())
      return fail(Errc::input_corrupt, lines_.place(),
                  fmt::format("{} cells for {} columns", cells_.size(), columns_.size()));
    MeasuredPoint point;
    point.place = lines_.place();
    point.source = source_;
    PointCluster facts;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (cells_[i].empty()) continue;
      if (auto fine = take(columns_[i], std::string(cells_[i]), point, facts); !fine) return fine;
    }
    point.gpu = facts.sketch.gpu.empty() ? facts.cluster : facts.sketch.gpu;
    complete_point(point, facts);
    points_.push_back(std::move(point));
    return {};
  }

  template <class Number>
  Result<void> number(const std::string& text, Number& out) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc() || end != text.data() + text.size() || !(out >= 0) ||
        !(static_cast<double>(out) < 1e15))
      return fail(Errc::input_range, lines_.place(),
                  in_quotes(text) + " is no number that fits here");
    return {};
  }

  Result<void> take(const Column& column, std::string text, MeasuredPoint& point,
                    PointCluster& facts) {
    switch (column.cell) {
      case Cell::id:
        point.id = std::move(text);
        break;
      case Cell::source:
        point.source = std::move(text);
        break;
      case Cell::note:
        break;
      case Cell::model:
        point.model = std::move(text);
        break;
      case Cell::gpu:
        facts.sketch.gpu = std::move(text);
        break;
      case Cell::n:
        return number(text, facts.sketch.n);
      case Cell::dom:
        return number(text, facts.sketch.dom);
      case Cell::nvl:
        return number(text, facts.sketch.nvl);
      case Cell::ib:
        return number(text, facts.sketch.ib);
      case Cell::cluster:
        facts.cluster = std::move(text);
        break;
      case Cell::measured:
        if (auto fine = number(text, point.seconds); !fine) return fine;
        if (point.seconds == 0)
          return fail(Errc::input_range, lines_.place(), "a step of no time was not measured",
                      "leave the cell empty, and say why in `why_not`");
        break;
      case Cell::prec:
        facts.prec = std::move(text);
        break;
      case Cell::assumed:
        point.assumed.push_back(std::move(text));
        break;
      case Cell::skip_reason:
        point.skip_reason = std::move(text);
        break;
      case Cell::path:
        if (column.path == "model" && point.model.empty()) point.model = text;
        point.question.job.set.push_back(column.path + "=" + text);
        break;
    }
    return {};
  }

  TrimmedLineReader lines_;
  std::string source_;  // unless a row says it
  std::vector<Column> columns_;
  std::vector<string_view> cells_;
  std::vector<std::string> kept_;
  std::vector<MeasuredPoint> points_;
};

}  // namespace

Result<std::vector<MeasuredPoint>> parse_points_csv(string_view text, const std::string& where,
                                                    Findings& /*findings*/) {
  return CsvPoints(text, where).read();
}

}  // namespace orrery::validate
