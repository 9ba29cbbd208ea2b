// SPDX-License-Identifier: Apache-2.0
//
// Which algorithm runs each collective of a job: the quickest, by trying all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/quantity.h"
#include "orrery/graph/graph.h"
#include "orrery/graph/workload.h"
#include "orrery/platform/platform.h"

namespace orrery::study {

/// What Question::collective_algorithm says to have them chosen.
inline constexpr std::string_view kAutoAlgorithm = "auto";

/// What the algorithms that the cluster's file has are called among others.
inline constexpr std::string_view kFileAlgorithm = "the file's";

/// For collectives of one type and size among groups of one extent.
struct AlgorithmChoice {
  graph::CollectiveType type = graph::CollectiveType::all_reduce;
  Bytes whole{};                    ///< graph::full_buffer
  std::uint32_t members = 0;        ///< of a group
  std::uint32_t groups = 0;         ///< that were tried, all at once
  std::vector<std::uint32_t> span;  ///< by dimension: how many coordinates a group has
  std::string algorithm;            ///< "ring,in_network"; empty: none could be tried
  Time time{};                      ///< that all groups take by it
  std::string next;                 ///< the quickest of those that take longer; empty: none
  Time next_time{};
  /// What the next has more of: its bytes take longer, it has more latency, or both.
  bool more_bytes = false, more_latency = false;

  /// Its words for the dimensions that a group is spread over.
  [[nodiscard]] std::string brief(const std::string& words) const;
};

/// Simulates the collectives of the workload, each kind of group alone but all its groups at once,
/// by every algorithm that it has and as the file says, and gives the quickest to the platform
/// (CollectivePlan::chosen). Where the network knows no congestion, shared links (flow) decide, if
/// it is not too large for them. What was chosen before is forgotten. Collectives with plans of
/// their own, of some dimensions only, and groups that share ranks with others of their kind that
/// are tried, stay out. In the order of types, sizes, extents. Errc: those of communicators.
[[nodiscard]] Result<std::vector<AlgorithmChoice>> choose_algorithms(
    platform::Platform& platform, const graph::Workload& workload);

}  // namespace orrery::study
