// SPDX-License-Identifier: Apache-2.0
//
// Finds further recordings of the same step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "orrery/profile/iterations.h"
#include "orrery/profile/link/align.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

/// An execution trace contains one step, the device trace of the same run often several. This class
/// finds the operators in the other steps that correspond to those of the step with nodes.
///
/// Steps must be annotated ("ProfilerStep#N"); the step with the most nodes is the reference. Each
/// thread of another step is aligned with the reference by names. If 19 of 20 events match, it is
/// the same step; otherwise the step is ignored. (Not all events match: if times are rounded to
/// microseconds, an event of zero duration may be sorted before or after its neighbor.)
class StepRepeats {
 public:
  /// O(events log events).
  explicit StepRepeats(const profile::Profile& profile);

  /// The number of equal steps, including the reference: at least 1.
  [[nodiscard]] std::size_t size() const { return 1 + others_.size(); }
  /// The begin of a step's annotation; 0: there is none.
  [[nodiscard]] Time begin(std::size_t step) const { return begins_[step]; }
  /// The event in `step` that corresponds to `event` (an operator with a node, or another range of
  /// the reference step), or kNoEvent. Step 0 is the reference.
  [[nodiscard]] profile::EventId counterpart(std::size_t step, profile::EventId event) const;

 private:
  void find_ranges();
  [[nodiscard]] std::vector<profile::AlignedEvent> sequence(std::uint32_t lane,
                                                            const profile::Iteration& step) const;
  void find_same(const profile::Iteration& step);

  const profile::Profile& profile_;
  // By lane with nodes: timed events of all steps, and those of the reference step.
  std::map<std::uint32_t, std::vector<profile::EventId>> ranges_;
  std::map<std::uint32_t, std::vector<profile::AlignedEvent>> linked_;
  std::vector<std::vector<profile::EventId>> others_;  // by step, then by place
  std::vector<Time> begins_{Time{}};                   // by step
  std::vector<std::uint32_t> place_;                   // by event: index in linked_
};

}  // namespace orrery::bench
