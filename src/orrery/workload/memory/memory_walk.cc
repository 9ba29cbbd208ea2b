// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/memory/memory_walk.h"

#include <algorithm>
#include <optional>

#include "orrery/core/check.h"
#include "orrery/workload/spec/data_parallel_policy.h"

namespace orrery::workload {
namespace {

/// Bytes of one recipe.
struct Facts {
  std::int64_t received = 0;  ///< received from neighbors in the pipeline
  std::int64_t sent = 0;      ///< sent to them
  std::int64_t gathered = 0;  ///< the largest input that is gathered again for a weight gradient
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

/// Tracks the microbatches in flight, task by task.
class Walker {
 public:
  struct Flight {
    std::vector<std::uint32_t> in_flight, awaiting_weight_half;  // by chunk
  };

  Walker(const Program& program, const Role& role, const std::vector<ChunkProfile>& chunks,
         const std::function<void(const TaskPeak&)>& on_task)
      : chunks_(chunks), on_moment_(on_task), overlap_(program.spec.schedule.overlap) {
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
    if (policy.keep_gathered && policy.reduce_once)
      moment_.gathered_chunks.assign(chunks.size(), false);
  }

  /// Evaluates a task once its successor is known.
  void take(const Task& task) {
    if (next_) run(*next_, &task);
    next_ = task;
  }
  void end() {
    if (next_) run(*next_, nullptr);
  }

  [[nodiscard]] Flight flight() const { return {moment_.in_flight, moment_.awaiting_weight_half}; }
  /// Skips `rounds` rounds of `loop`; each changes the counts as the round since `before` did.
  void skip(const TaskLoop& loop, std::uint32_t rounds, const Flight& before) {
    for (std::size_t i = 0; i < chunks_.size(); ++i) {  // modulo 2^32, since it may decrease
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
    if (!moment_.gathered_chunks.empty() && !step_of(task))
      moment_.gathered_chunks[task.chunk] = true;
    before(task);
    const bool step = task.kind == TaskKind::step;
    moment_.pass_peak = step || chunks_[task.chunk].parts.empty()
                            ? PassPeak{}
                            : chunks_[task.chunk].peak_of(task.kind);
    pass_messages(task, after);
    add_up();
    on_moment_(moment_);
    after_(task);
    ++moment_.index;
  }

  void pass_messages(const Task& task, const Task* after) {
    moment_.outgoing_message = overlap_ ? left_ : 0;
    left_ = facts_[task.recipe].sent;
    if (step_of(task)) {
      moment_.incoming_message = facts_[task.recipe].received;  // the step adds it
    } else {
      const bool ahead = overlap_ && after != nullptr && !step_of(*after);
      moment_.incoming_message = ahead ? facts_[after->recipe].received : 0;
    }
  }

  void before(const Task& task) {
    const bool weights = task.kind == TaskKind::weight_grad;
    moment_.gathered = weights ? facts_[task.recipe].gathered : 0;
    moment_.offload_in_transfer = step_of(task) ? 0 : away_;
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
    LiveBytes& alive = moment_.live;
    alive = moment_.pass_peak.live;
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      const std::uint32_t whole = moment_.in_flight[i] - moment_.awaiting_weight_half[i];
      alive.activations +=
          whole * chunks_[i].retained + moment_.awaiting_weight_half[i] * chunks_[i].split_backward;
      if (moment_.needs_weights(i)) alive.communication += chunks_[i].always_gathered;
    }
    alive.activations += moment_.offload_in_transfer;
    alive.working += moment_.gathered;
    alive.communication += moment_.incoming_message + moment_.outgoing_message;
  }

  const std::vector<ChunkProfile>& chunks_;
  const std::function<void(const TaskPeak&)>& on_moment_;
  bool overlap_;
  std::vector<Facts> facts_;  // by recipe
  std::optional<Task> next_;
  std::int64_t left_ = 0;
  std::int64_t away_ = 0;  // offloaded activations in transfer
  TaskPeak moment_;
};

}  // namespace

bool TaskPeak::needs_weights(std::size_t chunk) const {
  if (!gathered_chunks.empty()) return gathered_chunks[chunk] && !step_of(task);
  const bool own = !step_of(task) && task.kind != TaskKind::weight_grad && task.chunk == chunk;
  return own || in_flight[chunk] > awaiting_weight_half[chunk];
}

void walk_tasks(const Program& program, const Role& role, const std::vector<ChunkProfile>& chunks,
                TaskSelection selection, const std::function<void(const TaskPeak&)>& on_task) {
  // From the second to the last but one round of a loop, the memory of each task grows or shrinks
  // by the same amount every round. Messages come from and go to the same tasks. A chunk with a
  // changing number of microbatches has some in all these rounds. The peak of a task is therefore
  // at one end. A task is evaluated when the next one is known, hence the third round.
  constexpr std::uint32_t kBegin = 3, kEnd = 2;
  Walker walker(program, role, chunks, on_task);
  Walker::Flight before;
  for (const TaskLoop& loop : role.tasks) {
    for (std::uint32_t round = 0; round < loop.count; ++round) {
      if (selection == TaskSelection::peak_tasks && round + 1 == kBegin) before = walker.flight();
      if (selection == TaskSelection::peak_tasks && round == kBegin && loop.count > kBegin + kEnd) {
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
  std::vector<double> passes(role.chunks.size(), 1);  // passes that may be alive at the same time
  for (const TaskLoop& loop : role.tasks) {
    for (const Task& task : loop.tasks) {
      if (task.kind == TaskKind::forward) passes[task.chunk] += loop.count;
    }
  }
  double total = 0, maximum = 1;
  for (std::size_t i = 0; i < role.chunks.size(); ++i) {
    maximum = std::max(maximum, passes[i]);
    for (const PartRun& run : role.chunks[i]) {
      const Part& part = program.parts[run.part];
      double bytes = 0;
      bytes += static_cast<double>(part.shared.bytes);
      bytes += static_cast<double>(part.offloaded);
      for (const RetainedTensor& item : part.retained) bytes += static_cast<double>(item.bytes);
      for (const RetainedTensor& item : part.split_backward_tensors)
        bytes += static_cast<double>(item.bytes);
      for (const RetainedTensor& item : part.working_tensors)
        bytes += static_cast<double>(item.bytes);
      // State, gathered weights, gradients in two buckets: less than 16 + 4 + 8 bytes each.
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
                 (gathered ? maximum * program.mesh.extent(op.axis) : 1);
      }
    }
  }
  return total;
}

}  // namespace orrery::workload
