// SPDX-License-Identifier: Apache-2.0
//
// The hosts of a fabric's ranks, and the algorithm of collectives among hosts of unequal size.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "orrery/platform/platform.h"

namespace orrery::platform {

/// A value of `custom` in cluster files that is no file: one ring for each rank of the smallest
/// host of a group, so that a collective uses the adapters of several ranks. It is the default of
/// collectives among hosts of unequal size, as NCCL builds its rings. Groups without such rings use
/// the algorithms of the dimensions.
inline constexpr std::string_view kRings = "rings";

/// Numbers of ranks per host, in the order of `ranks`. Empty: no fabric defines hosts, or the ranks
/// of a host are not consecutive. O(ranks log hosts).
[[nodiscard]] std::vector<std::uint32_t> ranks_per_host(const Platform& platform,
                                                        std::span<const std::uint32_t> ranks);

/// Whether all ranks form one dimension because hosts have different numbers of ranks.
/// O(ranks log hosts).
[[nodiscard]] bool has_unequal_hosts(const Platform& platform);

}  // namespace orrery::platform
