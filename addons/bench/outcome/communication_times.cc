// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/outcome/communication_times.h"

#include <algorithm>
#include <array>

namespace orrery::bench {

std::vector<CommunicationTime> communication_times(const ReplayPlan& plan,
                                                   const ReplayOutcome& outcome) {
  std::array<CommunicationTime, profile::kCommKinds> by_kind;
  const auto of = [&](std::size_t exchange) -> CommunicationTime& {
    return by_kind[static_cast<std::size_t>(kind_of(plan.exchanges[exchange]))];
  };
  for (std::size_t e = 0; e < plan.exchanges.size(); ++e) {
    CommunicationTime& time = of(e);
    time.kind = kind_of(plan.exchanges[e]);
    ++time.count;
    time.bytes += std::max<std::int64_t>(plan.exchanges[e].bytes, 0);
  }
  for (const ReplayStep& step : plan.steps)
    if (step.kind == ReplayStep::Kind::communicate)
      of(step.exchange).recorded += plan.sources[step.source].communication;
  // By iteration and exchange: the time for which the host waited.
  std::vector<std::int64_t> waited(outcome.exchange_length_ns.size(), 0);
  for (std::size_t k = 0; k < outcome.length_ns.size(); ++k) {
    const ReplayStep& step = plan.steps[k % plan.steps.size()];
    if (step.kind == ReplayStep::Kind::wait)
      waited[k / plan.steps.size() * plan.exchanges.size() + step.exchange] += outcome.length_ns[k];
  }
  for (std::size_t k = 0; k < waited.size(); ++k) {
    CommunicationTime& time = of(k % plan.exchanges.size());
    time.length_ns += outcome.exchange_length_ns[k];
    time.exposed_ns += waited[k];
    time.hidden_ns += std::max<std::int64_t>(outcome.exchange_length_ns[k] - waited[k], 0);
  }
  const auto iterations =
      std::max<std::int64_t>(static_cast<std::int64_t>(outcome.wall_ns.size()), 1);
  std::vector<CommunicationTime> times;
  for (CommunicationTime& time : by_kind) {
    time.length_ns /= iterations;
    time.exposed_ns /= iterations;
    time.hidden_ns /= iterations;
    if (time.count > 0) times.push_back(time);
  }
  std::stable_sort(times.begin(), times.end(),
                   [](const CommunicationTime& a, const CommunicationTime& b) {
                     return a.length_ns > b.length_ns;
                   });
  return times;
}

}  // namespace orrery::bench
