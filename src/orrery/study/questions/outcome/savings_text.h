// SPDX-License-Identifier: Apache-2.0
//
// What the simulator saved by folding, closed forms and skipping, in words.
#pragma once

#include <cstdint>
#include <string>

#include "orrery/study/questions/outcome/outcome.h"

namespace orrery::study {

/// "16 representative ranks of 131,072".
[[nodiscard]] std::string representatives_text(std::uint32_t representatives, std::size_t ranks);
/// Why every rank was simulated, and about how much slower that is: "messages of several ranks
/// reach a link at the same time; about 8 times the work of 4 representative ranks of 32". Empty:
/// there is no reason.
[[nodiscard]] std::string unfolded_text(const sim::Savings& savings, std::size_t ranks);
/// "16 representative ranks of 131,072; all 12,288 collective phases in closed form". Empty when
/// nothing was saved and the run is small.
[[nodiscard]] std::string savings_text(const sim::Savings& savings, std::size_t ranks);
[[nodiscard]] std::string verification_text(const FoldVerification& verification,
                                            std::size_t ranks);

}  // namespace orrery::study
