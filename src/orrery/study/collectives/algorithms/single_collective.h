// SPDX-License-Identifier: Apache-2.0
//
// A single collective as a workload, and how long it takes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/quantity.h"
#include "orrery/graph/workload.h"
#include "orrery/platform/platform.h"
#include "orrery/sim/simulate.h"

namespace orrery::study {

/// What its node, of id 1, and its group, where not all take part, are called.
inline constexpr std::string_view kSingleCollective = "plan";

/// One collective of `whole` bytes (graph::full_buffer) among `members` of so many ranks,
/// ascending; the others do nothing. Of an all-gather each gives an equal share. `exchange`: what
/// an all-to-all carries, if that is said. `numbers`: that it sends.
[[nodiscard]] graph::Workload single_collective(graph::CollectiveType type, Bytes whole,
                                                std::span<const std::uint32_t> members,
                                                std::uint32_t ranks,
                                                const graph::ExpertExchange& exchange = {},
                                                graph::Format numbers = graph::Format::unsaid);

/// The same collective of each group of ranks, ascending, all at once; `size` is as nodes state it:
/// of an all-gather what each gives. No rank is in two of them.
[[nodiscard]] graph::Workload concurrent_collectives(
    const graph::Collective& collective, std::span<const std::vector<std::uint32_t>> groups,
    std::uint32_t ranks);

/// A collective for each group of ranks, ascending, all at once: nodes 1, 2, … in their order;
/// sizes are as nodes state them. Ranks may be in several.
[[nodiscard]] graph::Workload overlapping_collectives(
    std::span<const graph::Collective> collectives,
    std::span<const std::vector<std::uint32_t>> groups, std::uint32_t ranks);

/// Errc: those of simulate(); stall.
[[nodiscard]] Result<sim::SimResult> simulate_collectives(const graph::Workload& work,
                                                          const platform::Platform& platform,
                                                          const sim::Options& options);

}  // namespace orrery::study
