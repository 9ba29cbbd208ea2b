// SPDX-License-Identifier: Apache-2.0
//
// Views for common queries, with names instead of numbers and one row per rank and span.
#include "orrery/result/run_file/table_schema.h"

namespace orrery::result {

namespace {

// Lookups are subqueries: a column that a query does not select costs nothing, and rows always
// arrive rank by rank along `span.id`. The unary plus stops SQLite from building an automatic index
// instead.
View event_view() {
  return {"event",
          "The activity of every rank: one row per rank and span, also for ranks that share a "
          "timeline.",
          {{"rank", "r.id", "who"},
           {"span", "s.id", "`span.id`; ranks with identical activity have the same"},
           {"node", "+s.node", "node id in the trace"},
           {"name", "(SELECT text FROM name WHERE id = s.name)", "name of the node"},
           {"kind", "(SELECT name FROM span_kind WHERE id = s.kind)",
            "`compute`, `collective`, `send` …"},
           {"lane",
            "(SELECT CASE kind\n"
            "      WHEN 'communicator' THEN coalesce((SELECT nullif(g.name, '')\n"
            "        FROM rank_group i JOIN process_group g ON g.id = i.process_group\n"
            "        WHERE i.id = r.first_group + lane.rank_group), 'all ranks')\n"
            "      WHEN 'sends' THEN 'to rank ' || ((r.id + distance) % run.ranks)\n"
            "      ELSE kind\n"
            "    END || CASE layer WHEN 0 THEN '' ELSE ' ' || (layer + 1) END\n"
            "    FROM lane WHERE id = s.lane)",
            "`compute`, a communicator's name, `to rank 3` …"},
           {"start_ps", "+s.start_ps", "start time"},
           {"end_ps", "s.start_ps + s.duration_ps", "end time"},
           {"duration_ps", "+s.duration_ps", "wait + queue + latency + rest"},
           {"wait_ps", "+s.wait_ps", "wait for peers"},
           {"queue_ps", "+s.queue_ps", "wait for a busy resource"},
           {"latency_ps", "+s.latency_ps", "latency of hops and end points"},
           {"rest_ps", "s.duration_ps - s.wait_ps - s.queue_ps - s.latency_ps",
            "work, or transfer of bytes at bandwidth"},
           {"slack_ps", "+s.slack_ps", "how much later it can end without a later end of the step"},
           {"critical", "+s.critical", "1: on the critical path, at one of the timeline's ranks"},
           {"model", "(SELECT name FROM model WHERE id = s.model)", "model of its duration"},
           {"released", "(SELECT name FROM released WHERE id = s.released)",
            "reason why it did not start earlier"},
           {"reason", "(SELECT name FROM reason WHERE id = s.reason)",
            "kind of that dependency, if the trace contains it"},
           {"released_by", "+s.released_by", "the span whose end released it"},
           {"bytes", "+s.bytes", "size of the collective, message or tensor"},
           {"flop", "+s.flop", "operations, if known"},
           {"process_group",
            "(SELECT g.name FROM rank_group i JOIN process_group g ON g.id = i.process_group\n"
            "    WHERE i.id = r.first_group + s.rank_group)",
            "collectives: `tp (ranks 2-3)`; empty for all ranks"},
           {"collective",
            "(SELECT g.first_collective FROM rank_group i JOIN process_group g ON g.id = "
            "i.process_group\n"
            "    WHERE i.id = r.first_group + s.rank_group) + s.sequence",
            "collectives: `collective_view.collective`"},
           {"peer_rank", "(r.id + s.distance) % run.ranks", "messages: rank of the peer"},
           {"peer_span",
            "(SELECT t.first_span FROM rank p JOIN timeline t ON t.id = p.timeline\n"
            "    WHERE p.id = (r.id + s.distance) % run.ranks) + s.peer_span",
            "messages: `span.id` at the peer"}},
          "FROM run\n"
          "CROSS JOIN rank r\n"
          "CROSS JOIN timeline t ON t.id = r.timeline\n"
          "CROSS JOIN span s ON s.id >= t.first_span AND s.id < t.first_span + t.spans"};
}

View collective_view() {
  return {
      "collective_view",
      "Collectives with names, durations and their share of the bound.",
      {{"collective", "g.first_collective + c.id - g.stored_collective",
        "number of the collective in the run"},
       {"process_group", "g.name", "`tp (ranks 2-3)`; empty: all ranks"},
       {"group_size", "g.size", "ranks"},
       {"sequence", "c.id - g.stored_collective", "number in its group, from 0"},
       {"type", "c.type", "`all_reduce`, `all_gather` …"},
       {"name", "n.text", "name of the node"},
       {"bytes", "c.bytes", "size of the complete buffer"},
       {"sent_bytes", "c.sent_bytes", "bytes that all its ranks send"},
       {"members", "c.members", "ranks that issued it"},
       {"first_start_ps", "c.first_start_ps", "arrival of the first member"},
       {"last_start_ps", "c.last_start_ps", "arrival of the last member"},
       {"last_rank",
        "CASE WHEN c.process_group = g.id THEN c.last_rank ELSE\n"
        "    (SELECT rank FROM group_member WHERE id = g.first_member - f.first_member +\n"
        "      (SELECT id FROM group_member WHERE id >= f.first_member AND id < f.first_member + "
        "f.size\n"
        "        AND rank = c.last_rank)) END",
        "the member that arrived last"},
       {"skew_ps", "c.last_start_ps - c.first_start_ps", "time from the first to the last arrival"},
       {"end_ps", "c.end_ps", "end at the last member"},
       {"duration_ps", "c.end_ps - c.last_start_ps", "time from the last arrival to the end"},
       {"bound_ps", "c.bound_ps", "lower bound of the duration with these links"},
       {"of_bound", "CAST(c.bound_ps AS REAL) / nullif(c.end_ps - c.last_start_ps, 0)",
        "1: as fast as its links allow"},
       {"bound_by", "c.bound_by", "the limiting resource"},
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
      "FROM process_group g\n"
      "CROSS JOIN collective c ON c.id >= g.stored_collective AND c.id < g.stored_collective + "
      "g.collectives\n"
      "JOIN process_group f ON f.id = c.process_group\n"
      "JOIN name n ON n.id = c.name\n"
      "LEFT JOIN library_collective d ON d.id = c.library_collective\n"
      "LIMIT -1"};
}

View path_view() {
  return {"critical_path",
          "The critical path with names.",
          {{"position", "p.id", "number of the segment, from 0"},
           {"rank", "p.rank", "rank of the segment"},
           {"start_ps", "p.start_ps", "start of the segment"},
           {"end_ps", "p.end_ps", "end of the segment"},
           {"duration_ps", "p.end_ps - p.start_ps", "duration of the segment"},
           {"cause", "p.cause", "`work`, `bandwidth`, `latency`, `queue`, `peer` or `idle`"},
           {"released", "p.released", "how the path reached this segment"},
           {"span", "p.span", "`span.id`"},
           {"node", "s.node", "node id in the trace"},
           {"kind", "k.name", "kind of the node"},
           {"name", "n.text", "name of the node"}},
          "FROM path p\n"
          "LEFT JOIN span s ON s.id = p.span\n"
          "LEFT JOIN span_kind k ON k.id = s.kind\n"
          "LEFT JOIN name n ON n.id = s.name"};
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

}  // namespace

const std::vector<View>& views() {
  static const std::vector<View> all = {event_view(), collective_view(), path_view(), link_view(),
                                        memory_view()};
  return all;
}

}  // namespace orrery::result
