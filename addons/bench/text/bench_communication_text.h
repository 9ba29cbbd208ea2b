// SPDX-License-Identifier: Apache-2.0
//
// What communications took in a replay, of one rank and of several that were played together.
#pragma once

#include <string>
#include <vector>

#include "addons/bench/text/bench_text.h"
#include "orrery/core/findings.h"
#include "orrery/report/json/envelope.h"
#include "orrery/report/terminal_text.h"

namespace orrery::present {

/// A line that says how many there are and how they were played.
void add_communication(report::Sheet& sheet, const Benchmark& benchmark);
/// By kind; empty without any.
[[nodiscard]] std::string communication_table(const Benchmark& benchmark, report::Style style);
/// The member "communication".
void write_communication(report::JsonWriter& json, const Benchmark& benchmark);

/// Ranks that were played together. JSON: as that of one rank, in "ranks".
[[nodiscard]] std::string bench_ranks_text(const std::vector<Benchmark>& ranks,
                                           const Findings& findings, report::Style style);
[[nodiscard]] std::string bench_ranks_json(const std::vector<Benchmark>& ranks,
                                           const Findings& findings);

}  // namespace orrery::present
