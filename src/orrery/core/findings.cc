// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/findings.h"

#include <iterator>

#include "orrery/core/check.h"

namespace orrery {

namespace {

using enum Severity;

// In the order of FindingCode.
constexpr FindingInfo kInfos[] = {
    {"duplicate_id_dropped", data_loss, "a node id appears twice; only the first node was kept"},
    {"dangling_dep_dropped", repaired,
     "a dependency names a node that does not exist; it was dropped"},
    {"self_edge_dropped", repaired, "a node depends on itself; that edge was dropped"},
    {"cycle_broken", repaired,
     "nodes depend on each other in a circle; the edge that closes it was dropped"},
    {"truncated_tail_dropped", data_loss, "the file ends inside a record; that record was dropped"},
    {"corrupt_record_dropped", data_loss, "a record could not be decoded; it was dropped"},
    {"value_clamped", repaired, "a number out of range was clamped to the nearest one allowed"},
    {"unknown_field_kept", info, "a field this program does not know; kept when writing, not used"},
    {"duplicate_dep_merged", info, "the same dependency is listed more than once; counted once"},
    {"attr_coerced", info,
     "an attribute was stored as another scalar kind than usual; its value was used"},
    {"empty_record", info,
     "a record of length zero; read as a node with every value at its default"},
    {"legacy_schema", info, "the file uses an older Chakra schema; it was read as such"},
    {"metadata_group_ignored", info,
     "a METADATA node does not hold process groups; it was ignored"},
    {"attr_ignored", info,
     "an attribute whose value makes no sense for its name, or that is not used; it was "
     "ignored"},
    {"json_repaired", repaired,
     "text that is not legal JSON (control characters, broken UTF-8, a missing comma) was mended"},
    {"event_dropped", data_loss,
     "a record lacks what an event needs (name, time, thread) and was left out"},
    {"event_not_kept", info,
     "a record of a kind that takes no part in the model (counters, marks)"},
    {"event_overlaps", info,
     "an event ends after the one around it on the same thread; it was kept as its child"},
    {"event_unfinished", repaired,
     "an event begins and never ends; it was taken to last to the end of the trace"},
    {"event_time_clamped", data_loss,
     "a time is negative, not a number or too far from the rest; it was set to the nearest "
     "possible one"},
    {"string_cut", data_loss, "a string longer than the limit was cut"},
    {"correlation_repeated", info,
     "several calls have one correlation id; device work goes to the last before it"},
    {"node_without_parent", repaired,
     "a node's parent is not in the file; the node was kept under its thread"},
    {"linked_by_external_id", info,
     "a node and an operator were told to be the same by external id (no record-function id)"},
    {"linked_by_order", info,
     "a node and an operator were told to be the same by their place among their neighbours"},
    {"node_without_operator", info,
     "a node of the execution trace has no operator in the device trace; it was kept, without "
     "time"},
    {"operator_without_node", info,
     "an operator of the device trace has no node in the execution trace; it was kept"},
    {"attached_by_external_id", info,
     "device work whose call is not in the file was given to the operator of its external id"},
    {"device_work_without_call", info,
     "device work whose call is not in the file; it is ordered on its stream alone"},
    {"device_busy_unseen", info,
     "a device's first work ran long after it had been launched: the device was busy with work "
     "that "
     "is not in the file, and idle in the figures; iterations' rows show when work ran, not for "
     "which of them it was launched"},
    {"graph_captured", info,
     "work of a graph whose operator is known from the recording of its capture"},
    {"capture_unmatched", info,
     "a launch of a graph that no recorded capture fits: what its works are is not known"},
    {"call_folded", info,
     "a runtime call that launches nothing and waits for nothing became part of the step after it"},
    {"host_context_folded", info,
     "Python frames and the profiler's overhead became part of the steps around them"},
    {"stream_wait_guessed", info,
     "the trace has no records of synchronisation; waits across streams were inferred from the "
     "order of calls"},
    {"inter_thread_guessed", info,
     "a wait for another thread was inferred from a gap that ends when the other thread is done"},
    {"wait_learned", info,
     "work of the device that was late began just after work of another stream had ended; it was "
     "taken to wait for that"},
    {"recorded_wait", info,
     "work of the device began later than anything it is known to wait for explains; the wait is "
     "as "
     "long as it was recorded, whatever becomes faster"},
    {"poll_guessed", info,
     "a thread's wait for the device without a call that waits was inferred: the same step begins "
     "or ends with the same work again and again"},
    {"launch_queue_full", info,
     "a launch lasted until work far ahead of its own had ended: it waited for room in its "
     "stream's "
     "queue"},
    {"thread_idle_unexplained", info,
     "a thread that does less than another one was idle for long, and nothing says what it waited "
     "for"},
    {"dependency_contradicts_time", info,
     "a dependency whose first end lies after the second; it was left out"},
    {"comm_kind_from_name", info,
     "what a communication does was taken from its kernel's name; nothing else says it"},
    {"comm_kind_unknown", data_loss,
     "a communication whose type nothing says; it became compute with its recorded time"},
    {"comm_size_unknown", data_loss,
     "a communication whose bytes nothing says; it takes its recorded time"},
    {"comm_peer_unknown", data_loss,
     "a send or receive whose peer nothing says; it became compute with its recorded time"},
    {"comm_unmatched", error,
     "a communication that its peers, whose traces are there, do not have"},
    {"comm_alone", info, "a communication whose peers' traces are not among the files"},
    {"group_unknown", info,
     "a communication whose process group nothing describes; it was taken to be all ranks"},
    {"group_from_order", info,
     "nothing describes a process group; those ranks were taken to be in it that communicate in "
     "it, "
     "which all do so in the same order with as many bytes"},
    {"clock_aligned", info, "a rank's clock was shifted so that collectives end together"},
    {"rank_from_order", info, "a trace that does not say its rank got the next free number"},
    {"file_skipped", info,
     "a file that is no recorded trace, or a capture of another rank's graphs, stands among "
     "traces; "
     "it was left out"},
    {"recorded_on_other_device", info,
     "a recording was made on another device than the cluster has; its kernels keep the times that "
     "they took there"},
    {"replicas_in_turn", info,
     "traces of several replicas of a data-parallel job stand for more or fewer of them, in turn"},
    {"key_ignored", info,
     "a key that is not known here and was left out; in its own files, ASTRA-sim ignores it, too"},
    {"key_without_effect", info,
     "an option that is understood and changes nothing here: nothing fits it, what it changes "
     "hides "
     "behind something else, it is not modelled, or ASTRA-sim reads and never uses it"},
    {"default_assumed", info, "a value that nothing gives; the usual one was assumed"},
    {"remainder_chunk_full", info,
     "a collective's last chunk is smaller than the others; ASTRA rules simulate it at "
     "full size"},
    {"group_falls_back_to_ring", info,
     "a sub-group on a multi-dimensional system runs as one logical ring under ASTRA rules"},
    {"dims_not_crossed", info,
     "a message between ranks that differ in several dimensions is charged for the first "
     "one only"},
    {"zero_duration_compute", info,
     "a compute node without a duration; it takes no time (1 ns under ASTRA rules)"},
    {"collective_without_traffic", info, "a collective whose type moves no bytes in this model"},
    {"unmatched_send", error, "a message was sent that nobody received"},
    {"masked_collective", info, "a collective with no dimension to run on; it completes at once"},
    {"collective_approximated", info,
     "a collective without an algorithm of its own; charged as the one with the same traffic"},
    {"collective_by_end_points", info,
     "switches were to carry an all-to-all, but it does not say that it takes tokens to experts "
     "and "
     "back, or crosses several dimensions; end points sent to each other directly"},
    {"collective_not_added", info,
     "switches were to sum a collective whose numbers they cannot add; end points did what sums "
     "it, directly"},
    {"collective_numbers_unsaid", info,
     "switches that can add some numbers only were to sum a collective that does not say its own; "
     "they did"},
    {"collective_replayed", info,
     "a collective that does not say its type or size, or has no other rank here; it takes its "
     "recorded duration"},
    {"chunk_order_resolved", repaired,
     "ranks ran different chunks in one dimension and waited for each other; chunks a "
     "peer had begun were started"},
    {"missing_chunk_raised", info,
     "a collective smaller than its number of ranks; raised to one byte per rank"},
    {"cluster_from_catalogue", info,
     "the cluster has no file; it was made as the device's maker builds them"},
    {"chosen_by_default", info, "the job leaves it open; the default was taken"},
    {"vocabulary_padded", info,
     "the vocabulary is no multiple of tp; rows were added as Megatron does, to a multiple of 128 "
     "x tp"},
    {"layers_uneven", info, "the layers do not go evenly into the stages"},
    {"pipeline_bubble", info, "pipeline stages wait for each other for more than 30 % of the step"},
    {"may_not_fit", info,
     "by model and plan a rank holds more than a device has; it was simulated as if it fitted, and "
     "'orrery memory' says what would make it fit"},
    {"tp_crosses_hosts", info,
     "ranks of a tensor-parallel group, which talk in every layer, sit on several hosts, and less "
     "leads from one host to another than from device to device inside"},
    {"measured_again", repaired,
     "a table has a kernel or a collective several times with times more than 5 % apart; their "
     "median was taken"},
    {"time_below_limit", error,
     "a measured time is far below what the device can do by its data sheet; it was used"},
    {"measured_wrong", error,
     "a benchmark says that a collective's results were wrong; its time was used"},
    {"collective_inferred", info,
     "nothing names the collective; it was told by bandwidth, reduction and root"},
    {"time_of_host", info,
     "a time was taken on the host; nccl-tests' was worked out from the bandwidth instead, NCCL "
     "Inspector's was used"},
    {"measurement_left_out", info,
     "a measurement of no bytes, without a time, or of what is no collective here; it was left "
     "out"},
    {"cold_measurement_dropped", info,
     "the first collective of its size took more than twice as long as is usual; it was dropped"},
    {"waiting_included", info,
     "a collective of which not all ranks' logs are there: waiting for the others may be part of "
     "its time"},
    {"outlier_dropped", repaired,
     "a collective took more than 1.5 times as long as with fewer and with more bytes, or as the "
     "first of its run than with more; it was dropped"},
    {"curve_too_short", data_loss,
     "a collective was measured with fewer than four sizes; it was left out"},
    {"fabric_link_dropped", repaired,
     "a link that leads from a node to itself, to what is not in the file, or between two that are "
     "linked already; it was left out"},
    {"fabric_pairs_cut", info,
     "an edge pairs two lists of unequal length one to one; what is left of the longer one has no "
     "link"},
    {"fabric_edge_without_ends", error,
     "an edge names a component that its device does not have; it joins nothing, as in "
     "InfraGraph's "
     "own service, and what it should join may be out of reach"},
    {"fabric_part_ignored", info,
     "a part of a fabric's file that says nothing about nodes, links or their figures"},
    {"fabric_class_guessed", info,
     "what a node of a fabric is stands nowhere; it was told by its name"},
    {"fabric_ranks_in_order", info,
     "the ranks in the file do not count from 0 or are not all there; devices are in their order"},
    {"fabric_without_devices", info,
     "no accelerator is in the file; the machine can be drawn, and no rank can sit in it"},
    {"fabric_contradicts", repaired,
     "a matrix says two things of one pair, or what cannot be together; what joins more counts"},
    {"edges_not_told", info,
     "what a repeated node waits for is not the same in every repetition, and nothing tells what a "
     "new one would wait for; it waits for less"},
    {"repetitions_few", info,
     "something stands there fewer than four times; what ends and what goes on in the middle can "
     "hardly be told apart"},
};

}  // namespace

FindingInfo describe(FindingCode code) {
  const auto number = static_cast<std::size_t>(code);
  ORRERY_CHECK(number < std::size(kInfos));
  return kInfos[number];
}

std::optional<FindingCode> find_finding_code(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kInfos); ++i) {
    if (kInfos[i].name == name) return static_cast<FindingCode>(i);
  }
  return std::nullopt;
}

std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::repaired:
      return "repaired";
    case Severity::data_loss:
      return "data-loss";
    case Severity::error:
      return "error";
  }
  return "error";
}

void Findings::add(FindingCode code, std::string_view place, std::uint64_t count) {
  Finding& finding = findings_[code];
  finding.code = code;
  finding.count += count;
  if (!place.empty() && finding.places.size() < kPlaces) finding.places.emplace_back(place);
}

void Findings::merge(const Findings& other) {
  for (const auto& [code, theirs] : other.findings_) {
    add(code, {}, theirs.count);
    for (const std::string& place : theirs.places) add(code, place, 0);
  }
}

void Findings::merge_maximum(const Findings& other) {
  for (const auto& [code, theirs] : other.findings_)
    if (theirs.count > count(code)) findings_.insert_or_assign(code, theirs);
}

std::uint64_t Findings::count(FindingCode code) const {
  const auto found = findings_.find(code);
  return found == findings_.end() ? 0 : found->second.count;
}

std::vector<Finding> Findings::list() const {
  std::vector<Finding> all;
  all.reserve(findings_.size());
  for (const auto& entry : findings_) all.push_back(entry.second);
  return all;
}

}  // namespace orrery
