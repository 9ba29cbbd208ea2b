// SPDX-License-Identifier: Apache-2.0
#include "addons/case_study/run_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"

namespace orrery::case_study {

namespace {

using Names = std::vector<std::string_view>;

Names names_of(const std::vector<GridAxis>& axes) {
  Names names;
  for (const GridAxis& axis : axes) names.emplace_back(axis.name);
  return names;
}
Names names_of(const GridAxis& axis) {
  Names names;
  for (const AxisChoice& choice : axis.choices) names.emplace_back(choice.name);
  return names;
}

Result<void> check_names(const Names& names, const std::string& where, std::string_view what) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string place = fmt::format("{}/{}/name", where, i);
    if (names[i].empty()) return fail(Errc::config_range, place, "is empty");
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i))
      return fail(Errc::config_range, place,
                  fmt::format("another {} has the name {}", what, in_quotes(names[i])));
  }
  return {};
}

/// Replaces the path in a fragment by the content of the file.
Result<void> load(explore::FileFragment& tree, const std::string& where, const std::string& key) {
  if (!tree.value.is_string()) return {};
  namespace fs = std::filesystem;
  const fs::path named(tree.value.get<std::string>());
  const std::string path =
      (named.is_absolute() ? named : fs::path(where).parent_path() / named).string();
  auto text = config::read_text(path);
  if (!text) {
    Error error = text.error();
    error.hint = fmt::format("{}:/{} names it, relative to the folder of that file", where, key);
    return tl::unexpected(std::move(error));
  }
  auto read = config::parse_yaml(*text, path);
  if (!read) return tl::unexpected(read.error());
  if (!read->is_object()) return fail(Errc::config_type, path, "is not a mapping");
  tree.value = *std::move(read);
  return {};
}

void lay_over(Json& onto, const explore::FileFragment& tree) {
  if (tree.value.is_null()) return;
  if (onto.is_null()) onto = Json::object();
  onto.merge_patch(tree.value);
}

Result<void> check_run(const RunGrid& space, const GridRun& run) {
  const auto wrong = [&](std::string_view what, std::string_view hint) {
    return fail(
        Errc::config_conflict, space.where,
        fmt::format("{} {}", run.at.empty() ? "the run" : "the run " + words(space, run), what),
        std::string(hint));
  };
  const int asks = (run.job.is_null() ? 0 : 1) + (run.collective.is_null() ? 0 : 1) +
                   (run.split.is_null() ? 0 : 1) + (run.calculon.is_null() ? 0 : 1);
  if (run.cluster.is_null() && run.split.is_null() && run.calculon.is_null())
    return wrong("has no cluster", "set `cluster`");
  if (asks != 1)
    return wrong(asks == 0 ? "has neither a job nor a collective"
                           : "has more than one of a job, a collective, a split and calculon",
                 "set one of `job`, `collective`, `split` and `calculon`");
  return {};
}

GridRun run_at(const RunGrid& space, const std::vector<std::size_t>& digits) {
  GridRun run{{},
              space.cluster.value,
              space.job.value,
              space.collective.value,
              space.split.value,
              space.calculon.value};
  for (std::size_t a = 0; a < digits.size(); ++a) {
    const AxisChoice& choice = space.axes[a].choices[digits[a]];
    run.at.push_back(choice.name);
    lay_over(run.cluster, choice.cluster);
    lay_over(run.job, choice.job);
    lay_over(run.collective, choice.collective);
    lay_over(run.split, choice.split);
    lay_over(run.calculon, choice.calculon);
  }
  return run;
}

/// Increments the digits, last digit fastest. Returns false after the last combination.
bool next(const RunGrid& space, std::vector<std::size_t>& digits) {
  for (std::size_t a = digits.size(); a-- > 0;) {
    if (++digits[a] < space.axes[a].choices.size()) return true;
    digits[a] = 0;
  }
  return false;
}

}  // namespace

Result<void> resolve_grid(RunGrid& space) {
  const std::string axes = space.where + ":/axes";
  if (auto fine = check_names(names_of(space.axes), axes, "axis"); !fine) return fine;
  double runs = 1;
  for (std::size_t a = 0; a < space.axes.size(); ++a) {
    const std::string choices = fmt::format("{}/{}/choices", axes, a);
    if (auto fine = check_names(names_of(space.axes[a]), choices, "choice"); !fine) return fine;
    for (std::size_t c = 0; c < space.axes[a].choices.size(); ++c) {
      AxisChoice& choice = space.axes[a].choices[c];
      for (const auto& [tree, key] :
           {std::pair{&choice.cluster, "cluster"}, std::pair{&choice.job, "job"},
            std::pair{&choice.split, "split"}, std::pair{&choice.calculon, "calculon"}}) {
        auto read = load(*tree, space.where, fmt::format("axes/{}/choices/{}/{}", a, c, key));
        if (!read) return read;
      }
    }
    runs *= static_cast<double>(space.axes[a].choices.size());
  }
  if (runs > static_cast<double>(limits::kRuns))
    return fail(Errc::limit_exceeded, axes,
                fmt::format("{:.0f} combinations exceed the limit of {}", runs, limits::kRuns));
  for (std::size_t i = 0; i < space.leave_out.size(); ++i) {
    auto fine = check_place(space, space.leave_out[i], fmt::format("/leave_out/{}", i));
    if (!fine) return fine;
  }
  if (auto read = load(space.cluster, space.where, "cluster"); !read) return read;
  if (auto read = load(space.job, space.where, "job"); !read) return read;
  if (auto read = load(space.split, space.where, "split"); !read) return read;
  return load(space.calculon, space.where, "calculon");
}

Result<std::vector<GridRun>> runs_of(const RunGrid& space) {
  std::vector<GridRun> runs;
  std::vector<std::size_t> digits(space.axes.size(), 0);
  do {
    GridRun run = run_at(space, digits);
    const bool left_out = std::any_of(space.leave_out.begin(), space.leave_out.end(),
                                      [&](const RunFilter& p) { return is_at(space, run.at, p); });
    if (left_out) continue;
    if (auto fine = check_run(space, run); !fine) return tl::unexpected(fine.error());
    runs.push_back(std::move(run));
  } while (next(space, digits));
  if (runs.empty())
    return fail(Errc::config_range, space.where + ":/leave_out", "excludes all runs");
  return runs;
}

Result<void> check_place(const RunGrid& space, const RunFilter& place, const std::string& path) {
  for (const auto& [name, choices] : place.at) {
    const std::string at = space.where + ":" + config::pointer(path, name);
    const auto axis =
        std::find_if(space.axes.begin(), space.axes.end(),
                     [&, &wanted = name](const GridAxis& a) { return a.name == wanted; });
    if (axis == space.axes.end())
      return fail(Errc::config_range, at, "unknown axis", did_you_mean(name, names_of(space.axes)));
    const Names known = names_of(*axis);
    for (const std::string& choice : choices)
      if (std::find(known.begin(), known.end(), choice) == known.end())
        return fail(Errc::config_range, at,
                    fmt::format("{} is not a choice of this axis", in_quotes(choice)),
                    did_you_mean(choice, known));
  }
  return {};
}

Result<void> check_other(const RunGrid& space, const ReferenceRun& other, const std::string& path) {
  RunFilter both;
  for (const ReferenceRun::Axis& axis : other.axes) {
    both.at.emplace_back(axis.name, std::vector<std::string>{});
    for (const auto& [own, choice] : axis.choices) {
      if (!own.empty()) both.at.back().second.push_back(own);
      both.at.back().second.push_back(choice);
    }
  }
  return check_place(space, both, path);
}

bool is_at(const RunGrid& space, const std::vector<std::string>& at, const RunFilter& place) {
  return std::all_of(place.at.begin(), place.at.end(), [&](const auto& wanted) {
    for (std::size_t a = 0; a < space.axes.size(); ++a)
      if (space.axes[a].name == wanted.first)
        return std::find(wanted.second.begin(), wanted.second.end(), at[a]) != wanted.second.end();
    return false;
  });
}

std::string words(const RunGrid& space, const GridRun& run) {
  std::string text;
  for (std::size_t a = 0; a < run.at.size(); ++a)
    text += fmt::format("{}{}: {}", a == 0 ? "" : ", ", space.axes[a].name, run.at[a]);
  return text;
}

}  // namespace orrery::case_study
