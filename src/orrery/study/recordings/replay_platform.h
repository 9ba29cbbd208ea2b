// SPDX-License-Identifier: Apache-2.0
//
// Where recordings are played again.
#pragma once

#include <cstdint>

#include "orrery/study/questions/inputs/inputs.h"

namespace orrery::study {

/// A machine as large as the job. Nothing is sent over its network: all takes what it was recorded
/// to take.
[[nodiscard]] platform::Platform replay_platform(std::uint32_t ranks);

/// The same as a cluster that a question may be about.
[[nodiscard]] Cluster replay_cluster(std::uint32_t ranks);

}  // namespace orrery::study
