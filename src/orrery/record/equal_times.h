// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/record/make_run_internal.h"

namespace orrery::record {

/// Ranks whose nodes ran at the same times, released by the same nodes: those that share their
/// nodes in the recording. O(ranks).
class EqualTimes {
 public:
  /// Finds nothing if ranks are in classes (Recording::class_of).
  explicit EqualTimes(const RecordingSource& source);

  /// The first rank with the same graph and times.
  [[nodiscard]] std::uint32_t same_as(std::uint32_t rank) const { return same_as_[rank]; }
  /// Whether a later rank is the same as this one.
  [[nodiscard]] bool is_shared(std::uint32_t rank) const { return is_shared_[rank]; }

 private:
  std::vector<std::uint32_t> same_as_;  // by rank
  std::vector<bool> is_shared_;         // by rank
};

}  // namespace orrery::record
