// SPDX-License-Identifier: Apache-2.0
//
// Algorithms of collectives that come from files: plans, and Chakra traces.
#pragma once

#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"
#include "orrery/platform/platform.h"
#include "orrery/study/question.h"
#include "orrery/synthesis/plans/plan.h"

namespace orrery::study {

/// Reads the custom algorithms that `platform` names into the workload: what is a file is a plan,
/// else it is the prefix of traces. Errc: those of the readers; config_conflict for a plan of
/// another collective; input_corrupt for one that is wrong.
[[nodiscard]] Result<void> read_custom_collectives(const Question& question,
                                                   const platform::Platform& platform,
                                                   graph::Workload& workload);

/// A plan as it is on disk: a file of MSCCL's or MSCCL++'s, or Chakra traces by their prefix or any
/// one of them. Errc: those of the readers, input_not_found.
[[nodiscard]] Result<synthesis::Plan> read_plan_or_traces(const std::string& file,
                                                          Findings& findings);

/// Writes PREFIX.<rank>.et for each rank; all or none. Errc: output_exists unless `force`,
/// output_failed, and what synthesis::lower_plan() says.
[[nodiscard]] Result<void> write_plan_traces(const synthesis::Plan& plan, const std::string& prefix,
                                             bool force, Findings& findings);

}  // namespace orrery::study
