// SPDX-License-Identifier: Apache-2.0
//
// What the results of commands contain.
#include <array>

#include "orrery/report/json/json_keys.h"

namespace orrery::report {

namespace {

constexpr auto kJsonResults = std::to_array<JsonResult>(
    {{"accuracy",
      "ablations by_trait equal_sources exceeds_threshold factors not_predicted overall "
      "predictions rankings threshold_ratio"},
     {"bench",
      "change communication coverage device distinct_operators failed file framework level "
      "load_ns micro operators per_rank plan_ns plan_steps planned_memory rank recorded_ns "
      "replay similarity streams total_ns"},
     {"calibrate",
      "backward_launch_time calibrated curves device file forward_launch_time inputs "
      "jitter_sigma kernel_gap kernels known_kernels launch_latency launch_time left_out "
      "model_file network_sigma operators optimizer_launch_time overheads overlapping_kernels "
      "per_device ranks recorded_as recorded_kernels recorded_on speed_sigma stall_mean_ns "
      "stall_share stalled_steps steps tools tuner tuner_file unknown_devices waiting"},
     {"collective check",
      "blocks bytes channels chunks collective correct error_count errors format in_place "
      "longest_block max_bytes min_bytes min_max_sent_bytes name out_of_place per_plan ranks "
      "result_checked run steps unchecked_reason"},
     {"collective compare",
      "algorithms bound bytes cluster collective dtype experts left_out network_model ranks "
      "reason switch_bound top_k"},
     {"collective synthesize",
      "bound bytes collective depth fabric gap_ratio group_sizes link_use method notes pieces "
      "sends time_ns"},
     {"compare",
      "difference_interval faster first_manifest first_step_ns matched metrics "
      "no_interval_reason only_first only_second path_by_cause regressed second_manifest "
      "second_step_ns slower threshold_ratio"},
     {"critical-path",
      "longest path ranks segments stalled step_ns time_by_cause_ns time_by_kind_ns"},
     {"demo", "runs"},
     {"dlrm lookup",
      "all_tables bags file kernel_texts lookup_times lookups max_difference_share model nets "
      "reuse_shares rows rows_by_bin rows_read tables uniform"},
     {"dlrm shard",
      "batch bound_ns device device_loads devices exchanges_ns file lookups_ns max_tables model "
      "placements sharders step_ns table_memory_bytes"},
     {"doctor", "lines ok"},
     {"explain", "figures metrics paragraphs title"},
     {"goodput",
      "bandwidth_source best_interval_s budget checkpoint_bytes checkpoint_bytes_per_s "
      "checkpoint_source cluster cost_per_1e6_items daly_interval_s device_hour_price "
      "device_mtbf_s devices devices_per_node effective_items_per_s failure_source "
      "goodput_share hosts interval_s interval_source mtbf_s node_mtbf_s read_s recovery_s "
      "repair_s reshard_s restart_s samples simulated_error simulated_failures "
      "simulated_interval_s simulated_split spare_nodes step_s step_source time_split tokens "
      "workload_name write_s young_interval_s"},
     {"infer",
      "arrivals block_tokens cache_blocks cache_share cached_share cost_per_1e6_output device "
      "device_hour_price devices devices_per_instance energy_per_1e6_output_j engine estimated "
      "front_setups good_share goodput_requests_per_s grid_error grid_points input_tokens "
      "instances inter_token intervals max_estimate_error max_num_batched_tokens max_num_seqs "
      "mean_sequences mean_step_tokens mean_waiting measured_latencies "
      "measured_output_tokens_per_s measured_requests_per_s meets_limits missed_setups model "
      "most_blocks most_sequences most_waiting objective output_tokens output_tokens_per_s "
      "overloaded power_w preemptions priced queueing refused_setups request_latency requests "
      "requests_per_s server_times service_limits service_setups serving_memory serving_s "
      "serving_steps simulated step_share tokens_per_s tpot tried_setups ttft typical_steps"},
     {"job count",
      "file flop_by_source format_peak_flop_per_s forward_ns input_gradient_ns "
      "intensity_flop_per_byte is_per_device kernel_kinds kernels layers memory_traffic_bytes "
      "model nodes operations parameters peak_flop_per_s peak_precision product_flop "
      "product_formats ranks roles tokens traffic vector_flop weight_gradient_ns"},
     {"job generate", "bytes groups nodes prefix ranks role_count"},
     {"job together", "cluster end_ns jobs link_traffic network_model spare_ranks stalled"},
     {"kernels",
      "array bytes classes compute_model device device_names distinct_kernels errors flop "
      "formats kernel kernel_operations kernels launches layers_file learner model ok passes "
      "per_device per_kernel per_layer picture rank ranks role rows table time_ns total_cost "
      "traits unknown_devices unlearned_rows unpredicted_rows"},
     {"list", "entries"},
     {"memory",
      "capacity_bytes fits memory_options model peak_bytes ranks reserved_bytes roles "
      "total_bytes verdict worst_role"},
     {"mfu",
      "device inside_interval losses measured_step model needed_ns no_interval_reason "
      "peak_flop_per_s peak_precision predicted_step prediction_interval product_width "
      "published ranks unexplained_mfu unexplained_ns"},
     {"network check",
      "adapters_differ cluster most_detailed_model network_models ranks recommended_model "
      "workload_name"},
     {"network compare", "networks ranks workload_name"},
     {"network noc",
      "bisection_flits_per_node_cycle closed_form_cycles file loads network_name network_nodes "
      "network_routers routing saturation_flits_per_node_cycle"},
     {"network show",
      "at_least bisection_bytes_per_s connected device_bandwidth_bytes_per_s diameter_hops "
      "diameter_ns graph host_bandwidth_bytes_per_s hosts leaf_oversubscription_ratios "
      "links_by_class name nodes_by_class origin ranks route routes sampled "
      "spine_oversubscription_ratios warnings"},
     {"network split",
      "cluster demands dimensions file fixed_ns job objective objective_bound objective_value "
      "odd_groups rank splits total_bandwidth_bytes_per_s unknown_operations"},
     {"report",
      "breakdown collectives critical_path distinct_ranks error_classes files "
      "library_collectives manifest memory metrics no_interval_reason packets prediction_interval "
      "ranks "
      "recorded_ns remote_memory stalled step_ns stored_spans stragglers throughput "
      "time_by_basis"},
     {"run",
      "algorithms breakdown chunk_choices cluster collective_model collectives compute_model "
      "critical_path disabled_effects effects error_classes events in_step library_collectives "
      "memory messages network_model no_interval_reason packets per_rank platform "
      "prediction_interval "
      "ranks recorded_ns remote_memory rules savings stall step_costs step_ns throughput "
      "time_by_basis variability verified_fold workload workload_name"},
     {"search",
      "alternatives axes best capacity_bytes closed_form cluster clusters combinations "
      "deadline_s devices estimated evaluated excluded_by_constraint failed feasible finished "
      "fitting illegal_by_rule manifest_file max_closed_form_error max_estimate_error "
      "may_not_fit merge_command not_estimated out_of_date parts plans points priced rejected "
      "samples script_file simulated space_check submit_command token_budget tokens too_large "
      "unfinished"},
     {"study calculon", "best candidates execution feasible rejections statistics"},
     {"study reproduce",
      "about assumptions best comparisons name out_of_date per_run source studies title"},
     {"trace anonymize", "dropped_attributes kept_attributes names nodes ranks reidentification"},
     {"trace convert",
      "edges file groups matched nodes per_rank prefix ranks single_rank unmatched world_size"},
     {"trace diff", "added changed launched per_iteration removed same"},
     {"trace info",
      "all_ranks flight_record name per_rank process_groups rank_classes ranks structures trace "
      "traffic "
      "views"},
     {"trace learn",
      "bytes corpus_jobs corpus_passes file literal_numbers training_loss unseen_loss"},
     {"trace merge", "groups matched per_rank single_rank unmatched world_size"},
     {"trace predict",
      "host_source kernels_predicted per_rank predicted_device_use predicted_ns "
      "recorded_device_use recorded_ns"},
     {"trace replay", "per_rank"},
     {"trace scale-down",
      "axes batch_ratio batch_rules keep left_out_operations optimizer_ratio original "
      "proportional_estimate rank_numbers replayed scaled size_based_estimate traffic_changes "
      "workload_name"},
     {"trace slice", "files"},
     {"trace stragglers",
      "blame blamed equal_all_ns equal_links_ns equal_work_ns late_start ranks recorded_ns "
      "replayed_ns "
      "steps suspects workload_name"},
     {"trace synthesize",
      "bytes communication_error first_try_stages flop_error groups memory_traffic_error "
      "node_count_error nodes outside_corpus prefix ranks seed stages"},
     {"trace validate",
      "errors matched mismatches ok passed problem_count problems ranks single_rank unmatched"},
     {"whatif",
      "base_fits base_interval base_memory_bytes base_no_interval_reason base_samples "
      "base_step_ns base_time_by_basis base_tokens change_kinds changed_fits changed_interval "
      "changed_memory_bytes changed_no_interval_reason changed_samples changed_step_ns "
      "changed_time_by_basis changed_tokens changes "
      "detected_structure device_change difference_interval inferred_job no_interval_reason "
      "operation_times pairs predicted_interval predicted_ns ranks recorded_ns replayed "
      "skipped_changes tried_changes workload_name"}});

}  // namespace

std::span<const JsonResult> command_results() { return kJsonResults; }

}  // namespace orrery::report
