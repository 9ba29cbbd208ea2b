// SPDX-License-Identifier: Apache-2.0
//
// One run of a space, simulated.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "addons/case_study/run_grid.h"
#include "addons/case_study/run_metrics.h"
#include "orrery/core/error.h"
#include "orrery/core/quantity.h"
#include "orrery/study/questions/outcome/outcome.h"

namespace orrery::case_study {

/// A collective that is all a run does.
struct CollectiveSpec {
  std::string type;
  Bytes size{};
  std::int64_t group = 0;

  static constexpr auto fields = std::tuple{
      config::field("type", &CollectiveSpec::type,
                    "`all_reduce`, `all_gather`, `reduce_scatter` or `all_to_all`")
          .required(),
      config::field("size", &CollectiveSpec::size,
                    "of the whole buffer: what a rank puts in or gets, whichever is more",
                    config::at_least(1))
          .required(),
      config::field("group", &CollectiveSpec::group,
                    "ranks side by side that do it together, all such groups at once",
                    config::between(0, 16777216))
          .by_default("all")};
};

/// The collective of that name. Errc: config_range.
[[nodiscard]] Result<graph::CollectiveType> collective_type(const std::string& word,
                                                            const std::string& where);

/// Everything that a run's figures follow from, as 64 hexadecimal digits: what it is asked and the
/// program's version. Files that clusters name by path count as their paths.
[[nodiscard]] std::string digest(const GridRun& run);

/// The run, simulated. `where` it was read, for errors and for paths that its cluster names.
/// Errc: those of reading clusters and jobs and of simulating; stall.
[[nodiscard]] Result<study::Outcome> simulate(const GridRun& run, const std::string& where);

/// What is kept of it.
[[nodiscard]] MetricValues values_of(const study::Outcome& outcome, const GridRun& run);

}  // namespace orrery::case_study
