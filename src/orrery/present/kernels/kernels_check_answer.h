// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery kernels check`.
#pragma once

#include "orrery/report/answer/answer.h"
#include "orrery/study/kernels/kernel_table_report.h"

namespace orrery::present {

void state_kernel_table(report::Answer& answer, const study::KernelTableReport& report);

}  // namespace orrery::present
