// SPDX-License-Identifier: Apache-2.0
//
// Stored results: a file with one line of JSON per run, so that an interrupted study can continue.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "addons/case_study/run_grid.h"
#include "addons/case_study/run_metrics.h"
#include "orrery/core/error.h"
#include "orrery/explore/journal/freshness.h"

namespace orrery::case_study {

/// As explore::models_hash(), including this add-on and those that it uses.
[[nodiscard]] std::string_view models_hash();

/// Stored results by digest of the run.
using StoredRuns = std::map<std::string, MetricValues, std::less<>>;

/// The line of a run, with a newline.
[[nodiscard]] std::string line_of(const RunGrid& space, const GridRun& run,
                                  const std::string& digest, const MetricValues& values);

/// Parses the lines. It skips incomplete and malformed lines. If two lines are for one run, the
/// first counts, unless only the second is up to date.
[[nodiscard]] StoredRuns parse_runs(std::string_view text, explore::Freshness& fresh);

/// Reads the file; empty if it does not exist. Errc: limit_exceeded, config_not_found (it cannot be
/// read).
[[nodiscard]] Result<StoredRuns> read_runs(const std::string& path, explore::Freshness& fresh);

}  // namespace orrery::case_study
