// SPDX-License-Identifier: Apache-2.0
//
// Collective algorithms from files: plans and Chakra traces.
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"
#include "orrery/platform/platform.h"
#include "orrery/study/question.h"
#include "orrery/synthesis/plans/plan.h"

namespace orrery::study {

/// Reads the custom algorithms that `platform` names into `workload`. A name is a prefix of traces
/// if NAME.0.et exists, else a plan if it is a file. Errc: those of the readers; config_conflict
/// for a plan of another collective; input_corrupt for an incorrect plan.
[[nodiscard]] Result<void> read_custom_collectives(const Question& question,
                                                   const platform::Platform& platform,
                                                   graph::Workload& workload);

/// Reads a plan: an MSCCL or MSCCL++ file, or Chakra traces by their prefix or by the trace of rank
/// 0. Errc: those of the readers, input_not_found.
[[nodiscard]] Result<synthesis::Plan> read_plan_or_traces(const std::string& file,
                                                          Findings& findings);

/// Writes PREFIX.<rank>.et for each rank. After an error no file remains. Errc: output_exists
/// unless `force`, output_failed, those of synthesis::lower_plan().
[[nodiscard]] Result<void> write_plan_traces(const synthesis::Plan& plan, const std::string& prefix,
                                             bool force, Findings& findings);

}  // namespace orrery::study
