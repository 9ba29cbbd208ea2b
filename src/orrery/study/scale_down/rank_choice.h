// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/analysis/workload/rank_axes.h"
#include "orrery/core/error.h"

namespace orrery::study {

/// A parallelism axis, and the coordinates that remain on it.
struct SelectedAxis {
  std::string key;
  analysis::RankAxisKind kind = analysis::RankAxisKind::unsaid;
  std::uint32_t original = 1;
  std::vector<std::uint32_t> places;  ///< remaining coordinates, ascending

  [[nodiscard]] std::uint32_t scaled() const { return static_cast<std::uint32_t>(places.size()); }
};

/// The remaining ranks.
struct RankChoice {
  std::vector<SelectedAxis> axes;    ///< all inferred axes
  std::vector<std::uint32_t> ranks;  ///< ascending
  /// Devices of the cluster that the remaining ranks use: those of `ranks`, except that remaining
  /// pipeline stages are evenly spaced.
  std::vector<std::uint32_t> devices;
};

/// Chooses the remaining ranks. `words`: a number of ranks ("4"), or sizes of axes ("dp=2,pp=2";
/// others stay unchanged). Empty: all ranks remain. dp means fsdp if there is no dp axis. For a
/// number, the result has as many axes as possible with several coordinates, and then the largest
/// inner axes. Remaining coordinates are evenly spaced; on a pipeline they are the first stage and
/// the last ones. Errc: usage for invalid words, or a number of ranks that no choice has;
/// input_unsupported if the traces do not define axes.
[[nodiscard]] Result<RankChoice> choose_ranks(const std::vector<analysis::RankAxis>& axes,
                                              std::uint32_t ranks, const std::string& words);

}  // namespace orrery::study
