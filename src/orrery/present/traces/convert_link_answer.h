// SPDX-License-Identifier: Apache-2.0
//
// Answers of `orrery trace convert` and `orrery trace merge`.
#pragma once

#include <string>

#include "orrery/intake/formats/convert_file.h"
#include "orrery/intake/job/job.h"
#include "orrery/report/answer/answer.h"

namespace orrery::present {

/// "rank 3 of 8": ranks of a job that have traces.
[[nodiscard]] std::string ranks_of(const intake::Job& job);

/// Lines about any job: groups, matched communications, clock offsets.
void state_job(report::Answer& answer, const intake::Job& job);

/// Converted ranks of a job; `prefix`: path prefix of the output files.
void state_convert_job(report::Answer& answer, const intake::JobReport& report,
                       const std::string& prefix);

/// How completely execution traces, device traces and ranks are linked.
void state_link(report::Answer& answer, const intake::JobReport& report);

/// The result of converting a trace of another format.
void state_converted_file(report::Answer& answer, const intake::ConvertedFile& converted);

}  // namespace orrery::present
