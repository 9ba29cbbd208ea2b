// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery job generate`; sentences about a training job.
#pragma once

#include <string>

#include "orrery/core/findings.h"
#include "orrery/report/answer/answer.h"
#include "orrery/study/jobs/program_to_chakra.h"
#include "orrery/workload/program/program.h"

namespace orrery::present {

/// "512 ranks: tp 8 (sp), pp 4, dp 16"
[[nodiscard]] std::string parallelism_text(const workload::Program& program);
/// "32 x 1 per rank, 512 in total, 1,024 tokens each; 1f1b"
[[nodiscard]] std::string batch_text(const workload::Spec& spec);

/// The traces that were written under `prefix`.
void state_generate(report::Answer& answer, const workload::Program& program,
                    const study::ChakraWriteReport& report, const std::string& prefix,
                    const Findings& findings);

}  // namespace orrery::present
