// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/findings.h"

#include <iterator>

#include "orrery/core/check.h"
#include "orrery/core/enum_names.h"

namespace orrery {

namespace {

using enum Severity;

// In the order of FindingCode.
constexpr FindingInfo kInfos[] = {
    {"duplicate_id_dropped", data_loss, "a node id appears twice; only the first node is used"},
    {"dangling_dep_dropped", repaired,
     "a dependency names a node that does not exist; the dependency is dropped"},
    {"self_edge_dropped", repaired, "a node depends on itself; that edge is dropped"},
    {"cycle_broken", repaired, "nodes form a dependency cycle; the edge that closes it is dropped"},
    {"truncated_tail_dropped", data_loss, "the file ends inside a record; that record is dropped"},
    {"corrupt_record_dropped", data_loss, "a record cannot be decoded; it is dropped"},
    {"value_clamped", repaired, "a number out of range is clamped to the nearest allowed value"},
    {"unknown_field_kept", info, "an unknown field; it is preserved when writing, but not used"},
    {"duplicate_dep_merged", info, "a dependency is listed more than once; it counts once"},
    {"attr_coerced", info, "an attribute has an unusual scalar type; its value is used"},
    {"empty_record", info, "a record has length zero; it is read as a node with default values"},
    {"legacy_schema", info,
     "the file uses an older Chakra schema; it is read according to that schema"},
    {"metadata_group_ignored", info, "a METADATA node contains no process groups; it is ignored"},
    {"attr_ignored", info,
     "an attribute is unused, or its value does not fit its name; it is ignored"},
    {"json_repaired", repaired,
     "invalid JSON (control characters, broken UTF-8, a missing comma) is repaired"},
    {"event_dropped", data_loss, "a record lacks a name, time or thread; it is dropped"},
    {"event_not_kept", info,
     "a record type that the simulator does not use (counters, marks); it is dropped"},
    {"event_overlaps", info,
     "an event ends after the event that encloses it on the same thread; it stays the child of "
     "that event"},
    {"event_unfinished", repaired,
     "an event begins and never ends; it is extended to the end of the trace"},
    {"event_time_clamped", data_loss,
     "a time is negative, not a number or too far from the others; it is set to the nearest "
     "possible value"},
    {"duration_cut", repaired,
     "a kernel is recorded to end after the next kernel of its stream ends, but streams run in "
     "order; it ends where the next one begins"},
    {"string_cut", data_loss, "a string is longer than the limit; it is truncated"},
    {"correlation_repeated", info,
     "several calls have the same correlation id; device work is assigned to the last call before "
     "it"},
    {"node_without_parent", repaired,
     "a node's parent is not in the file; the node is placed under its thread"},
    {"linked_by_external_id", info,
     "a node is matched to an operator by external id, because it has no record-function id"},
    {"linked_by_order", info,
     "a node is matched to an operator by its position among its neighbors"},
    {"node_without_operator", info,
     "a node of the execution trace has no operator in the device trace; it stays, without a time"},
    {"operator_without_node", info,
     "an operator of the device trace has no node in the execution trace; it stays"},
    {"attached_by_external_id", info,
     "the call that launched device work is not in the file; the work is assigned to the operator "
     "of its external id"},
    {"device_work_without_call", info,
     "the call that launched device work is not in the file; the work is ordered only within its "
     "stream"},
    {"device_busy_unseen", info,
     "a device's first work runs long after its launch: earlier work is not in the file, and the "
     "figures show that time as idle. Rows of iterations show when work runs, not which iteration "
     "launches it"},
    {"attached_by_order", info,
     "communication kernels have no correlation id; they are assigned to the calls without device "
     "work in order"},
    {"no_device_work", warning,
     "the recording contains no work of its device, so its times are those of the host. Record the "
     "device too: torch.profiler.profile(activities=[ProfilerActivity.CPU, "
     "ProfilerActivity.CUDA])"},
    {"step_not_recorded", data_loss,
     "no device work of a step is in the file, although other steps have some; the step is not "
     "measured, but totals and replays include its time as idle"},
    {"graph_captured", info,
     "work of a CUDA graph is assigned to its operators from the recording of the capture"},
    {"capture_unmatched", info,
     "a launched CUDA graph matches no recorded capture; the operators of its kernels are unknown"},
    {"call_folded", info,
     "a runtime call launches nothing and waits for nothing; it is merged into the next operation"},
    {"host_context_folded", info,
     "Python frames and profiler overhead are merged into the adjacent operations"},
    {"stream_wait_guessed", info,
     "the trace has no synchronization records; waits across streams are inferred from the order "
     "of calls"},
    {"inter_thread_guessed", info,
     "a wait for another thread is inferred from a gap that ends when that thread finishes"},
    {"wait_learned", info,
     "late device work begins just after work of another stream ends; it is assumed to wait for "
     "that work"},
    {"recorded_wait", info,
     "device work begins later than its known dependencies explain; the recorded wait stays "
     "constant, even if other work becomes faster"},
    {"poll_guessed", info,
     "a thread's wait for the device is inferred without a waiting call: the same operation "
     "repeatedly begins or ends with, or within, the same device work"},
    {"launch_queue_full", info,
     "a launch lasts until much earlier work ends: it waits for space in the launch queue of its "
     "stream"},
    {"thread_idle_unexplained", info,
     "a thread that does less than another one is idle for long; the trace does not show what it "
     "waits for"},
    {"dependency_contradicts_time", info,
     "the recorded times contradict a dependency: the first node ends after the second begins; the "
     "dependency is dropped"},
    {"comm_kind_from_name", info,
     "the type of a communication is taken from its kernel's name; the trace has no other source "
     "for it"},
    {"comm_kind_unknown", data_loss,
     "the type of a communication is unknown; it becomes compute with its recorded time"},
    {"comm_size_unknown", data_loss,
     "the size of a communication is unknown; its recorded time is used"},
    {"comm_peer_unknown", data_loss,
     "the peer of a send or receive is unknown; it becomes compute with its recorded time"},
    {"comm_unmatched", error, "a communication is missing in the traces of its peers"},
    {"comm_alone", info, "the traces of a communication's peers are not among the files"},
    {"group_unknown", info,
     "the process group of a communication is not described; it is assumed to be all ranks"},
    {"group_from_order", info,
     "a process group is not described; its members are the ranks that communicate in it, all in "
     "the same order and with the same sizes"},
    {"clock_aligned", info,
     "a rank's clock is shifted so that collectives end at the same time on all ranks"},
    {"rank_from_order", info, "a trace does not specify its rank; it gets the next free number"},
    {"file_skipped", info,
     "a file among the traces is not a recorded trace, or is another rank's graph capture; it is "
     "skipped"},
    {"recorded_on_other_device", info,
     "a recording comes from a different device than the cluster's; its kernels keep their "
     "recorded times"},
    {"recorded_device_unknown", info,
     "the catalog of devices has no device of the recorded name; commands that need its figures "
     "ask for a device"},
    {"replicas_in_turn", info,
     "traces of several data-parallel replicas represent a different number of replicas; they are "
     "used in turn"},
    {"traces_without_device", warning,
     "there are traces for more ranks than the system has devices; the remaining traces are not "
     "simulated"},
    {"profiler_error", error,
     "the profiler reported an error while it recorded; the file may lack events"},
    {"profiler_warning", info,
     "the profiler reported a warning while it recorded; the file may lack events"},
    {"recorded_hang", error,
     "ranks called a collective or message and did not complete it; it is left out, and the rest "
     "of the recording is used"},
    {"call_not_complete", data_loss,
     "the dumps of some ranks lack a collective or message that others completed, or describe it "
     "differently; it is left out"},
    {"key_ignored", warning, "an unknown key is ignored"},
    {"key_without_effect", warning,
     "a setting has no effect here: it matches nothing, other settings hide its effect, or it is "
     "not modeled"},
    {"default_assumed", info, "a value is not given; the usual value is assumed"},
    {"remainder_chunk_full", info,
     "a collective's last chunk is smaller than the others; the ASTRA rules simulate it at full "
     "size"},
    {"group_falls_back_to_ring", info,
     "a group runs as one logical ring: a subgroup on a multi-dimensional system under the ASTRA "
     "rules, or ranks of unequal hosts for which there are no rings by adapter"},
    {"dims_not_crossed", info, "a message crosses several dimensions; only the first one counts"},
    {"zero_duration_compute", info,
     "a compute node has no duration; it lasts 0 ns (1 ns under the ASTRA rules)"},
    {"collective_without_traffic", info, "a collective whose type moves no bytes in this model"},
    {"unmatched_send", error, "no rank receives a message that was sent"},
    {"masked_collective", info,
     "a collective has no dimension to run on; it completes immediately"},
    {"collective_approximated", info,
     "a collective has no algorithm of its own; the collective with the same traffic replaces it"},
    {"collective_by_end_points", info,
     "switches cannot run an all-to-all that is not a token exchange of experts, or that crosses "
     "several dimensions; the end points send to each other directly"},
    {"collective_not_added", info,
     "switches cannot add the number format of a collective; the end points run the direct "
     "algorithm for it"},
    {"collective_numbers_unsaid", info,
     "a collective has no number format, and the switches add only some formats; they are assumed "
     "to add this one"},
    {"collective_replayed", info,
     "a collective has no type or size, or no other rank here; its recorded duration is used"},
    {"chunk_order_resolved", repaired,
     "ranks run different chunks in one dimension and block each other; chunks that a peer has "
     "begun are started"},
    {"missing_chunk_raised", info,
     "a collective has fewer bytes than ranks; its size is raised to one byte per rank"},
    {"congestion_control_idle", info,
     "congestion control reduced no window and no rate: the result does not depend on it. Queues "
     "stayed below the marks and targets, or the transport does not react to losses"},
    {"pauses_spread", info,
     "pauses of priority flow control made further switches pause: packets that do not use the "
     "congested port wait, too"},
    {"pauses_deadlock", error,
     "pauses of priority flow control wait for each other in a cycle, so the run cannot end. Use "
     "routes without cycles (up and down in a tree), or buffers without pauses"},
    {"packets_skipped", info,
     "packets that do the same as earlier ones are not simulated again; the result is the same"},
    {"cluster_from_catalog", info,
     "no cluster file is given; the cluster follows the device vendor's reference design"},
    {"pcie_topology_unknown", info,
     "devices communicate over PCIe, and the cluster does not say how; a slow machine is assumed, "
     "without peer-to-peer access, as published measurements of such machines. If yours is faster, "
     "state the bandwidth or calibrate it ('orrery calibrate network')"},
    {"chosen_by_default", info, "the job does not specify a value; the default is used"},
    {"vocabulary_padded", info,
     "the vocabulary is not a multiple of tp; it is padded to a multiple of 128 x tp, as in "
     "Megatron"},
    {"layers_uneven", info, "the number of layers is not a multiple of the number of stages"},
    {"pipeline_bubble", info, "pipeline stages wait for each other for more than 30 % of the step"},
    {"may_not_fit", info,
     "according to model and plan, a rank needs more memory than a device has. It is simulated as "
     "if it fits; 'orrery memory' lists changes that make it fit"},
    {"tp_crosses_hosts", info,
     "a tensor-parallel group, which communicates in every layer, spans several hosts, and links "
     "between hosts are slower than links inside a host"},
    {"measured_again", repaired,
     "a table lists a kernel or collective several times, with times more than 5 % apart; the "
     "median is used"},
    {"time_below_limit", error,
     "a measured time is far below the limit from the device's data sheet; the time is used"},
    {"measured_wrong", error,
     "a benchmark reports wrong results of a collective; its time is used"},
    {"collective_inferred", info,
     "the file does not name the collective; it is inferred from bandwidth, reduction and root"},
    {"time_of_host", info,
     "a time was measured on the host; for nccl-tests it is recomputed from the bandwidth, for "
     "NCCL Inspector it is used"},
    {"measurement_left_out", info,
     "a measurement has no bytes, no time or no supported collective; it is skipped"},
    {"cold_measurement_dropped", info,
     "the first collective of its size lasts more than twice the usual time; it is dropped"},
    {"waiting_included", info,
     "logs of some ranks of a collective are missing; its time may include waiting for other "
     "ranks"},
    {"outlier_dropped", repaired,
     "a collective lasts more than 1.5 times as long as with fewer and with more bytes, or, as the "
     "first of its run, than with more; it is dropped"},
    {"curve_too_short", data_loss,
     "a collective was measured with fewer than four sizes; it is skipped"},
    {"fabric_link_dropped", repaired,
     "a link joins a node to itself, to a node that is not in the file, or two nodes that are "
     "already linked; it is dropped"},
    {"fabric_pairs_cut", info,
     "an edge pairs two lists of different lengths one to one; the remaining nodes of the longer "
     "list get no link"},
    {"fabric_edge_without_ends", error,
     "an edge names a component that its device does not have; the edge is dropped, as in "
     "InfraGraph's own service, and nodes may be unreachable"},
    {"fabric_part_ignored", info,
     "a part of a fabric file does not describe nodes, links or their properties; it is ignored"},
    {"fabric_class_guessed", info,
     "the type of a fabric node is not given; it is inferred from the node's name"},
    {"fabric_ranks_in_order", info,
     "the ranks in the file do not start at 0, or some are missing; devices are numbered in their "
     "order"},
    {"fabric_without_devices", info,
     "the file contains no accelerator; the machine can be rendered, but no rank can run on it"},
    {"fabric_contradicts", repaired,
     "a matrix has contradictory entries for a pair of devices; the entry that connects them more "
     "closely is used"},
    {"edges_dropped", info,
     "a repeated node has different dependencies in different repetitions, so those of a new "
     "repetition are unknown; it gets fewer dependencies"},
    {"repetitions_few", info,
     "a pattern repeats fewer than four times; its first and last repetitions are hard to "
     "distinguish from the middle ones"},
    {"late_start", info,
     "a rank starts later than the first rank; the cause is before the recording, so no change of "
     "the step removes this time"},
    {"step_ignores_device", warning,
     "the device is busy for 90 % of the step or more, but the step is less than 30 % shorter if "
     "device times are halved: waits of hosts for the device are unknown, so predicted savings are "
     "too small"},
    {"step_ignores_changes", warning,
     "the step is less than 25 % shorter if the times of hosts and devices are halved: recorded "
     "waits, which stay constant, determine it"},
    {"time_from_callable", info,
     "times come from a function of the calling program instead of Orrery's models; they have no "
     "known error"},
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
  constexpr auto kNames =
      enumerator_names<Severity::error>("info", "warning", "repaired", "data-loss", "error");
  return kNames[static_cast<std::size_t>(severity)];
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
