// SPDX-License-Identifier: Apache-2.0
#include "orrery/space/case_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "orrery/core/check.h"
#include "orrery/core/suggest.h"
#include "orrery/core/text.h"

namespace orrery::space {

namespace {

Result<void> check_columns(CaseStudy& study) {
  for (std::size_t i = 0; i < study.file.columns.size(); ++i) {
    Column& column = study.file.columns[i];
    const std::string path = fmt::format("/columns/{}", i), where = study.space.where + ":" + path;
    const auto metric = metric_named(column.metric);
    if (!metric) {
      std::vector<std::string_view> names;
      for (const MetricInfo& one : metrics()) names.push_back(one.name);
      return fail(Errc::config_range, where + "/metric",
                  fmt::format("there is no metric {}", in_quotes(column.metric)),
                  did_you_mean(column.metric, names).empty() ? "they are: " + join(names)
                                                             : did_you_mean(column.metric, names));
    }
    if (column.title.empty()) column.title = info(*metric).title;
    if (!column.unit.empty() && !scale_of(column.value_unit(), column.unit))
      return fail(Errc::config_unit, where + "/unit",
                  fmt::format("{} is no unit of {}", in_quotes(column.unit), column.metric));
    if (auto fine = check_other(study.space, column.over, path + "/over"); !fine) return fine;
    for (std::size_t j = 0; j < i; ++j)
      if (study.file.columns[j].title == column.title)
        return fail(Errc::config_range, where + "/title",
                    fmt::format("another column is called {}, too", in_quotes(column.title)));
  }
  return {};
}

Result<void> check_title(const CaseStudy& study, const std::string& title,
                         const std::string& path) {
  std::vector<std::string_view> titles;
  for (const Column& column : study.file.columns) titles.emplace_back(column.title);
  if (std::find(titles.begin(), titles.end(), title) != titles.end()) return {};
  return fail(Errc::config_range, study.space.where + ":" + path,
              fmt::format("there is no column {}", in_quotes(title)), did_you_mean(title, titles));
}

Result<void> check_figure(const CaseStudy& study, const Published& figure,
                          const std::string& path) {
  const std::string where = study.space.where + ":" + path;
  if (figure.column.empty()) {
    if (!figure.why_not.empty()) return {};
    return fail(Errc::config_missing_key, where + "/column", "is missing",
                "the title of a column, or `why_not` to say why there is none");
  }
  const bool best = study.of_best(figure);
  if (!best)
    if (auto fine = check_title(study, figure.column, path + "/column"); !fine) return fine;
  if (auto fine = check_place(study.space, figure.runs, path + "/runs"); !fine) return fine;
  const Unit unit =
      best ? Unit::ratio : study.file.columns[study.column(figure.column)].value_unit();
  if (auto read = parse(figure.value, unit, where + "/value"); !read)
    return tl::unexpected(read.error());
  const auto runs = std::count_if(study.runs.begin(), study.runs.end(), [&](const Run& run) {
    return is_at(study.space, run.at, figure.runs);
  });
  if (runs == 0 || (figure.of == Of::one && (best || runs > 1)))
    return fail(Errc::config_range, where + "/runs",
                fmt::format("{} runs are there; {}", runs,
                            figure.of == Of::one ? "it has to be one" : "it has to be some"),
                "`of: most`, `mean` or `least` is about several");
  return {};
}

Result<void> check_axis(const CaseStudy& study, const std::string& axis, const std::string& path) {
  Place place;
  place.at.emplace_back(axis, std::vector<std::string>{});
  if (check_place(study.space, place, "")) return {};
  return fail(Errc::config_range, study.space.where + ":" + path,
              fmt::format("there is no axis {}", in_quotes(axis)));
}

Result<void> check_best(const CaseStudy& study) {
  const Best& best = study.file.best;
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
                fmt::format("a column is called {}, too", in_quotes(best.ratio)));
  return {};
}

Result<void> check_picture(const CaseStudy& study) {
  const Picture& picture = study.file.picture;
  for (std::size_t i = 0; i < picture.columns.size(); ++i) {
    auto fine = check_title(study, picture.columns[i], fmt::format("/picture/columns/{}", i));
    if (!fine) return fine;
  }
  if (auto fine = check_place(study.space, picture.runs, "/picture/runs"); !fine) return fine;
  if (picture.colours.empty()) return {};
  return check_axis(study, picture.colours, "/picture/colours");
}

}  // namespace

std::string_view letter(Mark mark) {
  constexpr std::string_view kLetters[] = {"A", "Abs", "N", "S", "P", "M", "H", "?", "R", "-"};
  return kLetters[static_cast<std::size_t>(mark)];
}

std::string_view about(Mark mark) {
  constexpr std::string_view kAbout[] = {
      "read in the authors' published code or files",
      "read in the paper's abstract",
      "read in somebody's notes on the paper, which name its pages",
      "read in the authors' slides",
      "read on the authors' poster",
      "measured with the authors' program",
      "measured on machines",
      "remembered of the paper, and not read again",
      "worked out here",
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
  if (auto fine = settle(study.space); !fine) return tl::unexpected(fine.error());
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
  for (const BuiltIn& one : built_in_studies()) {
    if (one.name == name) {
      auto study = parse_case_study(one.text, name);
      if (study) study->name = name;
      return study;
    }
    names.push_back(one.name);
  }
  if (!names_file(name))
    return fail(Errc::usage, "NAME", fmt::format("there is no case study {}", in_quotes(name)),
                did_you_mean(name, names).empty()
                    ? "they are: " + join(names) + "; a file of your own ends with .yaml"
                    : did_you_mean(name, names));
  auto text = config::read_text(name);
  if (!text) return tl::unexpected(text.error());
  auto study = parse_case_study(*text, name);
  if (study) study->name = std::filesystem::path(name).stem().string();
  return study;
}

}  // namespace orrery::space
