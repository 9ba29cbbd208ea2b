// SPDX-License-Identifier: Apache-2.0
//
// What runs inside a recorded operator: the operators that it calls, and the memory that those
// bring, of which its own results do not tell.
#pragma once

#include <cstdint>
#include <vector>

#include "addons/bench/recording/recorded_value.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

/// The operators of an execution trace by what called them.
class InnerOperators {
 public:
  /// `profile` is indexed and stays as it is. O(events log events).
  explicit InnerOperators(const profile::Profile& profile);

  /// The nodes that an event has called itself, in their order.
  [[nodiscard]] const std::vector<profile::EventId>& inner_operators(profile::EventId event) const {
    return called_[event];
  }
  /// The tensors with which memory came into being inside of it: results of what it calls, directly
  /// or not, that share no storage with what made them was given. A storage may come more than
  /// once: whoever hands it on without having been given it seems to make it. In their order.
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

}  // namespace orrery::bench
