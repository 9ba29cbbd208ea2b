// SPDX-License-Identifier: Apache-2.0
//
// Where recordings are played again.
#pragma once

#include <cstdint>

#include "orrery/study/inputs.h"

namespace orrery::study {

/// A machine as large as the job. Nothing is sent over its network: all takes what it was recorded
/// to take.
[[nodiscard]] platform::Platform stage_for(std::uint32_t ranks);

/// The same as a cluster that a question may be about.
[[nodiscard]] Cluster stage_cluster(std::uint32_t ranks);

}  // namespace orrery::study
