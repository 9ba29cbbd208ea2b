// SPDX-License-Identifier: Apache-2.0
//
// Links shared by concurrent jobs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "orrery/sim/recording.h"

namespace orrery::study {

/// A link that several jobs use.
struct SharedLink {
  std::string name;                  ///< "leaf0 -> spine1", "rank 3 into dimension 1"
  std::string kind;                  ///< link kind, on a fabric: "network"
  double capacity = 0;               ///< bytes per second, on a fabric
  std::vector<std::uint64_t> bytes;  ///< per job, over all its steps

  /// Bytes of all jobs except the largest.
  [[nodiscard]] std::uint64_t other_bytes() const;
};

/// Links that carry data of more than one job, according to the run of each job alone; sorted by
/// the bytes of all jobs except the largest. Empty when links are too many to be recorded
/// separately (sim::Recording::kMaxLinks). O(links of all jobs).
[[nodiscard]] std::vector<SharedLink> shared_links(
    std::span<const std::unique_ptr<const sim::Recording>> alone);

}  // namespace orrery::study
