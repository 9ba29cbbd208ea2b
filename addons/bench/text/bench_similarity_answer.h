// SPDX-License-Identifier: Apache-2.0
//
// The comparison of a recording and its replay.
#pragma once

#include "addons/bench/outcome/similarity.h"
#include "orrery/report/answer/answer.h"

namespace orrery::present {

/// One line each for operators, time, memory, communication, utilization; members of an object.
/// Shares are parts of 1.
void state_similarity(report::Answer& answer, const bench::Similarity& similarity);

/// Tables of kinds of work, of operators with different counts, of communication, for people.
void state_similarity_tables(report::Answer& answer, const bench::Similarity& similarity);

}  // namespace orrery::present
