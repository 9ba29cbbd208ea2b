// SPDX-License-Identifier: Apache-2.0
//
// Findings: unexpected but recoverable conditions, which are counted and explained.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// `warning`: a setting of the user is ignored. `repaired`: the input was wrong and was corrected.
/// `data_loss`: a part of the input is missing in the result.
enum class Severity : std::uint8_t { info, warning, repaired, data_loss, error };

/// The kind of a finding. Each has a name, a severity and a sentence (see `describe`).
enum class FindingCode : std::uint8_t {
  // Reading traces
  duplicate_id_dropped,
  dangling_dep_dropped,
  self_edge_dropped,
  cycle_broken,
  truncated_tail_dropped,
  corrupt_record_dropped,
  value_clamped,
  unknown_field_kept,
  duplicate_dep_merged,
  attr_coerced,
  empty_record,
  legacy_schema,
  metadata_group_ignored,
  attr_ignored,
  // Recorded traces
  json_repaired,
  event_dropped,
  event_not_kept,
  event_overlaps,
  event_unfinished,
  event_time_clamped,
  duration_cut,
  string_cut,
  correlation_repeated,
  node_without_parent,
  linked_by_external_id,
  linked_by_order,
  node_without_operator,
  operator_without_node,
  attached_by_external_id,
  device_work_without_call,
  device_busy_unseen,
  attached_by_order,
  no_device_work,
  step_not_recorded,
  graph_captured,
  capture_unmatched,
  call_folded,
  host_context_folded,
  stream_wait_guessed,
  inter_thread_guessed,
  wait_learned,
  recorded_wait,
  poll_guessed,
  launch_queue_full,
  thread_idle_unexplained,
  dependency_contradicts_time,
  comm_kind_from_name,
  comm_kind_unknown,
  comm_size_unknown,
  comm_peer_unknown,
  comm_unmatched,
  comm_alone,
  group_unknown,
  group_from_order,
  clock_aligned,
  rank_from_order,
  file_skipped,
  recorded_on_other_device,
  recorded_device_unknown,
  replicas_in_turn,
  traces_without_device,
  profiler_error,
  profiler_warning,
  recorded_hang,
  call_not_complete,
  // Configurations
  key_ignored,
  key_without_effect,
  default_assumed,
  // Simulation
  remainder_chunk_full,
  group_falls_back_to_ring,
  dims_not_crossed,
  zero_duration_compute,
  collective_without_traffic,
  unmatched_send,
  masked_collective,
  collective_approximated,
  collective_by_end_points,
  collective_not_added,
  collective_numbers_unsaid,
  collective_replayed,
  chunk_order_resolved,
  missing_chunk_raised,
  congestion_control_idle,
  pauses_spread,
  pauses_deadlock,
  packets_skipped,
  // Clusters and plans
  cluster_from_catalog,
  pcie_topology_unknown,
  chosen_by_default,
  vocabulary_padded,
  layers_uneven,
  pipeline_bubble,
  may_not_fit,
  tp_crosses_hosts,
  // Measured kernels
  measured_again,
  time_below_limit,
  // Measured collectives
  measured_wrong,
  collective_inferred,
  time_of_host,
  measurement_left_out,
  cold_measurement_dropped,
  waiting_included,
  outlier_dropped,
  curve_too_short,
  // Fabrics of other projects
  fabric_link_dropped,
  fabric_pairs_cut,
  fabric_edge_without_ends,
  fabric_part_ignored,
  fabric_class_guessed,
  fabric_ranks_in_order,
  fabric_without_devices,
  fabric_contradicts,
  // Changed structure
  edges_dropped,
  repetitions_few,
  // Changed recordings
  late_start,
  step_ignores_device,
  step_ignores_changes,
  // Functions of the calling program
  time_from_callable,
};

struct FindingInfo {
  std::string_view name;  ///< stable, snake_case
  Severity severity;
  std::string_view sentence;  ///< consequence for the result
};

[[nodiscard]] FindingInfo describe(FindingCode code);
/// The code with this name.
[[nodiscard]] std::optional<FindingCode> find_finding_code(std::string_view name);
[[nodiscard]] std::string_view name(Severity severity);

struct Finding {
  FindingCode code;
  std::uint64_t count = 0;
  std::vector<std::string> places;  ///< the first Findings::kPlaces
};

/// Counted findings, ordered by code. Not thread-safe: use one object per worker, and merge them in
/// a fixed order.
class Findings {
 public:
  static constexpr std::size_t kPlaces = 3;

  /// Increases the count of `code`, and stores `place` if there are fewer than kPlaces.
  void add(FindingCode code, std::string_view place = {}, std::uint64_t count = 1);
  void merge(const Findings& other);
  /// Merges the findings of a second pass over the same input: each code gets the larger count.
  void merge_maximum(const Findings& other);
  [[nodiscard]] std::uint64_t count(FindingCode code) const;
  [[nodiscard]] std::vector<Finding> list() const;
  [[nodiscard]] bool empty() const { return findings_.empty(); }

 private:
  std::map<FindingCode, Finding> findings_;
};

}  // namespace orrery
