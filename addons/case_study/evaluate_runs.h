// SPDX-License-Identifier: Apache-2.0
//
// All runs of a space, by a few threads, with what is known of earlier.
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
  std::string file;           ///< where results are kept; empty: nowhere
  /// One call at a time, from any thread; may be empty.
  std::function<void(std::size_t done, std::size_t of)> progress{};
};

/// Of one run.
struct RunResult {
  std::optional<Error> error;  ///< it could not be simulated, and `values` are none
  MetricValues values{};
};

struct RunResults {
  std::vector<RunResult> runs;  ///< as asked
  std::size_t simulated = 0;    ///< all others were known
  std::size_t out_of_date = 0;  ///< of these: stored, but inputs or models changed since
};

/// The same for any number of threads, and whether or not some were known: also the file's bytes,
/// which in the end has the runs' lines in their order. A run that fails is asked again next time.
/// Errc: limit_exceeded, config_not_found, output_failed, all of the file.
[[nodiscard]] Result<RunResults> evaluate_runs(const RunGrid& space, std::span<const GridRun> runs,
                                               const CaseRunOptions& options);

}  // namespace orrery::case_study
