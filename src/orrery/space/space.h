// SPDX-License-Identifier: Apache-2.0
//
// A space of runs: what all of them have in common, axes along which they differ, and their
// product.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/space/limits.h"
#include "orrery/space/tree.h"

namespace orrery::space {

/// What a run is asked about. Trees hold what a cluster file, a job's specification, a
/// collective (CollectiveAsked), a split of bandwidth (SplitAsked) and Calculon's files would.
struct Choice {
  std::string name;
  Tree cluster, job, collective, split,
      calculon;  ///< laid over what the space and earlier axes say

  static constexpr auto fields = std::tuple{
      config::field("name", &Choice::name, "what to call it").required(),
      config::field("cluster", &Choice::cluster, "keys of the cluster file that it sets"),
      config::field("job", &Choice::job, "keys of the workload specification that it sets"),
      config::field("collective", &Choice::collective, "keys of the collective that it sets"),
      config::field("split", &Choice::split, "keys of the split that it sets"),
      config::field("calculon", &Choice::calculon, "keys of Calculon's files that it sets")};
};

struct Axis {
  std::string name;
  std::vector<Choice> choices;

  static constexpr auto fields = std::tuple{
      config::field("name", &Axis::name, "what to call it").required(),
      config::field("choices", &Axis::choices, "along it", config::between(1, limits::kChoices))
          .required()};
};

/// `where` it was read, for errors and for the files that it names.
struct Space {
  std::string where;
  Tree cluster, job, collective, split, calculon;
  std::vector<Axis> axes;
  std::vector<Place> leave_out;
};

/// One of its runs.
struct Run {
  std::vector<std::string> at;                     ///< a choice for each axis
  Json cluster, job, collective, split, calculon;  ///< one of the last four is not null
};

/// Names are there once, places exist, and files that trees name are read in their place.
/// Errc: config_*, limit_exceeded.
[[nodiscard]] Result<void> settle(Space& space);

/// The product of a settled space's axes, the last one fastest, without what is left out. A mapping
/// of a choice is merged into what was there key by key, null takes a key away, everything else
/// replaces it (RFC 7386). Errc: config_conflict (a run of a job or a collective without a
/// cluster; with none of job, collective, split and calculon, or with several), config_range (no
/// run is left), limit_exceeded.
[[nodiscard]] Result<std::vector<Run>> runs_of(const Space& space);

/// Whether the place's axes and choices are there. Errc: config_range at `path` of the file.
[[nodiscard]] Result<void> check_place(const Space& space, const Place& place,
                                       const std::string& path);

[[nodiscard]] Result<void> check_other(const Space& space, const Other& other,
                                       const std::string& path);

/// Whether a run that is at these choices is there.
[[nodiscard]] bool is_at(const Space& space, const std::vector<std::string>& at,
                         const Place& place);

/// "order: baseline, chunks: 64"
[[nodiscard]] std::string words(const Space& space, const Run& run);

}  // namespace orrery::space
