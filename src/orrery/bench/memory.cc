// SPDX-License-Identifier: Apache-2.0
#include "orrery/bench/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "orrery/core/units.h"

namespace orrery::bench {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 62;

/// Neither is negative.
std::int64_t sum(std::int64_t a, std::int64_t b) { return a > kMost - b ? kMost : a + b; }

/// The most that results take at one time.
std::int64_t results_peak(const Plan& plan) {
  std::vector<std::uint32_t> users(plan.groups.size(), 0);
  std::int64_t now = 0, most = 0;
  for (const Step& step : plan.steps) {
    for (const Output& output : step.outputs) {
      const Group group = plan.info[output.slot].group;
      if (group != kNoGroup && users[group]++ == 0) now = sum(now, plan.groups[group]);
    }
    most = std::max(most, now);
    for (const Slot slot : step.last) {
      const Group group = plan.info[slot].group;
      if (group != kNoGroup && --users[group] == 0) now -= plan.groups[group];
    }
  }
  return most;
}

}  // namespace

void find_last_uses(Plan& plan) {
  std::vector<std::uint32_t> last(plan.slots, ~0u);
  for (std::uint32_t s = 0; s < plan.steps.size(); ++s) {
    const Step& step = plan.steps[s];
    for (const Value& value : step.arguments)
      for_each_slot(value, [&](Slot slot) { last[slot] = s; });
    for (const Output& output : step.outputs) last[output.slot] = s;
  }
  for (const External& external : plan.externals) last[external.slot] = ~0u;
  for (Slot slot = 0; slot < plan.slots; ++slot) {
    if (last[slot] != ~0u) plan.steps[last[slot]].last.push_back(slot);
  }
}

Result<void> plan_memory(Plan& plan, std::int64_t limit) {
  plan.external_bytes = plan.restored_bytes = 0;
  for (const Storage& storage : plan.storages) {
    plan.external_bytes = sum(plan.external_bytes, storage.bytes);
    if (storage.written) plan.restored_bytes = sum(plan.restored_bytes, storage.bytes);
  }
  plan.peak_bytes = sum(plan.external_bytes, results_peak(plan));
  const std::int64_t all = sum(plan.peak_bytes, plan.restored_bytes);
  if (all <= limit) return {};
  return fail(
      Errc::limit_exceeded, "",
      fmt::format("replaying it takes {} of memory, more than {}{}",
                  all == kMost ? "more than 4 EiB" : format_bytes(Bytes(all)),
                  format_bytes(Bytes(limit)),
                  plan.restored_bytes > 0 ? fmt::format(" ({} of it for copies of what is written)",
                                                        format_bytes(Bytes(plan.restored_bytes)))
                                          : ""),
      "replay part of it (--subtrace), or allow more (--memory-limit)");
}

}  // namespace orrery::bench
