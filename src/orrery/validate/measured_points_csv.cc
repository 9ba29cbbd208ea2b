// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <type_traits>
#include <variant>

#include "orrery/core/text/csv.h"
#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/study/questions/job_description.h"
#include "orrery/validate/measured_points_internal.h"

namespace orrery::validate {

namespace {

using std::string_view;

/// What a cell sets; monostate: nothing, the column is for readers.
using CellTarget = std::variant<std::monostate, std::string MeasuredPoint::*,
                                double MeasuredPoint::*, std::vector<std::string> MeasuredPoint::*,
                                std::string PointCluster::*, std::string ClusterSketch::*,
                                std::int64_t ClusterSketch::*, double ClusterSketch::*>;

struct CellName {
  string_view name;
  CellTarget target;
};
constexpr std::array<CellName, 15> kCells{{{"id", &MeasuredPoint::id},
                                           {"source", &MeasuredPoint::source},
                                           {"src", &MeasuredPoint::source},
                                           {"note", {}},
                                           {"model_name", &MeasuredPoint::model},
                                           {"gpu", &ClusterSketch::gpu},
                                           {"n", &ClusterSketch::devices},
                                           {"dom", &ClusterSketch::island_devices},
                                           {"nvl", &ClusterSketch::island_bandwidth},
                                           {"ib", &ClusterSketch::network_bandwidth},
                                           {"cluster", &PointCluster::cluster},
                                           {"measured_s", &MeasuredPoint::seconds},
                                           {"prec", &PointCluster::prec},
                                           {"assumed", &MeasuredPoint::assumed},
                                           {"why_not", &MeasuredPoint::skip_reason}}};

struct Column {
  const CellName* cell = nullptr;  ///< null: `path`
  std::string path;                ///< of the specification
};

/// The path of a name without dots: that of the option of `orrery run`.
std::optional<std::string> option_path(string_view name) {
  for (const study::JobDescriptionKey& key : study::job_description_keys())
    if (name == key.name) return std::string(key.path);
  return std::nullopt;
}

Result<Column> column_called(string_view name, const std::string& place) {
  for (const CellName& one : kCells)
    if (one.name == name) return Column{&one, {}};
  if (name == "container" || name == "release") return Column{nullptr, "kernels.release"};
  if (const auto path = option_path(name)) return Column{nullptr, *path};
  if (name.find('.') != string_view::npos) return Column{nullptr, std::string(name)};
  std::vector<string_view> known;
  for (const CellName& one : kCells) known.push_back(one.name);
  const std::string near = did_you_mean(name, known);
  return fail(Errc::config_unknown_key, place, fmt::format("unknown column {}", in_quotes(name)),
              near.empty() ? "use keys of a point, options of orrery run, or paths of the "
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
      if (!split_csv_row(line, cells_, unquoted_))
        return fail(Errc::input_corrupt, lines_.place(),
                    "a quoted cell has no closing quote, or text after it");
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
                  fmt::format("the row has {} cells, the header {} columns", cells_.size(),
                              columns_.size()));
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
  Result<void> store(const std::string& text, Number& out) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc() || end != text.data() + text.size() || !(out >= 0) ||
        !(static_cast<double>(out) < 1e15))
      return fail(Errc::input_range, lines_.place(),
                  in_quotes(text) + " is not a valid number here");
    return {};
  }
  Result<void> store(const std::string& text, std::string& out) {
    out = text;
    return {};
  }
  Result<void> store(const std::string& text, std::vector<std::string>& out) {
    out.push_back(text);
    return {};
  }

  Result<void> take(const Column& column, const std::string& text, MeasuredPoint& point,
                    PointCluster& facts) {
    if (column.cell == nullptr) {
      if (column.path == "model" && point.model.empty()) point.model = text;
      point.question.job.set.push_back(column.path + "=" + text);
      return {};
    }
    const auto set = [&](auto member) {
      if constexpr (std::is_invocable_v<decltype(member), MeasuredPoint&>)
        return store(text, point.*member);
      else if constexpr (std::is_invocable_v<decltype(member), PointCluster&>)
        return store(text, facts.*member);
      else if constexpr (std::is_invocable_v<decltype(member), ClusterSketch&>)
        return store(text, facts.sketch.*member);
      else
        return Result<void>();
    };
    auto done = std::visit(set, column.cell->target);
    if (done && column.cell->target == CellTarget(&MeasuredPoint::seconds) && point.seconds == 0)
      return fail(Errc::input_range, lines_.place(), "the measured step is 0",
                  "leave the cell empty, and give the reason in `why_not`");
    return done;
  }

  TrimmedLineReader lines_;
  std::string source_;  // of rows without a source
  std::vector<Column> columns_;
  std::vector<string_view> cells_;
  std::vector<std::string> unquoted_;
  std::vector<MeasuredPoint> points_;
};

}  // namespace

Result<std::vector<MeasuredPoint>> parse_points_csv(string_view text, const std::string& where,
                                                    Findings& /*findings*/) {
  return CsvPoints(text, where).read();
}

}  // namespace orrery::validate
