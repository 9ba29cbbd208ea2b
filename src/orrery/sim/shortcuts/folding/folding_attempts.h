// SPDX-License-Identifier: Apache-2.0
//
// Folded runs that were not exact, and what they have shown about links.
#pragma once

#include <cstdint>
#include <string>

#include "orrery/sim/shortcuts/folding/folding.h"
#include "orrery/sim/sim_result.h"

namespace orrery::sim {

struct FoldingAttempts {
  static constexpr std::uint32_t kMax = 8;  // then the order of senders counts on all links

  LinkHints hints;
  std::string reason;                 ///< of the last one; empty: there was none
  std::uint32_t representatives = 0;  ///< of the first one
  std::uint32_t count = 0;

  /// Returns false if another attempt would not help. `why`: the reason of a run of
  /// `simulated_ranks`.
  [[nodiscard]] bool add_failed(const std::string& why, std::uint32_t simulated_ranks,
                                const LinkHints& shown) {
    if (reason.empty()) representatives = simulated_ranks;
    reason = why;
    hints.all_ordered = ++count >= kMax;
    return hints.add(shown);
  }
  /// Why the run was not folded.
  void explain(Savings& savings) const {
    if (reason.empty()) return;
    savings.unfolded_reason = reason;
    savings.inexact_representatives = representatives;
  }
};

}  // namespace orrery::sim
