// SPDX-License-Identifier: Apache-2.0
//
// Names of lists of objects.
#include <array>

#include "orrery/report/json/json_keys.h"

namespace orrery::report {

namespace {

constexpr auto kJsonLists = std::to_array<JsonKey>(
    {{"ablations", JsonType::object, "the error without one effect each", JsonForm::list,
      "changed_points effect inside_share interval_half_width_ratio mean_error median_error "
      "p90_error points signed_median_error with_interval"},
     {"absent_by_name", JsonType::object, "operators that are not available", JsonForm::list,
      "count name"},
     {"added", JsonType::object, "names that only the second has", JsonForm::list, "=changed"},
     {"advice", JsonType::object, "common causes of lost time, and what helps", JsonForm::list,
      "cause cause_share count name sentence time_ns"},
     {"algorithms", JsonType::object,
      "algorithms: the one chosen for each kind of collective, or all that were compared",
      JsonForm::list,
      "about algbw_bytes_per_s algorithm bound_ratio busbw_bytes_per_s bytes chunk_choice "
      "group_size groups in_switches latency_ns name next_algorithm next_bytes_take_longer "
      "next_has_more_latency next_time_ns ranks_per_dimension time_ns type"},
     {"alternatives", JsonType::object,
      "points with another setting, and what they need to match the best", JsonForm::list,
      "at axis requirements setting slower_ratio"},
     {"assumptions", JsonType::object, "inputs of the case study", JsonForm::list,
      "mark source text what"},
     {"at_peak", JsonType::object, "what is allocated at the peak", JsonForm::list,
      "bytes kind name"},
     {"axes", JsonType::object, "axes", JsonForm::list,
      "axis explained_share name original_size positions settings"},
     {"base_time_by_basis", JsonType::object, "time by basis without the change", JsonForm::list,
      "=time_by_basis"},
     {"best", JsonType::object, "the best results", JsonForm::list,
      "at best_ratio chunks closed_form_ns cluster compute_ns compute_share cp dp elapsed_s ep "
      "estimate_ns execution exposed_comm_ns exposed_comm_share far_bytes figure_values format_mfu "
      "front goodput_share idle_ns idle_share job meets_deadline megatron memory_bytes "
      "memory_option mfu "
      "micro_batch near_bytes no_interval_reason plan pp prediction_interval "
      "run_index samples_per_s simulated_ns sp specification step_ns tp verdict"},
     {"by_kind", JsonType::object, "communication by kind", JsonForm::list,
      "bytes count exposed_ns hidden_ns kind length_ns recorded_ns"},
     {"by_trait", JsonType::object, "errors of the points that share a trait", JsonForm::list,
      "inside_share interval_half_width_ratio mean_error median_error p90_error points "
      "signed_median_error trait trait_value with_interval"},
     {"change_kinds", JsonType::object, "changes that can be asked", JsonForm::list,
      "about argument basis name"},
     {"changed", JsonType::object, "names with another count or time", JsonForm::list,
      "first_count first_ns kind name second_count second_ns"},
     {"changed_time_by_basis", JsonType::object, "time by basis with the change", JsonForm::list,
      "=time_by_basis"},
     {"changes", JsonType::object, "changes", JsonForm::list, "basis change"},
     {"chunk_choices", JsonType::object, "how kinds of collectives are cut into chunks",
      JsonForm::list,
      "bound_by_dimensions bound_ns bytes chunks cut dimension_numbers group_size order_source "
      "orders time_ns type"},
     {"classes", JsonType::object, "classes of kernels", JsonForm::list,
      "all_launches bytes bytes_per_s class device error_interval flop flop_per_s format "
      "held_out_kernels held_out_rows inside_share interpolation kernels launches left_out_devices "
      "median_error model_names name nodes operation overlapping_communication pass ranges rows "
      "share_by_model signed_error time_ns time_share training_rows unestimated"},
     {"clusters", JsonType::object, "clusters", JsonForm::list,
      "best_plan budget_cost cluster device_hour_price devices front items_per_s samples step_cost "
      "tokens"},
     {"collectives", JsonType::object, "collectives by kind", JsonForm::list,
      "algbw_bytes_per_s bound_efficiency busbw_bytes_per_s bytes group_size operations sent_bytes "
      "time_ns type wait_ns"},
     {"communication_by_kind", JsonType::object, "communication, recorded and replayed",
      JsonForm::list, "bytes kind recorded_count recorded_ns replayed_count replayed_ns"},
     {"communication_uses", JsonType::object, "communication by kind and group", JsonForm::list,
      "bytes count group min_ns total_ns type unsized"},
     {"comparisons", JsonType::object, "published values and predictions", JsonForm::list,
      "difference_ratio is_assumption mark predicted_value published_text published_value reason "
      "run_label source what"},
     {"constraints", JsonType::object, "constraints", JsonForm::list,
      "axes_only constraint excluded remaining"},
     {"contributions", JsonType::object, "cost of each part of the variability alone",
      JsonForm::list, "mean_ns p95_ns part"},
     {"curve_points", JsonType::object, "measured times by size", JsonForm::list, "bytes time_ns"},
     {"curves", JsonType::object, "measured curves of collectives", JsonForm::list,
      "collective curve_points device dropped dtype held_out_points hosts library median_error "
      "p90_error peak_busbw_bytes_per_s ranks recorded_as"},
     {"demands", JsonType::object, "traffic of the job", JsonForm::list, "dimension_bytes repeats"},
     {"device_loads", JsonType::object, "load of each device", JsonForm::list,
      "bytes pieces sent_bytes time_ns"},
     {"device_work", JsonType::object, "work of the device by name", JsonForm::list,
      "=host_operators"},
     {"dimension_traffic", JsonType::object, "bytes that a rank sends over each dimension",
      JsonForm::list, "dimension_number label sent_bytes"},
     {"dimensions", JsonType::object, "dimensions of the network", JsonForm::list,
      "bandwidth_bytes_per_s block latency_ns size"},
     {"effects", JsonType::object, "what each effect costs", JsonForm::list,
      "effect step_without_ns"},
     {"entries", JsonType::object, "entries of the catalog", JsonForm::list,
      "active_parameters algorithm_names aliases bandwidth_bytes_per_s bf16_flop_per_s "
      "fp8_flop_per_s latency_ns link_names memory_bytes memory_bytes_per_s name title "
      "total_parameters"},
     {"error_classes", JsonType::object, "the critical path by models whose errors move together",
      JsonForm::list, "class high_error_ns low_error_ns time_ns"},
     {"errors", JsonType::object, "errors", JsonForm::list,
      "block_index block_step code fault hint history name rank what where"},
     {"exposed_groups", JsonType::object, "exposed communication by process group", JsonForm::list,
      "exposed_ns group"},
     {"factors", JsonType::object, "factors by number format", JsonForm::list,
      "bits device factor high_error low_error points sources"},
     {"failed_by_name", JsonType::object, "operators that failed", JsonForm::list,
      "count name reason"},
     {"faster", JsonType::object, "nodes that are faster", JsonForm::list, "=slower"},
     {"figures", JsonType::object, "figures", JsonForm::list, "label text"},
     {"files", JsonType::object, "files written", JsonForm::list,
      "bytes cut_edges file input kept_records records"},
     {"findings", JsonType::object, "problems in the inputs or the simulation", JsonForm::list,
      "code count places sentence severity"},
     {"front_setups", JsonType::object,
      "of each device, the Pareto front of a user's speed and throughput per device",
      JsonForm::list, "=service_setups"},
     {"host_operators", JsonType::object, "operators by name", JsonForm::list,
      "count kind max_ns name total_ns"},
     {"inputs", JsonType::object, "files that were read", JsonForm::list, "file sha256"},
     {"intervals", JsonType::object, "the run in intervals of equal length", JsonForm::list,
      "cache_share end_s input_tokens_per_s mean_sequences mean_waiting output_tokens_per_s "
      "start_s"},
     {"jobs", JsonType::object, "jobs", JsonForm::list,
      "about alone name rank_numbers slowdown_ratio start_ns steps together"},
     {"kernel_families", JsonType::object, "times of kernels by operation, longest first",
      JsonForm::list, "operation time_ns"},
     {"kernel_kinds", JsonType::object, "kernels by operation and pass", JsonForm::list,
      "kernels memory_traffic_bytes operation pass product_flop vector_flop"},
     {"kernel_operations", JsonType::object, "operations of kernels", JsonForm::list,
      "operation size_names"},
     {"last_calls", JsonType::object,
      "last calls of ranks that have not called what others wait for", JsonForm::list,
      "call_site group is_completed operation rank sentence sequence"},
     {"launched", JsonType::object, "device work by the operator that launched it", JsonForm::list,
      "=changed"},
     {"left_out", JsonType::object, "what was skipped", JsonForm::list, "name reason"},
     {"left_out_devices", JsonType::object, "errors on a device whose rows were held out",
      JsonForm::list, "device median_error rows"},
     {"levels", JsonType::object, "levels of remote memory", JsonForm::list,
      "bin_loaded_bytes bin_stored_bytes busy_share loaded_bytes name peak_busy_at_ns "
      "peak_busy_share stored_bytes"},
     {"library_collectives", JsonType::object, "collectives that a library runs", JsonForm::list,
      "algorithm bytes group_size high_error_ns hosts low_error_ns source time_ns type"},
     {"lines", JsonType::object, "lines of the report", JsonForm::list, "name ok text"},
     {"link_list", JsonType::object, "links", JsonForm::list,
      "bandwidth_bytes_per_s class from_node latency_ns parallel_links to_node"},
     {"link_traffic", JsonType::object, "traffic of links that several jobs use", JsonForm::list,
      "bandwidth_bytes_per_s class job_bytes name"},
     {"links_by_class", JsonType::object, "links by class", JsonForm::list,
      "bandwidth_bytes_per_s class latency_ns links parallel_links"},
     {"loads", JsonType::object, "measured loads", JsonForm::list,
      "accepted_flits_per_node_cycle hops latency_cycles latency_deviation_cycles "
      "load_flits_per_node_cycle measured_packets network_latency_cycles p99_cycles seeds "
      "stable_seeds"},
     {"longest", JsonType::object, "longest segments", JsonForm::list,
      "cause end_ns kind name node rank released_by start_ns"},
     {"lookup_times", JsonType::object, "times of lookups", JsonForm::list,
      "backward_bytes backward_ns cached_rows device forward_cache_bytes forward_memory_bytes "
      "forward_ns histogram_hit_share hit_share model published_hit_share simulated_hit_share "
      "summary_hit_share uniform_hit_share"},
     {"losses", JsonType::object, "parts of the step that are not needed, longest first",
      JsonForm::list, "group kernel_families kind mfu_gain recoverable remedies time_ns"},
     {"measured_latencies", JsonType::object, "latencies of a measured server, and predictions",
      JsonForm::list, "error_ratio measured_s name predicted_s"},
     {"memory_options", JsonType::object, "changes that save memory", JsonForm::list,
      "change flop_ratio total_bytes"},
     {"metrics", JsonType::object, "metrics", JsonForm::list,
      "about change_ratio first_value more_is_better name second_value text title unit value"},
     {"micro", JsonType::object, "operators, each by itself", JsonForm::list,
      "calls failures kernel_text max_ns median_ns min_ns name p90_ns p99_ns reason recorded_ns "
      "tensors"},
     {"mismatches", JsonType::object, "what does not match", JsonForm::list, "first second what"},
     {"models", JsonType::object, "times by each model", JsonForm::list,
      "bytes_per_s error_interval extrapolated flop_per_s model peak_ratio time_ns used"},
     {"nets", JsonType::object, "fitted nets", JsonForm::list,
      "device held_out_rows high_ratio low_ratio median_error pass training_rows"},
     {"network_models", JsonType::object, "the job on each network model", JsonForm::list,
      "estimated_cpu_s exposed_comm_error exposed_comm_ns messages network_model reason step_error "
      "step_ns"},
     {"networks", JsonType::object, "the networks that are compared", JsonForm::list,
      "cluster cost_per_1e9_items device_hour_price difference_interval dimension_traffic "
      "exposed_comm_ns exposed_groups items_per_s mfu name no_interval_reason prediction_interval "
      "step_cost step_difference_ns step_ns"},
     {"node_list", JsonType::object, "nodes of the fabric", JsonForm::list, "class host name"},
     {"not_predicted", JsonType::object, "points without a prediction", JsonForm::list,
      "points reason"},
     {"operation_times", JsonType::object, "predicted times by operation", JsonForm::list,
      "operation predicted_ns recorded_ns"},
     {"operator_counts", JsonType::object, "operators that ran", JsonForm::list,
      "name recorded_count replayed_count"},
     {"orders", JsonType::object, "orders of dimensions", JsonForm::list, "chunks order"},
     {"overheads", JsonType::object, "overheads of the host", JsonForm::list,
      "count dropped mean_ns negative operator overhead"},
     {"pairs", JsonType::object, "pairs of changes", JsonForm::list,
      "first_change interaction saved_ns second_change step_ns"},
     {"passed", JsonType::object, "checks that passed", JsonForm::list, "text what"},
     {"path", JsonType::object, "segments of the critical path", JsonForm::list,
      "cause end_ns kind name node rank released_by start_ns"},
     {"path_by_cause", JsonType::object, "critical paths by cause", JsonForm::list,
      "cause first_ns second_ns"},
     {"per_device", JsonType::object, "one entry per device", JsonForm::list,
      "architecture capacity_bytes classes clock_hz device gap_spread gaps in_catalog kernels "
      "known_kernels known_ns l2_bytes memory_bytes_per_s models peak_by_format_flop_per_s "
      "processors ranks recorded_as shapes shared_bytes time_ns vector_flop_per_s"},
     {"per_kernel", JsonType::object, "one entry per kernel", JsonForm::list,
      "bytes bytes_per_s flop flop_per_s launches name nodes operand_formats operation pass "
      "share_by_model sizes time_ns time_share traits unestimated"},
     {"per_layer", JsonType::object, "one entry per layer", JsonForm::list,
      "cycles cycles_with_stalls filter folds ifmap k m macs n name ofmap utilization_share"},
     {"per_operator", JsonType::object, "one entry per operator", JsonForm::list,
      "calls name per_call recorded_ns total_ns"},
     {"per_plan", JsonType::object, "one entry per plan", JsonForm::list,
      "blocks bytes channels chunks collective correct error_count errors format in_place "
      "longest_block max_bytes min_bytes min_max_sent_bytes name out_of_place ranks result_checked "
      "steps unchecked_reason"},
     {"per_rank", JsonType::object, "one entry per rank", JsonForm::list,
      "advice attachment bin_ns breakdown change clock_offset_ns comm_ns comm_only_ns "
      "communication "
      "communication_uses compute_ns conversion coverage dependency_sources device device_trace "
      "device_work drift events_by_kind execution_trace exposed_comm_ns file finish_ns format "
      "framework host_operators host_time idle_ns kernel_time late_start_ns level linking load_ns "
      "memory_ns "
      "memory_only_ns on_device peak_memory_bytes per_step plan_ns plan_steps planned_memory "
      "predicted_breakdown predicted_host_ns predicted_kernels_ns predicted_ns rank rank_source "
      "recorded_breakdown recorded_busy_shares recorded_ns replay replayed_ns sent_bytes "
      "similarity simulated_breakdown simulated_busy_shares simulated_ns streams threads"},
     {"per_run", JsonType::object, "one entry per run", JsonForm::list,
      "at error_text finding_texts metric_values table_cells"},
     {"per_step", JsonType::object, "one entry per step", JsonForm::list,
      "comm_only_ns compute_only_ns copy_only_ns host_bound_ns idle_ns length_ns overlapped_ns "
      "recorded_ns simulated_ns step_number"},
     {"phases", JsonType::object, "phases of a step", JsonForm::list, "operations phase time_ns"},
     {"placements", JsonType::object, "tables and parts of tables with their devices",
      JsonForm::list, "device_index features rows table"},
     {"predictions", JsonType::object, "measured points and predictions", JsonForm::list,
      "assumed error_ratio id left_out_s measured_s model models_range_s point_traits "
      "predicted_range_s "
      "predicted_s reason "
      "source without_s"},
     {"problems", JsonType::object, "inconsistencies", JsonForm::list, "kind what where"},
     {"process_groups", JsonType::object, "process groups", JsonForm::list,
      "axis collective_count in_every_layer name rank_numbers ranks stride"},
     {"published", JsonType::object, "groups of published steps that are comparable",
      JsonForm::list,
      "below_share device median_ratio model_names name p10_ratio p25_ratio p75_ratio p90_ratio "
      "points published_steps source_names"},
     {"published_steps", JsonType::object, "published steps by MFU, ascending", JsonForm::list,
      "id mfu model ranks source step_ns"},
     {"rank_classes", JsonType::object, "ranks that are equal", JsonForm::list,
      "chain comm_bytes compute_bytes cpu_nodes edges flop load_store_bytes nodes nodes_by_kind "
      "rank_numbers recorded_cpu_ns recorded_ns"},
     {"rankings", JsonType::object, "plans ranked by measurement and prediction", JsonForm::list,
      "measured_best place plans predicted_best slowdown_ratio what"},
     {"recorded_calls", JsonType::object,
      "collectives by group and number, and messages that are not completed", JsonForm::list,
      "call_spread_ns call_state completed_ranks first_call_ns group group_index hang_cause is_p2p "
      "max_ns min_ns missing_ranks operation overwritten_ranks rank_difference recorded_tensors "
      "scheduled_ranks sequence started_ranks waits_for"},
     {"recorded_groups", JsonType::object, "process groups", JsonForm::list,
      "collective_count completed_sequence first_sequence group group_description last_completed "
      "last_enqueued last_sequence last_started rank_numbers stuck_count undumped_ranks"},
     {"rejections", JsonType::object, "why candidates were rejected", JsonForm::list,
      "count reason"},
     {"remedies", JsonType::object, "changes that were simulated, best first", JsonForm::list,
      "change fits saved_ns step_ns"},
     {"removed", JsonType::object, "names that only the first has", JsonForm::list, "=changed"},
     {"requirements", JsonType::object, "break-even conditions", JsonForm::list,
      "axis current_value for_both required_value setting what"},
     {"roles", JsonType::object, "roles", JsonForm::list,
      "activations_bytes after_step_bytes at_peak communication_bytes communicators_bytes "
      "context_bytes flop_by_source fragmentation_bytes gradients_bytes memory_interval "
      "memory_traffic_bytes nodes optimizer_bytes peak_bytes peak_task ranks reserved_bytes role "
      "task_bytes total_bytes total_parameters traffic weights_bytes working_bytes "
      "workspace_bytes"},
     {"rule_uses", JsonType::object, "rules that replace operators", JsonForm::list,
      "about count rule"},
     {"runs", JsonType::object, "runs", JsonForm::list,
      "breakdown collective_model collectives compute_model critical_path disabled_effects effects "
      "error_classes events in_step library_collectives memory messages network_model packets "
      "per_rank "
      "platform prediction_interval recorded_ns remote_memory rules savings stall step_ns "
      "throughput time_by_basis verified_fold workload"},
     {"scale", JsonType::object, "step time with other numbers of ranks", JsonForm::list,
      "mean_ns p95_ns ranks slowest_factor"},
     {"server_times", JsonType::object, "constants of the server's own time", JsonForm::list,
      "name server_s source"},
     {"service_limits", JsonType::object, "limits of latencies", JsonForm::list,
      "limit_s measured_s name"},
     {"service_setups", JsonType::object, "setups of a server, the best first", JsonForm::list,
      "command device device_tokens_per_s devices dp expert_parallel good_share hour_cost "
      "instances "
      "inter_token limit_ratio max_num_batched_tokens max_num_seqs meets_limits request_latency tp "
      "tpot ttft user_tokens_per_s"},
     {"settings", JsonType::object, "settings of the axis", JsonForm::list,
      "change_ratio has_feasible_point is_best setting state verdict"},
     {"shapes", JsonType::object, "kernels by shape", JsonForm::list,
      "all_launches model_names name operand_formats operation overlapping_communication pass "
      "ratio_class sizes traits"},
     {"sharders", JsonType::object, "heuristics that were compared", JsonForm::list,
      "fits name step_ns"},
     {"slower", JsonType::object, "nodes that are slower", JsonForm::list,
      "critical first_ns kind latency_ns name node queue_ns rank ranks reason rest_ns second_ns "
      "wait_ns"},
     {"slowest", JsonType::object, "the slowest ranks", JsonForm::list, "finish_ns rank"},
     {"splits", JsonType::object, "splits that were compared", JsonForm::list,
      "comm_ns dimension_bytes_per_s exposed_comm_ns name objective_value step_ns"},
     {"stragglers", JsonType::object, "ranks that others wait for", JsonForm::list,
      "caused_wait_ns rank times_last wait_ns"},
     {"structure_blocks", JsonType::object, "what the work consists of", JsonForm::list,
      "first_node last_node operations repeats role structure_blocks time_ns"},
     {"structures", JsonType::object, "structure of ranks", JsonForm::list,
      "context_parallel forward_passes lane layers named_layers operations phases process_groups "
      "rank_numbers stages steps structure_blocks"},
     {"stuck_calls", JsonType::object, "stuck operations, those that explain others first",
      JsonForm::list, "call_index hang_cause sentence"},
     {"studies", JsonType::object, "built-in case studies", JsonForm::list, "name run_count title"},
     {"suspects", JsonType::object, "possible causes", JsonForm::list,
      "excess_ns excess_share kind name rank step_without_ns test"},
     {"tables", JsonType::object, "tables", JsonForm::list,
      "bags file lookups lookups_by_bin max_index max_lookups_per_row reuse_shares rows_by_bin "
      "rows_read table"},
     {"time_by_basis", JsonType::object, "critical path by the basis of its times", JsonForm::list,
      "basis time_ns"},
     {"traffic", JsonType::object, "traffic by kind", JsonForm::list,
      "axis bytes elements group group_size link operations payload_bytes purpose type wire_bytes"},
     {"traffic_changes", JsonType::object, "traffic of both jobs", JsonForm::list,
      "axis original_count original_group_size original_sent_bytes scaled_count scaled_group_size "
      "scaled_sent_bytes type"},
     {"tried_changes", JsonType::object, "changes that were tried", JsonForm::list,
      "basis change difference_interval fits kind memory_bytes saved_if_free_ns saved_ns "
      "step_if_free_ns step_ns time_by_basis time_ns what"},
     {"tuner", JsonType::object, "choices of the tuner file", JsonForm::list,
      "choice name same_as_cost_model tuned_sizes tuner_lines"},
     {"typical_steps", JsonType::object, "parts of the time of typical steps", JsonForm::list,
      "attention_s collectives_s head_s keys layers_s name sequences tokens total_s"},
     {"unfinished_nodes", JsonType::object, "nodes that are running or waiting", JsonForm::list,
      "kind name node rank reason"},
     {"verified_draws", JsonType::object, "draws that were simulated", JsonForm::list,
      "draw response_ns simulated_ns"},
     {"work_by_kind", JsonType::object, "work by kind", JsonForm::list,
      "device_kernels host_ns kind recorded_work replayed_work"},
     {"work_by_name", JsonType::object, "work by operator", JsonForm::list,
      "device_kernels host_ns kind name recorded_work replayed_work rule"}});

}  // namespace

std::span<const JsonKey> list_keys() { return kJsonLists; }

}  // namespace orrery::report
