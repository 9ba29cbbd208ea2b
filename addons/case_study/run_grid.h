// SPDX-License-Identifier: Apache-2.0
//
// A space of runs: what all of them have in common, axes along which they differ, and their
// product.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "addons/case_study/limits.h"
#include "addons/case_study/run_filter.h"
#include "orrery/core/error.h"
#include "orrery/explore/space/file_fragment.h"

namespace orrery::case_study {

/// What a run is asked about. Trees hold what a cluster file, a job's specification, a
/// collective (CollectiveSpec), a split of bandwidth (SplitSpec) and Calculon's files would.
struct AxisChoice {
  std::string name;
  explore::FileFragment cluster, job, collective, split,
      calculon;  ///< laid over what the space and earlier axes say

  static constexpr auto fields = std::tuple{
      config::field("name", &AxisChoice::name, "what to call it").required(),
      config::field("cluster", &AxisChoice::cluster, "keys of the cluster file that it sets"),
      config::field("job", &AxisChoice::job, "keys of the workload specification that it sets"),
      config::field("collective", &AxisChoice::collective, "keys of the collective that it sets"),
      config::field("split", &AxisChoice::split, "keys of the split that it sets"),
      config::field("calculon", &AxisChoice::calculon, "keys of Calculon's files that it sets")};
};

struct GridAxis {
  std::string name;
  std::vector<AxisChoice> choices;

  static constexpr auto fields = std::tuple{
      config::field("name", &GridAxis::name, "what to call it").required(),
      config::field("choices", &GridAxis::choices, "along it", config::between(1, limits::kChoices))
          .required()};
};

/// `where` it was read, for errors and for the files that it names.
struct RunGrid {
  std::string where;
  explore::FileFragment cluster, job, collective, split, calculon;
  std::vector<GridAxis> axes;
  std::vector<RunFilter> leave_out;
};

/// One of its runs.
struct GridRun {
  std::vector<std::string> at;                     ///< a choice for each axis
  Json cluster, job, collective, split, calculon;  ///< one of the last four is not null
};

/// Names are there once, places exist, and files that trees name are read in their place.
/// Errc: config_*, limit_exceeded.
[[nodiscard]] Result<void> resolve_grid(RunGrid& space);

/// The product of a settled space's axes, the last one fastest, without what is left out. A mapping
/// of a choice is merged into what was there key by key, null takes a key away, everything else
/// replaces it (RFC 7386). Errc: config_conflict (a run of a job or a collective without a
/// cluster; with none of job, collective, split and calculon, or with several), config_range (no
/// run is left), limit_exceeded.
[[nodiscard]] Result<std::vector<GridRun>> runs_of(const RunGrid& space);

/// Whether the place's axes and choices are there. Errc: config_range at `path` of the file.
[[nodiscard]] Result<void> check_place(const RunGrid& space, const RunFilter& place,
                                       const std::string& path);

[[nodiscard]] Result<void> check_other(const RunGrid& space, const ReferenceRun& other,
                                       const std::string& path);

/// Whether a run that is at these choices is there.
[[nodiscard]] bool is_at(const RunGrid& space, const std::vector<std::string>& at,
                         const RunFilter& place);

/// "order: baseline, chunks: 64"
[[nodiscard]] std::string words(const RunGrid& space, const GridRun& run);

}  // namespace orrery::case_study
