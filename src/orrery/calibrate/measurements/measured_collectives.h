// SPDX-License-Identifier: Apache-2.0
//
// The collectives that are measured: their names, and what their bandwidths mean.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "orrery/core/collective_type.h"

namespace orrery::calibrate {

struct Collective {
  std::string_view name;  ///< "all_reduce"; those of orrery::name(), and "send_recv"
  CollectiveType type;    ///< unknown: of sends and receives
  bool reduces;           ///< it sums up, say
  bool rooted;            ///< one rank gives or gets all
};

/// All that MeasuredCollective::collective may be.
[[nodiscard]] std::span<const Collective> collectives();

/// The collective that a word names, in any of the usual spellings: "AllReduce",
/// "all_reduce_perf_mpi", "alltoall", "ncclAllGather", "Send". nullptr: none.
[[nodiscard]] const Collective* find_collective(std::string_view word);

/// The word names a collective that is measured, too, but has no model here: gather, scatter,
/// those with sizes that differ, hypercube.
[[nodiscard]] bool is_unmodelled_collective(std::string_view word);

/// A number of which only this is known; equal ends: all of it.
struct FactorRange {
  double lower = 0, upper = 0;
};

/// What bus bandwidth is of algorithm bandwidth among so many ranks; 0: not known how many.
[[nodiscard]] FactorRange bus_factor(const Collective& collective, std::int32_t ranks);

}  // namespace orrery::calibrate
