// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "orrery/report/terminal_text.h"
#include "orrery/study/embeddings/shard_report.h"

namespace orrery::present {

/// `file`: that was written; empty: none.
[[nodiscard]] std::string shard_text(const study::ShardAnswer& answer, const std::string& file,
                                     report::Style style);
[[nodiscard]] std::string shard_json(const study::ShardAnswer& answer, const std::string& file);
/// Lookup time by device.
[[nodiscard]] std::string shard_svg(const study::ShardAnswer& answer);

}  // namespace orrery::present
