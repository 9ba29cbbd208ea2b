// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery demo`, for people.
#pragma once

#include <cstdint>
#include <string>

#include "orrery/report/answer/answer.h"
#include "orrery/study/questions/outcome/outcome.h"

namespace orrery::present {

/// Two finished runs of one workload side by side, and the parts of their difference.
void state_demo(report::Answer& answer, const study::Outcome& one, const study::Outcome& two);

/// The demo's second half: two recorded steps of a real job of two ranks, linked, matched,
/// simulated.
struct RecordedDemo {
  study::Outcome outcome;
  std::uint64_t nodes = 0, linked = 0;  ///< of the execution traces
  std::uint64_t communications = 0, matched = 0;
  Time recorded{};  ///< from the first to the last event of the longer rank
};

/// Its summary in a few lines. `shown`: path of the trace folder for the user; `program`: the
/// command of this program, quoted for a shell.
void state_recorded_demo(report::Answer& answer, const RecordedDemo& demo, const std::string& shown,
                         const std::string& program);

}  // namespace orrery::present
