// SPDX-License-Identifier: Apache-2.0
//
// By which algorithms a collective can be run on a cluster, in the words of cluster files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/graph/graph.h"
#include "orrery/platform/platform.h"

namespace orrery::study {

/// By dimension: how many coordinates the ranks have.
[[nodiscard]] std::vector<std::uint32_t> spans_of(const platform::Platform& platform,
                                                  std::span<const std::uint32_t> ranks);

/// Every dimension by each of what it can ("ring,in_network"), where the ranks are a grid of
/// dimensions, and all ranks at once ("one_ring"). What platform::use_algorithms takes. `tokens`:
/// an all-to-all carries them to experts or back, which switches can do over one tree.
[[nodiscard]] std::vector<std::string> algorithm_candidates(const platform::Platform& platform,
                                                            graph::CollectiveType type,
                                                            std::span<const std::uint32_t> ranks,
                                                            bool tokens = false);

/// Switches sum in some dimension.
[[nodiscard]] bool uses_switch_reduction(std::string_view labels);
/// All dimensions are one: "one_ring".
[[nodiscard]] bool is_single_ring(std::string_view labels);

}  // namespace orrery::study
