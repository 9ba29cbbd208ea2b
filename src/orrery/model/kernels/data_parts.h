// SPDX-License-Identifier: Apache-2.0
//
// Which measured kernels a fit learns, and which it holds back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "orrery/graph/kernel.h"

namespace orrery::model {

inline constexpr std::size_t kParts = 10;

/// The part of a measured row, below kParts; the same for all devices that measured these kernels.
/// Fits test on part 0.
[[nodiscard]] int part_of(std::span<const graph::Kernel> row, std::uint64_t seed);

}  // namespace orrery::model
