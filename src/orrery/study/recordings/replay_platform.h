// SPDX-License-Identifier: Apache-2.0
//
// The platform for replays of recordings.
#pragma once

#include <cstdint>

#include "orrery/study/questions/inputs/inputs.h"

namespace orrery::study {

/// A machine with `ranks` devices and an unused network: all durations are recorded.
[[nodiscard]] platform::Platform replay_platform(std::uint32_t ranks);

/// The same as a cluster for a question.
[[nodiscard]] Cluster replay_cluster(std::uint32_t ranks);

}  // namespace orrery::study
