// SPDX-License-Identifier: Apache-2.0
#include "orrery/result/run_file/table_schema.h"

#include <algorithm>

#include "orrery/core/check.h"
#include "orrery/result/run_file/table_schema_internal.h"

namespace orrery::result {

namespace {

Table about_the_run() {
  return {
      "run",
      "What the run was: one row.",
      {{"id", kKey, "0"},
       {"spans", kText, "which spans the file holds: `all`, `critical` or `none`"},
       {"step_ps", kInteger, "when the last rank finished"},
       {"stalled", kInteger, "1: it could not finish"},
       {"ranks", kInteger, "how many"},
       {"device", kText, "the accelerator's name"},
       {"peak_flop_per_s", kReal, "of one device; 0: unknown"},
       {"peak_precision", kText, "which peak that is, e.g. `bf16`; empty: unknown"},
       {"capacity_bytes", kInteger, "memory of one device; 0: unknown"},
       {"samples", kInteger,
        "of a step, all ranks together; 0: not known, as the workload is no model and plan"},
       {"tokens", kInteger, "the same; 0: not known, or the model has none"},
       {"model_flop", kReal, "of the step's matrix products, forward and backward; 0: not known"},
       {"hardware_flop", kReal, "… with what is done again"},
       {"link_bin_ps", kInteger, "length of the bins of `link_use`; 0: nothing was recorded"},
       {"messages", kInteger, "messages that were sent"},
       {"events", kInteger, "events that were simulated"}}};
}

Table timeline_table() {
  return {"timeline",
          "What a rank did. Ranks that did the same at the same times share one.",
          {{"id", kKey, kRow},
           {"first_span", kInteger, "its spans are those with `id` from here"},
           {"spans", kInteger, "… and so many"},
           {"peak_bytes", kInteger, "most bytes held; 0: nothing says"},
           {"peak_at_ps", kInteger, "since when"},
           {"memory_role", kName,
            "what its ranks are (`stage 3`), where memory was accounted by model and plan; 0: by "
            "the trace's tensors"}}};
}

Table lane_table() {
  return {"lane",
          "What takes the spans of a timeline one after another.",
          {{"id", kKey, kRow},
           {"timeline", kTimeline, "whose it is"},
           {"kind", kText,
            "`compute`, `cpu`, `communicator`, `sends`, `receives`, `memory`, `other`, `stream` or "
            "`thread`"},
           {"rank_group", kMaybe,
            "communicator: the group's number at the rank (see `rank_group.number`)"},
           {"distance", kMaybe, "sends: the receiver is rank + distance, modulo `run.ranks`"},
           {"layer", kInteger, "1, 2 … where spans of the same lane would overlap"},
           {"number", kInteger, "stream, thread: its own, as recorded"},
           {"device", kInteger, "stream: whose it is"}}};
}

Table span_table() {
  return {
      "span",
      "A node that ran. Spans of a timeline stand in the order of the trace's ids.",
      {{"id", kKey, kRow},
       {"timeline", kTimeline, "whose it is"},
       {"node", kInteger, "the trace's id (unsigned; from 2^63 on it shows as negative)"},
       {"name", kName, "the node's"},
       {"kind", "INTEGER NOT NULL REFERENCES span_kind", "in words: `span_kind.name`"},
       {"lane", "INTEGER NOT NULL REFERENCES lane", "where it ran"},
       {"start_ps", kInteger, "when it began"},
       {"duration_ps", kInteger, "how long it took"},
       {"model", "INTEGER NOT NULL REFERENCES model", "which model made its length"},
       {"released", "INTEGER NOT NULL REFERENCES released", "why it did not start earlier"},
       {"reason", "INTEGER NOT NULL REFERENCES reason",
        "the kind of that dependency, where the trace says"},
       {"released_by", kMaybeSpan,
        "the span whose end let it start; what lies between is launch latency, the change from one "
        "work to the next, or a recorded wait"},
       {"critical", kInteger, "1: on the critical path, at one of its ranks"},
       {"slack_ps", kMaybe,
        "how much later it could end without a later step, at the rank that has least; NULL: not "
        "computed"},
       {"bytes", kInteger,
        "collectives: as `collective.bytes`; messages, memory: size; compute: tensor size"},
       {"flop", kInteger, "operations, where known"},
       // A row that ends here has these at their defaults: most computations do.
       {"wait_ps", "INTEGER NOT NULL DEFAULT 0",
        "of `duration_ps`: for peers, until the last has come or the message is sent"},
       {"queue_ps", "INTEGER NOT NULL DEFAULT 0",
        "of `duration_ps`: for a busy resource (dimension queue, link, shared memory)"},
       {"latency_ps", "INTEGER NOT NULL DEFAULT 0", "of `duration_ps`: hops and end points"},
       {"rank_group", kMaybe, "collectives: the group's number at the rank"},
       {"sequence", kMaybe, "collectives: which one of its group, from 0"},
       {"distance", kMaybe, "messages: the peer is rank + distance, modulo `run.ranks`"},
       {"peer_span", kMaybe,
        "messages: the other end, counted from the `first_span` of the peer's timeline"},
       {"end_ps", "INTEGER AS (start_ps + duration_ps)", "when it ended"},
       {"rest_ps", "INTEGER AS (duration_ps - wait_ps - queue_ps - latency_ps)",
        "what is left of `duration_ps`: work, or bytes at bandwidth"}}};
}

Table rank_table() {
  return {
      "rank",
      "Where each rank's time went. `compute_only_ps` + `overlapped_ps` + `comm_only_ps` + "
      "`memory_only_ps` + `idle_ps` = `finish_ps`.",
      {{"id", kKey, "the rank"},
       {"timeline", kTimeline, "what it did"},
       {"first_group", kInteger, "its process groups are `rank_group` from this `id` on"},
       {"finish_ps", kMaybe, "NULL: it never finished"},
       {"exposed_comm_ps", kInteger, "as the run's rules define it"},
       {"compute_only_ps", kInteger, "computing, nothing else going on"},
       {"overlapped_ps", kInteger, "computing while communicating or accessing remote memory"},
       {"comm_ps", kInteger, "communicating, hidden or not"},
       {"comm_only_ps", kInteger, "communicating, not computing"},
       {"memory_ps", kInteger, "accessing remote memory, hidden or not"},
       {"memory_only_ps", kInteger, "accessing remote memory, neither computing nor communicating"},
       {"idle_ps", kInteger, "none of them, until its own finish"},
       {"sent_bytes", kInteger, "all that it sent"}}};
}

Table collective_table() {
  return {"collective",
          "One collective, across its ranks.",
          {{"id", kKey, kRow},
           {"process_group", kGroup, "whose it is"},
           {"type", kText, "`all_reduce`, `all_gather` …"},
           {"name", kName, "of its node, where it came last"},
           {"bytes", kInteger,
            "the whole buffer: the larger of what one rank puts in and what it gets"},
           {"sent_bytes", kInteger, "what its ranks put on the network, together"},
           {"joined", kInteger, "1: its ranks waited for each other; 0: durations were replayed"},
           {"members", kInteger, "ranks that issued it"},
           {"first_start_ps", kInteger, "when the first member came"},
           {"last_start_ps", kInteger, "when the last member came"},
           {"last_rank", kRank, "which one (the lowest of those)"},
           {"last_span", kMaybeSpan, "its span there"},
           {"end_ps", kMaybe, "when the last member was done; NULL: never"},
           {"bound_ps", kMaybe, "no network with these links is faster; NULL: not known"},
           {"bound_by", kText, "what limits it, e.g. `dimension 1`"},
           {"library_collective", "INTEGER REFERENCES library_collective",
            "how long it takes by the library that runs it (of several phases the longest); NULL: "
            "the network says it"}}};
}

Table library_collective_table() {
  return {"library_collective",
          "What a library takes for collectives of one kind.",
          {{"id", kKey, kRow},
           {"type", kText, "`all_reduce`, `all_gather` …"},
           {"bytes", kInteger, "the whole buffer"},
           {"group_size", kInteger, "ranks"},
           {"hosts", kInteger, "… on so many hosts"},
           {"time_ps", kInteger, "from when the last member has come"},
           {"source", kText,
            "`measured`: these ranks were; `scaled`: others were; `cost model`: the library's own"},
           {"algorithm", kText,
            "what the library chooses, with the protocol: `ring, ll128`; empty: it has no choice"},
           {"low_error_ps", kMaybe, kLower},
           {"high_error_ps", kMaybe, kUpper}}};
}

Table error_class_table() {
  return {
      "error_class",
      "The critical path by who told how long it takes, longest first. Errors of one class move "
      "together, those of two do not (docs/bands.md).",
      {{"id", kKey, kRow},
       {"name", kText, "model, operation and format; collective, ranks and source"},
       {"time_ps", kInteger, "on the path"},
       {"low_error_ps", kMaybe, kLower},
       {"high_error_ps", kMaybe, kUpper}}};
}

Table path_basis_table() {
  return {"path_basis",
          "The critical path by what its times stand on (docs/bands.md).",
          {{"id", kKey, kRow},
           {"name", kText,
            "`recorded`, `scaled`, `interpolated`, `extrapolated`, `formula` or `bound`"},
           {"time_ps", kInteger, "on the path"}}};
}

std::vector<Table> time_tables() {
  return {
      timeline_table(),
      lane_table(),
      span_table(),
      {"memory",
       "Bytes held over time: by the tensors that the trace names or, of a model and a plan, by "
       "account (see `orrery memory`).",
       {{"id", kKey, kRow},
        {"timeline", kTimeline, "whose it is"},
        {"at_ps", kInteger, "from when"},
        {"bytes", kInteger, "how many"}}},
      {"held_tensor",
       "The largest tensors, or parts of the account, that are there at the peak.",
       {{"id", kKey, kRow},
        {"timeline", kTimeline, "whose it is"},
        {"name", kName, "the tensor's"},
        {"bytes", kInteger, "its size"},
        {"kind", kName,
         "`weights`, `gradients`, `optimizer`, `activations` … of an account; 0: a tensor"}}},
      rank_table(),
      {"rank_group",
       "The process groups of each rank, by the rank's own numbers.",
       {{"id", kKey, "`rank.first_group` + `number`"},
        {"rank", kRank, "whose number it is"},
        {"number", kInteger, "what spans and lanes call it"},
        {"process_group", kGroup, "the group itself"}}},
      library_collective_table(),
      collective_table(),
  };
}

std::vector<Table> result_tables() {
  return {
      {"path",
       "The critical path, earliest first, without gap or overlap from 0 to the end of the step.",
       {{"id", kKey, kRow},
        {"rank", kRank, "where it goes"},
        {"span", kMaybeSpan, "the node on it; NULL: none, or its span was not kept"},
        {"cause", kText, "`work`, `bandwidth`, `latency`, `queue`, `peer` or `idle`"},
        {"released", kText, "how the path came here: `beginning`, `dependency` or `resource`"},
        {"start_ps", kInteger, "where the segment before ended"},
        {"end_ps", kInteger, "where the next one begins"}}},
      error_class_table(),
      path_basis_table(),
      {"finding",
       "What was odd in the inputs or the simulation.",
       {{"id", kKey, kRow},
        {"code", kText, "stable"},
        {"severity", kText, "`info`, `repaired`, `data-loss` or `error`"},
        {"count", kInteger, "how often"},
        {"sentence", kText, "what it means"}}},
      {"finding_place",
       "Where: the first few places of each finding.",
       {{"id", kKey, kRow},
        {"finding", "INTEGER NOT NULL REFERENCES finding", "which one"},
        {"place", kText, "a file and where in it, a rank and a node …"}}},
      {"span_kind",
       "What `span.kind` means.",
       {{"id", kKey, kRow}, {"name", kText, "`compute`, `collective`, `send` …"}}},
      {"model",
       "What `span.model` means.",
       {{"id", kKey, kRow}, {"name", kText, "`recorded`, `roofline`, `analytical` …"}}},
      {"released",
       "What `span.released` means.",
       {{"id", kKey, kRow},
        {"name", kText,
         "`beginning`: it waited for nothing; `dependency`: the last node it depends on ended "
         "then; "
         "`resource`: its lane was taken until then"}}},
      {"reason",
       "What `span.reason` means: why recorded work waits (docs/recorded-traces.md).",
       {{"id", kKey, kRow}, {"name", kText, "`launch`, `stream`, `sync` …; `unsaid`: unknown"}}},
  };
}

std::vector<Table> all_tables() {
  std::vector<Table> all = {
      about_the_run(),
      {"manifest",
       "Facts about the inputs and the program, in a fixed order.",
       {{"id", kKey, kRow},
        {"key", kText,
         "`orrery`, `workload`, `cluster_hash`, `network_model` …; how it was worked out: "
         "`representatives` (ranks that were simulated, for all of them; from 1 to `run.ranks`), "
         "and where it is not 0, `phases_worked_out` (phases of collectives without messages), "
         "`phases_by_messages`, `iterations_skipped`"},
        {"value", kText, "as text"}}},
      {"name",
       "Names of nodes and tensors, each once.",
       {{"id", kKey, "0 is the empty name"}, {"text", kText, "as in the trace: do not trust it"}}},
      {"dimension",
       "The network's dimensions, innermost first.",
       {{"id", kKey, kRow},
        {"block", kText, "`ring`, `fully_connected` or `switch`"},
        {"size", kInteger, "members"},
        {"bandwidth_bytes_per_s", kReal, "per direction, of one link or port"},
        {"latency_ns", kReal, "per hop"}}},
      {"process_group",
       "Ranks that communicate with each other.",
       {{"id", kKey, kRow},
        {"name", kText, "its name and its ranks, `tp (ranks 2-3)`; empty: all ranks"},
        {"size", kInteger, "members"},
        {"first_collective", kInteger, "its collectives are those with `id` from here"},
        {"collectives", kInteger, "… and so many"}}},
      {"group_member",
       "The ranks of each process group, in ring order. A group of all ranks has no rows.",
       {{"id", kKey, kRow},
        {"process_group", kGroup, "the group"},
        {"rank", kRank, "one of its members"}}},
  };
  for (const std::vector<Table>& more :
       {time_tables(), network_tables(), remote_memory_tables(), result_tables()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace

const std::vector<Table>& tables() {
  static const std::vector<Table> all = all_tables();
  return all;
}

const Table& table(std::string_view name) {
  const auto found = std::find_if(tables().begin(), tables().end(),
                                  [&](const Table& each) { return each.name == name; });
  ORRERY_CHECK(found != tables().end());
  return *found;
}

bool generated(const Column& column) {
  return column.declaration.find(" AS ") != std::string_view::npos;
}

std::string create_sql(const Table& table) {
  std::string sql = "CREATE TABLE " + std::string(table.name) + "(";
  for (const Column& column : table.columns) {
    sql += &column == table.columns.data() ? "\n  " : ",\n  ";
    sql += std::string(column.name) + " " + std::string(column.declaration);
  }
  return sql + "\n)";
}

std::string create_sql(const View& view) {
  std::string sql = "CREATE VIEW " + std::string(view.name) + " AS SELECT";
  for (const Column& column : view.columns) {
    sql += &column == view.columns.data() ? "\n  " : ",\n  ";
    sql += std::string(column.declaration);
    const bool plain = column.declaration[1] == '.' && column.declaration.substr(2) == column.name;
    if (!plain)  // "t.name" is called so anyway
      sql += " AS " + std::string(column.name);
  }
  return sql + "\n" + std::string(view.from);
}

}  // namespace orrery::result
