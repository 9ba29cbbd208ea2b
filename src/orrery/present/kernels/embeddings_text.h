// SPDX-License-Identifier: Apache-2.0
//
// What `orrery embeddings` prints.
#pragma once

#include <span>
#include <string>

#include "orrery/report/terminal_text.h"
#include "orrery/study/embeddings/embeddings.h"

namespace orrery::present {

[[nodiscard]] std::string format_histogram(std::span<const study::TableReuse> tables,
                                           report::Style style);
[[nodiscard]] std::string histogram_json(std::span<const study::TableReuse> tables);

/// What was made, and how near it comes to what was wanted.
[[nodiscard]] std::string stream_text(const model::StreamRequest& wish,
                                      const model::StreamPlan& plan, const std::string& path,
                                      report::Style style);
[[nodiscard]] std::string stream_json(const model::StreamRequest& wish,
                                      const model::StreamPlan& plan, const std::string& path);

[[nodiscard]] std::string lookup_text(const study::LookupAnswer& answer, report::Style style);
[[nodiscard]] std::string lookup_json(const study::LookupAnswer& answer);

}  // namespace orrery::present
