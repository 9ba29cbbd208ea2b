// SPDX-License-Identifier: Apache-2.0
//
// The tables that store repeated rows once.
#include <algorithm>

#include "orrery/core/check.h"
#include "orrery/result/run_file/table_schema_internal.h"

namespace orrery::result {

namespace {

constexpr std::string_view kStep = "INTEGER NOT NULL DEFAULT 0";

/// The columns of `table` from `first` up to the first computed one.
std::vector<Column> stored_columns(const Table& table, std::string_view first) {
  const auto begin = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const Column& column) { return column.name == first; });
  return {begin, std::find_if(begin, table.columns.end(), generated)};
}

}  // namespace

std::vector<Table> span_part_tables(const Table& span) {
  Table parts{
      "span_part",
      "Consecutive spans of a timeline. If there are more than `period`, they repeat: "
      "`stored_span` "
      "contains the first period, and each period has the values of the one before plus steps.",
      {{"id", kKey, "first `span.id` of the part"},
       {"spans", kInteger, "number of spans; the last period may be incomplete"},
       {"period", kInteger, "number of spans in a period"},
       {"stored_span", "INTEGER NOT NULL REFERENCES stored_span", "its first stored span"},
       {"timeline", kTimeline, "its timeline"},
       {"node_step", kInteger, "difference of `node` from one period to the next"},
       {"start_step_ps", kInteger, "difference of `start_ps`; that of `released_by` is `period`"}}};
  Table stored{
      "stored_span",
      "The spans of the first period of each part. Columns without a step are as in `span`.",
      {{"id", kKey, kRowNumber}}};
  for (const Column& column : stored_columns(span, "node")) {
    stored.columns.push_back(column);
    if (column.name == "flop")
      stored.columns.push_back(
          {"name_step", kStep, "difference of `name` from one period to the next"});
  }
  stored.columns.insert(stored.columns.end(),
                        {{"sequence_step", kStep, "difference of `sequence`"},
                         {"peer_span_step", kStep, "difference of `peer_span`"},
                         {"slack_step_ps", kStep, "difference of `slack_ps`"}});
  return {std::move(stored), std::move(parts)};
}

std::vector<Table> name_part_tables() {
  return {
      {"name_part",
       "Consecutive names. If there are more than `period`, they repeat: `stored_name` contains "
       "the first period, and each period has the same names with larger or smaller numbers.",
       {{"id", kKey, "first `name.id` of the part"},
        {"names", kInteger, "number of names; the last period may be incomplete"},
        {"period", kInteger, "number of names in a period"},
        {"stored_name", "INTEGER NOT NULL REFERENCES stored_name", "its first stored name"},
        {"number_step", kInteger,
         "difference of `stored_name.number` from one period to the next"}}},
      {"stored_name",
       "The names of the first period of each part: `prefix`, `number` and `suffix`.",
       {{"id", kKey, kRowNumber},
        {"prefix", kText, "text before the number, or the complete name"},
        {"number", kNullableInteger, "the number that differs between periods; NULL: none"},
        {"suffix", "TEXT NOT NULL DEFAULT ''", "text after the number"}}}};
}

namespace {

constexpr std::string_view kStartStep = "difference of the times from one period to the next";

/// The stored rows of a table: all its columns.
Table stored_rows(const Table& table, std::string_view name, std::string_view meaning) {
  Table stored{name, meaning, {{"id", kKey, kRowNumber}}};
  stored.columns.insert(stored.columns.end(), table.columns.begin() + 1, table.columns.end());
  return stored;
}

}  // namespace

std::vector<Table> collective_part_tables(const Table& collective) {
  Table parts{
      "collective_part",
      "Consecutive collectives of a process group. If there are more than `period`, they repeat: "
      "`stored_collective` contains the first period.",
      {{"id", kKey, "first `collective.id` of the part"},
       {"collectives", kInteger, "number of collectives; the last period may be incomplete"},
       {"period", kInteger, "number of collectives in a period"},
       {"stored_collective", "INTEGER NOT NULL REFERENCES stored_collective",
        "its first stored collective"},
       {"last_span_step", kInteger, "difference of `last_span` from one period to the next"},
       {"start_step_ps", kInteger, kStartStep}}};
  Table stored =
      stored_rows(collective, "stored_collective",
                  "The collectives of the first period of each part. Columns without a step are as "
                  "in `collective`.");
  stored.columns.push_back(
      {"name_step", kStep, "difference of `name` from one period to the next"});
  return {std::move(parts), std::move(stored)};
}

std::vector<Table> path_part_tables(const Table& path) {
  return {{"path_part",
           "Consecutive segments of the critical path. If there are more than `period`, they "
           "repeat: `stored_path` contains the first period.",
           {{"id", kKey, "first `path.id` of the part"},
            {"segments", kInteger, "number of segments; the last period may be incomplete"},
            {"period", kInteger, "number of segments in a period"},
            {"stored_path", "INTEGER NOT NULL REFERENCES stored_path", "its first stored segment"},
            {"span_step", kInteger, "difference of `span` from one period to the next"},
            {"start_step_ps", kInteger, kStartStep}}},
          stored_rows(path, "stored_path",
                      "The segments of the first period of each part. Columns without a step are "
                      "as in `path`.")};
}

Table repetition_table() {
  return {"repetition",
          "Numbers from 0, as many as the part with the most periods has. The views of parts "
          "join it.",
          {{"id", kKey, "number of a period in its part"}}};
}

const std::vector<PartedTable>& parted_tables() {
  static const std::vector<PartedTable> all = {
      {"span",
       "span_part",
       "stored_span",
       {{"node", "node_step", true},
        {"name", "name_step"},
        {"start_ps", "start_step_ps", true},
        {"released_by", "period", true},
        {"slack_ps", "slack_step_ps"},
        {"sequence", "sequence_step"},
        {"peer_span", "peer_span_step"}}},
      {"name", "name_part", "stored_name", {{"number", "number_step", true}}},
      {"collective",
       "collective_part",
       "stored_collective",
       {{"name", "name_step"},
        {"first_start_ps", "start_step_ps", true},
        {"last_start_ps", "start_step_ps", true},
        {"last_span", "last_span_step", true},
        {"end_ps", "start_step_ps", true}}},
      {"path",
       "path_part",
       "stored_path",
       {{"span", "span_step", true},
        {"start_ps", "start_step_ps", true},
        {"end_ps", "start_step_ps", true}}}};
  return all;
}

const PartedTable* find_parted(std::string_view name) {
  for (const PartedTable& each : parted_tables()) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

namespace {

/// The tables that store the rows of a parted table.
std::vector<Table> part_tables(const Table& table) {
  if (table.name == "span") return span_part_tables(table);
  if (table.name == "collective") return collective_part_tables(table);
  return table.name == "path" ? path_part_tables(table) : name_part_tables();
}

}  // namespace

const std::vector<Table>& stored_tables() {
  static const std::vector<Table> all = [] {
    std::vector<Table> stored;
    for (const Table& each : tables()) {
      if (find_parted(each.name) == nullptr) {
        stored.push_back(each);
        continue;
      }
      const auto parts = part_tables(each);
      stored.insert(stored.end(), parts.begin(), parts.end());
    }
    stored.push_back(repetition_table());
    return stored;
  }();
  return all;
}

}  // namespace orrery::result
