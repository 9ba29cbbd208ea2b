// SPDX-License-Identifier: Apache-2.0
//
// Chooses the fastest algorithm for each collective of a job by simulating all candidates.
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

/// Value of Question::collective_algorithm that requests the choice.
inline constexpr std::string_view kAutoAlgorithm = "auto";

/// Name of the cluster file's algorithms among the candidates.
inline constexpr std::string_view kFileAlgorithm = "the file's";

/// The choice for collectives of one type and size in groups with the same extent.
struct AlgorithmChoice {
  graph::CollectiveType type = graph::CollectiveType::all_reduce;
  Bytes whole{};                    ///< graph::full_buffer
  std::uint32_t members = 0;        ///< ranks per group
  std::uint32_t groups = 0;         ///< number of groups, simulated concurrently
  std::vector<std::uint32_t> span;  ///< number of coordinates of a group in each dimension
  std::string algorithm;            ///< "ring,in_network"; empty: no candidate could be simulated
  Time time{};                      ///< until all groups finish
  std::string next;  ///< the fastest candidate that is slower than `algorithm`; empty: none
  Time next_time{};
  /// Why the next one is slower: more time for bytes, more latency, or both.
  bool more_bytes = false, more_latency = false;

  /// The part of `words` for the dimensions that the groups span.
  [[nodiscard]] std::string brief(const std::string& words) const;
};

/// For each kind of collective (type, size, extent of the group), simulates all its groups
/// concurrently and nothing else, with each candidate and with the algorithms of the cluster file.
/// Stores the fastest in `platform` (CollectivePlan::chosen), replacing earlier choices, and
/// returns the choices by type, size and extent. If the network model is analytical, the flow model
/// decides instead, unless the network is too large for it. Rings of unequal hosts stay if they are
/// the fastest in one of the groups with a collective of that type and size. Excluded are
/// collectives with custom plans, collectives over a subset of dimensions, and groups that share ranks with an included
/// group of their kind. Errc: those of communicators.
[[nodiscard]] Result<std::vector<AlgorithmChoice>> choose_algorithms(
    platform::Platform& platform, const graph::Workload& workload);

}  // namespace orrery::study
