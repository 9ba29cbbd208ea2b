// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "orrery/report/terminal_text.h"
#include "orrery/study/questions/outcome/outcome.h"

namespace orrery::present {

/// Two runs of one workload side by side, and what the difference consists of. Both are finished.
[[nodiscard]] std::string demo_text(const study::Outcome& one, const study::Outcome& two,
                                    report::Style style);

/// The demo's second half: two recorded steps of a real job of two ranks, linked, matched,
/// simulated.
struct RecordedDemo {
  study::Outcome outcome;
  std::uint64_t nodes = 0, linked = 0;  ///< of the execution traces
  std::uint64_t communications = 0, matched = 0;
  Time recorded{};  ///< from the first to the last event of the longer rank
};

/// What it says, in a few lines. `shown`: how to call the folder of the traces; `program`: how to
/// call this program, fit for a shell.
[[nodiscard]] std::string recorded_demo_text(const RecordedDemo& demo, const std::string& shown,
                                             const std::string& program);

}  // namespace orrery::present
