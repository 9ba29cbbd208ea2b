// SPDX-License-Identifier: Apache-2.0
//
// A case study: a space of runs, the columns of its table, and the published values to compare
// with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "addons/case_study/limits.h"
#include "addons/case_study/run_grid.h"
#include "addons/case_study/run_metrics.h"
#include "orrery/core/error.h"

namespace orrery::case_study {

/// The evidence for a published value or for an input of runs.
enum class Evidence : std::uint8_t {
  artifact,
  abstract,
  notes,
  slides,
  poster,
  measured,
  hardware,
  recalled,
  reconstructed,
  assumed
};
/// "A", "Abs", "N", "S", "P", "M", "H", "?", "R", "-"
[[nodiscard]] std::string_view letter(Evidence mark);
/// "read in the authors' slides"
[[nodiscard]] std::string_view about(Evidence mark);

/// How several runs are combined for a published value.
enum class Aggregate : std::uint8_t { one, maximum, mean, minimum };

/// A column of the table: a metric, or the ratio of the metric of another run to that of this run.
struct Column {
  std::string metric, title, unit;
  ReferenceRun over;
  std::int64_t decimals = 1;

  static constexpr auto fields =
      std::tuple{config::field("metric", &Column::metric, "the metric in the column").required(),
                 config::field("title", &Column::title, "title of the column")
                     .by_default("title of the metric"),
                 config::field("over", &Column::over,
                               "the metric of the run with these other choices, divided by that of "
                               "this run; for times, a speed-up"),
                 config::field("unit", &Column::unit, "`us`, `ms`, `GB/s` …, for the entire column")
                     .by_default("chosen for each value"),
                 config::field("decimals", &Column::decimals, "digits after the decimal point",
                               config::between(0, static_cast<double>(limits::kDecimals)))};

  /// The unit of its values.
  [[nodiscard]] Unit value_unit() const;
};

/// A published value.
struct PublishedFigure {
  std::string what, column, value, source, cause, why_not;
  RunFilter runs;
  Aggregate of = Aggregate::one;
  Evidence mark = Evidence::notes;
  bool assumed = false;

  static constexpr auto fields = std::tuple{
      config::field("what", &PublishedFigure::what, "description of the figure").required(),
      config::field("value", &PublishedFigure::value, "published value, with its unit").required(),
      config::field("mark", &PublishedFigure::mark, "evidence for the value").required(),
      config::field("source", &PublishedFigure::source, "source of the value").required(),
      config::field("column", &PublishedFigure::column,
                    "title of the column with our value, or `best: ratio`"),
      config::field("runs", &PublishedFigure::runs, "runs that the figure describes")
          .by_default("all"),
      config::field("of", &PublishedFigure::of,
                    "how several runs are combined; `one`: there is only one run"),
      config::field("assumed", &PublishedFigure::assumed,
                    "the inputs of the paper's run are unknown, ours are assumed"),
      config::field("cause", &PublishedFigure::cause, "why our value differs"),
      config::field("why_not", &PublishedFigure::why_not,
                    "without a column: why we have no value")};
};

/// An input of the runs.
struct StudyInput {
  std::string what, value, source;
  Evidence mark = Evidence::assumed;

  static constexpr auto fields =
      std::tuple{config::field("what", &StudyInput::what, "description of the input").required(),
                 config::field("value", &StudyInput::value, "value in the runs").required(),
                 config::field("mark", &StudyInput::mark, "evidence for the value").required(),
                 config::field("source", &StudyInput::source, "source of the value")};
};

/// Bars for a column, grouped by all axes except the one that determines the colors.
struct BarChart {
  std::string title, colors;
  std::vector<std::string> columns;
  RunFilter runs;

  static constexpr auto fields =
      std::tuple{config::field("title", &BarChart::title, "title of the chart").required(),
                 config::field("columns", &BarChart::columns,
                               "titles of columns: one, or several times that are stacked to a bar",
                               config::between(1, 8))
                     .required(),
                 config::field("colors", &BarChart::colors,
                               "axis that determines the colors; with one column"),
                 config::field("runs", &BarChart::runs, "runs in the chart").by_default("all")};
};

/// A separate table of the best choice along an axis, among the runs that fit in memory, with one
/// row per combination of choices along the other axes.
struct BestAlong {
  std::string axis, column, ratio;
  std::vector<std::string> memory;

  static constexpr auto fields = std::tuple{
      config::field("axis", &BestAlong::axis, "axis whose choices are compared").required(),
      config::field("column", &BestAlong::column,
                    "title of the column whose smallest value is best")
          .required(),
      config::field("memory", &BestAlong::memory,
                    "additional rows, one for each total memory of a device instead of the memory "
                    "in the cluster file; e.g. `80 GB`",
                    config::between(1, limits::kChoices)),
      config::field("ratio", &BestAlong::ratio,
                    "title of an additional column: the best value of the first row, divided by "
                    "that of this row; for times, a speed-up")};
};

/// The content of a case-study file.
struct CaseStudyFile {
  std::int64_t version = 1;
  std::string title, about, source;
  explore::FileFragment cluster, job, collective, split, calculon;
  std::vector<GridAxis> axes;
  RunFilters leave_out;
  std::vector<Column> columns;
  std::vector<StudyInput> inputs;
  std::vector<PublishedFigure> published;
  BestAlong best;
  BarChart picture;

  static constexpr auto fields = std::tuple{
      config::field("version", &CaseStudyFile::version, "version of this format",
                    config::between(1, 1)),
      config::field("title", &CaseStudyFile::title, "title of the case study").required(),
      config::field("about", &CaseStudyFile::about, "description in one or two sentences"),
      config::field("source", &CaseStudyFile::source, "publication of the study"),
      config::field("cluster", &CaseStudyFile::cluster, "keys of a cluster file, for all runs"),
      config::field("job", &CaseStudyFile::job, "keys of a workload specification, for all runs"),
      config::field("collective", &CaseStudyFile::collective,
                    "instead of a job: a collective, for all runs"),
      config::field("split", &CaseStudyFile::split,
                    "instead of a job and a cluster: bandwidth to split, for all runs"),
      config::field("calculon", &CaseStudyFile::calculon,
                    "instead of a job and a cluster: a step by Calculon's rules, for all runs"),
      config::field("axes", &CaseStudyFile::axes,
                    "axes along which runs differ; all combinations run",
                    config::between(0, limits::kAxes)),
      config::field("leave_out", &CaseStudyFile::leave_out, "combinations that do not run",
                    config::between(0, limits::kChoices)),
      config::field("columns", &CaseStudyFile::columns, "columns of the table",
                    config::between(1, limits::kColumns))
          .required(),
      config::field("inputs", &CaseStudyFile::inputs, "inputs of the runs and their evidence",
                    config::between(0, limits::kFigures)),
      config::field("published", &CaseStudyFile::published,
                    "published figures to compare with ours", config::between(0, limits::kFigures)),
      config::field("best", &CaseStudyFile::best,
                    "the best choice along an axis, of those that fit"),
      config::field("picture", &CaseStudyFile::picture, "bar chart of a column")};
};

struct CaseStudy {
  std::string name;
  CaseStudyFile file;
  RunGrid space;
  std::vector<GridRun> runs;

  /// The index of the column with this title, which must exist.
  [[nodiscard]] std::size_t column(std::string_view title) const;
  /// Whether the published value refers to the table of best choices.
  [[nodiscard]] bool of_best(const PublishedFigure& figure) const {
    return !figure.column.empty() && figure.column == file.best.ratio;
  }
};

/// Parses the text of a case study. `where` is its location for errors. Errc: config_*,
/// limit_exceeded.
[[nodiscard]] Result<CaseStudy> parse_case_study(std::string_view text, const std::string& where);

/// A built-in case study.
struct BuiltIn {
  std::string_view name, text;
};
[[nodiscard]] std::vector<BuiltIn> builtin_studies();

/// Reads a built-in case study by its name, or a file (its name has a slash or ends with .yaml,
/// .yml or .json). Errc: usage for an unknown name; those of parse_case_study.
[[nodiscard]] Result<CaseStudy> read_case_study(const std::string& name);

}  // namespace orrery::case_study

namespace orrery::config {

template <>
struct EnumNames<case_study::Evidence> {
  static constexpr std::array<EnumName<case_study::Evidence>, 10> names{
      {{"artifact", case_study::Evidence::artifact},
       {"abstract", case_study::Evidence::abstract},
       {"notes", case_study::Evidence::notes},
       {"slides", case_study::Evidence::slides},
       {"poster", case_study::Evidence::poster},
       {"measured", case_study::Evidence::measured},
       {"hardware", case_study::Evidence::hardware},
       {"recalled", case_study::Evidence::recalled},
       {"reconstructed", case_study::Evidence::reconstructed},
       {"assumed", case_study::Evidence::assumed}}};
};

template <>
struct EnumNames<case_study::Aggregate> {
  static constexpr std::array<EnumName<case_study::Aggregate>, 4> names{
      {{"one", case_study::Aggregate::one},
       {"most", case_study::Aggregate::maximum},
       {"mean", case_study::Aggregate::mean},
       {"least", case_study::Aggregate::minimum}}};
};

}  // namespace orrery::config
