// SPDX-License-Identifier: Apache-2.0
//
// Factors on the kernels of one operator of a job ("operator:mlp_up=0.5").
#pragma once

#include <span>

#include "orrery/core/error.h"
#include "orrery/platform/platform.h"
#include "orrery/study/whatif/changes/changes.h"
#include "orrery/workload/program/program.h"

namespace orrery::study {

/// Stores factors on operators in the device (Device::changes): its kernel models apply them to the
/// kernels of these operators. Operators with identical kernels change together. Errc: usage for an
/// operator that the job does not have.
[[nodiscard]] Result<void> change_operators(std::span<const Change> changes,
                                            const workload::Program& program,
                                            platform::Platform& platform);

}  // namespace orrery::study
