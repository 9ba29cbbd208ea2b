// SPDX-License-Identifier: Apache-2.0
//
// The answers of `orrery trace learn` and `orrery trace synthesize`.
#pragma once

#include <cstdint>
#include <string>

#include "orrery/core/findings.h"
#include "orrery/generative/learning/synthesize.h"
#include "orrery/report/answer/answer.h"
#include "orrery/study/jobs/program_to_chakra.h"

namespace orrery::present {

/// What was learned. `bytes`: of the file.
void state_learned(report::Answer& answer, const generative::LearnedTraces& learned,
                   const std::string& file, std::uint64_t bytes, const Findings& findings);

/// The traces under `prefix`, and how the samples compare with closed forms.
void state_synthesized(report::Answer& answer, const generative::Synthesized& made,
                       const study::ChakraWriteReport& report, const std::string& prefix,
                       std::uint64_t seed, const Findings& findings);

}  // namespace orrery::present
