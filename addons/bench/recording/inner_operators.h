// SPDX-License-Identifier: Apache-2.0
//
// Operators that a recorded operator calls, and memory that they create which its results do not
// contain.
#pragma once

#include <cstdint>
#include <vector>

#include "addons/bench/recording/recorded_value.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

/// Indexes the operators of an execution trace by their caller.
class InnerOperators {
 public:
  /// `profile` must be indexed and must not change. O(events log events).
  explicit InnerOperators(const profile::Profile& profile);

  /// The nodes that an event calls directly, in order.
  [[nodiscard]] const std::vector<profile::EventId>& inner_operators(profile::EventId event) const {
    return called_[event];
  }
  /// Tensors whose memory is created inside the event: results of direct or indirect callees that
  /// share no storage with the inputs of the callee. A storage may occur more than once, because a
  /// callee that returns it without receiving it seems to create it. In order of the callees.
  [[nodiscard]] std::vector<RecordedTensor> inner_results(profile::EventId event) const;

 private:
  const profile::Profile& profile_;
  std::vector<std::vector<profile::EventId>> called_;  // by event
};

/// The tensors of a node's arguments or results.
[[nodiscard]] std::vector<RecordedTensor> argument_tensors(const profile::Profile& profile,
                                                           profile::EventId event);
[[nodiscard]] std::vector<RecordedTensor> result_tensors(const profile::Profile& profile,
                                                         profile::EventId event);

/// The events with nodes, ascending by the node's id.
[[nodiscard]] std::vector<profile::EventId> nodes_by_id(const profile::Profile& profile);

}  // namespace orrery::bench
