// SPDX-License-Identifier: Apache-2.0
//
// Candidate algorithms of a collective on a cluster, named as in cluster files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/graph/graph.h"
#include "orrery/platform/platform.h"

namespace orrery::study {

/// Number of distinct coordinates of `ranks` in each dimension.
[[nodiscard]] std::vector<std::uint32_t> spans_of(const platform::Platform& platform,
                                                  std::span<const std::uint32_t> ranks);

/// Returns the candidates, in the form that platform::use_algorithms reads. If `ranks` form a grid,
/// these are all combinations of the algorithms of each dimension ("ring,in_network"). Algorithms
/// over all ranks at once ("one_ring") are added unless the ranks lie in a single dimension.
/// `tokens`: an all-to-all dispatches tokens to experts or combines them, which switches support
/// over a single tree.
[[nodiscard]] std::vector<std::string> algorithm_candidates(const platform::Platform& platform,
                                                            graph::CollectiveType type,
                                                            std::span<const std::uint32_t> ranks,
                                                            bool tokens = false);

/// Whether switches reduce in at least one dimension.
[[nodiscard]] bool uses_switch_reduction(std::string_view labels);
/// Whether one algorithm runs over all dimensions at once: "one_ring".
[[nodiscard]] bool is_single_ring(std::string_view labels);

}  // namespace orrery::study
