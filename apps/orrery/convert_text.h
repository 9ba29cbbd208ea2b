// SPDX-License-Identifier: Apache-2.0
//
// What linking and converting found, for people and as JSON.
#pragma once

#include <string>

#include "orrery/intake/job/job.h"
#include "orrery/report/json.h"
#include "orrery/report/text.h"

namespace orrery::app {

/// A table of ranks: operators, how they were linked, device work and how it was attached.
[[nodiscard]] std::string link_table(const intake::JobReport& report, report::Style style);
/// A table of ranks: nodes, edges, communications, successors of device nodes.
[[nodiscard]] std::string conversion_table(const intake::JobReport& report, report::Style style);
/// `"ranks": […]`: the same as data.
void write_ranks(report::JsonWriter& json, const intake::JobReport& report);

}  // namespace orrery::app
