// SPDX-License-Identifier: Apache-2.0
#include "addons/case_study/case_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "addons/case_study/case_study_reference.h"
#include "addons/case_study/simulation_run.h"
#include "addons/case_study/split_run.h"
#include "orrery/core/check.h"
#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"

namespace orrery::case_study {

namespace {

Result<void> check_columns(CaseStudy& study) {
  for (std::size_t i = 0; i < study.file.columns.size(); ++i) {
    Column& column = study.file.columns[i];
    const std::string path = fmt::format("/columns/{}", i), where = study.space.where + ":" + path;
    const auto metric = metric_named(column.metric);
    if (!metric) {
      std::vector<std::string_view> names;
      for (const RunMetricInfo& one : metrics()) names.push_back(one.name);
      return fail(Errc::config_range, where + "/metric",
                  fmt::format("unknown metric {}", in_quotes(column.metric)),
                  did_you_mean(column.metric, names).empty() ? "metrics: " + join(names)
                                                             : did_you_mean(column.metric, names));
    }
    if (column.title.empty()) column.title = info(*metric).title;
    if (!column.unit.empty() && !scale_of(column.value_unit(), column.unit))
      return fail(Errc::config_unit, where + "/unit",
                  fmt::format("{} is not a unit of {}", in_quotes(column.unit), column.metric));
    if (auto fine = check_other(study.space, column.over, path + "/over"); !fine) return fine;
    for (std::size_t j = 0; j < i; ++j)
      if (study.file.columns[j].title == column.title)
        return fail(Errc::config_range, where + "/title",
                    fmt::format("another column has the title {}", in_quotes(column.title)));
  }
  return {};
}

Result<void> check_title(const CaseStudy& study, const std::string& title,
                         const std::string& path) {
  std::vector<std::string_view> titles;
  for (const Column& column : study.file.columns) titles.emplace_back(column.title);
  if (std::find(titles.begin(), titles.end(), title) != titles.end()) return {};
  return fail(Errc::config_range, study.space.where + ":" + path,
              fmt::format("unknown column {}", in_quotes(title)), did_you_mean(title, titles));
}

Result<void> check_figure(const CaseStudy& study, const PublishedFigure& figure,
                          const std::string& path) {
  const std::string where = study.space.where + ":" + path;
  if (figure.column.empty()) {
    if (!figure.why_not.empty()) return {};
    return fail(Errc::config_missing_key, where + "/column", "is missing",
                "give the title of a column, or `why_not` with the reason");
  }
  const bool best = study.of_best(figure);
  if (!best)
    if (auto fine = check_title(study, figure.column, path + "/column"); !fine) return fine;
  if (auto fine = check_place(study.space, figure.runs, path + "/runs"); !fine) return fine;
  const Unit unit =
      best ? Unit::ratio : study.file.columns[study.column(figure.column)].value_unit();
  if (auto read = parse(figure.value, unit, where + "/value"); !read)
    return tl::unexpected(read.error());
  const auto runs = std::count_if(study.runs.begin(), study.runs.end(), [&](const GridRun& run) {
    return is_at(study.space, run.at, figure.runs);
  });
  if (runs == 0 || (figure.of == Aggregate::one && (best || runs > 1)))
    return fail(Errc::config_range, where + "/runs",
                fmt::format("selects {} runs; {}", runs,
                            figure.of == Aggregate::one ? "must select one run"
                                                        : "must select at least one run"),
                "for several runs, use `of: most`, `mean` or `least`");
  return {};
}

Result<void> check_axis(const CaseStudy& study, const std::string& axis, const std::string& path) {
  RunFilter place;
  place.at.emplace_back(axis, std::vector<std::string>{});
  if (check_place(study.space, place, "")) return {};
  return fail(Errc::config_range, study.space.where + ":" + path,
              fmt::format("unknown axis {}", in_quotes(axis)));
}

Result<void> check_best(const CaseStudy& study) {
  const BestAlong& best = study.file.best;
  if (best.axis.empty()) return {};
  if (auto fine = check_axis(study, best.axis, "/best/axis"); !fine) return fine;
  if (auto fine = check_title(study, best.column, "/best/column"); !fine) return fine;
  for (std::size_t i = 0; i < best.memory.size(); ++i)
    if (const auto read = parse(best.memory[i], Unit::bytes,
                                fmt::format("{}:/best/memory/{}", study.space.where, i));
        !read)
      return tl::unexpected(read.error());
  if (!best.ratio.empty() && check_title(study, best.ratio, ""))
    return fail(Errc::config_range, study.space.where + ":/best/ratio",
                fmt::format("a column already has the title {}", in_quotes(best.ratio)));
  return {};
}

Result<void> check_picture(const CaseStudy& study) {
  const BarChart& picture = study.file.picture;
  for (std::size_t i = 0; i < picture.columns.size(); ++i) {
    auto fine = check_title(study, picture.columns[i], fmt::format("/picture/columns/{}", i));
    if (!fine) return fine;
  }
  if (auto fine = check_place(study.space, picture.runs, "/picture/runs"); !fine) return fine;
  if (picture.colors.empty()) return {};
  return check_axis(study, picture.colors, "/picture/colors");
}

std::string grid_reference() {
  return "# The case study file\n"
         "\n"
         "<!-- Generated from addons/case_study/case_study.h. To renew it, run the case_study "
         "tests "
         "with ORRERY_UPDATE_DOCS=1. -->\n"
         "\n"
         "One YAML or JSON document: what runs have in common, axes along which they differ, the "
         "columns of a table, and published figures to compare with. `orrery study reproduce "
         "study.yaml` "
         "runs it. The built-in case studies are in `examples/case-studies/`, and [their "
         "page](../case-studies/README.md) describes the results. `orrery schema case-study` "
         "prints "
         "the JSON Schema of this page.\n"
         "\n"
         "## Top level\n"
         "\n" +
         config::reference_table<CaseStudyFile>() +
         "\n"
         "A `cluster` has the keys of [the cluster file](cluster.md), a `job` those of [the "
         "workload "
         "specification](workload.md); either can be the name of such a file, relative to this "
         "file. "
         "A run has a job, a collective, a `split` or `calculon`; the latter two need no cluster.\n"
         "\n"
         "## axes\n"
         "\n" +
         config::reference_table<GridAxis>() + "\n## axes: choices\n\n" +
         config::reference_table<AxisChoice>() +
         "\n"
         "Choices are merged into the keys, axis by axis and key by key; null removes a key, and "
         "lists are replaced entirely (RFC 7386). At most " +
         fmt::format("{}", limits::kRuns) + " combinations.\n\n## collective\n\n" +
         config::reference_table<CollectiveSpec>() +
         "\n"
         "## split\n"
         "\n"
         "Nothing is simulated: a formula finds the split of bandwidth with the shortest time "
         "([description](../split-bandwidth.md)).\n"
         "\n" +
         config::reference_table<SplitSpec>() + "\n## split: dimensions\n\n" +
         config::reference_table<SplitDimension>() + "\n## split: jobs\n\n" +
         config::reference_table<SplitJob>() + "\n## split: jobs: collectives\n\n" +
         config::reference_table<SplitCollective>() +
         "\n"
         "## calculon\n"
         "\n"
         "Nothing is simulated: a step by [Calculon's rules](../calculon.md), with the contents of "
         "its files: `model` (application), `system`, `execution`.\n"
         "\n";
}

}  // namespace

std::string_view letter(Evidence mark) {
  constexpr std::string_view kLetters[] = {"A", "Abs", "N", "S", "P", "M", "H", "?", "R", "-"};
  return kLetters[static_cast<std::size_t>(mark)];
}

std::string_view about(Evidence mark) {
  constexpr std::string_view kAbout[] = {"read in the authors' published code or files",
                                         "read in the paper's abstract",
                                         "read in notes on the paper, with page numbers",
                                         "read in the authors' slides",
                                         "read on the authors' poster",
                                         "measured with the authors' program",
                                         "measured on machines",
                                         "recalled from the paper, not checked again",
                                         "derived here",
                                         "assumed"};
  return kAbout[static_cast<std::size_t>(mark)];
}

Unit Column::value_unit() const {
  if (!over.axes.empty()) return Unit::ratio;
  const auto known = metric_named(metric);
  return known ? info(*known).unit : Unit::ratio;
}

std::size_t CaseStudy::column(std::string_view title) const {
  const auto found = std::find_if(file.columns.begin(), file.columns.end(),
                                  [&](const Column& column) { return column.title == title; });
  ORRERY_CHECK(found != file.columns.end());
  return static_cast<std::size_t>(found - file.columns.begin());
}

Result<CaseStudy> parse_case_study(std::string_view text, const std::string& where) {
  auto tree = config::parse_yaml(text, where);
  if (!tree) return tl::unexpected(tree.error());
  CaseStudy study;
  config::Reading reading{where};
  config::read_value(*tree, "", {}, study.file, reading);
  if (reading.error) return tl::unexpected(*std::move(reading.error));
  const CaseStudyFile& file = study.file;
  study.space = {where,      file.cluster,  file.job,  file.collective,
                 file.split, file.calculon, file.axes, file.leave_out.list};
  if (auto fine = resolve_grid(study.space); !fine) return tl::unexpected(fine.error());
  auto runs = runs_of(study.space);
  if (!runs) return tl::unexpected(runs.error());
  study.runs = *std::move(runs);
  if (auto fine = check_columns(study); !fine) return tl::unexpected(fine.error());
  if (auto fine = check_best(study); !fine) return tl::unexpected(fine.error());
  for (std::size_t i = 0; i < file.published.size(); ++i) {
    auto fine = check_figure(study, file.published[i], fmt::format("/published/{}", i));
    if (!fine) return tl::unexpected(fine.error());
  }
  if (auto fine = check_picture(study); !fine) return tl::unexpected(fine.error());
  return study;
}

Result<CaseStudy> read_case_study(const std::string& name) {
  std::vector<std::string_view> names;
  for (const BuiltIn& one : builtin_studies()) {
    if (one.name == name) {
      auto study = parse_case_study(one.text, name);
      if (study) study->name = name;
      return study;
    }
    names.push_back(one.name);
  }
  if (!explore::is_file_path(name))
    return fail(Errc::usage, "NAME", fmt::format("unknown case study {}", in_quotes(name)),
                did_you_mean(name, names).empty()
                    ? "case studies: " + join(names) + "; the name of a file must end with .yaml"
                    : did_you_mean(name, names));
  auto text = config::read_text(name);
  if (!text) return tl::unexpected(text.error());
  auto study = parse_case_study(*text, name);
  if (study) study->name = std::filesystem::path(name).stem().string();
  return study;
}

// The case studies of examples/case-studies, embedded by the build (cmake/OrreryEmbed.cmake).

extern const std::string_view kThemisTutorialText, kWaferScaleText, kThemisText, kScalingText,
    kV100RingText, kTutorialsText, kCometText, kCometFootprintText, kCometMemoryText,
    kCometComputeText, kCometBandwidthText, kCometClustersText, kCometDlrmText, kMemoryPoolsText,
    kLibraText, kCalculonText;

std::vector<BuiltIn> builtin_studies() {
  return {{"themis-tutorial", kThemisTutorialText},
          {"wafer-scale", kWaferScaleText},
          {"themis", kThemisText},
          {"scaling", kScalingText},
          {"v100-ring", kV100RingText},
          {"tutorials", kTutorialsText},
          {"comet", kCometText},
          {"comet-footprint", kCometFootprintText},
          {"comet-memory", kCometMemoryText},
          {"comet-compute", kCometComputeText},
          {"comet-bandwidth", kCometBandwidthText},
          {"comet-clusters", kCometClustersText},
          {"comet-dlrm", kCometDlrmText},
          {"memory-pools", kMemoryPoolsText},
          {"libra", kLibraText},
          {"calculon", kCalculonText}};
}

std::string case_study_reference() {
  std::string text = grid_reference() +
                     "## columns\n"
                     "\n" +
                     config::reference_table<Column>() + "\n| metric | |\n|---|---|\n";
  for (const RunMetricInfo& metric : metrics())
    text += fmt::format("| `{}` | {} |\n", metric.name, metric.about);
  text += "\n## inputs\n\n" + config::reference_table<StudyInput>() + "\n| mark | |\n|---|---|\n";
  for (const auto& [word, mark] : config::EnumNames<Evidence>::names)
    text += fmt::format("| `{}` ({}) | {} |\n", word, letter(mark), about(mark));
  text += "\n## published\n\n" + config::reference_table<PublishedFigure>() + "\n## best\n\n" +
          config::reference_table<BestAlong>() +
          "\n"
          "A run fits if `needed` is at most `capacity`; if the capacity is unknown, all runs fit. "
          "The row shows the best choice and its columns.\n"
          "\n"
          "## picture\n"
          "\n" +
          config::reference_table<BarChart>();
  return text;
}

std::string case_study_schema() {
  config::OrderedJson schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                             {"title", "Orrery case study"}};
  schema.update(config::schema_of(config::Kind<CaseStudyFile>{}, {}));
  return schema.dump(2) + "\n";
}

}  // namespace orrery::case_study
