// SPDX-License-Identifier: Apache-2.0
//
// How many tokens the experts of a rank see. The block itself is `moe` in blocks.h.
#pragma once

#include "orrery/workload/operators/scope.h"

namespace orrery::workload {

/// Tokens and what becomes of them, on one rank for one microbatch. A copy is a token on its way to
/// one of its top_k experts.
struct MoeTokens {
  Amount routed;     ///< tokens this rank sends to their experts
  Amount sent;       ///< copies it sends: routed × top_k, less what is dropped, plus padding
  Amount exchanged;  ///< copies the busiest rank gets: how large an all-to-all is
  Amount arriving;   ///< copies this rank gets for its experts
  Amount computed;   ///< copies its experts multiply: what all ranks of etp got
  std::int64_t experts = 0;   ///< that this rank holds (cut over etp)
  bool gather_first = false;  ///< nothing is sent: tokens are gathered over etp before copying
};

/// The arithmetic of a model with experts.
///
/// Experts folded into tp × cp × dp: ep ranks send, each its own tokens, and ep ranks receive; what
/// arrives is as much as is sent, whatever ep is. On an axis of their own ep ranks have the same
/// tokens and share the copies out: nothing needs sending. The busiest rank (`imbalance`) gets more
/// at the expense of the others, evenly; the sum stays exact. Capacity is per expert and sending
/// rank: factor × routed × top_k / experts, rounded up (Fedus et al., JMLR 2022, equation 3).
[[nodiscard]] MoeTokens moe_tokens(const Scope& scope);

}  // namespace orrery::workload
