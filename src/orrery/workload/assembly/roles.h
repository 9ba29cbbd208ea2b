// SPDX-License-Identifier: Apache-2.0
//
// Which ranks do the same. Private to the assembly.
#pragma once

#include <cstdint>
#include <string>

#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// Sets how roles are numbered, from `program.spec` and `program.mesh`. Classes of cp: with ring
/// attention the ends of the ring have other neighbours than the rest. Classes of experts: with an
/// imbalance the first of each expert-parallel group is the busiest. Every rank its own role:
/// tables of a dlrm that are not spread evenly. Errc: limit_exceeded.
[[nodiscard]] Result<void> number_roles(Program& program);

/// How many roles there are; some may have no ranks.
[[nodiscard]] std::uint32_t role_count(const Program& program);

/// What the ranks of role `role` have in common.
[[nodiscard]] Position position_of(const Program& program, std::uint32_t role);
/// How many they are. Constant time.
[[nodiscard]] std::uint64_t ranks_of(const Program& program, const Position& where);
/// What to call them: "stage 3", "stage 0, first of cp".
[[nodiscard]] std::string role_name(const Position& where);

}  // namespace orrery::workload
