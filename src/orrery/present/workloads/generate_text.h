// SPDX-License-Identifier: Apache-2.0
//
// A training job in a line, and its traces as they were written.
#pragma once

#include <string>

#include "orrery/core/findings.h"
#include "orrery/report/terminal_text.h"
#include "orrery/study/jobs/program_to_chakra.h"
#include "orrery/workload/program/program.h"

namespace orrery::present {

/// "512 ranks: tp 8 (sp), pp 4, dp 16"
[[nodiscard]] std::string parallelism_text(const workload::Program& program);
/// "1f1b, 32 microbatches of 1, 1,024 tokens each"
[[nodiscard]] std::string batch_text(const workload::Spec& spec);

/// The traces that were written under `prefix`.
[[nodiscard]] std::string generate_text(const workload::Program& program,
                                        const study::ChakraWriteReport& report,
                                        const std::string& prefix, const Findings& findings,
                                        report::Style style);
[[nodiscard]] std::string generate_json(const workload::Program& program,
                                        const study::ChakraWriteReport& report,
                                        const std::string& prefix, const Findings& findings);

}  // namespace orrery::present
