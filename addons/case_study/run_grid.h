// SPDX-License-Identifier: Apache-2.0
//
// A space of runs: common inputs, axes along which runs differ, and all combinations of choices.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "addons/case_study/limits.h"
#include "addons/case_study/run_filter.h"
#include "orrery/core/error.h"
#include "orrery/explore/space/file_fragment.h"

namespace orrery::case_study {

/// One choice along an axis. Each fragment has the keys of a cluster file, a workload
/// specification, a collective (CollectiveSpec), a bandwidth split (SplitSpec), or Calculon's
/// files.
struct AxisChoice {
  std::string name;
  explore::FileFragment cluster, job, collective, split,
      calculon;  ///< merged over the keys of the space and of earlier axes

  static constexpr auto fields = std::tuple{
      config::field("name", &AxisChoice::name, "name of the choice").required(),
      config::field("cluster", &AxisChoice::cluster,
                    "keys of the cluster file that the choice sets"),
      config::field("job", &AxisChoice::job,
                    "keys of the workload specification that the choice sets"),
      config::field("collective", &AxisChoice::collective,
                    "keys of the collective that the choice sets"),
      config::field("split", &AxisChoice::split, "keys of the split that the choice sets"),
      config::field("calculon", &AxisChoice::calculon,
                    "keys of Calculon's files that the choice sets")};
};

struct GridAxis {
  std::string name;
  std::vector<AxisChoice> choices;

  static constexpr auto fields =
      std::tuple{config::field("name", &GridAxis::name, "name of the axis").required(),
                 config::field("choices", &GridAxis::choices, "choices along the axis",
                               config::between(1, limits::kChoices))
                     .required()};
};

/// `where`: the location of the file, for errors and for relative paths.
struct RunGrid {
  std::string where;
  explore::FileFragment cluster, job, collective, split, calculon;
  std::vector<GridAxis> axes;
  std::vector<RunFilter> leave_out;
};

/// One run of the space.
struct GridRun {
  std::vector<std::string> at;                     ///< a choice for each axis
  Json cluster, job, collective, split, calculon;  ///< one of the last four is not null
};

/// Checks that names are unique and that filters refer to existing axes and choices, and replaces
/// paths in fragments by the content of the files. Errc: config_*, limit_exceeded.
[[nodiscard]] Result<void> resolve_grid(RunGrid& space);

/// All combinations of choices of a resolved space, last axis fastest, without the excluded ones.
/// The mapping of a choice is merged key by key; null removes a key; other values replace the
/// earlier ones (RFC 7386). Errc: config_conflict (a run of a job or a collective without a
/// cluster; with none of job, collective, split and calculon, or with several), config_range (no
/// run remains), limit_exceeded.
[[nodiscard]] Result<std::vector<GridRun>> runs_of(const RunGrid& space);

/// Checks that the axes and choices of a filter exist. Errc: config_range at `path` of the file.
[[nodiscard]] Result<void> check_place(const RunGrid& space, const RunFilter& place,
                                       const std::string& path);

[[nodiscard]] Result<void> check_other(const RunGrid& space, const ReferenceRun& other,
                                       const std::string& path);

/// Whether the filter selects a run with these choices.
[[nodiscard]] bool is_at(const RunGrid& space, const std::vector<std::string>& at,
                         const RunFilter& place);

/// "order: baseline, chunks: 64"
[[nodiscard]] std::string words(const RunGrid& space, const GridRun& run);

}  // namespace orrery::case_study
