// SPDX-License-Identifier: Apache-2.0
//
// Results that are kept: a file with a line of JSON for each run, so that a study that was broken
// off goes on where it was.
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

/// As explore::models_hash(), of this add-on and those that it uses, too.
[[nodiscard]] std::string_view models_hash();

/// By digest of the run.
using StoredRuns = std::map<std::string, MetricValues, std::less<>>;

/// One line, with a newline.
[[nodiscard]] std::string line_of(const RunGrid& space, const GridRun& run,
                                  const std::string& digest, const MetricValues& values);

/// What the lines say. Lines that are incomplete or of another form are skipped. Of two lines for
/// one run the first counts, unless only the second is up to date.
[[nodiscard]] StoredRuns parse_runs(std::string_view text, explore::Freshness& fresh);

/// Of a file; none where there is no file. Errc: limit_exceeded, config_not_found (it cannot be
/// read).
[[nodiscard]] Result<StoredRuns> read_runs(const std::string& path, explore::Freshness& fresh);

}  // namespace orrery::case_study
