// SPDX-License-Identifier: Apache-2.0
//
// Steps of very many plans of one job on one cluster, in closed form.
//
// Measured on dgx-h100-8.yaml (one core): 1,400,000 plans of llama-3.1-8b a second once the tables
// exist, 18,000 with the time to fill them (benchmarks: plan_columns rate); estimate/program takes
// 0.72 ms a plan, 1,400 a second, in the median of 300 plans of many models (benchmarks:
// estimates).
#pragma once

#include <memory>
#include <string>

#include "orrery/core/error.h"
#include "orrery/estimate/columns/plan_columns.h"
#include "orrery/estimate/program/op_costs.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::estimate {

/// What plans of a job take, put together from tables: passes through a layer, played once for each
/// way to cut it (layer_times); gradients, weights and the optimizer, once for each mesh
/// (data_parallel_times); schedules in closed form (pipeline_closed_form); memory by the order of
/// passes (stage_memory), which is the same as workload::account_memory says. Not estimated here,
/// but by estimate/program, are plans whose layers differ or do not divide over stages, other
/// schedules, gradients that are summed up in every pass where backward passes are split or experts
/// exchange tokens, and plans whose hosts are slower than their kernels. What was asked before
/// changes no answer.
class ColumnEstimator {
 public:
  /// Why nothing of this job can be told so; empty: it can. The cluster has dimensions, not a
  /// fabric; nothing lies in remote memory; communication overlaps, in buckets of whole layers.
  [[nodiscard]] static std::string refusal(const study::Cluster& cluster,
                                           const workload::Spec& base);

  /// Plans of `base`, which nothing refuses. `costs` is outlived, and used by `prepare` alone.
  ColumnEstimator(std::shared_ptr<const study::Cluster> cluster, workload::Spec base,
                  OpCosts& costs);
  ~ColumnEstimator();
  ColumnEstimator(const ColumnEstimator&) = delete;
  ColumnEstimator& operator=(const ColumnEstimator&) = delete;

  /// Makes what tables lack for these plans: of those that are legal and fit, all. Errc: those of
  /// laying programs out and of simulations.
  [[nodiscard]] Result<void> prepare(const PlanColumns& plans);
  /// Of prepared plans, into columns of their size. Allocates nothing; several threads may ask.
  void estimate_steps(const PlanColumns& plans, StepColumns& out) const;

  /// How many entries tables have, of all kinds together.
  [[nodiscard]] std::size_t entries() const;

 private:
  struct Tables;
  std::unique_ptr<Tables> tables_;
};

}  // namespace orrery::estimate
