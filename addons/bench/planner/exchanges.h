// SPDX-License-Identifier: Apache-2.0
//
// Communications in plans: which tensors they send and receive into, and what waits for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "addons/bench/operators/substitution_rules.h"
#include "addons/bench/plan/replay_plan.h"
#include "addons/bench/planner/slots.h"
#include "orrery/core/error.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

/// Adds steps that begin communications, and steps that wait for them: where the recording waits,
/// before the first operator that needs what is received or writes what is sent, at the latest at
/// the plan's end. A communication without tensors (a barrier) is waited for at once.
class Exchanges {
 public:
  /// `real`: what is received into is written, and has to be put back before each iteration.
  Exchanges(ReplayPlan& plan, Slots& slots, bool real) : plan_(plan), slots_(slots), real_(real) {}

  /// `call` is what the node holds. False: nothing says what it communicates, and it is left out.
  /// Errc: input_range.
  [[nodiscard]] Result<bool> add(const profile::Profile& profile, profile::EventId event,
                                 const Call& call);
  /// The steps from `first` on are an operator's; it writes what `written` see.
  void settle(std::size_t first, const std::vector<Slot>& written);
  /// Waits for everything.
  void finish();
  /// Fills Exchange::recorded from the kernels that the recording has of them. O(events).
  void find_recorded_times(const profile::Profile& profile);

 private:
  /// A storage, or a group of slots.
  using Memory = std::pair<bool, std::uint32_t>;
  struct Pending {
    std::uint32_t exchange = 0;
    std::vector<Memory> sent, received;
  };

  [[nodiscard]] Memory memory_of(Slot slot) const;
  [[nodiscard]] std::uint32_t group_of(const profile::Profile& profile, std::uint32_t group);
  [[nodiscard]] Result<Value> slots_of(const std::vector<RecordedTensor>& tensors, bool written);
  void wait_for(const profile::Comm& comm, const Call& call);
  [[nodiscard]] ReplayStep wait_step(std::uint32_t exchange) const;

  ReplayPlan& plan_;
  Slots& slots_;
  bool real_;
  std::vector<Pending> pending_;                   // in the order in which they began
  std::vector<profile::EventId> events_;           // by exchange
  std::map<std::uint32_t, std::uint32_t> groups_;  // Profile::groups → Plan::groups
};

}  // namespace orrery::bench
