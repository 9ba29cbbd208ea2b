// SPDX-License-Identifier: Apache-2.0
//
// What a training step adds to a kernel that was told alone.
#pragma once

#include "orrery/core/quantity.h"
#include "orrery/graph/kernel.h"
#include "orrery/model/kernels/kernel_model.h"
#include "orrery/model/kernels/silicon.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// From a kernel's end to the begin of the next that waits in the stream's queue, as recordings of
/// devices of this architecture, or of its nearest neighbour, have it (docs/kernel-times.md); 0
/// where nothing is known of it.
[[nodiscard]] Time catalogue_launch_gap(const Silicon& silicon);

/// The gap that a cluster states, or else the device's own.
[[nodiscard]] Time launch_gap_of(const platform::Device& device, const Silicon& silicon);

/// The factor that a cluster states for kernels of this format, or null.
[[nodiscard]] const platform::StepEffects::Factor* step_factor_of(const platform::Device& device,
                                                                  graph::Format format);

/// `alone` in a step: products times the factor, with its band where it has one (what the model is
/// off alone is part of it), and a gap for each launch. Only for models of kernels alone; rooflines
/// and arrays are answers to other questions.
[[nodiscard]] KernelTime time_in_step(KernelTime alone, const graph::Kernel& kernel,
                                      const platform::Device& device, Time gap);

}  // namespace orrery::model
