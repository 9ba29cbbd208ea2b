// SPDX-License-Identifier: Apache-2.0
//
// Named ranges around the work of host threads: annotations of users and frameworks.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/graph/workload.h"

namespace orrery::graph {

/// The part of a node's time that lies in one range.
struct RangePart {
  std::uint64_t node = 0;  ///< trace id
  std::uint32_t name = 0;  ///< in HostRanges::names
  Time from{}, to{};       ///< since the begin of the node's time
  Time of{};               ///< the node's recorded time
};

/// The ranges of one rank.
struct HostRanges {
  std::vector<std::string> names;
  std::vector<RangePart> parts;  ///< ascending by node, then by `from`
};

/// The recorded host time in ranges whose names contain `text`, each moment once; the maximum over
/// ranks. O(parts).
[[nodiscard]] Time time_in_ranges(const Workload& workload, std::string_view text);

/// The recorded host time in the ranges of each name, each moment once; the maximum over ranks.
/// O(parts + names log names).
[[nodiscard]] std::map<std::string, Time> range_times(const Workload& workload);

/// Multiplies the host time in ranges whose names contain `text` by `factor`. A node that lies
/// partly in them changes by that part. Workloads without such ranges stay as they are. O(nodes +
/// parts).
[[nodiscard]] Workload scale_ranges(const Workload& workload, std::string_view text, double factor);

}  // namespace orrery::graph
