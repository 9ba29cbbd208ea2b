// SPDX-License-Identifier: Apache-2.0
//
// What plans have in common, each once. Private to the columns.
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

/// Entries by key.
template <class Entry>
struct TableOf {
  KeyTable keys;
  std::vector<Entry> entries;

  [[nodiscard]] const Entry* find(TableKey key) const {
    const std::uint32_t at = keys.find(key);
    return at == KeyTable::kNone ? nullptr : &entries[at];
  }
  Entry& add(TableKey key, Entry entry) {
    keys.add(key);
    return entries.emplace_back(std::move(entry));
  }
};

/// A chunk of so many layers on one mesh, by Ends.
struct ChunkEntry {
  std::array<std::vector<std::int64_t>, kEnds> concurrent;
  BucketReductions sent;
  bool asked = false;  ///< whether `sent` is known
};
struct DataParallelEntry {
  std::unique_ptr<DataParallelWork> work;
  DataParallelShape shape;
  std::optional<DataParallelTimes> times;
};
/// Messages between stages.
struct LinkEntry {
  double message = 0, wrap = 0;
};

struct ColumnEstimator::Tables {
  Tables(std::shared_ptr<const study::Cluster> on, workload::Spec of, OpCosts& asked);

  std::shared_ptr<const study::Cluster> cluster;
  workload::Spec base;
  OpCosts& costs;
  workload::DataParallelPolicy policy;
  workload::DeviceMemory device;
  std::int64_t room = 0;  ///< bytes of a device; 0: not known
  std::int64_t workspace = 0;
  std::int64_t layers = 0;  ///< of the model; 0: they differ

  PlanRules rules;
  TableOf<std::unique_ptr<LayerShape>> shapes;
  TableOf<LayerTimes> times;
  TableOf<DataParallelEntry> data;
  TableOf<ChunkEntry> chunks;
  TableOf<StageMoments> forms;
  TableOf<LinkEntry> links;

  /// As it is laid out.
  [[nodiscard]] workload::Spec plan(const PlanColumns& plans, std::size_t at) const;
  /// Whether the schedule and the layers of a legal plan are of a kind that is told.
  [[nodiscard]] bool knows(const PlanColumns& plans, std::size_t at) const;
  /// Of a plan whose shapes are there: what its fullest rank needs.
  [[nodiscard]] std::int64_t memory(const PlanColumns& plans, std::size_t at) const;
  [[nodiscard]] GradientTiming way(workload::Sharding sharding) const;

  [[nodiscard]] Result<void> learn_shapes(const PlanColumns& plans, std::size_t at);
  [[nodiscard]] Result<void> learn_times(const PlanColumns& plans, std::size_t at);

  [[nodiscard]] static TableKey shape_key(const PlanColumns& plans, std::size_t at);
  [[nodiscard]] static TableKey times_key(const PlanColumns& plans, std::size_t at);
  [[nodiscard]] static TableKey data_key(const PlanColumns& plans, std::size_t at);
  [[nodiscard]] TableKey chunk_key(const PlanColumns& plans, std::size_t at) const;
  [[nodiscard]] static TableKey form_key(const PlanColumns& plans, std::size_t at);
  [[nodiscard]] TableKey link_key(const PlanColumns& plans, std::size_t at) const;

 private:
  [[nodiscard]] Result<const LayerTimes*> times_of(TableKey key, const workload::Spec& spec,
                                                   bool split);
  void learn_links(const PlanColumns& plans, std::size_t at);
};
}  // namespace orrery::estimate
