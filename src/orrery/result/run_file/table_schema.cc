// SPDX-License-Identifier: Apache-2.0
#include "orrery/result/run_file/table_schema.h"

#include <algorithm>

#include "orrery/core/check.h"
#include "orrery/result/run_file/table_schema_internal.h"

namespace orrery::result {

namespace {

Table run_properties_table() {
  return {
      "run",
      "Properties of the run: one row.",
      {{"id", kKey, "0"},
       {"spans", kText, "spans in the file: `all`, `critical` or `none`"},
       {"step_ps", kInteger, "end of the last rank"},
       {"stalled", kInteger, "1: the run could not finish"},
       {"ranks", kInteger, "number of ranks"},
       {"device", kText, "name of the accelerator"},
       {"peak_flop_per_s", kReal, "peak of one device; 0: unknown"},
       {"peak_precision", kText, "number format of the peak, e.g. `bf16`; empty: unknown"},
       {"capacity_bytes", kInteger, "memory that a process can allocate on a device; 0: unknown"},
       {"needed_bytes", kInteger,
        "memory that the fullest rank needs, including the allocator, the driver and "
        "communicators; 0: unknown, because the workload is not a model and a plan"},
       {"needed_low_bytes", kInteger, "its lower bound"},
       {"needed_high_bytes", kInteger, "its upper bound"},
       {"samples", kInteger,
        "samples per step over all ranks; 0: unknown, because the workload is not a model and "
        "a plan"},
       {"tokens", kInteger,
        "tokens per step over all ranks; 0: unknown, or the model has no tokens"},
       {"model_flop", kReal,
        "FLOPs of the step's matrix products, forward and backward; 0: unknown"},
       {"hardware_flop", kReal, "the same, including recomputation; 0: unknown"},
       {"link_bin_ps", kInteger, "bin length of `link_use`; 0: not recorded"},
       {"messages", kInteger, "number of sent messages"},
       {"events", kInteger, "number of simulated events"}}};
}

Table timeline_table() {
  return {
      "timeline",
      "The activity of a rank. Ranks with identical activity at identical times share a timeline.",
      {{"id", kKey, kRowNumber},
       {"first_span", kInteger, "`id` of its first span"},
       {"spans", kInteger, "number of its spans"},
       {"peak_bytes", kInteger, "peak memory; 0: unknown"},
       {"peak_at_ps", kInteger, "time of the peak"},
       {"memory_role", kName,
        "role of its ranks (`stage 3`) if memory comes from model and plan; 0: memory comes from "
        "the trace's tensors"}}};
}

Table lane_table() {
  return {
      "lane",
      "A resource that runs spans of a timeline one after another.",
      {{"id", kKey, kRowNumber},
       {"timeline", kTimeline, "its timeline"},
       {"kind", kText,
        "`compute`, `cpu`, `communicator`, `sends`, `receives`, `memory`, `other`, `stream` or "
        "`thread`"},
       {"rank_group", kNullableInteger,
        "communicator: the group's number at the rank (see `rank_group.number`)"},
       {"distance", kNullableInteger, "sends: the receiver is rank + distance, modulo `run.ranks`"},
       {"layer", kInteger, "1, 2 … for overlapping spans of the same lane"},
       {"number", kInteger, "stream, thread: its recorded number"},
       {"device", kInteger, "stream: its device"}}};
}

Table span_table() {
  return {
      "span",
      "A node that ran. Spans of a timeline are sorted by node id.",
      {{"id", kKey, kRowNumber},
       {"timeline", kTimeline, "its timeline"},
       {"node", kInteger,
        "node id in the trace (unsigned; ids from 2^63 appear as negative numbers)"},
       {"name", kName, "name of the node"},
       {"kind", "INTEGER NOT NULL REFERENCES span_kind", "kind, see `span_kind.name`"},
       {"lane", "INTEGER NOT NULL REFERENCES lane", "lane that ran it"},
       {"start_ps", kInteger, "start time"},
       {"duration_ps", kInteger, "duration"},
       {"model", "INTEGER NOT NULL REFERENCES model", "model of its duration"},
       {"released", "INTEGER NOT NULL REFERENCES released", "reason why it did not start earlier"},
       {"reason", "INTEGER NOT NULL REFERENCES reason",
        "kind of that dependency, if the trace contains it"},
       {"released_by", kNullableSpan,
        "the span whose end released it; the time between is launch latency, a gap between "
        "kernels, or a recorded wait"},
       {"critical", kInteger, "1: on the critical path, at one of its ranks"},
       {"slack_ps", kNullableInteger,
        "how much later it can end without a later end of the step, minimum over its ranks; NULL: "
        "not computed"},
       {"bytes", kInteger,
        "collectives: as `collective.bytes`; messages, memory: size; compute: tensor size"},
       {"flop", kInteger, "operations, if known"},
       // A row that ends here uses the defaults of the following columns, as most computations do.
       {"wait_ps", "INTEGER NOT NULL DEFAULT 0",
        "part of `duration_ps`: wait for peers, until the last arrives or the message is sent"},
       {"queue_ps", "INTEGER NOT NULL DEFAULT 0",
        "part of `duration_ps`: wait for a busy resource (dimension queue, link, shared memory)"},
       {"latency_ps", "INTEGER NOT NULL DEFAULT 0",
        "part of `duration_ps`: latency of hops and end points"},
       {"rank_group", kNullableInteger, "collectives: number of the group at the rank"},
       {"sequence", kNullableInteger, "collectives: number in its group, from 0"},
       {"distance", kNullableInteger, "messages: the peer is rank + distance, modulo `run.ranks`"},
       {"peer_span", kNullableInteger,
        "messages: span at the peer, relative to `first_span` of the peer's timeline"},
       {"end_ps", "INTEGER AS (start_ps + duration_ps)", "end time"},
       {"rest_ps", "INTEGER AS (duration_ps - wait_ps - queue_ps - latency_ps)",
        "rest of `duration_ps`: work, or transfer of bytes at bandwidth"}}};
}

Table rank_table() {
  return {
      "rank",
      "The time of each rank. `compute_only_ps` + `overlapped_ps` + `comm_only_ps` + "
      "`memory_only_ps` + `idle_ps` = `finish_ps`.",
      {{"id", kKey, "the rank"},
       {"timeline", kTimeline, "its activity"},
       {"first_group", kInteger, "first `id` of its process groups in `rank_group`"},
       {"finish_ps", kNullableInteger, "end of the rank; NULL: never"},
       {"exposed_comm_ps", kInteger, "exposed communication according to the run's rules"},
       {"compute_only_ps", kInteger, "only computing"},
       {"overlapped_ps", kInteger, "computing, concurrent with communication or remote memory"},
       {"comm_ps", kInteger, "communicating, exposed or overlapped"},
       {"comm_only_ps", kInteger, "communicating, not computing"},
       {"memory_ps", kInteger, "accessing remote memory, exposed or overlapped"},
       {"memory_only_ps", kInteger, "accessing remote memory, neither computing nor communicating"},
       {"idle_ps", kInteger, "idle, until the end of the rank"},
       {"sent_bytes", kInteger, "bytes that the rank sends"}}};
}

Table collective_table() {
  return {"collective",
          "One collective over all its ranks, stored once for all groups that share it (see "
          "`process_group.stored_collective`).",
          {{"id", kKey, kRowNumber},
           {"process_group", kGroup, "the first process group that has it"},
           {"type", kText, "`all_reduce`, `all_gather` …"},
           {"name", kName, "name of its node at the rank that arrived last"},
           {"bytes", kInteger,
            "size of the complete buffer: the larger of input and output of one rank"},
           {"sent_bytes", kInteger, "bytes that all its ranks send"},
           {"joined", kInteger, "1: its ranks waited for each other; 0: durations were replayed"},
           {"members", kInteger, "ranks that issued it"},
           {"first_start_ps", kInteger, "arrival of the first member"},
           {"last_start_ps", kInteger, "arrival of the last member"},
           {"last_rank", kRank,
            "the member of that group that arrived last (the lowest rank of several)"},
           {"last_span", kNullableSpan, "its span at that rank"},
           {"end_ps", kNullableInteger, "end at the last member; NULL: never"},
           {"bound_ps", kNullableInteger,
            "lower bound of the duration with these links; NULL: unknown"},
           {"bound_by", kText, "the limiting resource, e.g. `dimension 1`"},
           {"library_collective", "INTEGER REFERENCES library_collective",
            "time of the library that runs it (for several phases, the longest); NULL: the network "
            "model gives the time"}}};
}

Table library_collective_table() {
  return {"library_collective",
          "Predicted time of a library for collectives of one kind.",
          {{"id", kKey, kRowNumber},
           {"type", kText, "`all_reduce`, `all_gather` …"},
           {"bytes", kInteger, "size of the complete buffer"},
           {"group_size", kInteger, "ranks"},
           {"hosts", kInteger, "number of hosts of the ranks"},
           {"time_ps", kInteger, "time from the arrival of the last member"},
           {"source", kText,
            "`measured`: measured for these ranks; `scaled`: measured for other ranks; `cost "
            "model`: the library's cost model"},
           {"algorithm", kText,
            "algorithm and protocol that the library chooses: `ring, ll128`; empty: no choice"},
           {"low_error_ps", kNullableInteger, kLower},
           {"high_error_ps", kNullableInteger, kUpper}}};
}

Table error_class_table() {
  return {"error_class",
          "The critical path by error class, longest first. Errors inside a class are correlated, "
          "errors of different classes are independent (docs/bands.md).",
          {{"id", kKey, kRowNumber},
           {"name", kText, "model, operation and format; collective, ranks and source"},
           {"time_ps", kInteger, "time on the path"},
           {"low_error_ps", kNullableInteger, kLower},
           {"high_error_ps", kNullableInteger, kUpper}}};
}

Table path_basis_table() {
  return {"path_basis",
          "The critical path by the provenance of its times (docs/bands.md).",
          {{"id", kKey, kRowNumber},
           {"name", kText,
            "`recorded`, `scaled`, `interpolated`, `extrapolated`, `formula` or `bound`"},
           {"time_ps", kInteger, "time on the path"}}};
}

std::vector<Table> time_tables() {
  return {
      timeline_table(),
      lane_table(),
      span_table(),
      {"memory",
       "Memory over time: from the tensors in the trace or, for a model and a plan, from the "
       "memory account (see `orrery memory`).",
       {{"id", kKey, kRowNumber},
        {"timeline", kTimeline, "its timeline"},
        {"at_ps", kInteger, "start of this value"},
        {"bytes", kInteger, "bytes in use"}}},
      {"held_tensor",
       "The largest tensors, or items of the memory account, at the peak.",
       {{"id", kKey, kRowNumber},
        {"timeline", kTimeline, "its timeline"},
        {"name", kName, "name of the tensor"},
        {"bytes", kInteger, "size of the tensor"},
        {"kind", kName,
         "item of the memory account: `weights`, `gradients`, `optimizer`, `activations` …; 0: a "
         "tensor"}}},
      rank_table(),
      {"rank_group",
       "The process groups of each rank, with their numbers at the rank.",
       {{"id", kKey, "`rank.first_group` + `number`"},
        {"rank", kRank, "the rank"},
        {"number", kInteger, "number of the group in spans and lanes"},
        {"process_group", kGroup, "the group"}}},
      library_collective_table(),
      collective_table(),
  };
}

std::vector<Table> result_tables() {
  return {
      {"path",
       "The critical path in order of time, without gaps or overlaps, from 0 to the end of the "
       "step.",
       {{"id", kKey, kRowNumber},
        {"rank", kRank, "rank of the segment"},
        {"span", kNullableSpan, "span of the segment; NULL: none, or the span is not stored"},
        {"cause", kText, "`work`, `bandwidth`, `latency`, `queue`, `peer` or `idle`"},
        {"released", kText,
         "how the path reached this segment: `beginning`, `dependency` or `resource`"},
        {"start_ps", kInteger, "start of the segment"},
        {"end_ps", kInteger, "end of the segment"}}},
      error_class_table(),
      path_basis_table(),
      {"finding",
       "Findings about the inputs and the simulation.",
       {{"id", kKey, kRowNumber},
        {"code", kText, "stable"},
        {"severity", kText, "`info`, `warning`, `repaired`, `data-loss` or `error`"},
        {"count", kInteger, "number of occurrences"},
        {"sentence", kText, "description"}}},
      {"finding_place",
       "The first few places of each finding.",
       {{"id", kKey, kRowNumber},
        {"finding", "INTEGER NOT NULL REFERENCES finding", "the finding"},
        {"place", kText, "a file and a position in it, a rank and a node …"}}},
      {"span_kind",
       "Values of `span.kind`.",
       {{"id", kKey, kRowNumber}, {"name", kText, "`compute`, `collective`, `send` …"}}},
      {"model",
       "Values of `span.model`.",
       {{"id", kKey, kRowNumber}, {"name", kText, "`recorded`, `roofline`, `analytical` …"}}},
      {"released",
       "Values of `span.released`.",
       {{"id", kKey, kRowNumber},
        {"name", kText,
         "`beginning`: the span waited for nothing; `dependency`: it started when the last node it "
         "depends on ended; `resource`: it started when its lane became free"}}},
      {"reason",
       "Values of `span.reason`: why recorded work waits (docs/recorded-traces.md).",
       {{"id", kKey, kRowNumber},
        {"name", kText, "`launch`, `stream`, `sync` …; `unsaid`: unknown"}}},
  };
}

std::vector<Table> all_tables() {
  std::vector<Table> all = {
      run_properties_table(),
      {"manifest",
       "Facts about the inputs and the program, in a fixed order.",
       {{"id", kKey, kRowNumber},
        {"key", kText,
         "`orrery`, `workload`, `cluster_hash`, `network_model` …; how it was computed: "
         "`representatives` (simulated ranks, which represent all ranks; from 1 to `run.ranks`), "
         "and if not 0, `phases_worked_out` (phases of collectives computed without messages), "
         "`phases_by_messages`, `iterations_skipped`"},
        {"value", kText, "the value as text"}}},
      {"name",
       "Names of nodes and tensors, each stored once.",
       {{"id", kKey, "0 is the empty name"},
        {"text", kText, "text from the trace: do not trust it"}}},
      {"dimension",
       "The network's dimensions, innermost first.",
       {{"id", kKey, kRowNumber},
        {"block", kText, "`ring`, `fully_connected` or `switch`"},
        {"size", kInteger, "members"},
        {"bandwidth_bytes_per_s", kReal, "bandwidth per direction, of one link or port"},
        {"latency_ns", kReal, "latency per hop"}}},
      {"process_group",
       "Ranks that communicate with each other.",
       {{"id", kKey, kRowNumber},
        {"name", kText, "name and ranks, `tp (ranks 2-3)`; empty: all ranks"},
        {"size", kInteger, "members"},
        {"first_collective", kInteger, "number of its first collective; ascending"},
        {"collectives", kInteger, "number of its collectives"},
        {"stored_collective", kInteger,
         "`collective.id` of its first collective; groups whose ranks have the same timelines and "
         "collectives share them"},
        {"first_member", kInteger, "`group_member.id` of its first rank, if it has rows"}}},
      {"group_member",
       "The ranks of each process group, in ring order. A group of all ranks has no rows.",
       {{"id", kKey, kRowNumber},
        {"process_group", kGroup, "the group"},
        {"rank", kRank, "one of its members"}}},
  };
  for (const std::vector<Table>& more :
       {time_tables(), network_tables(), remote_memory_tables(), packet_tables(), result_tables()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace

const std::vector<Table>& tables() {
  static const std::vector<Table> all = all_tables();
  return all;
}

const Table& table(std::string_view name) {
  const auto find = [&](const std::vector<Table>& all) {
    return std::find_if(all.begin(), all.end(),
                        [&](const Table& each) { return each.name == name; });
  };
  const auto found = find(tables());
  if (found != tables().end()) return *found;
  const auto stored = find(stored_tables());
  ORRERY_CHECK(stored != stored_tables().end());
  return *stored;
}

bool generated(const Column& column) {
  return column.declaration.find(" AS ") != std::string_view::npos;
}

namespace {
constexpr std::string_view kReferences = " REFERENCES ";
}

std::string create_sql(const Table& table) {
  std::string sql = "CREATE TABLE " + std::string(table.name) + "(";
  for (const Column& column : table.columns) {
    sql += &column == table.columns.data() ? "\n  " : ",\n  ";
    sql += std::string(column.name) + " " + std::string(column.declaration);
    const std::size_t refers = sql.rfind(kReferences);
    // A foreign key cannot refer to a view.
    if (refers != std::string::npos && refers > sql.rfind('\n') &&
        find_parted(std::string_view(sql).substr(refers + kReferences.size())) != nullptr)
      sql.resize(refers);
  }
  return sql + "\n)";
}

std::string create_sql(const View& view) {
  std::string sql = "CREATE VIEW " + std::string(view.name) + " AS SELECT";
  for (const Column& column : view.columns) {
    sql += &column == view.columns.data() ? "\n  " : ",\n  ";
    sql += std::string(column.declaration);
    const bool plain = column.declaration[1] == '.' && column.declaration.substr(2) == column.name;
    if (!plain)  // SQLite names the column "t.name" `name` without AS
      sql += " AS " + std::string(column.name);
  }
  return sql + "\n" + std::string(view.from);
}

}  // namespace orrery::result
