// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/recordings/operators/alone_times.h"

namespace orrery::study {

AloneTimes AloneModels::times(const OperatorCall& call) {
  AloneTimes sum;
  for (const profile::EventId e : calls_.works(call)) {
    const profile::Event& event = profile_.events[e];
    const graph::KernelId kernel = calls_.recorded().of(event.detail);
    const model::Silicon* const silicon = calls_.devices().of(event.lane);
    if (event.kind != profile::Kind::kernel || kernel == graph::kNoKernel || silicon == nullptr ||
        profile::is_comm_kernel(profile_.name(e)))
      continue;
    const auto [at, added] = known_.try_emplace({silicon, kernel});
    if (added)
      if (const auto chosen =
              model::choose_time(models_, calls_.recorded().table()[kernel], *silicon))
        at->second = Time(static_cast<std::int64_t>(chosen->time.seconds * 1e12));
    if (at->second == Time{}) continue;
    sum.recorded += event.duration;
    sum.alone += at->second;
  }
  return sum;
}

}  // namespace orrery::study
