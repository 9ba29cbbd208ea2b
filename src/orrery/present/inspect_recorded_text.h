// SPDX-License-Identifier: Apache-2.0
//
// What is in recorded traces: iterations, kernels, communication.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/intake/job/job.h"
#include "orrery/profile/inspection.h"
#include "orrery/report/text.h"

namespace orrery::present {

/// A rank of a job.
struct Inspected {
  std::uint32_t rank = 0;
  std::string file;
  std::string format;
  std::string device;
  profile::Inspection inspection;
};

[[nodiscard]] std::string recorded_text(const std::vector<Inspected>& ranks, const intake::Job& job,
                                        const Findings& findings, report::Style style);
[[nodiscard]] std::string recorded_json(const std::vector<Inspected>& ranks,
                                        const Findings& findings);

}  // namespace orrery::present
