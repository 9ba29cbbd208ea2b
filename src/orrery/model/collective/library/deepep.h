// SPDX-License-Identifier: Apache-2.0
//
// The duration of DeepEP's dispatch and combine of expert tokens.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "orrery/graph/expert_exchange.h"
#include "orrery/model/collective/nccl/channels.h"
#include "orrery/model/time_estimate.h"

namespace orrery::model::deepep {

/// Number of SMs of the normal kernels: the default of DeepEP's Buffer.
inline constexpr int kSms = 20;

/// A predicted time and its basis.
struct ExchangeTime {
  double us = 0;
  bool measured = false;          ///< from runs of this device with equally many GPUs in one node
  std::optional<ErrorBand> band;  ///< empty: unknown
};

/// Expected number of groups, of `groups` equal groups of experts, that contain at least one of a
/// token's `top_k` different experts. All experts are equally likely:
/// groups × (1 - C(E - E/groups, k) / C(E, k)). O(top_k).
[[nodiscard]] double groups_reached(double groups, int top_k, int experts);

/// Duration of a dispatch or combine in a group whose busiest rank sends `bytes` (all copies of its
/// tokens, see graph::ExpertExchange). Microseconds, from the begin of the last rank.
///
/// Normal kernels, n ranks in one node, t tokens of r bytes with d = groups_reached(n):
///   L + l r + max(t (a + d (b + c r)), t d r / W)
/// The first term of the maximum is the time in which 20 SMs copy tokens and their copies. The
/// second is the time of the links at the rate W that NCCL assumes (nccl::usable_share), including
/// the copies that a rank sends to itself. Between nodes, each doubling of the number of nodes adds
/// 31 us (with two more notifying kernels). Copies that are forwarded over links in nodes have at
/// most 243 GB/s (combine: 208). Copies that leave a node, one per reached node, have 93 % of the
/// rate of the network card, and 44 % on 8 or more nodes. That is the rate of the only public run
/// on 8 nodes whose tokens may go to all of them; DeepEP's owners publish the full rate for tokens
/// that go to at most 4 (docs/legacy.md).
///
/// Low-latency kernels, e experts of one rank, k copies of each token:
///   L + f e + l r + t ((b + w r) 100 / s + k c r)
/// on s SMs (each SM serves equally many experts). Between nodes, each doubling of the number of
/// nodes adds 8 us, and copies that leave a node have 94 % of the card's rate.
///
/// Constants: benchmarks/fit_deepep.py from public runs on H100, B200, B300, GB200 and GB300
/// (docs/collectives.md); other devices use those of their generation. Between nodes, only H100 was
/// measured, with the experts of one model. `device`: name in the catalog.
[[nodiscard]] ExchangeTime exchange_time(const graph::ExpertExchange& exchange, std::int64_t bytes,
                                         const nccl::Shape& shape, const nccl::Hardware& hardware,
                                         std::string_view device);

}  // namespace orrery::model::deepep
