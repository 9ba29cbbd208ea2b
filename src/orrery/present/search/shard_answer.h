// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery dlrm shard`.
#pragma once

#include <string>

#include "orrery/report/answer/answer.h"
#include "orrery/study/embeddings/shard_report.h"

namespace orrery::present {

/// `file`: the file that was written; empty: none.
void state_shard(report::Answer& answer, const study::ShardAnswer& placed, const std::string& file);
/// Lookup time by device.
[[nodiscard]] std::string shard_svg(const study::ShardAnswer& placed);

}  // namespace orrery::present
