// SPDX-License-Identifier: Apache-2.0
//
// Tables of results that plans share; each result is computed once. Private to this folder.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/estimate/columns/column_estimator.h"
#include "orrery/estimate/columns/data_parallel_times.h"
#include "orrery/estimate/columns/key_table.h"
#include "orrery/estimate/columns/pass_times.h"
#include "orrery/estimate/columns/plan_rules.h"
#include "orrery/estimate/columns/stage_memory.h"
#include "orrery/workload/memory/memory_report.h"
#include "orrery/workload/spec/data_parallel_policy.h"

namespace orrery::estimate {

/// A chunk with a given number of layers on one mesh. Arrays are by ModelEnds.
struct ChunkEntry {
  std::array<std::vector<std::int64_t>, kModelEnds> gradient_bytes;
  BucketReductions reductions;
  bool reductions_known = false;  ///< whether `reductions` is set
};
struct DataParallelEntry {
  std::unique_ptr<DataParallelWork> work;
  DataParallelShape shape;
  std::optional<DataParallelTimes> times;
};
/// Durations of messages between stages, in picoseconds: to the next stage (mean), and from the
/// last to the first.
struct LinkEntry {
  double message = 0, wrap = 0;
};

struct ColumnEstimator::Tables {
  Tables(std::shared_ptr<const study::Cluster> on, workload::Spec of, OpCosts& op_costs);

  std::shared_ptr<const study::Cluster> cluster;
  workload::Spec base;
  OpCosts& costs;
  workload::DataParallelPolicy policy;
  workload::DeviceMemory device;
  std::int64_t device_bytes = 0;  ///< memory of a device, bytes; 0: unknown
  std::int64_t workspace = 0;
  std::int64_t layers = 0;  ///< layers of the model; 0: layers differ

  PlanRules rules;
  KeyedTable<std::unique_ptr<LayerShape>> shapes;
  KeyedTable<LayerTimes> times;
  KeyedTable<DataParallelEntry> data;
  KeyedTable<ChunkEntry> chunks;
  KeyedTable<StageMoments> moments;
  KeyedTable<LinkEntry> links;

  /// The specification of a plan, with a padded vocabulary.
  [[nodiscard]] workload::Spec plan(const PlanColumns& plans, std::size_t row) const;
  /// Whether the schedule and the layers of a valid plan can be estimated.
  [[nodiscard]] bool can_estimate(const PlanColumns& plans, std::size_t row) const;
  /// Peak memory of the fullest rank of a plan whose shapes are in the tables, bytes.
  [[nodiscard]] std::int64_t memory(const PlanColumns& plans, std::size_t row) const;
  [[nodiscard]] GradientTiming gradient_timing(workload::Sharding sharding) const;

  [[nodiscard]] Result<void> add_shapes(const PlanColumns& plans, std::size_t row);
  [[nodiscard]] Result<void> add_times(const PlanColumns& plans, std::size_t row);

  [[nodiscard]] static TableKey shape_key(const PlanColumns& plans, std::size_t row);
  [[nodiscard]] static TableKey times_key(const PlanColumns& plans, std::size_t row);
  [[nodiscard]] static TableKey data_key(const PlanColumns& plans, std::size_t row);
  [[nodiscard]] TableKey chunk_key(const PlanColumns& plans, std::size_t row) const;
  [[nodiscard]] static TableKey moments_key(const PlanColumns& plans, std::size_t row);
  [[nodiscard]] TableKey link_key(const PlanColumns& plans, std::size_t row) const;

 private:
  [[nodiscard]] Result<const LayerTimes*> times_of(TableKey key, const workload::Spec& spec,
                                                   bool split);
  void add_links(const PlanColumns& plans, std::size_t row);
};
}  // namespace orrery::estimate
