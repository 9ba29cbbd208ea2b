// SPDX-License-Identifier: Apache-2.0
//
// What reading, linking and converting recorded traces found, for people and as JSON.
#pragma once

#include <string>

#include "orrery/intake/formats/convert_file.h"
#include "orrery/intake/job/job.h"
#include "orrery/report/terminal_text.h"

namespace orrery::present {

/// "rank 3 of 8": places in a job.
[[nodiscard]] std::string ranks_of(const intake::Job& job);

/// What can be said of any job: groups, how communications matched, clocks. For text and JSON.
[[nodiscard]] std::string job_text(const intake::Job& job, report::Style style);

/// Ranks in a job as they were converted, and where to (`prefix`).
[[nodiscard]] std::string convert_job_text(const intake::JobReport& report,
                                           const std::string& prefix, report::Style style);
[[nodiscard]] std::string convert_job_json(const intake::JobReport& report,
                                           const std::string& prefix);

/// How well execution traces and device traces, and ranks, fit together.
[[nodiscard]] std::string link_text(const intake::JobReport& report, report::Style style);
[[nodiscard]] std::string link_json(const intake::JobReport& report);

/// What became of a trace of another format.
[[nodiscard]] std::string convert_file_text(const intake::ConvertedFile& done, report::Style style);
[[nodiscard]] std::string convert_file_json(const intake::ConvertedFile& done);

}  // namespace orrery::present
