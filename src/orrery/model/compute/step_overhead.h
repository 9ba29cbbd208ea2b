// SPDX-License-Identifier: Apache-2.0
//
// The time that a training step adds to the prediction of a single kernel.
#pragma once

#include "orrery/core/quantity.h"
#include "orrery/graph/kernel.h"
#include "orrery/model/kernels/kernel_model.h"
#include "orrery/model/kernels/silicon.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// Time from the end of a kernel to the begin of the next one that waits in the stream's queue. The
/// value comes from recordings of devices of this architecture or of its nearest neighbor
/// (docs/kernel-times.md). 0: unknown.
[[nodiscard]] Time catalog_launch_gap(const Silicon& silicon);

/// The gap of the cluster file, otherwise that of the architecture.
[[nodiscard]] Time launch_gap_of(const platform::Device& device, const Silicon& silicon);

/// The factor of the cluster file for kernels of this format, or null.
[[nodiscard]] const platform::StepEffects::Factor* step_factor_of(const platform::Device& device,
                                                                  graph::Format format);

/// The time of a kernel in a step, from its time `alone`. Matrix products are multiplied by the
/// step factor; if the factor has a band, it replaces that of the model, because it includes the
/// model's error. Each launch adds a gap. Applies only to models of isolated kernels
/// (adds_step_overhead); rooflines and systolic arrays stay unchanged.
[[nodiscard]] KernelTime time_in_step(KernelTime alone, const graph::Kernel& kernel,
                                      const platform::Device& device, Time gap);

}  // namespace orrery::model
