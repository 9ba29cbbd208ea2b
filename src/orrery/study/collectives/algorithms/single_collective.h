// SPDX-License-Identifier: Apache-2.0
//
// Workloads of single collectives, and their simulation.
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

/// Name of the node (its id is 1), and of its group if not all ranks are members.
inline constexpr std::string_view kSingleCollective = "plan";

/// A collective of `whole` bytes (graph::full_buffer) among `members` (ascending) of `ranks` ranks;
/// other ranks do nothing. In an all-gather each member contributes an equal share. `exchange`:
/// tokens of an all-to-all, if known. `numbers`: format of the data.
[[nodiscard]] graph::Workload single_collective(graph::CollectiveType type, Bytes whole,
                                                std::span<const std::uint32_t> members,
                                                std::uint32_t ranks,
                                                const graph::ExpertExchange& exchange = {},
                                                graph::Format numbers = graph::Format::unsaid);

/// The same collective in each group (ranks ascending), concurrently. Its size is as a node states
/// it: for an all-gather, the contribution of a rank. Groups must not share ranks.
[[nodiscard]] graph::Workload concurrent_collectives(
    const graph::Collective& collective, std::span<const std::vector<std::uint32_t>> groups,
    std::uint32_t ranks);

/// Collective i runs in group i (ranks ascending), all concurrently, as node i + 1. Sizes are as
/// nodes state them. Groups may share ranks.
[[nodiscard]] graph::Workload overlapping_collectives(
    std::span<const graph::Collective> collectives,
    std::span<const std::vector<std::uint32_t>> groups, std::uint32_t ranks);

/// Simulates `work`. Errc: those of simulate(); stall.
[[nodiscard]] Result<sim::SimResult> simulate_collectives(const graph::Workload& work,
                                                          const platform::Platform& platform,
                                                          const sim::Options& options);

}  // namespace orrery::study
