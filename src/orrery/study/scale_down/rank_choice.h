// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/analysis/workload/rank_axes.h"
#include "orrery/core/error.h"

namespace orrery::study {

/// An axis of which fewer places stay.
struct SelectedAxis {
  std::string key;
  analysis::RankAxisKind kind = analysis::RankAxisKind::unsaid;
  std::uint32_t original = 1;
  std::vector<std::uint32_t> places;  ///< that stay, ascending

  [[nodiscard]] std::uint32_t scaled() const { return static_cast<std::uint32_t>(places.size()); }
};

/// Which ranks stay.
struct RankChoice {
  std::vector<SelectedAxis> axes;    ///< as they were found
  std::vector<std::uint32_t> ranks;  ///< ascending
  /// Whose places in a cluster they take: as `ranks`, but of pipelines stages evenly apart.
  std::vector<std::uint32_t> devices;
};

/// `words`: "4", so many ranks, or by axis "dp=2,pp=2"; axes that are not named stay as they are;
/// empty: all stay; dp is fsdp where there is no other. Of a number, as few axes as can be get a
/// single place; then the outermost are made small first. Places that stay are evenly apart, of a
/// pipeline the first stage and the last ones. Errc: usage for words that are no such thing, and
/// where so many ranks cannot be; input_unsupported where nothing says along which axes ranks lie.
[[nodiscard]] Result<RankChoice> choose_ranks(const std::vector<analysis::RankAxis>& axes,
                                              std::uint32_t ranks, const std::string& words);

}  // namespace orrery::study
