// SPDX-License-Identifier: Apache-2.0
//
// A training job in a line, and its traces as they were written.
#pragma once

#include <string>

#include "orrery/core/findings.h"
#include "orrery/report/text.h"
#include "orrery/study/write_chakra.h"
#include "orrery/workload/program/program.h"

namespace orrery::present {

/// "512 ranks: tp 8 (sp), pp 4, dp 16"
[[nodiscard]] std::string plan_text(const workload::Program& program);
/// "1f1b, 32 microbatches of 1, 1,024 tokens each"
[[nodiscard]] std::string batch_text(const workload::Spec& spec);

/// The traces that were written under `prefix`.
[[nodiscard]] std::string generated_text(const workload::Program& program,
                                         const study::WriteReport& report,
                                         const std::string& prefix, const Findings& findings,
                                         report::Style style);
[[nodiscard]] std::string generated_json(const workload::Program& program,
                                         const study::WriteReport& report,
                                         const std::string& prefix, const Findings& findings);

}  // namespace orrery::present
