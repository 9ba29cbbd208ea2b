// SPDX-License-Identifier: Apache-2.0
//
// The summary of a step: for a terminal, as JSON and on the page.
#pragma once

#include <string>
#include <string_view>

#include "orrery/analysis/metrics/run_digest.h"
#include "orrery/core/time_provenance.h"
#include "orrery/report/answer/answer.h"

namespace orrery::report {

/// From the step time to the models. JSON (docs/reference/run.md): null for what is unknown.
/// `all`: people read every kind of communication, not only four.
void state_digest(Answer& answer, const analysis::Digest& digest, bool all = false);

/// "network analytical (no congestion); compute: recorded durations; orrery rules"
[[nodiscard]] std::string models_text(const analysis::Digest& digest);

/// Step time by provenance: a list of `basis` and `time_ns`.
void write_time_by_provenance(JsonWriter& json, std::string_view name,
                              const TimeByProvenance& time_by_provenance);

}  // namespace orrery::report
