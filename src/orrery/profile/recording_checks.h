// SPDX-License-Identifier: Apache-2.0
//
// What profilers record wrong or not at all on devices.
#pragma once

#include <vector>

#include "orrery/core/findings.h"
#include "orrery/profile/iterations.h"
#include "orrery/profile/profile.h"

namespace orrery::profile {

/// Ends device work where the next work of its stream begins, if it is recorded to end after that
/// next work ends: streams run in order. Work that only overlaps its successor stays unchanged
/// (programmatic dependent launches), and so does work of one CUDA graph, whose branches may run
/// concurrently. Counts duration_cut. `profile` is indexed. O(events).
void cut_long_durations(Profile& profile, Findings& findings);

/// Iterations without device work, neither during the iteration nor launched in it, of a recording
/// with device work in other iterations: the profiler did not record the device then. `profile` is
/// indexed and attached. O(events log iterations).
[[nodiscard]] std::vector<Iteration> unrecorded_iterations(const Profile& profile);

/// Counts no_device_work for a recording of the host alone on a machine with a device, and
/// step_not_recorded. `profile` is indexed and attached.
void check_device_work(const Profile& profile, Findings& findings);

}  // namespace orrery::profile
