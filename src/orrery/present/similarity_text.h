// SPDX-License-Identifier: Apache-2.0
//
// How alike a recording and its replay are, for people and as JSON.
#pragma once

#include <string>

#include "orrery/bench/similarity.h"
#include "orrery/report/json.h"
#include "orrery/report/text.h"

namespace orrery::present {

/// A line for each side of it: operators, time, memory, communication.
void add_similarity(report::Sheet& sheet, const bench::Similarity& alike);

/// Kinds of work side by side, what ran in other numbers than recorded, communication.
[[nodiscard]] std::string similarity_tables(const bench::Similarity& alike, report::Style style);

/// `"similarity": {…}`; shares are parts of 1.
void write_similarity(report::JsonWriter& json, const bench::Similarity& alike);

// What the page says, too.

/// "96 recorded, 96 ran, inner ones included; 0 % would have to be others"
[[nodiscard]] std::string mix_words(const bench::Similarity& alike);
/// Empty: nothing was recorded.
[[nodiscard]] std::string time_words(const bench::Similarity& alike);
[[nodiscard]] std::string memory_words(const bench::Similarity& alike);
[[nodiscard]] std::string comm_words(const bench::Similarity& alike);
[[nodiscard]] std::string busy_words(const bench::Similarity& alike);

}  // namespace orrery::present
