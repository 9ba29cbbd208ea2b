// SPDX-License-Identifier: Apache-2.0
//
// A case study: a space of runs, the columns of its table, and what was published, to be put
// beside it.
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

/// How a published figure, or something that runs are made of, is known.
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

/// Which of several runs a published figure is about.
enum class Aggregate : std::uint8_t { one, maximum, mean, minimum };

/// A column of the table: a figure, or how many times a figure of another run is this one's.
struct Column {
  std::string metric, title, unit;
  ReferenceRun over;
  std::int64_t decimals = 1;

  static constexpr auto fields = std::tuple{
      config::field("metric", &Column::metric, "what it shows of a run").required(),
      config::field("title", &Column::title, "above it").by_default("the metric's"),
      config::field("over", &Column::over,
                    "the figure of the run that has other choices there, divided by this run's: "
                    "of times, a speed-up"),
      config::field("unit", &Column::unit, "`us`, `ms`, `GB/s` … for all of it")
          .by_default("what suits each"),
      config::field("decimals", &Column::decimals, "behind the point",
                    config::between(0, static_cast<double>(limits::kDecimals)))};

  /// Of what stands in it.
  [[nodiscard]] Unit value_unit() const;
};

/// A figure that somebody published.
struct PublishedFigure {
  std::string what, column, value, source, cause, why_not;
  RunFilter runs;
  Aggregate of = Aggregate::one;
  Evidence mark = Evidence::notes;
  bool assumed = false;

  static constexpr auto fields = std::tuple{
      config::field("what", &PublishedFigure::what, "what it is, in words").required(),
      config::field("value", &PublishedFigure::value, "as it was published, with its unit")
          .required(),
      config::field("mark", &PublishedFigure::mark, "how it is known").required(),
      config::field("source", &PublishedFigure::source, "where it stands").required(),
      config::field("column", &PublishedFigure::column,
                    "the title of the column with our figure, or `best: ratio`"),
      config::field("runs", &PublishedFigure::runs, "of which runs").by_default("all"),
      config::field("of", &PublishedFigure::of, "`one`: of the only one; else of all of them"),
      config::field("assumed", &PublishedFigure::assumed,
                    "inputs of the paper's run are not known, ours are assumed"),
      config::field("cause", &PublishedFigure::cause, "why ours differs"),
      config::field("why_not", &PublishedFigure::why_not,
                    "without a column: why there is no figure")};
};

/// Something that runs are made of.
struct StudyInput {
  std::string what, value, source;
  Evidence mark = Evidence::assumed;

  static constexpr auto fields =
      std::tuple{config::field("what", &StudyInput::what, "what it is, in words").required(),
                 config::field("value", &StudyInput::value, "what the runs have").required(),
                 config::field("mark", &StudyInput::mark, "how it is known").required(),
                 config::field("source", &StudyInput::source, "where it stands")};
};

/// Bars of a column, grouped by all axes but one, which has the colours.
struct BarChart {
  std::string title, colours;
  std::vector<std::string> columns;
  RunFilter runs;

  static constexpr auto fields =
      std::tuple{config::field("title", &BarChart::title, "above it").required(),
                 config::field("columns", &BarChart::columns,
                               "titles of columns: one, or several times that make up a bar",
                               config::between(1, 8))
                     .required(),
                 config::field("colours", &BarChart::colours, "an axis; with one column"),
                 config::field("runs", &BarChart::runs, "that it shows").by_default("all")};
};

/// Who is best along an axis, of those that fit: a table of its own, with a row for each
/// combination of the other axes.
struct BestAlong {
  std::string axis, column, ratio;
  std::vector<std::string> memory;

  static constexpr auto fields = std::tuple{
      config::field("axis", &BestAlong::axis, "whose choices stand against each other").required(),
      config::field("column", &BestAlong::column,
                    "the title of the column in which the least is best")
          .required(),
      config::field("memory", &BestAlong::memory,
                    "a row for each of these, too: what a device has in all, in place of what its "
                    "cluster says; e.g. `80 GB`",
                    config::between(1, limits::kChoices)),
      config::field("ratio", &BestAlong::ratio,
                    "the title of one more column: the first row's best divided by this row's; of "
                    "times, a speed-up")};
};

/// The file.
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
      config::field("version", &CaseStudyFile::version, "of this format", config::between(1, 1)),
      config::field("title", &CaseStudyFile::title, "what to call it").required(),
      config::field("about", &CaseStudyFile::about, "what it is about, in a sentence or two"),
      config::field("source", &CaseStudyFile::source, "whose study it is"),
      config::field("cluster", &CaseStudyFile::cluster, "a cluster file's keys, of all runs"),
      config::field("job", &CaseStudyFile::job, "a workload specification's keys, of all runs"),
      config::field("collective", &CaseStudyFile::collective, "instead of a job, of all runs"),
      config::field("split", &CaseStudyFile::split,
                    "instead of a job and without a cluster: bandwidth to be split, of all runs"),
      config::field("calculon", &CaseStudyFile::calculon,
                    "likewise: a step by Calculon's rules, of all runs"),
      config::field("axes", &CaseStudyFile::axes, "along which runs differ; all combinations run",
                    config::between(0, limits::kAxes)),
      config::field("leave_out", &CaseStudyFile::leave_out, "combinations that do not run",
                    config::between(0, limits::kChoices)),
      config::field("columns", &CaseStudyFile::columns, "of the table",
                    config::between(1, limits::kColumns))
          .required(),
      config::field("inputs", &CaseStudyFile::inputs, "how what runs are made of is known",
                    config::between(0, limits::kFigures)),
      config::field("published", &CaseStudyFile::published, "figures to stand beside ours",
                    config::between(0, limits::kFigures)),
      config::field("best", &CaseStudyFile::best, "who is best along an axis, of those that fit"),
      config::field("picture", &CaseStudyFile::picture, "bars of a column")};
};

struct CaseStudy {
  std::string name;
  CaseStudyFile file;
  RunGrid space;
  std::vector<GridRun> runs;

  /// Of that title; the file has it.
  [[nodiscard]] std::size_t column(std::string_view title) const;
  /// Whether the figure is one of the best.
  [[nodiscard]] bool of_best(const PublishedFigure& figure) const {
    return !figure.column.empty() && figure.column == file.best.ratio;
  }
};

/// A case study's text. `where` errors say it is. Errc: config_*, limit_exceeded.
[[nodiscard]] Result<CaseStudy> parse_case_study(std::string_view text, const std::string& where);

/// One that is built in.
struct BuiltIn {
  std::string_view name, text;
};
[[nodiscard]] std::vector<BuiltIn> builtin_studies();

/// By the name of one that is built in, or by its file (which has a slash or ends with .yaml, .yml
/// or .json). Errc: usage for a name that nobody has; those of parse_case_study.
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
