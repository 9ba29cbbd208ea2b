// SPDX-License-Identifier: Apache-2.0
//
// Evaluates all runs of a space on several threads, reusing stored results.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "addons/case_study/run_grid.h"
#include "addons/case_study/stored_runs.h"
#include "orrery/core/error.h"

namespace orrery::case_study {

struct CaseRunOptions {
  std::uint32_t threads = 0;  ///< 0: all cores
  std::string file;           ///< file of stored results; empty: results are not stored
  /// Called by any thread, one call at a time; may be empty.
  std::function<void(std::size_t done, std::size_t of)> progress{};
};

/// The result of one run.
struct RunResult {
  std::optional<Error> error;  ///< why the simulation failed; `values` are then empty
  MetricValues values{};
};

struct RunResults {
  std::vector<RunResult> runs;  ///< in the order of the request
  std::size_t simulated = 0;    ///< newly simulated; all others were stored
  /// Runs in `simulated` with a stored result whose inputs or models have changed.
  std::size_t out_of_date = 0;
};

/// The result, including the bytes of the file, does not depend on the number of threads or on
/// stored results. The file finally contains the lines of the runs in order. A failed run is
/// simulated again by the next call. Errc: limit_exceeded, config_not_found, output_failed, all for
/// the file.
[[nodiscard]] Result<RunResults> evaluate_runs(const RunGrid& space, std::span<const GridRun> runs,
                                               const CaseRunOptions& options);

}  // namespace orrery::case_study
