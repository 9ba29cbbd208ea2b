// SPDX-License-Identifier: Apache-2.0
//
// Helpers for declaring tables, and the tables that are declared in other files.
#pragma once

#include <string_view>
#include <vector>

#include "orrery/result/run_file/table_schema.h"

namespace orrery::result {

inline constexpr std::string_view kKey = "INTEGER PRIMARY KEY";
inline constexpr std::string_view kRowNumber = "number of the row";
inline constexpr std::string_view kInteger = "INTEGER NOT NULL";
inline constexpr std::string_view kNullableInteger = "INTEGER";
inline constexpr std::string_view kReal = "REAL NOT NULL";
inline constexpr std::string_view kText = "TEXT NOT NULL";
inline constexpr std::string_view kRank = "INTEGER NOT NULL REFERENCES rank";
inline constexpr std::string_view kName = "INTEGER NOT NULL REFERENCES name";
inline constexpr std::string_view kTimeline = "INTEGER NOT NULL REFERENCES timeline";
inline constexpr std::string_view kGroup = "INTEGER NOT NULL REFERENCES process_group";
inline constexpr std::string_view kLower =
    "lower end of the 80 % prediction interval, relative to `time_ps`; NULL: unknown";
inline constexpr std::string_view kUpper =
    "upper end of the 80 % prediction interval, relative to `time_ps`";
inline constexpr std::string_view kNullableSpan = "INTEGER REFERENCES span";

/// Tables for the rows of parted tables, in the order in which they are written.
[[nodiscard]] std::vector<Table> span_part_tables(const Table& span);
[[nodiscard]] std::vector<Table> name_part_tables();
[[nodiscard]] std::vector<Table> collective_part_tables(const Table& collective);
[[nodiscard]] std::vector<Table> path_part_tables(const Table& path);
[[nodiscard]] Table repetition_table();
[[nodiscard]] std::vector<Table> network_tables();
[[nodiscard]] std::vector<Table> remote_memory_tables();
[[nodiscard]] std::vector<Table> packet_tables();

}  // namespace orrery::result
