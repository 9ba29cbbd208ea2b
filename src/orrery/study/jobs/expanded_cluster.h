// SPDX-License-Identifier: Apache-2.0
//
// Devices with memory beside their own, as a job finds them.
#pragma once

#include <memory>

#include "orrery/core/findings.h"
#include "orrery/platform/platform.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/workload/program/program.h"

namespace orrery::study {

/// How much of what the program's fullest role holds lies beside the device's own memory, 0 to 1. 0
/// for devices that have none beside it, and where memory cannot be accounted.
[[nodiscard]] double expanded_share(const workload::Program& program,
                                    const platform::Device& device);

/// The cluster whose devices read and write memory as fast as the program can: part of each
/// kernel's bytes lies beside (model::combined_bandwidth), for all roles as much as for the
/// fullest. The same one where nothing does.
[[nodiscard]] std::shared_ptr<const Cluster> with_expanded_memory(
    const workload::Program& program, std::shared_ptr<const Cluster> cluster);

/// The same for a workload. Counts key_without_effect where nothing says what ranks hold.
[[nodiscard]] std::shared_ptr<const Cluster> with_expanded_memory(
    const Load& load, std::shared_ptr<const Cluster> cluster, Findings& findings);

}  // namespace orrery::study
