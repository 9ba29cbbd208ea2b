// SPDX-License-Identifier: Apache-2.0
//
// Simulates one run of a space.
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

/// A collective, for runs that consist of a single one.
struct CollectiveSpec {
  std::string type;
  Bytes size{};
  std::int64_t group = 0;

  static constexpr auto fields = std::tuple{
      config::field(
          "type", &CollectiveSpec::type,
          "type of the collective: `all_reduce`, `all_gather`, `reduce_scatter` or `all_to_all`")
          .required(),
      config::field("size", &CollectiveSpec::size,
                    "size of the complete buffer: the larger of input and output of one rank",
                    config::at_least(1))
          .required(),
      config::field("group", &CollectiveSpec::group,
                    "consecutive ranks per group; all groups run concurrently",
                    config::between(0, 16777216))
          .by_default("all")};
};

/// The collective with this name. Errc: config_range.
[[nodiscard]] Result<graph::CollectiveType> collective_type(const std::string& word,
                                                            const std::string& where);

/// A hash of all inputs of a run and the version of the program: 64 hexadecimal digits. Files that
/// clusters refer to count by their paths.
[[nodiscard]] std::string digest(const GridRun& run);

/// Simulates the run. `where`: the location of its file, for errors and for paths in its cluster.
/// Errc: those of reading clusters and jobs and of simulating; stall.
[[nodiscard]] Result<study::Outcome> simulate(const GridRun& run, const std::string& where);

/// The metrics of the outcome.
[[nodiscard]] MetricValues values_of(const study::Outcome& outcome, const GridRun& run);

}  // namespace orrery::case_study
