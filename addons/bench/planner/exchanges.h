// SPDX-License-Identifier: Apache-2.0
//
// The communications of a plan: the tensors that they send and receive, and the steps that wait for
// them.
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

/// Adds steps that begin communications and steps that wait for them. It waits where the recording
/// waits, before the first operator that reads received data or overwrites data to send, and at the
/// latest at the end of the plan. It waits immediately for a communication without tensors (a
/// barrier).
class Exchanges {
 public:
  /// `real`: communications write the receive buffers, which the replay must restore before each
  /// iteration.
  Exchanges(ReplayPlan& plan, Slots& slots, bool real) : plan_(plan), slots_(slots), real_(real) {}

  /// `call` is the recorded call of the node. Returns false if its kind is unknown; the
  /// communication is then omitted. Errc: input_range.
  [[nodiscard]] Result<bool> add(const profile::Profile& profile, profile::EventId event,
                                 const Call& call);
  /// The steps from `first` on belong to one operator, which writes the memory of the slots in
  /// `written`. Inserts the waits that it needs.
  void insert_waits(std::size_t first, const std::vector<Slot>& written);
  /// Waits for all remaining communications.
  void wait_for_all();
  /// Fills PlanSource::communication from the recorded kernels of communications. O(events).
  void find_recorded_times(const profile::Profile& profile);

 private:
  struct Pending {
    std::uint32_t exchange = 0;
    std::uint32_t source = 0;    ///< index in ReplayPlan::sources
    std::int64_t sequence = -1;  ///< number in the recording
    std::vector<Memory> sent, received;
  };

  [[nodiscard]] Memory memory_of(Slot slot) const;
  [[nodiscard]] std::uint32_t group_of(const profile::Profile& profile, std::uint32_t group);
  [[nodiscard]] Result<Value> slots_of(const std::vector<RecordedTensor>& tensors, bool written);
  void wait_for(const profile::Comm& comm, const Call& call);
  [[nodiscard]] static ReplayStep wait_step(const Pending& pending);

  ReplayPlan& plan_;
  Slots& slots_;
  bool real_;
  std::vector<Pending> pending_;                   // in the order in which they began
  std::map<std::uint32_t, std::uint32_t> groups_;  // Profile::groups → Program::groups
};

}  // namespace orrery::bench
