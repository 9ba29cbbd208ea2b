// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/columns/column_estimator.h"

#include <algorithm>
#include <utility>

#include "orrery/estimate/columns/column_tables.h"
#include "orrery/platform/platform.h"
#include "orrery/workload/spec/data_parallel_policy.h"
#include "orrery/workload/spec/model_parallel_policy.h"

namespace orrery::estimate {

namespace {

/// The table entries of a plan.
struct PlanEntries {
  const LayerShape& shape;
  const LayerTimes& times;
  const DataParallelTimes& data;
  const DataParallelShape& mesh;
  const ChunkEntry& chunk;
  LinkEntry link;
};

/// Estimates the step of one plan.
class PlanEstimator {
 public:
  PlanEstimator(const PlanEntries& of, const PlanColumns& plans, std::size_t row,
                GradientTiming timing, const workload::Spec& base, std::int32_t prefetch_backward)
      : of_(of),
        stages_(plans.pp[row]),
        chunks_(plans.chunks[row]),
        microbatches_(plans.microbatches[row]),
        schedule_(plans.schedule[row]) {
    shape_.layers = static_cast<std::int32_t>(of.shape.layers) / (stages_ * chunks_);
    shape_.timing = timing;
    const ClosedSchedule& schedule = *closed_schedule(schedule_);
    shape_.split = schedule.splits;
    shape_.in_phases = schedule.in_phases;
    shape_.microbatches = microbatches_;
    shape_.prefetch = static_cast<std::int32_t>(base.parallel.prefetch);
    shape_.prefetch_backward = prefetch_backward;
  }

  void estimate_steps(StepColumns& out, std::size_t row) {
    for (std::size_t i = 0; i < kModelEnds; ++i)
      if (chunk_occurs(static_cast<ModelEnds>(i), stages_, chunks_)) passes_[i] = last_of(i);
    const double step = step_time();
    std::size_t busiest = kModelEnds;
    double longest_busy = -1;
    for (std::size_t i = 0; i < kModelEnds; ++i) {
      if (!occurs(static_cast<ModelEnds>(i), stages_)) continue;
      const double busy = all_passes(i, [](const ChunkPasses& of) { return of.duration; });
      if (busy > longest_busy) longest_busy = busy, busiest = i;
    }
    const double plain = all_passes(busiest, [](const ChunkPasses& of) { return of.plain; });
    const double kernels = all_kernels(static_cast<ModelEnds>(busiest));
    const AfterPasses& after = of_.data.step[busiest];
    const ChunkPasses& last = passes_[first_chunk(busiest)];
    out.step[row] = step;
    out.compute[row] = kernels + after.kernels;
    out.tensor[row] = plain - kernels;
    out.data[row] = longest_busy - plain - saved_by_idle_network() + last.last_pass_extra +
                    last.reduction_tail + after.before + after.after + of_.data.norm_reduction -
                    after.kernels;
    out.waiting[row] = step - out.compute[row] - out.tensor[row] - out.data[row];
  }

 private:
  /// The chunk of such a stage whose backward passes come last.
  [[nodiscard]] std::size_t first_chunk(std::size_t ends) const {
    const bool only_head = static_cast<ModelEnds>(ends) == ModelEnds::head && chunks_ > 1;
    return only_head ? index_of(ModelEnds::none) : ends;
  }

  /// Passes of a chunk. Its last pass follows those of later chunks of the same stage.
  [[nodiscard]] ChunkPasses last_of(std::size_t ends) {
    ChunkPasses passes = one(ends, 0);
    if (chunks_ == 1 || shape_.timing != GradientTiming::once) return passes;
    const auto none = index_of(ModelEnds::none);
    double carried = 0;
    for (std::int32_t chunk = chunks_ - 1; chunk > 0; --chunk) {
      const ChunkPasses behind = one(none, carried);
      const double until = (stages_ - 1) * behind.plain.backward();
      carried = std::max(0.0, behind.reduction_tail - until);
    }
    return carried > 0 ? one(ends, carried) : passes;
  }

  [[nodiscard]] ChunkPasses one(std::size_t ends, double carried) {
    shape_.ends = static_cast<ModelEnds>(ends);
    return chunk_passes(of_.times, of_.data, of_.chunk.reductions[ends], shape_, carried);
  }

  [[nodiscard]] PipelinePasses pipeline_passes() const {
    PipelinePasses out;
    out.schedule = schedule_;
    out.stages = stages_;
    out.microbatches = microbatches_;
    out.chunks = chunks_;
    if (stages_ == 1 && chunks_ == 1) {
      out.chunk = passes_[index_of(ModelEnds::both)].duration;
      return out;
    }
    const PassTimes& first = passes_[index_of(ModelEnds::embedding)].duration;
    const PassTimes& last = passes_[index_of(ModelEnds::head)].duration;
    if (chunk_occurs(ModelEnds::none, stages_, chunks_)) {
      out.chunk = passes_[index_of(ModelEnds::none)].duration;
    } else {  // two chunks: their common part
      out.chunk = plain_passes(of_.times, shape_.layers, ModelEnds::none);
    }
    out.embedding = first - out.chunk;
    out.head = last - out.chunk;
    if (chunk_occurs(ModelEnds::none, stages_, chunks_))
      out.saved_by_waiting = passes_[index_of(ModelEnds::none)].saved_by_waiting;
    else
      out.saved_by_waiting = passes_[index_of(ModelEnds::head)].saved_by_waiting;
    out.message = of_.link.message;
    out.wrap = of_.link.wrap;
    return out;
  }

  /// Duration of reductions after the passes of a stage, which started `within` before its end.
  [[nodiscard]] double tail_of(ModelEnds ends, double within) const {
    const std::size_t index = index_of(ends);
    const double tail = passes_[first_chunk(index)].reduction_tail;
    if (shape_.timing != GradientTiming::always) return tail;
    double sums = passes_[index].reduction_time;
    if (chunks_ > 1) sums += (chunks_ - 1) * passes_[index_of(ModelEnds::none)].reduction_time;
    return std::max(tail, microbatches_ * sums - within);
  }

  /// Time that the first passes of a single stage save because the network is idle. (With several
  /// stages the first passes wait for each other: PipelinePasses::saved_by_waiting.)
  [[nodiscard]] double saved_by_idle_network() const {
    const ChunkPasses& passes = passes_[index_of(ModelEnds::both)];
    return stages_ == 1 ? passes.duration.all() - passes.first.all() : 0;
  }

  /// End of the step: all stages have run their passes, reduced the norm and updated weights.
  [[nodiscard]] double step_time() const {
    const PipelinePasses passes = pipeline_passes();
    const StageEnds ends = stage_ends(passes);
    const FirstBackwardTimes turns = first_backward_times(passes);
    const auto last_pass = [&](ModelEnds of) -> const ChunkPasses& {
      return passes_[first_chunk(index_of(of))];
    };
    const auto& after = of_.data.step;
    if (stages_ == 1) {
      const ChunkPasses& last = last_pass(ModelEnds::both);
      return ends.last - saved_by_idle_network() + last.last_pass_extra +
             tail_of(ModelEnds::both, ends.last - turns.last) +
             after[index_of(ModelEnds::both)].before + of_.data.norm_reduction +
             after[index_of(ModelEnds::both)].after;
    }
    const bool chain = !shape_.split;  // stages wait for the last backward passes of later stages
    const ChunkPasses &first = last_pass(ModelEnds::embedding), &head = last_pass(ModelEnds::head);
    const bool inner = stages_ > 2;
    const ChunkPasses middle = inner ? last_pass(ModelEnds::none) : ChunkPasses{};
    const double late = chain ? head.last_pass_extra + (stages_ - 2) * middle.last_pass_extra : 0;
    double at_first = ends.first + late + first.last_pass_extra +
                      tail_of(ModelEnds::embedding, ends.first - turns.first);
    double at_last =
        ends.last + head.last_pass_extra + tail_of(ModelEnds::head, ends.last - turns.last);
    const auto embedding = 1u << static_cast<unsigned>(workload::Axis::embedding);
    if ((of_.mesh.axes[index_of(ModelEnds::embedding)] & embedding) !=
        0)  // both reduce the tied table
      at_first = at_last = std::max(at_first, at_last);
    double all = std::max(at_first + after[index_of(ModelEnds::embedding)].before,
                          at_last + after[index_of(ModelEnds::head)].before);
    double more = std::max(after[index_of(ModelEnds::embedding)].after,
                           after[index_of(ModelEnds::head)].after);
    if (inner) {
      const double at_second = ends.second + (chain ? late : middle.last_pass_extra) +
                               tail_of(ModelEnds::none, ends.second - turns.first);
      all = std::max(all, at_second + after[index_of(ModelEnds::none)].before);
      more = std::max(more, after[index_of(ModelEnds::none)].after);
    }
    return all + of_.data.norm_reduction + more;
  }

  /// Sum over all passes of a stage.
  template <class Of>
  [[nodiscard]] double all_passes(std::size_t ends, Of of) const {
    double sum = of(passes_[ends]).all();
    if (chunks_ > 1) sum += (chunks_ - 1) * of(passes_[index_of(ModelEnds::none)]).all();
    return sum * microbatches_;
  }
  [[nodiscard]] double all_kernels(ModelEnds ends) const {
    double sum = kernels_of(of_.times, shape_.layers, ends).all();
    if (chunks_ > 1)
      sum += (chunks_ - 1) * kernels_of(of_.times, shape_.layers, ModelEnds::none).all();
    return sum * microbatches_;
  }

  const PlanEntries& of_;
  std::int32_t stages_, chunks_, microbatches_;
  workload::ScheduleKind schedule_;
  ChunkShape shape_;
  std::array<ChunkPasses, kModelEnds> passes_{};
};

}  // namespace

ColumnEstimator::ColumnEstimator(std::shared_ptr<const study::Cluster> cluster, workload::Spec base,
                                 OpCosts& costs)
    : tables_(std::make_unique<Tables>(std::move(cluster), std::move(base), costs)) {}

ColumnEstimator::~ColumnEstimator() = default;

Result<void> ColumnEstimator::prepare(const PlanColumns& plans) {
  Tables& tables = *tables_;
  for (std::size_t row = 0; row < plans.size(); ++row) {
    tables.rules.add(plans, row);
    if (tables.rules.violated_rule(plans, row) != PlanRules::kNone ||
        !tables.can_estimate(plans, row))
      continue;
    if (auto done = tables.add_shapes(plans, row); !done) return done;
    if (!(*tables.shapes.find(Tables::shape_key(plans, row)))->uniform) continue;
    if (tables.device_bytes > 0 && tables.memory(plans, row) > tables.device_bytes) continue;
    if (auto done = tables.add_times(plans, row); !done) return done;
  }
  return {};
}

void ColumnEstimator::estimate_steps(const PlanColumns& plans, StepColumns& out) const {
  const Tables& tables = *tables_;
  const auto prefetch_backward = static_cast<std::int32_t>(tables.policy.prefetch_backward);
  for (std::size_t row = 0; row < plans.size(); ++row) {
    out.memory[row] = 0;
    out.step[row] = out.compute[row] = out.tensor[row] = out.data[row] = out.waiting[row] = 0;
    out.rule[row] = tables.rules.violated_rule(plans, row);
    out.verdict[row] = PlanVerdict::illegal;
    if (out.rule[row] != PlanRules::kNone) continue;
    out.verdict[row] = PlanVerdict::not_estimable;
    if (!tables.can_estimate(plans, row)) continue;
    const LayerShape& shape = **tables.shapes.find(Tables::shape_key(plans, row));
    if (!shape.uniform) continue;
    out.memory[row] = tables.memory(plans, row);
    if (tables.device_bytes > 0 && out.memory[row] > tables.device_bytes) {
      out.verdict[row] = PlanVerdict::too_large;
      continue;
    }
    const LayerTimes& times = *tables.times.find(Tables::times_key(plans, row));
    if (!times.estimated) continue;
    const DataParallelEntry& mesh = *tables.data.find(Tables::data_key(plans, row));
    const auto& queued = mesh.times->queued;
    if (queued[static_cast<std::size_t>(LayerGroup::experts)] ||
        queued[static_cast<std::size_t>(LayerGroup::context)])
      continue;
    const LinkEntry* link = tables.links.find(tables.link_key(plans, row));
    const PlanEntries entries{shape,
                              times,
                              *mesh.times,
                              mesh.shape,
                              *tables.chunks.find(tables.chunk_key(plans, row)),
                              link == nullptr ? LinkEntry{} : *link};
    PlanEstimator(entries, plans, row, tables.gradient_timing(plans.sharding[row]), tables.base,
                  prefetch_backward)
        .estimate_steps(out, row);
    out.verdict[row] = PlanVerdict::estimated;
  }
}

std::size_t ColumnEstimator::entries() const {
  const Tables& tables = *tables_;
  return tables.shapes.keys.size() + tables.times.keys.size() + tables.data.keys.size() +
         tables.chunks.keys.size() + tables.moments.keys.size() + tables.links.keys.size();
}

// Unsupported jobs and clusters.

std::string ColumnEstimator::refusal(const study::Cluster& cluster, const workload::Spec& base) {
  const platform::Platform& platform = cluster.platform;
  const workload::Parallel& parallel = base.parallel;
  const workload::DataParallelPolicy policy = workload::data_parallel_policy(base);
  const bool text = base.model.kind == workload::ModelKind::decoder ||
                    base.model.kind == workload::ModelKind::encoder;
  if (!text) return "its model is not a stack of identical layers";
  if (platform.fabric != nullptr) return "its cluster is a fabric";
  if (platform.network != platform::NetworkModelKind::analytical)
    return "messages contend in its network model";
  if (platform.device.expansion) return "its devices have additional memory";
  const workload::Offload& offload = base.offload;
  if (offload.optimizer || offload.weights || offload.activations > 0)
    return "it uses remote memory";
  if (base.compat != workload::Compat::none) return "it uses the rules of another generator";
  if (parallel.order != workload::Parallel{}.order) return "its ranks are in another order";
  if (parallel.etp != 0 || parallel.ep_own_axis || parallel.shard_size != 0)
    return "experts or shards have separate axes";
  if (base.model.moe && base.model.moe->imbalance > 1) return "its experts have different loads";
  if (workload::overlaps_experts(base)) return "passes of two microbatches run together";
  if (!base.schedule.overlap || base.schedule.blocking_sends)
    return "computation waits for all communication";
  if (base.schedule.scatter_sends.value_or(false)) return "its stages send shares of messages";
  if (!base.schedule.stage_layers.empty()) return "its layers per stage are given";
  if (policy.splits_layers || policy.only_first_chunk_has_buckets || policy.overlap_weights ||
      policy.keep_gathered || policy.reduce_once)
    return "its framework has a special exchange of gradients or weights";
  if (!policy.overlap_gradients) return "gradients wait for the last backward pass";
  return {};
}

}  // namespace orrery::estimate
