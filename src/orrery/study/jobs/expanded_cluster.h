// SPDX-License-Identifier: Apache-2.0
//
// Devices with memory expansion, with the effective bandwidth of a job.
#pragma once

#include <memory>

#include "orrery/core/findings.h"
#include "orrery/platform/platform.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/workload/program/program.h"

namespace orrery::study {

/// Share of the memory of the program's fullest role that is in the expansion, 0 to 1. 0 for
/// devices without expansion, and if the memory cannot be computed.
[[nodiscard]] double expanded_share(const workload::Program& program,
                                    const platform::Device& device);

/// The cluster with the effective memory bandwidth of the program: part of the bytes of each kernel
/// are in the expansion (model::combined_bandwidth). All roles use the share of the fullest role.
/// Unchanged if the expansion is not used.
[[nodiscard]] std::shared_ptr<const Cluster> with_expanded_memory(
    const workload::Program& program, std::shared_ptr<const Cluster> cluster);

/// The same for a workload. Counts key_without_effect when the memory of ranks is unknown.
[[nodiscard]] std::shared_ptr<const Cluster> with_expanded_memory(
    const Load& load, std::shared_ptr<const Cluster> cluster, Findings& findings);

}  // namespace orrery::study
