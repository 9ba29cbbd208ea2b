// SPDX-License-Identifier: Apache-2.0
//
// How long DeepEP takes to carry tokens to experts and back.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "orrery/graph/expert_exchange.h"
#include "orrery/model/collective/nccl/channels.h"
#include "orrery/model/time_estimate.h"

namespace orrery::model::deepep {

/// SMs that the normal kernels run on, as DeepEP's Buffer has it when nobody says otherwise.
inline constexpr int kSms = 20;

/// A time, and whether it stands on runs of that very device with as many GPUs in a node.
struct ExchangeTime {
  double us = 0;
  bool measured = false;
  std::optional<ErrorBand> band;  ///< empty: not known
};

/// Of `groups` equal groups of experts, how many a token with `top_k` different experts, each as
/// likely as the other, has at least one in: groups × (1 - C(E - E/groups, k) / C(E, k)). O(top_k).
[[nodiscard]] double groups_reached(double groups, int top_k, int experts);

/// What a group takes whose busiest rank sends `bytes` (all copies of its tokens, see
/// graph::ExpertExchange). Microseconds, from when the last rank has begun.
///
/// Normal kernels, n ranks in one node, t tokens of r bytes with d = groups_reached(n):
///   L + l r + max(t (a + d (b + c r)), t d r / W)
/// — what 20 SMs copy, token by token and copy by copy, and what the links carry (W as NCCL counts
/// on it: nccl::usable_share; what a rank sends to itself goes the same way). Between nodes each
/// doubling of their number adds 31 us (two more notifying kernels among them), what is forwarded
/// over links in nodes goes at no more than 243 GB/s (combine: 208), and what leaves the node, once
/// per node reached, at 93 % of the card's rate.
///
/// Low-latency kernels, e experts of one rank, k copies of each token:
///   L + f e + l r + t ((b + w r) 100 / s + k c r)
/// on s SMs (one for as many experts as it takes); between nodes 8 us more for each doubling, and
/// what leaves a node goes at 94 % of the card's rate.
///
/// Constants: benchmarks/fit_deepep.py from public runs on H100, B200, B300, GB200 and GB300
/// (docs/collectives.md); other devices take those of their generation's. Between nodes only H100
/// was measured, with one model's experts. `device`: of the catalogue.
[[nodiscard]] ExchangeTime exchange_time(const graph::ExpertExchange& exchange, std::int64_t bytes,
                                         const nccl::Shape& shape, const nccl::Hardware& hardware,
                                         std::string_view device);

}  // namespace orrery::model::deepep
