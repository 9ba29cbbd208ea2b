// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/columns/column_tables.h"

#include <algorithm>
#include <utility>

#include "orrery/platform/platform.h"
#include "orrery/study/jobs/usable_memory.h"
#include "orrery/workload/assembly/assemble.h"
#include "orrery/workload/memory/framework_buffers.h"

namespace orrery::estimate {

using workload::ScheduleKind;
using workload::Sharding;

namespace {

/// The key of the partitioning of layers in a valid plan.
std::uint64_t partitioning_key(const PlanColumns& plans, std::size_t row) {
  return key_bits(plans.tp[row]) << 40 | key_bits(plans.ep[row]) << 16 | key_bits(plans.cp[row]);
}

constexpr double kFragmentation = workload::MemoryOptions{}.fragmentation;

}  // namespace

ColumnEstimator::Tables::Tables(std::shared_ptr<const study::Cluster> on, workload::Spec of,
                                OpCosts& op_costs)
    : cluster(std::move(on)),
      base(std::move(of)),
      costs(op_costs),
      policy(workload::data_parallel_policy(base)),
      device(study::reserved_memory(cluster->platform.device.entry)),
      device_bytes(study::usable_total_memory(cluster->platform.device).count()),
      workspace(workload::workspace_bytes(base, device)),
      rules(base) {}

TableKey ColumnEstimator::Tables::shape_key(const PlanColumns& plans, std::size_t row) {
  return {partitioning_key(plans, row),
          key_bits(plans.micro[row]) << 32 | static_cast<std::uint64_t>(plans.recompute[row]) << 8 |
              static_cast<std::uint64_t>(plans.pp[row] > 1) << 1 | plans.sp[row]};
}

TableKey ColumnEstimator::Tables::times_key(const PlanColumns& plans, std::size_t row) {
  TableKey key = shape_key(plans, row);
  key.b &= ~std::uint64_t{2};  // times do not depend on the number of stages
  if (closed_schedule(plans.schedule[row])->splits) key.b |= 1u << 16;
  return key;
}

TableKey ColumnEstimator::Tables::data_key(const PlanColumns& plans, std::size_t row) {
  return {partitioning_key(plans, row),
          key_bits(plans.dp[row]) << 32 | key_bits(plans.pp[row]) << 8 |
              static_cast<std::uint64_t>(plans.sharding[row]) << 1 | plans.sp[row]};
}

TableKey ColumnEstimator::Tables::chunk_key(const PlanColumns& plans, std::size_t row) const {
  return {data.keys.find(data_key(plans, row)), key_bits(plans.chunks[row])};
}

TableKey ColumnEstimator::Tables::moments_key(const PlanColumns& plans, std::size_t row) {
  const std::int32_t alive =
      microbatches_alive(plans.schedule[row], plans.pp[row], plans.microbatches[row]);
  return {key_bits(plans.pp[row]) << 32 | key_bits(alive),
          key_bits(plans.chunks[row]) << 8 | static_cast<std::uint64_t>(plans.schedule[row])};
}

TableKey ColumnEstimator::Tables::link_key(const PlanColumns& plans, std::size_t row) const {
  const LayerShape& shape = **shapes.find(shape_key(plans, row));
  const DataParallelEntry& mesh = *data.find(data_key(plans, row));
  return {static_cast<std::uint64_t>(mesh.shape.stride) << 32 | key_bits(plans.pp[row]),
          static_cast<std::uint64_t>(shape.boundary)};
}

workload::Spec ColumnEstimator::Tables::plan(const PlanColumns& plans, std::size_t row) const {
  Findings ignored;
  return workload::pad_vocabulary(plans.plan(row, base), ignored);
}

bool ColumnEstimator::Tables::can_estimate(const PlanColumns& plans, std::size_t row) const {
  if (closed_schedule(plans.schedule[row]) == nullptr ||
      plans.recompute[row] == workload::RecomputeKind::ops || base.recompute.every > 1)
    return false;
  const bool every = plans.sharding[row] >= Sharding::zero2;
  if (every && (base.model.moe || closed_schedule(plans.schedule[row])->splits)) return false;
  if (plans.pp[row] == 1 && plans.chunks[row] > 1) return false;           // both ends on one stage
  if (plans.pp[row] >= 1 << 24 || plans.cp[row] >= 1 << 16) return false;  // limits of keys
  return base.model.layers % (std::int64_t{plans.pp[row]} * plans.chunks[row]) == 0;
}

GradientTiming ColumnEstimator::Tables::gradient_timing(Sharding sharding) const {
  if (sharding == Sharding::zero3) return GradientTiming::shards;
  if (sharding == Sharding::zero2) return GradientTiming::always;
  return policy.overlap_gradients ? GradientTiming::once : GradientTiming::late;
}

Result<void> ColumnEstimator::Tables::add_shapes(const PlanColumns& plans, std::size_t row) {
  const TableKey key = shape_key(plans, row);
  if (shapes.find(key) == nullptr) {
    auto shape = layer_shape(plan(plans, row));
    if (!shape) return tl::unexpected(shape.error());
    shapes.add(key, std::make_unique<LayerShape>(*std::move(shape)));
  }
  const LayerShape& layer = **shapes.find(key);
  if (!layer.uniform) return {};
  if (const TableKey mesh = data_key(plans, row); data.find(mesh) == nullptr) {
    DataParallelEntry entry{std::make_unique<DataParallelWork>(plan(plans, row), layer), {}, {}};
    entry.shape = entry.work->shape();
    data.add(mesh, std::move(entry));
  }
  if (const TableKey chunk = chunk_key(plans, row); chunks.find(chunk) == nullptr) {
    ChunkEntry entry;
    const DataParallelWork& work = *data.find(data_key(plans, row))->work;
    const std::int64_t each = layer.layers / (std::int64_t{plans.pp[row]} * plans.chunks[row]);
    for (std::size_t i = 0; i < kModelEnds; ++i)
      if (chunk_occurs(static_cast<ModelEnds>(i), plans.pp[row], plans.chunks[row]))
        entry.gradient_bytes[i] = work.gradient_bytes(each, static_cast<ModelEnds>(i));
    chunks.add(chunk, std::move(entry));
  }
  if (const TableKey stage = moments_key(plans, row); moments.find(stage) == nullptr) {
    workload::Spec spec = plan(plans, row);
    spec.batch.global =
        spec.batch.micro * spec.parallel.dp *
        microbatches_alive(plans.schedule[row], plans.pp[row], plans.microbatches[row]);
    auto made = stage_moments(spec);
    if (!made) return tl::unexpected(made.error());
    moments.add(stage, *std::move(made));
  }
  return {};
}

std::int64_t ColumnEstimator::Tables::memory(const PlanColumns& plans, std::size_t row) const {
  const LayerShape& layer = **shapes.find(shape_key(plans, row));
  const DataParallelShape& mesh = data.find(data_key(plans, row))->shape;
  const ChunkEntry& chunk_entry = *chunks.find(chunk_key(plans, row));
  const StageMoments& peaks = *moments.find(moments_key(plans, row));
  const std::int32_t stages = plans.pp[row], pieces = stages * plans.chunks[row];
  const auto layers_of = static_cast<std::int32_t>(layer.layers);
  ChunkMemoryShape shape{layers_of / pieces, ModelEnds::none,
                         static_cast<std::int32_t>(base.parallel.prefetch),
                         static_cast<std::int32_t>(policy.prefetch_backward)};
  const auto chunk = [&](ModelEnds ends) {
    shape.ends = ends;
    return chunk_memory(layer, mesh, chunk_entry.gradient_bytes[index_of(ends)], shape);
  };
  const ChunkMemory other = chunk_occurs(ModelEnds::none, stages, plans.chunks[row])
                                ? chunk(ModelEnds::none)
                                : ChunkMemory{};
  std::int64_t maximum = 0;
  for (std::size_t i = 0; i < kModelEnds; ++i) {
    const auto ends = static_cast<ModelEnds>(i);
    if (!occurs(ends, stages)) continue;
    const auto counts = parts_of(layers_of / stages, ends);
    std::int64_t always = workspace, copies = 0;
    std::uint32_t axes = mesh.axes[i];
    if (stages > 1) axes |= 1u << static_cast<unsigned>(workload::Axis::pp);
    for (std::size_t place = 0; place < kPlaces; ++place) {
      always += counts[place] * mesh.state[place].total();
      copies += counts[place] * mesh.copies[place];
      if (counts[place] > 0) axes |= layer.axes[place];
    }
    const std::int64_t alive = peak_bytes(peaks[i], ends == ModelEnds::none ? other : chunk(ends),
                                          other, layer.boundary, copies);
    const double spare = static_cast<double>(alive) * kFragmentation;
    auto spare_bytes = static_cast<std::int64_t>(spare);
    if (static_cast<double>(spare_bytes) < spare) ++spare_bytes;
    const std::int64_t groups = __builtin_popcount(axes);
    const std::int64_t peers = device.communicator == 0 ? 0 : layer.peers * device.peer;
    maximum = std::max(maximum, always + alive + spare_bytes + device.context + peers +
                                    groups * device.communicator);
  }
  return maximum;
}

Result<const LayerTimes*> ColumnEstimator::Tables::times_of(TableKey key,
                                                            const workload::Spec& spec,
                                                            bool split) {
  if (const LayerTimes* known = times.find(key); known != nullptr) return known;
  auto made = layer_times(spec, split, costs);
  if (!made) return tl::unexpected(made.error());
  times.add(key, *std::move(made));
  return times.find(key);
}

void ColumnEstimator::Tables::add_links(const PlanColumns& plans, std::size_t row) {
  const TableKey key = link_key(plans, row);
  const std::int32_t stages = plans.pp[row];
  if (stages == 1 || links.find(key) != nullptr) return;
  const auto stride = static_cast<std::uint32_t>(data.find(data_key(plans, row))->shape.stride);
  const std::int64_t bytes = (*shapes.find(shape_key(plans, row)))->boundary;
  LinkEntry entry;
  const auto last = static_cast<std::uint32_t>(stages - 1);
  for (std::uint32_t stage = 0; stage < last; ++stage)
    entry.message +=
        static_cast<double>(costs.message_time(stage * stride, (stage + 1) * stride, bytes));
  entry.message /= static_cast<double>(last);
  entry.wrap = static_cast<double>(costs.message_time(last * stride, 0, bytes));
  links.add(key, entry);
}

Result<void> ColumnEstimator::Tables::add_times(const PlanColumns& plans, std::size_t row) {
  const workload::Spec spec = plan(plans, row);
  const auto own =
      times_of(times_key(plans, row), spec, closed_schedule(plans.schedule[row])->splits);
  if (!own) return tl::unexpected(own.error());
  if (!(*own)->estimated) return {};
  DataParallelEntry& mesh = data.entries[data.keys.find(data_key(plans, row))];
  if (!mesh.times) {
    // All plans use the same kernels for the slowdown, regardless of the order of plans.
    workload::Spec plain = spec;
    plain.batch.micro = 1;
    plain.batch.global = plain.parallel.dp;
    plain.recompute.kind = workload::RecomputeKind::none;
    PlanColumns alone;
    alone.add(plain);
    alone.schedule.back() = ScheduleKind::one_f_one_b;
    const auto layer = times_of(times_key(alone, 0), plain, false);
    if (!layer) return tl::unexpected(layer.error());
    auto made = data_times(*mesh.work, **layer, costs);
    if (!made) return tl::unexpected(made.error());
    mesh.times = *std::move(made);
  }
  ChunkEntry& chunk = chunks.entries[chunks.keys.find(chunk_key(plans, row))];
  if (!chunk.reductions_known && plans.sharding[row] != Sharding::zero3) {
    const std::int64_t each = (*shapes.find(shape_key(plans, row)))->layers /
                              (std::int64_t{plans.pp[row]} * plans.chunks[row]);
    auto sent = bucket_reductions(*mesh.work, each, plans.chunks[row], costs);
    if (!sent) return tl::unexpected(sent.error());
    chunk.reductions = *std::move(sent);
  }
  chunk.reductions_known = true;
  add_links(plans, row);
  return {};
}

}  // namespace orrery::estimate
