// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/memory/memory_walk.h"

#include <algorithm>
#include <optional>

#include "orrery/core/check.h"
#include "orrery/workload/spec/data_parallel_policy.h"

namespace orrery::workload {
namespace {

/// Of one recipe, in bytes.
struct Facts {
  std::int64_t received = 0;  ///< from neighbours in the pipeline
  std::int64_t sent = 0;      ///< to them
  std::int64_t gathered = 0;  ///< the largest input gathered again for a weights' gradient
};

Facts facts_of(const Program& program, const std::vector<Segment>& recipe) {
  Facts out;
  for (const Segment& segment : recipe) {
    for (const Op& op : program.bodies[segment.body].ops) {
      if (op.op_class == OpClass::copy) continue;
      const std::int64_t bytes = op.size * segment.count;
      if (op.kind == graph::NodeKind::recv && op.axis == Axis::pp) out.received += bytes;
      if (op.kind == graph::NodeKind::send && op.axis == Axis::pp) out.sent += bytes;
      if (op.kind == graph::NodeKind::coll && op.phase == Phase::weight_grad &&
          op.collective == graph::CollectiveType::all_gather && op.axis == Axis::tp)
        out.gathered = std::max(out.gathered, op.size * program.mesh.extent(op.axis));
    }
  }
  return out;
}

bool step_of(const Task& task) { return task.kind == TaskKind::step; }

/// Follows who is in flight, one task after another.
class Walker {
 public:
  struct Flight {
    std::vector<std::uint32_t> in_flight, awaiting_weight_half;  // by chunk
  };

  Walker(const Program& program, const Role& role, const std::vector<ChunkProfile>& chunks,
         const std::function<void(const TaskPeak&)>& on_moment)
      : chunks_(chunks), on_moment_(on_moment), overlap_(program.spec.schedule.overlap) {
    for (const auto& recipe : role.recipes) facts_.push_back(facts_of(program, recipe));
    moment_.in_flight.assign(chunks.size(), 0);
    moment_.awaiting_weight_half.assign(chunks.size(), 0);
    std::int64_t layers = 0;
    for (const auto& chunk : role.chunks)
      for (const PartRun& run : chunk) {
        const std::int64_t offloaded = program.parts[run.part].offloaded;
        away_ = std::max(away_, offloaded);
        if (offloaded > 0) layers += run.count;
      }
    away_ *= std::min(program.spec.offload.window, layers);
    const DataParallelPolicy policy = data_parallel_policy(program.spec);
    if (policy.keep_gathered && policy.reduce_once) moment_.begun.assign(chunks.size(), false);
  }

  /// Tasks are looked at once the one after them is known.
  void take(const Task& task) {
    if (next_) run(*next_, &task);
    next_ = task;
  }
  void end() {
    if (next_) run(*next_, nullptr);
  }

  [[nodiscard]] Flight flight() const { return {moment_.in_flight, moment_.awaiting_weight_half}; }
  /// Leaves out `rounds` of `loop`, each of which adds as much as the one round since `before`.
  void skip(const TaskLoop& loop, std::uint32_t rounds, const Flight& before) {
    for (std::size_t i = 0; i < chunks_.size(); ++i) {  // modulo 2^32, where it falls
      moment_.in_flight[i] += rounds * (moment_.in_flight[i] - before.in_flight[i]);
      moment_.awaiting_weight_half[i] +=
          rounds * (moment_.awaiting_weight_half[i] - before.awaiting_weight_half[i]);
    }
    moment_.index += rounds * static_cast<std::uint32_t>(loop.tasks.size());
    next_->microbatch += rounds * loop.stride;
  }

 private:
  void run(const Task& task, const Task* after) {
    ORRERY_CHECK(step_of(task) || task.chunk < chunks_.size());
    moment_.task = task;
    if (!moment_.begun.empty() && !step_of(task)) moment_.begun[task.chunk] = true;
    before(task);
    const bool step = task.kind == TaskKind::step;
    moment_.worst = step || chunks_[task.chunk].parts.empty()
                        ? PassPeak{}
                        : chunks_[task.chunk].worst(task.kind);
    pass_messages(task, after);
    add_up();
    on_moment_(moment_);
    after_(task);
    ++moment_.index;
  }

  void pass_messages(const Task& task, const Task* after) {
    moment_.leaving = overlap_ ? left_ : 0;
    left_ = facts_[task.recipe].sent;
    if (step_of(task)) {
      moment_.arriving = facts_[task.recipe].received;  // and is added up there
    } else {
      const bool ahead = overlap_ && after != nullptr && !step_of(*after);
      moment_.arriving = ahead ? facts_[after->recipe].received : 0;
    }
  }

  void before(const Task& task) {
    const bool weights = task.kind == TaskKind::weight_grad;
    moment_.gathered = weights ? facts_[task.recipe].gathered : 0;
    moment_.moving = step_of(task) ? 0 : away_;
    if (task.kind == TaskKind::forward || step_of(task)) return;
    std::uint32_t& in_flight = moment_.in_flight[task.chunk];
    ORRERY_CHECK(in_flight > 0);
    --in_flight;
    if (weights) {
      ORRERY_CHECK(moment_.awaiting_weight_half[task.chunk] > 0);
      --moment_.awaiting_weight_half[task.chunk];
    }
  }

  void after_(const Task& task) {
    if (task.kind == TaskKind::forward || task.kind == TaskKind::input_grad) {
      ++moment_.in_flight[task.chunk];
    }
    if (task.kind == TaskKind::input_grad) ++moment_.awaiting_weight_half[task.chunk];
  }

  void add_up() {
    LiveBytes& alive = moment_.alive;
    alive = moment_.worst.alive;
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      const std::uint32_t whole = moment_.in_flight[i] - moment_.awaiting_weight_half[i];
      alive.activations +=
          whole * chunks_[i].retained + moment_.awaiting_weight_half[i] * chunks_[i].halfway;
      if (moment_.needs_weights(i)) alive.communication += chunks_[i].whole;
    }
    alive.activations += moment_.moving;
    alive.working += moment_.gathered;
    alive.communication += moment_.arriving + moment_.leaving;
  }

  const std::vector<ChunkProfile>& chunks_;
  const std::function<void(const TaskPeak&)>& on_moment_;
  bool overlap_;
  std::vector<Facts> facts_;  // by recipe
  std::optional<Task> next_;
  std::int64_t left_ = 0;
  std::int64_t away_ = 0;  // that is on its way
  TaskPeak moment_;
};

}  // namespace

bool TaskPeak::needs_weights(std::size_t chunk) const {
  if (!begun.empty()) return begun[chunk] && !step_of(task);
  const bool own = !step_of(task) && task.kind != TaskKind::weight_grad && task.chunk == chunk;
  return own || in_flight[chunk] > awaiting_weight_half[chunk];
}

void walk_tasks(const Program& program, const Role& role, const std::vector<ChunkProfile>& chunks,
                TaskSelection look, const std::function<void(const TaskPeak&)>& on_moment) {
  // From the second round of a loop to the last but one, what each task holds grows or shrinks by
  // the same amount every round: messages come from and go to the same tasks, and a chunk whose
  // microbatches grow or shrink in number has some in all of these rounds. So no task's most is
  // between them. A task is looked at when the one after it is known, hence the third round.
  constexpr std::uint32_t kBegin = 3, kEnd = 2;
  Walker walker(program, role, chunks, on_moment);
  Walker::Flight before;
  for (const TaskLoop& loop : role.tasks) {
    for (std::uint32_t round = 0; round < loop.count; ++round) {
      if (look == TaskSelection::peak_tasks && round + 1 == kBegin) before = walker.flight();
      if (look == TaskSelection::peak_tasks && round == kBegin && loop.count > kBegin + kEnd) {
        walker.skip(loop, loop.count - kBegin - kEnd, before);
        round = loop.count - kEnd;
      }
      for (Task task : loop.tasks) {
        task.microbatch += round * loop.stride;
        walker.take(task);
      }
    }
  }
  walker.end();
}

double memory_upper_bound(const Program& program, const Role& role) {
  std::vector<double> passes(role.chunks.size(), 1);  // that may be alive at one time
  for (const TaskLoop& loop : role.tasks) {
    for (const Task& task : loop.tasks) {
      if (task.kind == TaskKind::forward) passes[task.chunk] += loop.count;
    }
  }
  double total = 0, most = 1;
  for (std::size_t i = 0; i < role.chunks.size(); ++i) {
    most = std::max(most, passes[i]);
    for (const PartRun& run : role.chunks[i]) {
      const Part& part = program.parts[run.part];
      double bytes = 0;
      bytes += static_cast<double>(part.shared.bytes);
      bytes += static_cast<double>(part.offloaded);
      for (const RetainedTensor& item : part.retained) bytes += static_cast<double>(item.bytes);
      for (const RetainedTensor& item : part.halfway) bytes += static_cast<double>(item.bytes);
      for (const RetainedTensor& item : part.transient) bytes += static_cast<double>(item.bytes);
      // State, whole weights once more, gradients in two buckets: below 16 + 4 + 8 bytes each.
      total += run.count * (passes[i] * bytes + 28 * static_cast<double>(part.weights.dense) +
                            28 * static_cast<double>(part.weights.replicated) +
                            28 * static_cast<double>(part.weights.expert) +
                            28 * static_cast<double>(part.weights.tables));
    }
  }
  for (const auto& recipe : role.recipes) {
    for (const Segment& segment : recipe) {
      for (const Op& op : program.bodies[segment.body].ops) {
        const bool gathered = op.axis == Axis::tp;
        total += static_cast<double>(op.size) * segment.count *
                 (gathered ? most * program.mesh.extent(op.axis) : 1);
      }
    }
  }
  return total;
}

}  // namespace orrery::workload
