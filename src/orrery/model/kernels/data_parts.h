// SPDX-License-Identifier: Apache-2.0
//
// The split of measured kernels into training and held-back data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "orrery/graph/kernel.h"

namespace orrery::model {

inline constexpr std::size_t kParts = 10;

/// The part of a measured row, below kParts. It is equal for all devices with measurements of these
/// kernels. Fits are tested on part 0.
[[nodiscard]] int part_of(std::span<const graph::Kernel> row, std::uint64_t seed);

}  // namespace orrery::model
