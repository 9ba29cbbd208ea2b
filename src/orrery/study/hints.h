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

/// "--cluster h100-sxm:64": a cluster of so many devices that needs no file.
[[nodiscard]] std::string cluster_of(std::int64_t devices);

/// Hint for a cluster's file that cannot be opened: one beside it with nearly the same name, or how
/// to do without. Other errors stay as they are.
[[nodiscard]] Error explain_cluster(Error error, const std::string& path);

/// Hint for a plan of other than `devices` ranks: the --dp that fits, the cluster that would.
[[nodiscard]] std::string fitting_plan(const workload::Program& program, std::int64_t devices);

/// The cluster has as many devices as the plan has ranks: Errc::config_conflict.
[[nodiscard]] Result<void> check_world(const workload::Program& program,
                                       const platform::Platform& platform,
                                       const std::string& where);

}  // namespace orrery::study
