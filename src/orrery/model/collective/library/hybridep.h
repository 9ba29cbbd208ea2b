// SPDX-License-Identifier: Apache-2.0
//
// Durations of MoE dispatch and combine with NVIDIA's HybridEP kernels (deepseek-ai/DeepEP, branch
// hybrid-ep; docs/Hybrid-EP_Implementation.md).
#pragma once

#include <cstdint>
#include <string_view>

#include "orrery/graph/expert_exchange.h"
#include "orrery/model/collective/library/deepep.h"
#include "orrery/model/collective/nccl/channels.h"

namespace orrery::model::hybridep {

/// Number of SMs of the kernels: Megatron-Bridge's (scripts/performance/utils/overrides.py,
/// moe_hybridep_num_sms). Megatron-Core's default is 16; the published times of both differ by at
/// most 12 %.
inline constexpr int kSms = 32;

/// Duration of a dispatch or combine in a group whose busiest rank sends `bytes` (all copies of its
/// tokens, see graph::ExpertExchange). Microseconds, from the begin of the last rank. Excludes the
/// kernels that permute copies and the gathering of routing decisions.
///
/// A token is sent once to each rank that has one of its experts: over NVLink in a domain, and
/// between domains once to the same rank of each domain, which forwards it. n ranks, t tokens of r
/// bytes, which reach d = groups_reached(n) ranks and m of N domains:
///   in one domain   L + t n s + t d (1 - 1/n) r / (share of the links)
///   between domains L + max(t d (1 - 1/n) r / (share of the links), t m (1 - 1/N) r / (share of
///                   the card))
/// The term t n s is the search for a rank's tokens among those of all ranks.
///
/// Constants: benchmarks/fit_hybridep.py from the published figures of GB200 (in a domain) and H100
/// (between domains). Figures that are not fitted are predicted within 12 % (docs/collectives.md).
/// Other devices have the same shares of their links. `device`: name in the catalog.
[[nodiscard]] deepep::ExchangeTime exchange_time(const graph::ExpertExchange& exchange,
                                                 std::int64_t bytes, const nccl::Shape& shape,
                                                 const nccl::Hardware& hardware,
                                                 std::string_view device);

}  // namespace orrery::model::hybridep
