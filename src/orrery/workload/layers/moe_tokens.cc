// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "orrery/workload/layers/moe.h"

namespace orrery::workload {

namespace {

/// Copies that each of ep ranks gets.
struct Shares {
  Amount busiest;
  Amount other;
};

Shares share_out(Amount total, std::int64_t ranks, double imbalance) {
  if (ranks == 1 || imbalance <= 1) return {total / ranks, total / ranks};
  const auto all = static_cast<double>(total.value());
  const double left = std::max(all - all / static_cast<double>(ranks) * imbalance, 0.0);
  const Amount other(static_cast<std::int64_t>(left / static_cast<double>(ranks - 1)));
  return {total - other * (ranks - 1), other};
}

/// Copies that one expert takes of what one rank sends.
Amount capacity(const Moe& moe, Amount copies) {
  const double mean = static_cast<double>(copies.value()) / static_cast<double>(moe.experts);
  const double most = std::ceil(moe.capacity_factor * mean);
  return most < 0x1p62 ? Amount(static_cast<std::int64_t>(most)) : Amount(Amount::too_large);
}

Amount smaller(Amount a, Amount b) { return a < b ? a : b; }

}  // namespace

MoeTokens moe_tokens(const Scope& scope) {
  const Parallel& parallel = scope.spec->parallel;
  const Moe& moe = *scope.model().moe;
  MoeTokens made;
  made.routed = scope.shard;
  made.experts = moe.experts / parallel.ep;

  // Who sends to a rank's experts: all of ep; or nobody, when the rank has the tokens itself.
  const std::int64_t senders = parallel.ep_own_axis ? 1 : parallel.ep;
  made.gather_first = scope.sp && parallel.expert_tp() > 1 && senders == 1;
  const Amount copies = made.routed * moe.top_k;
  Shares shares = share_out(copies * senders, parallel.ep, moe.imbalance);
  if (moe.capacity_factor > 0) {
    const Amount most = capacity(moe, copies) * made.experts * senders;
    shares.busiest = moe.pad_to_capacity ? most : smaller(shares.busiest, most);
    shares.other = moe.pad_to_capacity ? most : smaller(shares.other, most);
  }
  made.exchanged = shares.busiest;
  made.arriving = scope.where.expert == 1 ? shares.other : shares.busiest;
  made.sent = (shares.busiest + shares.other * (parallel.ep - 1)) / senders;
  made.computed = made.arriving * (scope.sp ? parallel.expert_tp() : 1);
  return made;
}

}  // namespace orrery::workload
