// SPDX-License-Identifier: Apache-2.0
//
// How little of the work had to be done, in words.
#pragma once

#include <cstdint>
#include <string>

#include "orrery/study/questions/outcome/outcome.h"

namespace orrery::present {

/// "16 ranks for all 131,072".
[[nodiscard]] std::string representatives_text(std::uint32_t representatives, std::size_t ranks);
/// "16 ranks for all 131,072; all 12,288 collective phases worked out": "" where nothing was saved
/// and nobody needs to wonder why.
[[nodiscard]] std::string savings_text(const sim::Savings& savings, std::size_t ranks);
[[nodiscard]] std::string verification_text(const study::FoldVerification& verification,
                                            std::size_t ranks);

}  // namespace orrery::present
