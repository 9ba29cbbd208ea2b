// SPDX-License-Identifier: Apache-2.0
//
// What declarations of tables share, and the tables that stand in files of their own.
#pragma once

#include <string_view>
#include <vector>

#include "orrery/result/run_file/table_schema.h"

namespace orrery::result {

inline constexpr std::string_view kKey = "INTEGER PRIMARY KEY";
inline constexpr std::string_view kRow = "counts the rows";
inline constexpr std::string_view kInteger = "INTEGER NOT NULL";
inline constexpr std::string_view kMaybe = "INTEGER";
inline constexpr std::string_view kReal = "REAL NOT NULL";
inline constexpr std::string_view kText = "TEXT NOT NULL";
inline constexpr std::string_view kRank = "INTEGER NOT NULL REFERENCES rank";
inline constexpr std::string_view kName = "INTEGER NOT NULL REFERENCES name";
inline constexpr std::string_view kTimeline = "INTEGER NOT NULL REFERENCES timeline";
inline constexpr std::string_view kGroup = "INTEGER NOT NULL REFERENCES process_group";
inline constexpr std::string_view kLower =
    "10 % of true times are less than `time_ps` + this; NULL: not known";
inline constexpr std::string_view kUpper = "… and 10 % more than `time_ps` + this";
inline constexpr std::string_view kMaybeSpan = "INTEGER REFERENCES span";

[[nodiscard]] std::vector<Table> network_tables();
[[nodiscard]] std::vector<Table> remote_memory_tables();

}  // namespace orrery::result
