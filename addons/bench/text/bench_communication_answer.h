// SPDX-License-Identifier: Apache-2.0
//
// Times of communications in replays of one rank or of several.
#pragma once

#include <vector>

#include "addons/bench/text/bench_answer.h"

namespace orrery::present {

/// Lines with their number and how they were replayed; members of an object.
void state_communication(report::Answer& answer, const Benchmark& benchmark);
/// A table by kind, for people.
void state_communication_table(report::Answer& answer, const Benchmark& benchmark);

/// A replay of several ranks. Programs get the answer for each, in "per_rank".
void state_bench_ranks(report::Answer& answer, const std::vector<Benchmark>& ranks,
                       const Findings& findings);

}  // namespace orrery::present
