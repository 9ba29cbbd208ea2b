// SPDX-License-Identifier: Apache-2.0
//
// Groups ranks that do the same work into roles. Private to the assembly.
#pragma once

#include <cstdint>
#include <string>

#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// Sets the numbering of roles from `program.spec` and `program.mesh`. Classes of cp: with ring
/// attention, the ends of the ring have other neighbors than the other ranks. Classes of experts:
/// with an imbalance, the first rank of each expert-parallel group is the busiest. Every rank has
/// its own role if the tables of a dlrm are not distributed evenly. Errc: limit_exceeded.
[[nodiscard]] Result<void> number_roles(Program& program);

/// The number of roles; some may have no ranks.
[[nodiscard]] std::uint32_t role_count(const Program& program);

/// The coordinates that all ranks of `role` share.
[[nodiscard]] Position position_of(const Program& program, std::uint32_t role);
/// The number of ranks at `where`. Constant time.
[[nodiscard]] std::uint64_t ranks_of(const Program& program, const Position& where);
/// The name of the role: "stage 3", "stage 0, first of cp".
[[nodiscard]] std::string role_name(const Position& where);

}  // namespace orrery::workload
