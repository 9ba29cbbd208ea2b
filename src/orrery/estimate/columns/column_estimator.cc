// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/columns/column_estimator.h"

#include <algorithm>
#include <utility>

#include "orrery/estimate/columns/column_tables.h"
#include "orrery/platform/platform.h"
#include "orrery/workload/spec/data_parallel_policy.h"

namespace orrery::estimate {

namespace {

/// A plan's entries.
struct Entries {
  const LayerShape& shape;
  const LayerTimes& times;
  const DataParallelTimes& data;
  const DataParallelShape& mesh;
  const ChunkEntry& chunk;
  LinkEntry link;
};

/// A plan as it is told.
class Teller {
 public:
  Teller(const Entries& of, const PlanColumns& plans, std::size_t at, GradientTiming way,
         const workload::Spec& base, std::int32_t prefetch_backward)
      : of_(of),
        stages_(plans.pp[at]),
        chunks_(plans.chunks[at]),
        microbatches_(plans.microbatches[at]),
        schedule_(plans.schedule[at]) {
    shape_.layers = static_cast<std::int32_t>(of.shape.layers) / (stages_ * chunks_);
    shape_.way = way;
    const ClosedSchedule& schedule = *closed_schedule(schedule_);
    shape_.split = schedule.splits;
    shape_.in_phases = schedule.in_phases;
    shape_.microbatches = microbatches_;
    shape_.prefetch = static_cast<std::int32_t>(base.parallel.prefetch);
    shape_.prefetch_backward = prefetch_backward;
  }

  void estimate_steps(StepColumns& out, std::size_t at) {
    for (std::size_t i = 0; i < kEnds; ++i)
      if (chunk_occurs(static_cast<Ends>(i), stages_, chunks_)) passes_[i] = last_of(i);
    const double step = step_time();
    std::size_t busiest = kEnds;
    double most = -1;
    for (std::size_t i = 0; i < kEnds; ++i) {
      if (!occurs(static_cast<Ends>(i), stages_)) continue;
      const double busy = all_passes(i, [](const ChunkPasses& of) { return of.duration; });
      if (busy > most) most = busy, busiest = i;
    }
    const double plain = all_passes(busiest, [](const ChunkPasses& of) { return of.plain; });
    const double kernels = all_kernels(static_cast<Ends>(busiest));
    const AfterPasses& after = of_.data.step[busiest];
    const ChunkPasses& last = passes_[first_chunk(busiest)];
    out.step[at] = step;
    out.compute[at] = kernels + after.kernels;
    out.tensor[at] = plain - kernels;
    out.data[at] = most - plain - sooner() + last.last + last.tail + after.before + after.after +
                   of_.data.together - after.kernels;
    out.waiting[at] = step - out.compute[at] - out.tensor[at] - out.data[at];
  }

 private:
  /// The chunk whose backward passes come last on a stage with such ends.
  [[nodiscard]] std::size_t first_chunk(std::size_t ends) const {
    const bool only_head = static_cast<Ends>(ends) == Ends::head && chunks_ > 1;
    return only_head ? static_cast<std::size_t>(Ends::none) : ends;
  }

  /// A chunk's passes; its last one after those of the chunks behind it on the same stage.
  [[nodiscard]] ChunkPasses last_of(std::size_t ends) {
    ChunkPasses passes = one(ends, 0);
    if (chunks_ == 1 || shape_.way != GradientTiming::once) return passes;
    const auto none = static_cast<std::size_t>(Ends::none);
    double carried = 0;
    for (std::int32_t chunk = chunks_ - 1; chunk > 0; --chunk) {
      const ChunkPasses behind = one(none, carried);
      const double until = (stages_ - 1) * behind.plain.backward();
      carried = std::max(0.0, behind.tail - until);
    }
    return carried > 0 ? one(ends, carried) : passes;
  }

  [[nodiscard]] ChunkPasses one(std::size_t ends, double carried) {
    shape_.ends = static_cast<Ends>(ends);
    return chunk_passes(of_.times, of_.data, of_.chunk.sent[ends], shape_, carried);
  }

  [[nodiscard]] PipelinePasses staged() const {
    const auto more = [](const PassTimes& all, const PassTimes& plain) {
      return PassTimes{all.forward - plain.forward, all.input - plain.input,
                       all.weight - plain.weight};
    };
    PipelinePasses out;
    out.schedule = schedule_;
    out.stages = stages_;
    out.microbatches = microbatches_;
    out.chunks = chunks_;
    if (stages_ == 1 && chunks_ == 1) {
      out.chunk = passes_[static_cast<std::size_t>(Ends::both)].duration;
      return out;
    }
    const PassTimes& first = passes_[static_cast<std::size_t>(Ends::embedding)].duration;
    const PassTimes& last = passes_[static_cast<std::size_t>(Ends::head)].duration;
    if (chunk_occurs(Ends::none, stages_, chunks_)) {
      out.chunk = passes_[static_cast<std::size_t>(Ends::none)].duration;
    } else {  // two chunks: what they have alike
      out.chunk = plain_passes(of_.times, shape_.layers, Ends::none);
    }
    out.embedding = more(first, out.chunk);
    out.head = more(last, out.chunk);
    if (chunk_occurs(Ends::none, stages_, chunks_))
      out.waited = passes_[static_cast<std::size_t>(Ends::none)].waited;
    else
      out.waited = passes_[static_cast<std::size_t>(Ends::head)].waited;
    out.message = of_.link.message;
    out.wrap = of_.link.wrap;
    return out;
  }

  /// How long sums go on after a stage's passes, which it began so long before.
  [[nodiscard]] double tail_of(Ends ends, double within) const {
    const auto at = static_cast<std::size_t>(ends);
    const double tail = passes_[first_chunk(at)].tail;
    if (shape_.way != GradientTiming::always) return tail;
    double sums = passes_[at].sums;
    if (chunks_ > 1) sums += (chunks_ - 1) * passes_[static_cast<std::size_t>(Ends::none)].sums;
    return std::max(tail, microbatches_ * sums - within);
  }

  /// What a lone stage's first passes take less than others: nothing is on the network yet. (Of
  /// several, the first passes wait for each other: PipelinePasses::waited.)
  [[nodiscard]] double sooner() const {
    const ChunkPasses& passes = passes_[static_cast<std::size_t>(Ends::both)];
    return stages_ == 1 ? passes.duration.all() - passes.first.all() : 0;
  }

  /// When all stages have run their passes, summed up the norm together, and updated weights.
  [[nodiscard]] double step_time() const {
    const PipelinePasses passes = staged();
    const StageEnds ends = stage_ends(passes);
    const FirstBackwardTimes turns = first_backward_times(passes);
    const auto at = [&](Ends of) { return static_cast<std::size_t>(of); };
    const auto last_pass = [&](Ends of) -> const ChunkPasses& {
      return passes_[first_chunk(at(of))];
    };
    const auto& after = of_.data.step;
    if (stages_ == 1) {
      const ChunkPasses& last = last_pass(Ends::both);
      return ends.last - sooner() + last.last + tail_of(Ends::both, ends.last - turns.last) +
             after[at(Ends::both)].before + of_.data.together + after[at(Ends::both)].after;
    }
    const bool chain = !shape_.split;  // stages wait for the last backward passes of those behind
    const ChunkPasses &first = last_pass(Ends::embedding), &head = last_pass(Ends::head);
    const bool inner = stages_ > 2;
    const ChunkPasses middle = inner ? last_pass(Ends::none) : ChunkPasses{};
    const double late = chain ? head.last + (stages_ - 2) * middle.last : 0;
    double at_first =
        ends.first + late + first.last + tail_of(Ends::embedding, ends.first - turns.first);
    double at_last = ends.last + head.last + tail_of(Ends::head, ends.last - turns.last);
    const auto embedding = 1u << static_cast<unsigned>(workload::Axis::embedding);
    if ((of_.mesh.axes[at(Ends::embedding)] & embedding) != 0)  // both sum up the tied table
      at_first = at_last = std::max(at_first, at_last);
    double all = std::max(at_first + after[at(Ends::embedding)].before,
                          at_last + after[at(Ends::head)].before);
    double more = std::max(after[at(Ends::embedding)].after, after[at(Ends::head)].after);
    if (inner) {
      const double at_second = ends.second + (chain ? late : middle.last) +
                               tail_of(Ends::none, ends.second - turns.first);
      all = std::max(all, at_second + after[at(Ends::none)].before);
      more = std::max(more, after[at(Ends::none)].after);
    }
    return all + of_.data.together + more;
  }

  /// All passes of a stage.
  template <class Of>
  [[nodiscard]] double all_passes(std::size_t ends, Of of) const {
    double sum = of(passes_[ends]).all();
    if (chunks_ > 1) sum += (chunks_ - 1) * of(passes_[static_cast<std::size_t>(Ends::none)]).all();
    return sum * microbatches_;
  }
  [[nodiscard]] double all_kernels(Ends ends) const {
    double sum = kernels_of(of_.times, shape_.layers, ends).all();
    if (chunks_ > 1) sum += (chunks_ - 1) * kernels_of(of_.times, shape_.layers, Ends::none).all();
    return sum * microbatches_;
  }

  const Entries& of_;
  std::int32_t stages_, chunks_, microbatches_;
  workload::ScheduleKind schedule_;
  ChunkShape shape_;
  std::array<ChunkPasses, kEnds> passes_{};
};

}  // namespace

ColumnEstimator::ColumnEstimator(std::shared_ptr<const study::Cluster> cluster, workload::Spec base,
                                 OpCosts& costs)
    : tables_(std::make_unique<Tables>(std::move(cluster), std::move(base), costs)) {}

ColumnEstimator::~ColumnEstimator() = default;

Result<void> ColumnEstimator::prepare(const PlanColumns& plans) {
  Tables& tables = *tables_;
  for (std::size_t at = 0; at < plans.size(); ++at) {
    tables.rules.learn(plans, at);
    if (tables.rules.broken(plans, at) != PlanRules::kNone || !tables.knows(plans, at)) continue;
    if (auto done = tables.learn_shapes(plans, at); !done) return done;
    if (!(*tables.shapes.find(Tables::shape_key(plans, at)))->uniform) continue;
    if (tables.room > 0 && tables.memory(plans, at) > tables.room) continue;
    if (auto done = tables.learn_times(plans, at); !done) return done;
  }
  return {};
}

void ColumnEstimator::estimate_steps(const PlanColumns& plans, StepColumns& out) const {
  const Tables& tables = *tables_;
  const auto prefetch_backward = static_cast<std::int32_t>(tables.policy.prefetch_backward);
  for (std::size_t at = 0; at < plans.size(); ++at) {
    out.memory[at] = 0;
    out.step[at] = out.compute[at] = out.tensor[at] = out.data[at] = out.waiting[at] = 0;
    out.rule[at] = tables.rules.broken(plans, at);
    out.verdict[at] = PlanVerdict::illegal;
    if (out.rule[at] != PlanRules::kNone) continue;
    out.verdict[at] = PlanVerdict::not_estimable;
    if (!tables.knows(plans, at)) continue;
    const LayerShape& shape = **tables.shapes.find(Tables::shape_key(plans, at));
    if (!shape.uniform) continue;
    out.memory[at] = tables.memory(plans, at);
    if (tables.room > 0 && out.memory[at] > tables.room) {
      out.verdict[at] = PlanVerdict::too_large;
      continue;
    }
    const LayerTimes& times = *tables.times.find(Tables::times_key(plans, at));
    if (!times.estimated) continue;
    const DataParallelEntry& mesh = *tables.data.find(Tables::data_key(plans, at));
    const auto& queued = mesh.times->queued;
    if (queued[static_cast<std::size_t>(LayerGroup::experts)] ||
        queued[static_cast<std::size_t>(LayerGroup::context)])
      continue;
    const LinkEntry* link = tables.links.find(tables.link_key(plans, at));
    const Entries entries{shape,
                          times,
                          *mesh.times,
                          mesh.shape,
                          *tables.chunks.find(tables.chunk_key(plans, at)),
                          link == nullptr ? LinkEntry{} : *link};
    Teller(entries, plans, at, tables.way(plans.sharding[at]), tables.base, prefetch_backward)
        .estimate_steps(out, at);
    out.verdict[at] = PlanVerdict::estimated;
  }
}

std::size_t ColumnEstimator::entries() const {
  const Tables& tables = *tables_;
  return tables.shapes.keys.size() + tables.times.keys.size() + tables.data.keys.size() +
         tables.chunks.keys.size() + tables.forms.keys.size() + tables.links.keys.size();
}

// Which jobs and clusters columns do not know.

std::string ColumnEstimator::refusal(const study::Cluster& cluster, const workload::Spec& base) {
  const platform::Platform& platform = cluster.platform;
  const workload::Parallel& parallel = base.parallel;
  const workload::DataParallelPolicy policy = workload::data_parallel_policy(base);
  const bool text = base.model.kind == workload::ModelKind::decoder ||
                    base.model.kind == workload::ModelKind::encoder;
  if (!text) return "its model is no stack of layers that are alike";
  if (platform.fabric != nullptr) return "its cluster is a fabric";
  if (platform.network != platform::NetworkModelKind::analytical)
    return "messages of its cluster are in each other's way";
  if (platform.device.expansion) return "its devices have memory beside their own";
  const workload::Offload& offload = base.offload;
  if (offload.optimizer || offload.weights || offload.activations > 0)
    return "it has memory beside devices";
  if (base.compat != workload::Compat::none) return "it counts as another generator does";
  if (parallel.order != workload::Parallel{}.order) return "its ranks are in another order";
  if (parallel.etp != 0 || parallel.ep_own_axis || parallel.shard_size != 0)
    return "experts or shards have axes of their own";
  if (base.model.moe && base.model.moe->imbalance > 1) return "its experts are not alike";
  if (!base.schedule.overlap || base.schedule.blocking_sends)
    return "computation waits for all communication";
  if (base.schedule.scatter_sends.value_or(false)) return "its stages send shares";
  if (!base.schedule.stage_layers.empty()) return "its layers are dealt out by hand";
  if (policy.splits_layers || policy.front_buckets || policy.overlap_weights ||
      policy.keep_gathered || policy.reduce_once)
    return "its framework sends gradients or weights in its own way";
  if (!policy.overlap_gradients) return "gradients wait for the last backward pass";
  return {};
}

}  // namespace orrery::estimate
