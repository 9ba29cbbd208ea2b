// SPDX-License-Identifier: Apache-2.0
//
// A run that was read from a run file, in short: as text and as JSON.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/analysis/metrics.h"
#include "orrery/report/json.h"
#include "orrery/report/text.h"
#include "orrery/result/run.h"

namespace orrery::present {

/// What a run is of: "llama on two-nodes", "run" when it does not say.
[[nodiscard]] std::string title_of(const result::Run& run);

/// part / step, 0 when there is no step.
[[nodiscard]] double share_of_step(const result::Run& run, Time part);

/// The name of a span at `rank`, or "node 17" where it has none, or "-" where the run file does not
/// hold the span. Fit to be printed.
[[nodiscard]] std::string label_of(const result::Run& run, std::uint32_t rank, std::uint32_t span);

/// "network analytical (no congestion); compute: recorded durations; orrery rules"
[[nodiscard]] std::string models_of(const result::Run& run);

/// What people quote: "throughput" and, where a device's peak is known, "utilisation".
[[nodiscard]] std::vector<std::pair<std::string, std::string>> throughput_lines(
    const analysis::Throughput& speed, std::size_t devices, FlopRate peak,
    std::string_view precision);

/// A dozen lines for people; `all`: however many it takes.
[[nodiscard]] std::string summary_text(const result::Run& run, report::Style style,
                                       bool all = false);

/// The value of "result" in the envelope.
void write_summary(report::JsonWriter& json, const result::Run& run);

}  // namespace orrery::present
