// SPDX-License-Identifier: Apache-2.0
//
// Where jobs on one machine meet.
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
  std::string kind;                  ///< of a fabric's: "network"
  double capacity = 0;               ///< of a fabric's: bytes per second
  std::vector<std::uint64_t> bytes;  ///< by job, over all its steps

  /// What all but the largest of them put on it.
  [[nodiscard]] std::uint64_t other_bytes() const;
};

/// The links that carried something for more than one job, as each job's run by itself was
/// recorded; those first where what the others put beside the largest is most. Of too many links
/// to be told apart (sim::Recording::kMostLinks) there are none. O(links of all jobs).
[[nodiscard]] std::vector<SharedLink> shared_links(
    std::span<const std::unique_ptr<const sim::Recording>> alone);

}  // namespace orrery::study
