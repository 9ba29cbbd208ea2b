// SPDX-License-Identifier: Apache-2.0
//
// A run for people, whether it has just been simulated or was kept in a file.
#pragma once

#include <string>

#include "orrery/analysis/metrics/run_digest.h"
#include "orrery/report/terminal_text.h"
#include "orrery/study/questions/outcome/outcome.h"

namespace orrery::present {

/// What a run is of: "llama on two-nodes", "run" when it does not say.
[[nodiscard]] std::string title_of(const result::Run& run);

/// "network analytical (no congestion); compute: recorded durations; orrery rules"
[[nodiscard]] std::string models_text(const analysis::Digest& digest);

/// A dozen lines; `all`: however many it takes.
[[nodiscard]] std::string summary_text(const study::Outcome& outcome, report::Style style,
                                       bool all = false);
[[nodiscard]] std::string summary_text(const result::Run& run, report::Style style,
                                       bool all = false);
/// The envelope of a run that was kept.
[[nodiscard]] std::string summary_json(const result::Run& run);

/// Why the run could not finish.
[[nodiscard]] std::string stall_text(const study::Outcome& outcome, report::Style style);

}  // namespace orrery::present
