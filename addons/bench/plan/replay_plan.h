// SPDX-License-Identifier: Apache-2.0
//
// The program of a replay, with the recording that it is derived from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "addons/bench/plan/program.h"
#include "orrery/core/quantity.h"
#include "orrery/graph/kernel.h"
#include "orrery/profile/comm.h"

namespace orrery::bench {

inline constexpr std::uint32_t kNoStorage = ~std::uint32_t{0};

/// Memory that several results share.
using Group = std::uint32_t;
inline constexpr Group kNoGroup = ~Group{0};

/// The tensor of a slot.
struct SlotInfo {
  TensorSpec spec;
  std::uint32_t storage = kNoStorage;  ///< index in Program::storages, for tensors in one
  Group group = kNoGroup;              ///< for other tensors: index in ReplayPlan::group_bytes
};

/// A storage (true, number) or a group of results (false, number).
using Memory = std::pair<bool, std::uint32_t>;
[[nodiscard]] inline Memory memory_of(const SlotInfo& info) {
  return info.storage != kNoStorage ? Memory{true, info.storage} : Memory{false, info.group};
}

/// Calls `fn(Slot)` for the tensor of a value, or for each tensor in a list.
template <class Fn>
void for_each_slot(const Value& value, Fn&& fn) {
  if (value.kind == Value::Kind::tensor) fn(value.slot);
  for (const Value& item : value.items) for_each_slot(item, fn);
}

[[nodiscard]] inline profile::CommKind kind_of(const Exchange& exchange) {
  return profile::comm_kind_of_name(exchange.kind);
}

/// How a recorded operator was converted to steps.
enum class ReplayMethod : std::uint8_t { exact, overload, rule, skipped, absent, communicated };
inline constexpr std::size_t kReplayMethods = 6;

/// A recorded operator that is part of the plan.
struct PlanSource {
  std::string name;  ///< including its overload
  ReplayMethod how = ReplayMethod::exact;
  std::string rule;  ///< name of the substitution rule, for `rule` and `skipped`
  Time recorded{};
  std::uint64_t record_function = 0;      ///< id in the recording; 0: none
  std::uint32_t event = ~0u;              ///< event of the recording
  std::optional<graph::Kernel> kernel{};  ///< its computation, if requested and known
  Time communication{};                   ///< `communicated`: duration of its kernels; 0: unknown
};

struct ReplayPlan : Program {
  /// The end of the steps from `first` on that belong to the same operator, without waits for
  /// communications, which are no operator's time.
  [[nodiscard]] std::size_t end_of_operator(std::size_t first) const {
    std::size_t end = first;
    while (end < steps.size() && steps[end].source == steps[first].source &&
           steps[end].kind != ReplayStep::Kind::wait)
      ++end;
    return end;
  }

  std::vector<PlanSource> sources;        ///< in the order of recorded operators
  std::vector<SlotInfo> info;             ///< by slot
  std::vector<std::int64_t> group_bytes;  ///< size of each group of results that share memory

  // Counts of recorded nodes that the plan omits.
  std::uint64_t communications = 0;  ///< communications that are not replayed, including waits
  std::uint64_t other_nodes = 0;     ///< annotations, frames, operators without a schema
  bool timed = false;                ///< whether the recording has times
  bool named = true;                 ///< whether sources have their recorded names

  // Required memory.
  std::int64_t external_bytes = 0;  ///< before the first step
  std::int64_t restored_bytes = 0;  ///< bytes with copies for restoring
  std::int64_t peak_bytes = 0;  ///< from recorded sizes; includes external_bytes but not the copies
};

}  // namespace orrery::bench
