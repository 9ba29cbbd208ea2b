// SPDX-License-Identifier: Apache-2.0
//
// What people ask for first, with names instead of numbers and with shared timelines unfolded.
#include "orrery/result/run_file/table_schema.h"

namespace orrery::result {

namespace {

// Lookups are subqueries: what a query does not ask for costs nothing, and whatever it asks for,
// the rows come rank by rank along `span.id`. A plus sign keeps SQLite from making an index
// instead.
View event_view() {
  return {"event",
          "What every rank did: one row per rank and span, also where ranks share a timeline.",
          {{"rank", "r.id", "who"},
           {"span", "s.id", "`span.id`; ranks that did the same have the same"},
           {"node", "+s.node", "the trace's id"},
           {"name", "(SELECT text FROM name WHERE id = s.name)", "of the node"},
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
           {"start_ps", "+s.start_ps", "when it began"},
           {"end_ps", "s.start_ps + s.duration_ps", "when it ended"},
           {"duration_ps", "+s.duration_ps", "wait + queue + latency + rest"},
           {"wait_ps", "+s.wait_ps", "for peers"},
           {"queue_ps", "+s.queue_ps", "for a busy resource"},
           {"latency_ps", "+s.latency_ps", "hops and end points"},
           {"rest_ps", "s.duration_ps - s.wait_ps - s.queue_ps - s.latency_ps",
            "work, or bytes at bandwidth"},
           {"slack_ps", "+s.slack_ps", "how much later it could end without a later step"},
           {"critical", "+s.critical", "1: on the critical path, at one of the timeline's ranks"},
           {"model", "(SELECT name FROM model WHERE id = s.model)", "which model made its length"},
           {"released", "(SELECT name FROM released WHERE id = s.released)",
            "why it did not start earlier"},
           {"reason", "(SELECT name FROM reason WHERE id = s.reason)",
            "the kind of that dependency, where the trace says"},
           {"released_by", "+s.released_by", "the span whose end let it start"},
           {"bytes", "+s.bytes", "size of the collective, message or tensor"},
           {"flop", "+s.flop", "operations, where known"},
           {"process_group",
            "(SELECT g.name FROM rank_group i JOIN process_group g ON g.id = i.process_group\n"
            "    WHERE i.id = r.first_group + s.rank_group)",
            "collectives: `tp (ranks 2-3)`; empty for all ranks"},
           {"collective",
            "(SELECT g.first_collective FROM rank_group i JOIN process_group g ON g.id = "
            "i.process_group\n"
            "    WHERE i.id = r.first_group + s.rank_group) + s.sequence",
            "collectives: `collective.id`"},
           {"peer_rank", "(r.id + s.distance) % run.ranks", "messages: who is at the other end"},
           {"peer_span",
            "(SELECT t.first_span FROM rank p JOIN timeline t ON t.id = p.timeline\n"
            "    WHERE p.id = (r.id + s.distance) % run.ranks) + s.peer_span",
            "messages: `span.id` of the other end"}},
          "FROM run\n"
          "CROSS JOIN rank r\n"
          "CROSS JOIN timeline t ON t.id = r.timeline\n"
          "CROSS JOIN span s ON s.id >= t.first_span AND s.id < t.first_span + t.spans"};
}

View collective_view() {
  return {
      "collective_view",
      "Collectives with names, durations and how near they come to the bound.",
      {{"collective", "c.id", "`collective.id`"},
       {"process_group", "g.name", "`tp (ranks 2-3)`; empty: all ranks"},
       {"group_size", "g.size", "ranks"},
       {"sequence", "c.id - g.first_collective", "which one of its group, from 0"},
       {"type", "c.type", "`all_reduce`, `all_gather` …"},
       {"name", "n.text", "of the node"},
       {"bytes", "c.bytes", "the whole buffer"},
       {"sent_bytes", "c.sent_bytes", "what its ranks put on the network, together"},
       {"members", "c.members", "ranks that issued it"},
       {"first_start_ps", "c.first_start_ps", "when the first member came"},
       {"last_start_ps", "c.last_start_ps", "when the last member came"},
       {"last_rank", "c.last_rank", "who came last"},
       {"skew_ps", "c.last_start_ps - c.first_start_ps", "from first to last member's coming"},
       {"end_ps", "c.end_ps", "when the last member was done"},
       {"duration_ps", "c.end_ps - c.last_start_ps", "from the last member's coming to the end"},
       {"bound_ps", "c.bound_ps", "no network with these links is faster"},
       {"of_bound", "CAST(c.bound_ps AS REAL) / nullif(c.end_ps - c.last_start_ps, 0)",
        "1: as fast as its links allow"},
       {"bound_by", "c.bound_by", "what limits it"},
       {"time_source", "d.source", "`measured`, `scaled` or `cost model`: of the library's time"},
       {"algorithm", "d.algorithm", "what the library chooses"},
       {"predicted_ps", "d.time_ps", "what it takes by itself"},
       {"low_error_ps", "d.low_error_ps", "10 % of true times are less than `predicted_ps` + this"},
       {"high_error_ps", "d.high_error_ps", "10 % are more than `predicted_ps` + this"}},
      "FROM collective c\n"
      "JOIN process_group g ON g.id = c.process_group\n"
      "JOIN name n ON n.id = c.name\n"
      "LEFT JOIN library_collective d ON d.id = c.library_collective"};
}

View path_view() {
  return {"critical_path",
          "The critical path with names.",
          {{"position", "p.id", "from 0"},
           {"rank", "p.rank", "where it goes"},
           {"start_ps", "p.start_ps", "where the segment before ended"},
           {"end_ps", "p.end_ps", "where the next one begins"},
           {"duration_ps", "p.end_ps - p.start_ps", "of the segment"},
           {"cause", "p.cause", "`work`, `bandwidth`, `latency`, `queue`, `peer` or `idle`"},
           {"released", "p.released", "how the path came here"},
           {"span", "p.span", "`span.id`"},
           {"node", "s.node", "the trace's id"},
           {"kind", "k.name", "of the node"},
           {"name", "n.text", "of the node"}},
          "FROM path p\n"
          "LEFT JOIN span s ON s.id = p.span\n"
          "LEFT JOIN span_kind k ON k.id = s.kind\n"
          "LEFT JOIN name n ON n.id = s.name"};
}

View link_view() {
  return {"link_load",
          "What each link carried over time.",
          {{"link", "l.id", "`link.id`"},
           {"dimension", "l.dimension", "of the network"},
           {"from_rank", "l.from_rank", "NULL: all links of the dimension together"},
           {"to_rank", "l.to_rank", "NULL: into a switch, or all links of a rank"},
           {"down", "l.down", "1: from the switch to `from_rank`"},
           {"start_ps", "u.bin * run.link_bin_ps", "of the bin"},
           {"end_ps", "(u.bin + 1) * run.link_bin_ps", "of the bin"},
           {"bytes", "u.bytes", "in the bin"},
           {"busy_share", "u.bytes * 1e12 / nullif(l.capacity_bytes_per_s * run.link_bin_ps, 0)",
            "1: as much as it can"}},
          "FROM run\n"
          "CROSS JOIN link l\n"
          "JOIN link_curve c ON c.id = l.curve\n"
          "JOIN link_use u ON u.id >= c.first_use AND u.id < c.first_use + c.bins"};
}

View memory_view() {
  return {"memory_level_load",
          "What each level of remote memory carried over time.",
          {{"level", "m.id", "`memory_level.id`"},
           {"name", "m.name", "of the level"},
           {"start_ps", "u.bin * m.bin_ps", "of the bin"},
           {"end_ps", "(u.bin + 1) * m.bin_ps", "of the bin"},
           {"loaded_bytes", "u.loaded_bytes", "in the bin"},
           {"stored_bytes", "u.stored_bytes", "likewise"},
           {"busy_share",
            "CASE WHEN m.both_ways THEN u.loaded_bytes + u.stored_bytes ELSE max(u.loaded_bytes, "
            "u.stored_bytes) END"
            " * 1e12 / nullif(m.capacity_bytes_per_s * m.bin_ps, 0)",
            "1: as much as it can; the busier direction counts where they share nothing"}},
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
