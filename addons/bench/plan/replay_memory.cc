// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/plan/replay_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "orrery/core/text/units.h"

namespace orrery::bench {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 62;

/// Saturating sum; both arguments are at least 0.
std::int64_t sum(std::int64_t a, std::int64_t b) { return a > kMost - b ? kMost : a + b; }

/// Computes the peak memory of results and of storages that appear with them.
class ResultsPeak {
 public:
  explicit ResultsPeak(const ReplayPlan& plan)
      : plan_(plan), users_(plan.group_bytes.size(), 0), holders_(plan.storages.size(), 0) {}

  std::int64_t peak() {
    std::vector<std::vector<Slot>> retained(plan_.steps.size());
    for (const External& external : plan_.externals)
      if (const std::uint32_t step = plan_.storages[external.storage].after; step != kNoStep)
        retained[step].push_back(external.slot);
    std::int64_t most = 0;
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      for (const Output& output : plan_.steps[s].outputs) allocate(output.slot);
      for (const Slot slot : retained[s]) allocate(slot);
      most = std::max(most, now_);
      for (const Slot slot : plan_.steps[s].last) release(slot);
    }
    return most;
  }

 private:
  [[nodiscard]] bool is_retained(const SlotInfo& slot) const {
    return slot.storage != kNoStorage && plan_.storages[slot.storage].after != kNoStep;
  }
  void allocate(Slot slot) {
    const SlotInfo& is = plan_.info[slot];
    if (is.group != kNoGroup && users_[is.group]++ == 0)
      now_ = sum(now_, plan_.group_bytes[is.group]);
    if (is_retained(is) && holders_[is.storage]++ == 0)
      now_ = sum(now_, plan_.storages[is.storage].bytes);
  }
  void release(Slot slot) {
    const SlotInfo& is = plan_.info[slot];
    if (is.group != kNoGroup && --users_[is.group] == 0) now_ -= plan_.group_bytes[is.group];
    if (is_retained(is) && --holders_[is.storage] == 0) now_ -= plan_.storages[is.storage].bytes;
  }

  const ReplayPlan& plan_;
  std::vector<std::uint32_t> users_, holders_;  // by group of results; by storage
  std::int64_t now_ = 0;
};

}  // namespace

void find_last_uses(ReplayPlan& plan) {
  std::vector<std::uint32_t> last(plan.slots, ~0u);
  for (std::uint32_t s = 0; s < plan.steps.size(); ++s) {
    const ReplayStep& step = plan.steps[s];
    for (const Value& value : step.arguments)
      for_each_slot(value, [&](Slot slot) { last[slot] = s; });
    for (const Output& output : step.outputs) last[output.slot] = s;
  }
  for (const External& external : plan.externals)
    if (plan.storages[external.storage].after == kNoStep) last[external.slot] = ~0u;
  for (Slot slot = 0; slot < plan.slots; ++slot) {
    if (last[slot] != ~0u) plan.steps[last[slot]].last.push_back(slot);
  }
}

Result<void> plan_memory(ReplayPlan& plan, std::int64_t limit) {
  plan.external_bytes = plan.restored_bytes = 0;
  for (const Storage& storage : plan.storages) {
    if (storage.after == kNoStep) plan.external_bytes = sum(plan.external_bytes, storage.bytes);
    if (storage.written && storage.after == kNoStep)
      plan.restored_bytes = sum(plan.restored_bytes, storage.bytes);
  }
  plan.peak_bytes = sum(plan.external_bytes, ResultsPeak(plan).peak());
  const std::int64_t all = sum(plan.peak_bytes, plan.restored_bytes);
  if (all <= limit) return {};
  return fail(Errc::limit_exceeded, "",
              fmt::format("the replay needs {} of memory, more than {}{}",
                          all == kMost ? "more than 4 EiB" : format_bytes(Bytes(all)),
                          format_bytes(Bytes(limit)),
                          plan.restored_bytes > 0
                              ? fmt::format(" ({} of it for copies of overwritten data)",
                                            format_bytes(Bytes(plan.restored_bytes)))
                              : ""),
              "replay a part (--subtrace), or raise the limit (--memory-limit)");
}

}  // namespace orrery::bench
