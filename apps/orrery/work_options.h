// SPDX-License-Identifier: Apache-2.0
//
// How a simulation is worked out. None of it changes a figure.
#pragma once

#include <cstdint>
#include <string>

#include "orrery/sim/simulate.h"
#include "orrery/study/outcome.h"

namespace CLI {
class App;
}

namespace orrery::app {

/// Adds them all but --threads, which is one of the recorded options, too.
void add_work_options(CLI::App& command, study::Work& work);

/// "16 ranks for all 131,072".
[[nodiscard]] std::string folded_text(std::uint32_t representatives, std::size_t ranks);
/// "16 ranks for all 131,072; all 12,288 collective phases worked out": "" where nothing was saved
/// and nobody needs to wonder why.
[[nodiscard]] std::string savings_text(const sim::Savings& savings, std::size_t ranks);
[[nodiscard]] std::string verification_text(const study::Verification& verification,
                                            std::size_t ranks);

}  // namespace orrery::app
