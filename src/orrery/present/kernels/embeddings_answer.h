// SPDX-License-Identifier: Apache-2.0
//
// Answers of `orrery dlrm lookup`.
#pragma once

#include <span>
#include <string>

#include "orrery/report/answer/answer.h"
#include "orrery/study/embeddings/embeddings.h"

namespace orrery::present {

/// How often rows of embedding tables are read.
void state_reuse(report::Answer& answer, std::span<const study::TableReuse> tables);

/// The generated stream and its difference from the request. `path`: its file.
void state_stream(report::Answer& answer, const model::StreamRequest& request,
                  const model::StreamPlan& plan, const std::string& path);

/// Predicted lookup times.
void state_lookup(report::Answer& answer, const study::LookupAnswer& lookup);

}  // namespace orrery::present
