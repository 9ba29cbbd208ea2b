// SPDX-License-Identifier: Apache-2.0
//
// The number of tokens of a rank's experts. The block itself is `moe` in blocks.h.
#pragma once

#include "orrery/workload/operators/scope.h"

namespace orrery::workload {

/// Token counts of one rank for one microbatch. A copy is a token that is sent to one of its top_k
/// experts.
struct MoeTokens {
  Amount routed;     ///< tokens that this rank routes
  Amount sent;       ///< copies that it sends: routed × top_k, without dropped ones, plus padding
  Amount exchanged;  ///< copies that the busiest rank receives, which is the size of an all-to-all
  Amount arriving;   ///< copies that this rank receives for its experts
  Amount computed;   ///< copies that its experts multiply: those that all ranks of etp received
  std::int64_t experts = 0;  ///< experts that this rank holds (split over etp)
  bool gathers_tokens =
      false;  ///< no exchange: tokens are gathered over etp before they are copied
};

/// Computes the token counts of a model with experts.
///
/// With ep within tp × cp × dp, each of the ep ranks sends its own tokens, and the same ranks
/// receive them. On average a rank receives as many copies as it sends, for any ep. If ep is a
/// separate axis, its ranks have the same tokens, and each processes some of the copies without an
/// exchange. With an imbalance the busiest rank receives more, and all other ranks equally less;
/// the sum stays exact. Capacity is per expert and sending rank: factor × routed × top_k / experts,
/// rounded up (Fedus et al., JMLR 2022, equation 3).
[[nodiscard]] MoeTokens moe_tokens(const Scope& scope);

}  // namespace orrery::workload
