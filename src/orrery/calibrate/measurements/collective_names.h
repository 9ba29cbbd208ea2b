// SPDX-License-Identifier: Apache-2.0
//
// Measured collectives: their names, and the ratio of bus bandwidth to algorithm bandwidth.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "orrery/core/collective_type.h"

namespace orrery::calibrate {

struct Collective {
  std::string_view name;  ///< "all_reduce" (as orrery::name()), or "send_recv"
  CollectiveType type;    ///< unknown: send_recv
  bool reduces;           ///< reduces data, for example by a sum
  bool rooted;            ///< has a root: one rank sends or receives all data
};

/// All possible values of MeasuredCollective::collective.
[[nodiscard]] std::span<const Collective> collectives();

/// Returns the collective for a word in any usual spelling: "AllReduce",
/// "all_reduce_perf_mpi", "alltoall", "ncclAllGather", "Send". nullptr: none.
[[nodiscard]] const Collective* find_collective(std::string_view word);

/// Whether the word is a collective that benchmarks measure but Orrery does not model: gather,
/// scatter, hypercube, and variants with different sizes per rank (alltoallv, allgatherv).
[[nodiscard]] bool is_unmodeled_collective(std::string_view word);

/// A range that contains a factor; equal ends: the factor is known exactly.
struct FactorRange {
  double lower = 0, upper = 0;
};

/// Bus bandwidth divided by algorithm bandwidth. `ranks` 0: unknown.
[[nodiscard]] FactorRange bus_factor(const Collective& collective, std::int32_t ranks);

}  // namespace orrery::calibrate
