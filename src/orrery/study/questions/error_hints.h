// SPDX-License-Identifier: Apache-2.0
//
// What to do about errors of the last mile: commands that would work.
#pragma once

#include <cstdint>
#include <string>

#include "orrery/core/error.h"
#include "orrery/platform/platform.h"
#include "orrery/workload/program/program.h"

namespace orrery::study {

/// Of Chakra traces that are not there: what names a folder or one file instead of what traces'
/// names begin with, or misses some of so many ranks' traces, gets a hint that fits.
[[nodiscard]] Error add_missing_trace_hint(Error error, const std::string& prefix,
                                           std::uint32_t ranks);

/// "--cluster h100-sxm:64": a cluster of so many devices that needs no file.
[[nodiscard]] std::string cluster_suggestion(std::int64_t devices);

/// Hint for a cluster's file that cannot be opened: one beside it with nearly the same name, or how
/// to do without. Other errors stay as they are.
[[nodiscard]] Error add_cluster_hint(Error error, const std::string& path);

/// Hint for a plan of other than `devices` ranks: the --dp that fits, the cluster that would.
[[nodiscard]] std::string fitting_plan_hint(const workload::Program& program, std::int64_t devices);

/// The cluster has as many devices as the plan has ranks: Errc::config_conflict.
[[nodiscard]] Result<void> check_device_count(const workload::Program& program,
                                              const platform::Platform& platform,
                                              const std::string& where);

}  // namespace orrery::study
