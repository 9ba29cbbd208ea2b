// SPDX-License-Identifier: Apache-2.0
//
// For tests: plans that contain only communication.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "addons/bench/plan/replay_plan.h"

namespace orrery::bench {

inline Exchange exchange_of(profile::CommKind kind, std::int64_t bytes, std::int32_t peer = -1) {
  Exchange exchange;
  exchange.kind = profile::name(kind);
  exchange.bytes = bytes;
  exchange.peer = peer;
  return exchange;
}

inline ReplayPlan plan_with(std::vector<Exchange> exchanges,
                            std::vector<std::uint32_t> ranks = {}) {
  ReplayPlan plan;
  plan.groups.push_back({"0", std::move(ranks), -1});
  plan.exchanges = std::move(exchanges);
  return plan;
}

}  // namespace orrery::bench
