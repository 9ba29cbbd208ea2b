// SPDX-License-Identifier: Apache-2.0
//
// Hints for common input errors: commands that work instead.
#pragma once

#include <cstdint>
#include <string>

#include "orrery/core/error.h"
#include "orrery/platform/platform.h"
#include "orrery/workload/program/program.h"

namespace orrery::study {

/// Adds a hint to an error about missing Chakra traces. If `prefix` is a folder or a single file,
/// the hint is the prefix to give. If traces of only some of `ranks` ranks exist, it is the cluster
/// size to use.
[[nodiscard]] Error add_missing_trace_hint(Error error, const std::string& prefix,
                                           std::uint32_t ranks);

/// "--cluster h100-sxm:64": a catalog cluster of `devices` devices, which needs no file.
[[nodiscard]] std::string cluster_suggestion(std::int64_t devices);

/// Hint for a cluster file that cannot be opened: a similar name in its folder, or a cluster
/// without a file. Other errors are unchanged.
[[nodiscard]] Error add_cluster_hint(Error error, const std::string& path);

/// Hint for a plan with a number of ranks other than `devices`: the --dp that fits, and the cluster
/// that would fit.
[[nodiscard]] std::string fitting_plan_hint(const workload::Program& program, std::int64_t devices);

/// Errc::config_conflict unless the cluster has as many devices as the plan has ranks.
[[nodiscard]] Result<void> check_device_count(const workload::Program& program,
                                              const platform::Platform& platform,
                                              const std::string& where);

}  // namespace orrery::study
