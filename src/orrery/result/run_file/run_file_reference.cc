// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "orrery/result/run_file.h"
#include "orrery/result/run_file/table_schema.h"

namespace orrery::result {

namespace {

constexpr std::string_view kBeginning =
    "# The run file\n"
    "\n"
    "<!-- Generated from src/orrery/result/run_file/table_schema.cc, part_tables.cc, "
    "schema_views.cc "
    "and run_file_reference.cc. To renew it, run the result tests with ORRERY_UPDATE_DOCS=1. -->\n"
    "\n"
    "`orrery run -o step.orrery` writes all results of a simulation into one SQLite 3 database. "
    "Any SQLite client can read it: `sqlite3 step.orrery`, Python's `sqlite3`, DuckDB's `ATTACH`. "
    "Orrery's own `report`, `critical-path`, `explain` and `compare` read it too.\n"
    "\n"
    "- Times are whole picoseconds from the beginning of the run (`_ps`), sizes are bytes.\n"
    "- The first column of every table is `id`, which numbers its rows from 0. A column named "
    "after a table contains an `id` of that table.\n"
    "- NULL means that there is no value, or that it is unknown.\n"
    "- Equal data is stored once. Ranks with identical activity share a *timeline*. To make this "
    "possible for ranks in different process groups, a timeline identifies groups by their number "
    "at the rank and peers by their distance. The [views](#views) expand this: start with "
    "`event`.\n"
    "- Repetitions (iterations, microbatches, layers) are stored once, with their count. `span`, "
    "`name`, `collective` and `path` are therefore views: they contain all rows, computed from "
    "[stored rows](#stored-rows). A query for one `id` reads all of them; `event` finds the spans "
    "of a rank at once.\n"
    "- `run.spans` specifies whether the file contains all spans, only the spans on the critical "
    "path, or none (`--spans`). The values in `rank`, `collective`, `link` and `path` always cover "
    "the entire run.\n"
    "- Names come from the trace and can contain any text: escape them before you display them.\n"
    "\n"
    "The same simulation produces the same bytes. The file has no indices: SQLite creates "
    "temporary indices when a query needs them. You can add your own tables, views and indices; "
    "Orrery ignores them. Orrery rejects a file whose tables differ from this page.\n"
    "\n"
    "## Version\n"
    "\n";

constexpr std::string_view kVersions =
    "`PRAGMA user_version` is the version of the tables, `PRAGMA application_id` is 0x4f727279 "
    "(\"Orry\"). The version increases with every change to a table, and the "
    "[changelog](../../CHANGELOG.md) lists the changes. Orrery reads only files of its own "
    "version, because other versions can contain unknown data or lack required data. It rejects "
    "unknown finding codes for the same reason. Views can gain columns without a new version.\n"
    "\n";

constexpr std::string_view kQueries =
    "## Questions\n"
    "\n"
    "The ten nodes with the most time on the critical path:\n"
    "\n"
    "```sql\n"
    "SELECT name, kind, cause, count(*) AS segments, sum(duration_ps) / 1e9 AS ms\n"
    "FROM critical_path GROUP BY name, cause ORDER BY ms DESC LIMIT 10;\n"
    "```\n"
    "\n"
    "The time of each rank, slowest first:\n"
    "\n"
    "```sql\n"
    "SELECT id AS rank, finish_ps / 1e9 AS finish_ms,\n"
    "       100.0 * comm_only_ps / finish_ps AS exposed_percent,\n"
    "       100.0 * overlapped_ps / nullif(comm_ps, 0) AS hidden_percent\n"
    "FROM rank ORDER BY finish_ps DESC, id LIMIT 20;\n"
    "```\n"
    "\n"
    "Collectives by size: bandwidth, and share of the bound of the links:\n"
    "\n"
    "```sql\n"
    "SELECT type, group_size, bytes, count(*) AS times,\n"
    "       sum(bytes) * 1e3 / sum(duration_ps) AS algbw_gb_per_s,\n"
    "       avg(of_bound) AS of_bound\n"
    "FROM collective_view WHERE duration_ps > 0\n"
    "GROUP BY type, group_size, bytes ORDER BY sum(duration_ps) DESC;\n"
    "```\n"
    "\n"
    "The ranks that other ranks wait for:\n"
    "\n"
    "```sql\n"
    "SELECT c.last_rank, c.name, count(*) AS waiting, sum(e.wait_ps) / 1e9 AS ms\n"
    "FROM event AS e JOIN collective_view AS c ON c.collective = e.collective\n"
    "WHERE e.kind = 'collective' AND e.wait_ps > 0\n"
    "GROUP BY c.last_rank, c.name ORDER BY ms DESC LIMIT 10;\n"
    "```\n"
    "\n"
    "The utilization of the busiest link over time:\n"
    "\n"
    "```sql\n"
    "SELECT start_ps / 1e9 AS ms, busy_share\n"
    "FROM link_load\n"
    "WHERE link = (SELECT id FROM link ORDER BY bytes / capacity_bytes_per_s DESC, id LIMIT 1)\n"
    "ORDER BY start_ps;\n"
    "```\n"
    "\n"
    "Loads and stores of remote memory over time, and the utilization of each of its levels:\n"
    "\n"
    "```sql\n"
    "SELECT start_ps / 1e9 AS ms, name, loaded_bytes, stored_bytes, busy_share\n"
    "FROM memory_level_load ORDER BY level, start_ps;\n"
    "```\n"
    "\n"
    "Packets (`--network packet`): the ports with the longest queues, and what else happened "
    "there:\n"
    "\n"
    "```sql\n"
    "SELECT l.name, p.peak_queue_bytes, p.marked, p.paused_ps / 1e6 AS paused_us\n"
    "FROM packet_port AS p JOIN link AS l ON l.id = p.link\n"
    "ORDER BY p.peak_queue_bytes DESC, p.id LIMIT 10;\n"
    "```\n"
    "\n"
    "The messages that contention and losses slowed down most:\n"
    "\n"
    "```sql\n"
    "SELECT from_rank, to_rank, bytes, (end_ps - start_ps) / 1e6 AS us,\n"
    "       1.0 * (end_ps - start_ps) / ideal_ps AS slowdown, retransmitted\n"
    "FROM packet_message WHERE ideal_ps > 0 ORDER BY slowdown DESC, id LIMIT 10;\n"
    "```\n"
    "\n";

constexpr std::string_view kStoredRows =
    "\n## Stored rows\n"
    "\n"
    "These tables contain the rows of `span`, `name`, `collective` and `path`. In a part, row i + "
    "k × `period` of the "
    "view is stored row i plus k times its steps. A part of which no row repeats is one period. "
    "The "
    "`id` of a part is the `id` of its first row in the view.\n";

std::string type_of(const Column& column) {
  const std::string type(column.declaration.substr(0, column.declaration.find(' ')));
  if (column.declaration.find("REFERENCES ") == std::string_view::npos) return type;
  const std::size_t at = column.declaration.find("REFERENCES ");
  return "`" + std::string(column.declaration.substr(at + 11)) + ".id`";
}

std::string meaning_of(const Column& column) {
  std::string text;
  if (generated(column)) {
    const std::size_t open = column.declaration.find('(');
    const std::size_t size = column.declaration.size() - open - 2;
    text = "= " + std::string(column.declaration.substr(open + 1, size));
    return column.meaning.empty() ? text : text + ": " + std::string(column.meaning);
  }
  return std::string(column.meaning);
}

std::string row(std::string_view name, std::string_view type, std::string_view meaning) {
  std::string text = "| `" + std::string(name) + "` |";
  if (!type.empty()) text += " " + std::string(type) + " |";
  return text + (meaning.empty() ? " |\n" : " " + std::string(meaning) + " |\n");
}

std::string section(const Table& table) {
  std::string text =
      "\n### " + std::string(table.name) + "\n\n" + std::string(table.meaning) + "\n\n";
  if (const PartedTable* parted = find_parted(table.name); parted != nullptr) {
    text += "A view of [`" + std::string(parted->parts) + "`](#" + std::string(parted->parts) +
            ") and [`" + std::string(parted->stored) + "`](#" + std::string(parted->stored) +
            ").\n\n";
  }
  text += "| column | type | meaning |\n|---|---|---|\n";
  for (const Column& column : table.columns)
    text += row(column.name, type_of(column), meaning_of(column));
  return text;
}

/// Whether tables() contains it.
bool is_listed(const Table& table) {
  return std::any_of(tables().begin(), tables().end(),
                     [&](const Table& each) { return each.name == table.name; });
}

}  // namespace

std::string run_file_reference() {
  std::string text(kBeginning);
  text += "This page describes version " + std::to_string(kRunFileVersion) + ". ";
  text += kVersions;
  text += kQueries;
  text += "## Views\n";
  for (const View& view : views()) {
    if (find_parted(view.name) != nullptr) continue;  // among the tables
    text += "\n### " + std::string(view.name) + "\n\n" + std::string(view.meaning) + "\n\n";
    text += "| column | meaning |\n|---|---|\n";
    for (const Column& column : view.columns) text += row(column.name, {}, column.meaning);
  }
  text += "\n## Tables\n";
  for (const Table& table : tables()) text += section(table);
  text += kStoredRows;
  for (const Table& table : stored_tables()) {
    if (!is_listed(table)) text += section(table);
  }
  return text;
}

}  // namespace orrery::result
