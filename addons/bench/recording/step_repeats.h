// SPDX-License-Identifier: Apache-2.0
//
// The same step, recorded several times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "orrery/profile/iterations.h"
#include "orrery/profile/link/align.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

/// An execution trace is of one step, a device trace beside it often of several: this tells which
/// operators of the others are those of the one that has nodes.
///
/// Steps are annotated ("ProfilerStep#N"); that with most nodes is the one. Each thread of another
/// one is aligned with it by names; where 19 of 20 are found it is the same step, else it counts
/// for nothing. (Not all: an operator of no length stands before or behind its neighbour where
/// times are whole microseconds.)
class StepRepeats {
 public:
  /// O(events log events).
  explicit StepRepeats(const profile::Profile& profile);

  /// How many steps are the same, the one with nodes among them: 1 at least.
  [[nodiscard]] std::size_t size() const { return 1 + others_.size(); }
  /// When a step's annotation begins; 0: there is none.
  [[nodiscard]] Time begin(std::size_t step) const { return begins_[step]; }
  /// What `event`, an operator with a node, or another range of its step, is in a step, or
  /// kNoEvent; in step 0 it is itself.
  [[nodiscard]] profile::EventId in(std::size_t step, profile::EventId event) const;

 private:
  void find_ranges();
  [[nodiscard]] std::vector<profile::AlignedEvent> sequence(std::uint32_t lane,
                                                            const profile::Iteration& step) const;
  void find_same(const profile::Iteration& step);

  const profile::Profile& profile_;
  // By lane that has nodes: timed ones of all steps, and those of the step with nodes
  std::map<std::uint32_t, std::vector<profile::EventId>> ranges_;
  std::map<std::uint32_t, std::vector<profile::AlignedEvent>> linked_;
  std::vector<std::vector<profile::EventId>> others_;  // by step, then by place
  std::vector<Time> begins_{Time{}};                   // by step
  std::vector<std::uint32_t> place_;                   // by event: among all of linked_
};

}  // namespace orrery::bench
