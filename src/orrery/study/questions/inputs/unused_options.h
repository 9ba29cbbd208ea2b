// SPDX-License-Identifier: Apache-2.0
//
// Options of traces that a workload of another kind does not use.
#pragma once

#include "orrery/core/findings.h"
#include "orrery/study/question.h"

namespace orrery::study {

/// Counts key_without_effect for each given option that only applies to traces. The workload is a
/// model with a plan (all options), or a file with the messages or the program of all ranks
/// (--groups and --repair).
void report_unused_trace_options(const Question& question, Findings& findings);

}  // namespace orrery::study
