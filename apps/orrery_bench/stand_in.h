// SPDX-License-Identifier: Apache-2.0
//
// Replaces kernels whose code is not available: moves the same bytes and executes the same number
// of operations.
#pragma once

#include <cstdint>

namespace orrery::bench {

/// Reads the bytes once.
void read_bytes(const void* memory, std::int64_t bytes);
/// Executes `flops` multiplications and additions in total.
void calculate(double flops);

}  // namespace orrery::bench
