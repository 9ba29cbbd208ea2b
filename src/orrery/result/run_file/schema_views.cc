// SPDX-License-Identifier: Apache-2.0
//
// Views for common queries, with names instead of numbers and one row per rank and span.
#include <deque>
#include <string>

#include "orrery/core/packet_record.h"
#include "orrery/result/run_file/table_schema.h"

namespace orrery::result {

namespace {

// Declarations refer to texts; this one remains.
std::string_view stored(std::string text) {
  static std::deque<std::string> all;
  return all.emplace_back(std::move(text));
}

// A column of a parted table: of `s`, a stored row, in period `k.id` of `p`, a part.
std::string value_of(std::string_view parted, std::string_view column) {
  for (const SteppedColumn& each : find_parted(parted)->steps) {
    if (each.column != column) continue;
    return "s." + std::string(column) + (each.in_part ? " + k.id * p." : " + k.id * s.") +
           std::string(each.step);
  }
  return "s." + std::string(column);
}

std::string span_value(std::string_view column) {
  return column == "timeline" ? "p.timeline" : value_of("span", column);
}

// The row number in a parted table.
std::string row_number(const PartedTable& parted) {
  return "p.id + k.id * p.period + s.id - p." + std::string(parted.stored);
}

// Joins the rows of a part `p`: periods `k` and stored rows `s`.
std::string rows_of_part(const PartedTable& parted) {
  const std::string rows = "p." + std::string(table(parted.parts).columns[1].name);
  const std::string source(parted.stored), first = "p." + source;
  return "CROSS JOIN repetition k ON k.id <= (" + rows + " - 1) / p.period\nCROSS JOIN " + source +
         " s ON s.id >= " + first + " AND s.id < " + first + " + min(p.period, " + rows +
         " - k.id * p.period)";
}

// The text of a name by its number, an expression that names no `n` and no `q`.
std::string name_text(const std::string& number) {
  return "(SELECT n.prefix || coalesce(n.number + (" + number +
         " - q.id) / q.period * q.number_step, '') || n.suffix\n"
         "    FROM name_part q JOIN stored_name n ON n.id = q.stored_name + (" +
         number +
         " - q.id) % q.period\n"
         "    WHERE q.id = (SELECT max(id) FROM name_part WHERE id <= " +
         number + "))";
}

constexpr std::string_view kDuration = " + s.duration_ps";
constexpr std::string_view kRest = "s.duration_ps - s.wait_ps - s.queue_ps - s.latency_ps";

// All rows of a parted table. `value_of` returns the expression of each column but `id`. The limit
// keeps SQLite from merging the view into a query, so that a join by id uses an index
// (sqlite.org/optoverview.html, "Subquery Flattening").
template <class ValueOf>
View parted_view(std::string_view name, const ValueOf& value_of) {
  const PartedTable& parted = *find_parted(name);
  const Table& declared = table(name);
  View view{name, declared.meaning, {}, {}};
  for (const Column& column : declared.columns) {
    const bool key = column.name == "id";
    view.columns.push_back(
        {column.name, stored(key ? row_number(parted) : value_of(column)), column.meaning});
  }
  view.from =
      stored("FROM " + std::string(parted.parts) + " p\n" + rows_of_part(parted) + "\nLIMIT -1");
  return view;
}

View name_view() {
  return parted_view("name", [](const Column&) -> std::string {
    return "s.prefix || coalesce(s.number + k.id * p.number_step, '') || s.suffix";
  });
}

View span_view() {
  return parted_view("span", [](const Column& column) {
    if (column.name == "end_ps") return span_value("start_ps") + std::string(kDuration);
    if (column.name == "rest_ps") return std::string(kRest);
    return span_value(column.name);
  });
}

/// `collective` or `path`.
View plain_parted_view(std::string_view name) {
  return parted_view(name, [&](const Column& column) { return value_of(name, column.name); });
}

// The lane of span `s` at rank `r`.
constexpr std::string_view kLaneText =
    "(SELECT CASE kind\n"
    "      WHEN 'communicator' THEN coalesce((SELECT nullif(g.name, '')\n"
    "        FROM rank_group i JOIN process_group g ON g.id = i.process_group\n"
    "        WHERE i.id = r.first_group + lane.rank_group), 'all ranks')\n"
    "      WHEN 'sends' THEN 'to rank ' || ((r.id + distance) % run.ranks)\n"
    "      ELSE kind\n"
    "    END || CASE layer WHEN 0 THEN '' ELSE ' ' || (layer + 1) END\n"
    "    FROM lane WHERE id = s.lane)";

// Lookups are subqueries: a column that a query does not select costs nothing, and rows always
// arrive rank by rank along `span.id`. The unary plus stops SQLite from building an automatic index
// instead.
View event_view() {
  const auto value = [](std::string_view column) { return stored(span_value(column)); };
  return {
      "event",
      "The activity of every rank: one row per rank and span, also for ranks that share a "
      "timeline.",
      {{"rank", "r.id", "who"},
       {"span", "p.id + k.id * p.period + s.id - p.stored_span",
        "`span.id`; ranks with identical activity have the same"},
       {"node", value("node"), "node id in the trace"},
       {"name", stored(name_text("(" + span_value("name") + ")")), "name of the node"},
       {"kind", "(SELECT name FROM span_kind WHERE id = s.kind)",
        "`compute`, `collective`, `send` …"},
       {"lane", kLaneText, "`compute`, a communicator's name, `to rank 3` …"},
       {"start_ps", value("start_ps"), "start time"},
       {"end_ps", stored(span_value("start_ps") + std::string(kDuration)), "end time"},
       {"duration_ps", "+s.duration_ps", "wait + queue + latency + rest"},
       {"wait_ps", "+s.wait_ps", "wait for peers"},
       {"queue_ps", "+s.queue_ps", "wait for a busy resource"},
       {"latency_ps", "+s.latency_ps", "latency of hops and end points"},
       {"rest_ps", kRest, "work, or transfer of bytes at bandwidth"},
       {"slack_ps", value("slack_ps"), "how much later it can end without a later end of the step"},
       {"critical", "+s.critical", "1: on the critical path, at one of the timeline's ranks"},
       {"model", "(SELECT name FROM model WHERE id = s.model)", "model of its duration"},
       {"released", "(SELECT name FROM released WHERE id = s.released)",
        "reason why it did not start earlier"},
       {"reason", "(SELECT name FROM reason WHERE id = s.reason)",
        "kind of that dependency, if the trace contains it"},
       {"released_by", value("released_by"), "the span whose end released it"},
       {"bytes", "+s.bytes", "size of the collective, message or tensor"},
       {"flop", "+s.flop", "operations, if known"},
       {"process_group",
        "(SELECT g.name FROM rank_group i JOIN process_group g ON g.id = i.process_group\n"
        "    WHERE i.id = r.first_group + s.rank_group)",
        "collectives: `tp (ranks 2-3)`; empty for all ranks"},
       {"collective",
        "(SELECT g.first_collective FROM rank_group i JOIN process_group g ON g.id = "
        "i.process_group\n"
        "    WHERE i.id = r.first_group + s.rank_group) + s.sequence + k.id * s.sequence_step",
        "collectives: `collective_view.collective`"},
       {"peer_rank", "(r.id + s.distance) % run.ranks", "messages: rank of the peer"},
       {"peer_span",
        "(SELECT t.first_span FROM rank o JOIN timeline t ON t.id = o.timeline\n"
        "    WHERE o.id = (r.id + s.distance) % run.ranks) + s.peer_span + k.id * "
        "s.peer_span_step",
        "messages: `span.id` at the peer"}},
      "FROM run\n"
      "CROSS JOIN rank r\n"
      "CROSS JOIN timeline t ON t.id = r.timeline\n"
      "CROSS JOIN span_part p ON p.id >= t.first_span AND p.id < t.first_span + t.spans\n"
      "CROSS JOIN repetition k ON k.id <= (p.spans - 1) / p.period\n"
      "CROSS JOIN stored_span s ON s.id >= p.stored_span AND s.id < p.stored_span + "
      "min(p.period, p.spans - k.id * p.period)"};
}

View collective_view() {
  const PartedTable& parted = *find_parted("collective");
  const std::string in_group = row_number(parted) + " - g.stored_collective";
  const auto value = [](std::string_view column) { return stored(value_of("collective", column)); };
  return {
      "collective_view",
      "Collectives with names, durations and their share of the bound.",
      {{"collective", stored("g.first_collective + " + in_group),
        "number of the collective in the run"},
       {"process_group", "g.name", "`tp (ranks 2-3)`; empty: all ranks"},
       {"group_size", "g.size", "ranks"},
       {"sequence", stored(in_group), "number in its group, from 0"},
       {"type", "s.type", "`all_reduce`, `all_gather` …"},
       {"name", stored(name_text("(" + value_of("collective", "name") + ")")), "name of the node"},
       {"bytes", "s.bytes", "size of the complete buffer"},
       {"sent_bytes", "s.sent_bytes", "bytes that all its ranks send"},
       {"members", "s.members", "ranks that issued it"},
       {"first_start_ps", value("first_start_ps"), "arrival of the first member"},
       {"last_start_ps", value("last_start_ps"), "arrival of the last member"},
       {"last_rank",
        "CASE WHEN s.process_group = g.id THEN s.last_rank ELSE\n"
        "    (SELECT rank FROM group_member WHERE id = g.first_member - f.first_member +\n"
        "      (SELECT id FROM group_member WHERE id >= f.first_member AND id < f.first_member + "
        "f.size\n"
        "        AND rank = s.last_rank)) END",
        "the member that arrived last"},
       {"skew_ps", "s.last_start_ps - s.first_start_ps", "time from the first to the last arrival"},
       {"end_ps", value("end_ps"), "end at the last member"},
       {"duration_ps", "s.end_ps - s.last_start_ps", "time from the last arrival to the end"},
       {"bound_ps", "s.bound_ps", "lower bound of the duration with these links"},
       {"of_bound", "CAST(s.bound_ps AS REAL) / nullif(s.end_ps - s.last_start_ps, 0)",
        "1: as fast as its links allow"},
       {"bound_by", "s.bound_by", "the limiting resource"},
       {"time_source", "d.source",
        "source of the library's time: `measured`, `scaled` or `cost model`"},
       {"algorithm", "d.algorithm", "choice of the library"},
       {"predicted_ps", "d.time_ps", "duration that the library model predicts"},
       {"low_error_ps", "d.low_error_ps",
        "lower end of the 80 % prediction interval, relative to `predicted_ps`"},
       {"high_error_ps", "d.high_error_ps",
        "upper end of the 80 % prediction interval, relative to `predicted_ps`"}},
      // The limit keeps SQLite from merging the view into a query, so that a join by number uses an
      // index (sqlite.org/optoverview.html, "Subquery Flattening").
      stored("FROM process_group g\n"
             "CROSS JOIN collective_part p ON p.id >= g.stored_collective AND p.id < "
             "g.stored_collective + g.collectives\n" +
             rows_of_part(parted) +
             "\n"
             "JOIN process_group f ON f.id = s.process_group\n"
             "LEFT JOIN library_collective d ON d.id = s.library_collective\n"
             "LIMIT -1")};
}

View path_view() {
  const PartedTable& parted = *find_parted("path");
  const std::string span = "(" + value_of("path", "span") + ")";
  const std::string times = "((" + span + " - part.id) / part.period)";
  return {
      "critical_path",
      "The critical path with names.",
      {{"position", stored(row_number(parted)), "number of the segment, from 0"},
       {"rank", "s.rank", "rank of the segment"},
       {"start_ps", stored(value_of("path", "start_ps")), "start of the segment"},
       {"end_ps", stored(value_of("path", "end_ps")), "end of the segment"},
       {"duration_ps", "s.end_ps - s.start_ps", "duration of the segment"},
       {"cause", "s.cause", "`work`, `bandwidth`, `latency`, `queue`, `peer` or `idle`"},
       {"released", "s.released", "how the path reached this segment"},
       {"span", stored(span), "`span.id`"},
       {"node", stored("r.node + " + times + " * part.node_step"), "node id in the trace"},
       {"kind", "(SELECT name FROM span_kind WHERE id = r.kind)", "kind of the node"},
       {"name", stored(name_text("(r.name + " + times + " * r.name_step)")), "name of the node"}},
      stored("FROM path_part p\n" + rows_of_part(parted) +
             "\nLEFT JOIN span_part part ON part.id = (SELECT max(id) FROM span_part WHERE id <= " +
             span + ")\nLEFT JOIN stored_span r ON r.id = part.stored_span + (" + span +
             " - part.id) % part.period")};
}

View link_view() {
  return {"link_load",
          "Load of each link over time.",
          {{"link", "l.id", "`link.id`"},
           {"dimension", "l.dimension", "dimension of the network"},
           {"from_rank", "l.from_rank", "sender; NULL: all links of the dimension combined"},
           {"to_rank", "l.to_rank", "receiver; NULL: into a switch, or all links of a rank"},
           {"down", "l.down", "1: from the switch to `from_rank`"},
           {"start_ps", "u.bin * run.link_bin_ps", "start of the bin"},
           {"end_ps", "(u.bin + 1) * run.link_bin_ps", "end of the bin"},
           {"bytes", "u.bytes", "bytes in the bin"},
           {"busy_share", "u.bytes * 1e12 / nullif(l.capacity_bytes_per_s * run.link_bin_ps, 0)",
            "utilization; 1: full capacity"}},
          "FROM run\n"
          "CROSS JOIN link l\n"
          "JOIN link_curve c ON c.id = l.curve\n"
          "JOIN link_use u ON u.id >= c.first_use AND u.id < c.first_use + c.bins"};
}

View memory_view() {
  return {"memory_level_load",
          "Load of each level of remote memory over time.",
          {{"level", "m.id", "`memory_level.id`"},
           {"name", "m.name", "name of the level"},
           {"start_ps", "u.bin * m.bin_ps", "start of the bin"},
           {"end_ps", "(u.bin + 1) * m.bin_ps", "end of the bin"},
           {"loaded_bytes", "u.loaded_bytes", "bytes loaded in the bin"},
           {"stored_bytes", "u.stored_bytes", "bytes stored in the bin"},
           {"busy_share",
            "CASE WHEN m.both_ways THEN u.loaded_bytes + u.stored_bytes ELSE max(u.loaded_bytes, "
            "u.stored_bytes) END"
            " * 1e12 / nullif(m.capacity_bytes_per_s * m.bin_ps, 0)",
            "utilization; 1: full capacity; of the busier direction if the directions do not share "
            "it"}},
          "FROM memory_level m\n"
          "JOIN memory_level_use u ON u.level = m.id"};
}

View packet_port_view() {
  View view{"packet_port_load",
            "Packets at each port over time: bins in which something happened.",
            {{"port", "p.id", "`packet_port.id`"},
             {"link", "l.id", "`link.id` of the link over which the port sends"},
             {"name", "l.name", "name of a fabric's link, e.g. `leaf0 -> spine1`"},
             {"from_rank", "l.from_rank", "sender; NULL: no rank"},
             {"to_rank", "l.to_rank", "receiver; NULL: no rank"},
             {"start_ps", "u.bin * t.bin_ps", "start of the bin"},
             {"end_ps", "(u.bin + 1) * t.bin_ps", "end of the bin"}},
            "FROM packet_total t\n"
            "CROSS JOIN packet_port p\n"
            "JOIN link l ON l.id = p.link\n"
            "JOIN packet_port_use u ON u.port = p.id"};
  for (const PortPacketColumn& one : kPortPacketColumns)
    view.columns.push_back({one.column, stored("u." + std::string(one.column)), one.meaning});
  return view;
}

}  // namespace

const std::vector<View>& views() {
  static const std::vector<View> all = {name_view(),
                                        span_view(),
                                        plain_parted_view("collective"),
                                        plain_parted_view("path"),
                                        event_view(),
                                        collective_view(),
                                        path_view(),
                                        link_view(),
                                        memory_view(),
                                        packet_port_view()};
  return all;
}

}  // namespace orrery::result
