// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/columns/column_tables.h"

#include <algorithm>
#include <utility>

#include "orrery/core/check.h"
#include "orrery/platform/platform.h"
#include "orrery/study/jobs/usable_memory.h"
#include "orrery/workload/assembly/assemble.h"
#include "orrery/workload/memory/framework_buffers.h"

namespace orrery::estimate {

using workload::ScheduleKind;
using workload::Sharding;

namespace {

std::uint64_t bits(std::int32_t value) { return static_cast<std::uint32_t>(value); }

/// What layers of a legal plan are cut by.
std::uint64_t cut_of(const PlanColumns& plans, std::size_t at) {
  return bits(plans.tp[at]) << 40 | bits(plans.ep[at]) << 16 | bits(plans.cp[at]);
}

constexpr double kFragmentation = workload::MemoryOptions{}.fragmentation;

}  // namespace

ColumnEstimator::Tables::Tables(std::shared_ptr<const study::Cluster> on, workload::Spec of,
                                OpCosts& asked)
    : cluster(std::move(on)),
      base(std::move(of)),
      costs(asked),
      policy(workload::data_parallel_policy(base)),
      device(study::reserved_memory(cluster->platform.device.entry)),
      room(study::usable_total_memory(cluster->platform.device).count()),
      workspace(workload::workspace_bytes(base, device)),
      rules(base) {}

TableKey ColumnEstimator::Tables::shape_key(const PlanColumns& plans, std::size_t at) {
  return {cut_of(plans, at), bits(plans.micro[at]) << 32 |
                                 static_cast<std::uint64_t>(plans.recompute[at]) << 8 |
                                 static_cast<std::uint64_t>(plans.pp[at] > 1) << 1 | plans.sp[at]};
}

TableKey ColumnEstimator::Tables::times_key(const PlanColumns& plans, std::size_t at) {
  TableKey key = shape_key(plans, at);
  key.b &= ~std::uint64_t{2};  // on however many stages
  if (closed_schedule(plans.schedule[at])->splits) key.b |= 1u << 16;
  return key;
}

TableKey ColumnEstimator::Tables::data_key(const PlanColumns& plans, std::size_t at) {
  return {cut_of(plans, at), bits(plans.dp[at]) << 32 | bits(plans.pp[at]) << 8 |
                                 static_cast<std::uint64_t>(plans.sharding[at]) << 1 |
                                 plans.sp[at]};
}

TableKey ColumnEstimator::Tables::chunk_key(const PlanColumns& plans, std::size_t at) const {
  return {data.keys.find(data_key(plans, at)), bits(plans.chunks[at])};
}

TableKey ColumnEstimator::Tables::form_key(const PlanColumns& plans, std::size_t at) {
  const std::int32_t alive =
      microbatches_alive(plans.schedule[at], plans.pp[at], plans.microbatches[at]);
  return {bits(plans.pp[at]) << 32 | bits(alive),
          bits(plans.chunks[at]) << 8 | static_cast<std::uint64_t>(plans.schedule[at])};
}

TableKey ColumnEstimator::Tables::link_key(const PlanColumns& plans, std::size_t at) const {
  const LayerShape& shape = **shapes.find(shape_key(plans, at));
  const DataParallelEntry& mesh = *data.find(data_key(plans, at));
  return {static_cast<std::uint64_t>(mesh.shape.stride) << 32 | bits(plans.pp[at]),
          static_cast<std::uint64_t>(shape.boundary)};
}

workload::Spec ColumnEstimator::Tables::plan(const PlanColumns& plans, std::size_t at) const {
  Findings nobody;
  return workload::pad_vocabulary(plans.plan(at, base), nobody);
}

bool ColumnEstimator::Tables::knows(const PlanColumns& plans, std::size_t at) const {
  if (closed_schedule(plans.schedule[at]) == nullptr ||
      plans.recompute[at] == workload::RecomputeKind::ops)
    return false;
  const bool every = plans.sharding[at] >= Sharding::zero2;
  if (every && (base.model.moe || closed_schedule(plans.schedule[at])->splits)) return false;
  if (plans.pp[at] == 1 && plans.chunks[at] > 1) return false;           // both ends on one stage
  if (plans.pp[at] >= 1 << 24 || plans.cp[at] >= 1 << 16) return false;  // what keys hold
  return base.model.layers % (std::int64_t{plans.pp[at]} * plans.chunks[at]) == 0;
}

GradientTiming ColumnEstimator::Tables::way(Sharding sharding) const {
  if (sharding == Sharding::zero3) return GradientTiming::shards;
  if (sharding == Sharding::zero2) return GradientTiming::always;
  return policy.overlap_gradients ? GradientTiming::once : GradientTiming::late;
}

Result<void> ColumnEstimator::Tables::learn_shapes(const PlanColumns& plans, std::size_t at) {
  const TableKey key = shape_key(plans, at);
  if (shapes.find(key) == nullptr) {
    auto shape = layer_shape(plan(plans, at));
    if (!shape) return tl::unexpected(shape.error());
    shapes.add(key, std::make_unique<LayerShape>(*std::move(shape)));
  }
  const LayerShape& layer = **shapes.find(key);
  if (!layer.uniform) return {};
  if (const TableKey mesh = data_key(plans, at); data.find(mesh) == nullptr) {
    DataParallelEntry entry{std::make_unique<DataParallelWork>(plan(plans, at), layer), {}, {}};
    entry.shape = entry.work->shape();
    data.add(mesh, std::move(entry));
  }
  if (const TableKey chunk = chunk_key(plans, at); chunks.find(chunk) == nullptr) {
    ChunkEntry entry;
    const DataParallelWork& work = *data.find(data_key(plans, at))->work;
    const std::int64_t each = layer.layers / (std::int64_t{plans.pp[at]} * plans.chunks[at]);
    for (std::size_t i = 0; i < kEnds; ++i)
      if (chunk_occurs(static_cast<Ends>(i), plans.pp[at], plans.chunks[at]))
        entry.concurrent[i] = work.concurrent(each, static_cast<Ends>(i));
    chunks.add(chunk, std::move(entry));
  }
  if (const TableKey form = form_key(plans, at); forms.find(form) == nullptr) {
    workload::Spec spec = plan(plans, at);
    spec.batch.global =
        spec.batch.micro * spec.parallel.dp *
        microbatches_alive(plans.schedule[at], plans.pp[at], plans.microbatches[at]);
    auto made = stage_moments(spec);
    if (!made) return tl::unexpected(made.error());
    forms.add(form, *std::move(made));
  }
  return {};
}

std::int64_t ColumnEstimator::Tables::memory(const PlanColumns& plans, std::size_t at) const {
  const LayerShape& layer = **shapes.find(shape_key(plans, at));
  const DataParallelShape& mesh = data.find(data_key(plans, at))->shape;
  const ChunkEntry& sent = *chunks.find(chunk_key(plans, at));
  const StageMoments& moments = *forms.find(form_key(plans, at));
  const std::int32_t stages = plans.pp[at], pieces = stages * plans.chunks[at];
  const auto layers_of = static_cast<std::int32_t>(layer.layers);
  ChunkMemoryShape shape{layers_of / pieces, Ends::none,
                         static_cast<std::int32_t>(base.parallel.prefetch),
                         static_cast<std::int32_t>(policy.prefetch_backward)};
  const auto chunk = [&](Ends ends) {
    shape.ends = ends;
    return chunk_memory(layer, mesh, sent.concurrent[static_cast<std::size_t>(ends)], shape);
  };
  const ChunkMemory other =
      chunk_occurs(Ends::none, stages, plans.chunks[at]) ? chunk(Ends::none) : ChunkMemory{};
  std::int64_t most = 0;
  for (std::size_t i = 0; i < kEnds; ++i) {
    const auto ends = static_cast<Ends>(i);
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
    const std::int64_t alive = peak_bytes(moments[i], ends == Ends::none ? other : chunk(ends),
                                          other, layer.boundary, copies);
    const double spare = static_cast<double>(alive) * kFragmentation;
    auto concurrent = static_cast<std::int64_t>(spare);
    if (static_cast<double>(concurrent) < spare) ++concurrent;
    const std::int64_t groups = __builtin_popcount(axes);
    const std::int64_t peers = device.communicator == 0 ? 0 : layer.peers * device.peer;
    most = std::max(
        most, always + alive + concurrent + device.context + peers + groups * device.communicator);
  }
  return most;
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

void ColumnEstimator::Tables::learn_links(const PlanColumns& plans, std::size_t at) {
  const TableKey key = link_key(plans, at);
  const std::int32_t stages = plans.pp[at];
  if (stages == 1 || links.find(key) != nullptr) return;
  const auto stride = static_cast<std::uint32_t>(data.find(data_key(plans, at))->shape.stride);
  const std::int64_t bytes = (*shapes.find(shape_key(plans, at)))->boundary;
  LinkEntry entry;
  const auto last = static_cast<std::uint32_t>(stages - 1);
  for (std::uint32_t stage = 0; stage < last; ++stage)
    entry.message +=
        static_cast<double>(costs.message(stage * stride, (stage + 1) * stride, bytes));
  entry.message /= static_cast<double>(last);
  entry.wrap = static_cast<double>(costs.message(last * stride, 0, bytes));
  links.add(key, entry);
}

Result<void> ColumnEstimator::Tables::learn_times(const PlanColumns& plans, std::size_t at) {
  const workload::Spec spec = plan(plans, at);
  const auto own =
      times_of(times_key(plans, at), spec, closed_schedule(plans.schedule[at])->splits);
  if (!own) return tl::unexpected(own.error());
  if (!(*own)->estimated) return {};
  DataParallelEntry& mesh = data.entries[data.keys.find(data_key(plans, at))];
  if (!mesh.times) {
    // What collectives take of kernels is asked of the same ones, whoever comes first.
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
  ChunkEntry& chunk = chunks.entries[chunks.keys.find(chunk_key(plans, at))];
  if (!chunk.asked && plans.sharding[at] != Sharding::zero3) {
    const std::int64_t each = (*shapes.find(shape_key(plans, at)))->layers /
                              (std::int64_t{plans.pp[at]} * plans.chunks[at]);
    auto sent = bucket_reductions(*mesh.work, each, plans.chunks[at], costs);
    if (!sent) return tl::unexpected(sent.error());
    chunk.sent = *std::move(sent);
  }
  chunk.asked = true;
  learn_links(plans, at);
  return {};
}

}  // namespace orrery::estimate
