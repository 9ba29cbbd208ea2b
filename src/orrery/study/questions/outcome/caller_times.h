// SPDX-License-Identifier: Apache-2.0
//
// Functions of the calling program that change the times of a question's models.
#pragma once

#include <memory>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/model/caller/caller_models.h"
#include "orrery/sim/simulate.h"
#include "orrery/study/questions/inputs/inputs.h"

namespace orrery::study {

/// Adds the functions to a cluster, and to the times of its library. Null changes nothing. Errc:
/// config_conflict if they change the network and its messages contend, so that no message has a
/// time of its own.
[[nodiscard]] Result<void> set_caller(std::shared_ptr<const model::CallerModels> caller,
                                      Cluster& cluster);

/// The network of the cluster with the function's times; empty: the platform's own.
[[nodiscard]] sim::NetworkFactory caller_network(const Cluster& cluster);

/// Counts the times that the functions changed, and functions that were never asked.
void count_caller_times(const Cluster& cluster, Findings& findings);

}  // namespace orrery::study
