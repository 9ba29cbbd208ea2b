// SPDX-License-Identifier: Apache-2.0
//
// Checks whether a cluster supports the options of a question.
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/platform/platform.h"
#include "orrery/study/question.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::study {

/// Rejects features that only Orrery's rules support (fabrics, flows, in-network reduction, chunk
/// orders by model, stages of remote memories) under ASTRA-sim's rules, and graphs with too many
/// links. Errc: config_conflict, limit_exceeded.
[[nodiscard]] Result<void> check_network(const Question& question,
                                         const platform::Platform& platform);

/// The network `ns3`: loads its plug-in into the platform. Other networks: nothing. Errc: usage (no
/// plug-in, at the option or key that chooses the network), config_conflict (a setting that ns-3
/// does not model, which is checked first).
[[nodiscard]] Result<void> load_network(const Question& question, platform::Platform& platform);

/// Errc::config_conflict, at `where`, if the cluster does not support the remote memory that the
/// job uses.
[[nodiscard]] Result<void> check_offload(const workload::Spec& spec,
                                         const platform::Platform& platform,
                                         const std::string& where);

}  // namespace orrery::study
