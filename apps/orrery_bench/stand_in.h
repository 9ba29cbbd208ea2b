// SPDX-License-Identifier: Apache-2.0
//
// What takes the place of a kernel whose code there is not: the same bytes, the same calculations.
#pragma once

#include <cstdint>

namespace orrery::replay {

/// Reads the bytes once.
void read_bytes(const void* memory, std::int64_t bytes);
/// Multiplies and adds, `flops` times in all.
void calculate(double flops);

}  // namespace orrery::replay
