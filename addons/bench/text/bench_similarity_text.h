// SPDX-License-Identifier: Apache-2.0
//
// How alike a recording and its replay are, for people and as JSON.
#pragma once

#include <string>

#include "addons/bench/outcome/similarity.h"
#include "orrery/report/json/json_writer.h"
#include "orrery/report/terminal_text.h"

namespace orrery::present {

/// A line for each side of it: operators, time, memory, communication.
void add_similarity(report::Sheet& sheet, const bench::Similarity& similarity);

/// Kinds of work side by side, what ran in other numbers than recorded, communication.
[[nodiscard]] std::string similarity_tables(const bench::Similarity& similarity,
                                            report::Style style);

/// `"similarity": {…}`; shares are parts of 1.
void write_similarity(report::JsonWriter& json, const bench::Similarity& similarity);

// What the page says, too.

/// "96 recorded, 96 ran, inner ones included; 0 % would have to be others"
[[nodiscard]] std::string mix_text(const bench::Similarity& similarity);
/// Empty: nothing was recorded.
[[nodiscard]] std::string time_text(const bench::Similarity& similarity);
[[nodiscard]] std::string memory_usage_text(const bench::Similarity& similarity);
[[nodiscard]] std::string communication_text(const bench::Similarity& similarity);
[[nodiscard]] std::string busy_text(const bench::Similarity& similarity);

}  // namespace orrery::present
