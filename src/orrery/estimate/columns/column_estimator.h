// SPDX-License-Identifier: Apache-2.0
//
// Estimates the step times of very many plans of one job on one cluster, in closed form.
//
// Measured on dgx-h100-8.yaml (one core): 1,400,000 plans of llama-3.1-8b per second once the
// tables exist, 18,000 including the time to fill them (benchmarks: plan_columns rate).
// estimate/program needs 0.72 ms per plan (1,400 per second), the median over 300 plans of many
// models (benchmarks: estimates).
#pragma once

#include <memory>
#include <string>

#include "orrery/core/error.h"
#include "orrery/estimate/columns/plan_columns.h"
#include "orrery/estimate/program/op_costs.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::estimate {

/// Combines the estimate of a plan from tables. Passes through a layer are scheduled once per
/// partitioning (layer_times). Gradients, weights and the optimizer are scheduled once per mesh
/// (data_parallel_times). Pipeline schedules have closed forms (pipeline_closed_form). Memory
/// follows from the order of passes (stage_memory), and equals that of workload::account_memory.
/// Not estimable here, but by estimate/program, are: plans whose layers differ or do not divide
/// evenly over stages; other schedules; gradients reduced in every pass, if backward passes are
/// split or experts exchange tokens; plans limited by kernel launches on the host. Earlier queries
/// change no result.
class ColumnEstimator {
 public:
  /// Returns why this job cannot be estimated; empty: it can. Requirements: the cluster has
  /// dimensions, not a fabric; the job uses no remote memory; communication overlaps, in buckets of
  /// complete layers.
  [[nodiscard]] static std::string refusal(const study::Cluster& cluster,
                                           const workload::Spec& base);

  /// For plans of `base`, for which refusal() is empty. `costs` must outlive this object; only
  /// prepare() uses it.
  ColumnEstimator(std::shared_ptr<const study::Cluster> cluster, workload::Spec base,
                  OpCosts& costs);
  ~ColumnEstimator();
  ColumnEstimator(const ColumnEstimator&) = delete;
  ColumnEstimator& operator=(const ColumnEstimator&) = delete;

  /// Adds the missing table entries for all of these plans that are valid and fit into memory.
  /// Errc: those of assembling programs and of simulations.
  [[nodiscard]] Result<void> prepare(const PlanColumns& plans);
  /// Estimates prepared plans. `out` has the size of `plans`. Allocates nothing; safe to call
  /// concurrently.
  void estimate_steps(const PlanColumns& plans, StepColumns& out) const;

  /// Number of entries in all tables.
  [[nodiscard]] std::size_t entries() const;

 private:
  struct Tables;
  std::unique_ptr<Tables> tables_;
};

}  // namespace orrery::estimate
