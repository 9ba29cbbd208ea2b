// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/memory_walk.h"

#include <algorithm>
#include <optional>

#include "orrery/core/check.h"

namespace orrery::workload {
namespace {

/// Bytes that a recipe gets from and gives to neighbours in the pipeline.
struct Messages {
  std::int64_t received = 0, sent = 0;
};

Messages messages_of(const Program& program, const std::vector<Segment>& recipe) {
  Messages out;
  for (const Segment& segment : recipe) {
    for (const Op& op : program.bodies[segment.body].ops) {
      if (op.axis != Axis::pp || op.op_class == OpClass::copy) continue;
      if (op.kind == graph::NodeKind::recv) out.received += op.size * segment.count;
      if (op.kind == graph::NodeKind::send) out.sent += op.size * segment.count;
    }
  }
  return out;
}

/// Follows who is in flight, one task after another.
class Walker {
 public:
  Walker(const Program& program, const Role& role, const std::vector<ChunkProfile>& chunks,
         const std::function<void(const Moment&)>& on_moment)
      : chunks_(chunks), on_moment_(on_moment), overlap_(program.spec.schedule.overlap) {
    for (const auto& recipe : role.recipes) messages_.push_back(messages_of(program, recipe));
    moment_.in_flight.assign(chunks.size(), 0);
    moment_.half_done.assign(chunks.size(), 0);
  }

  /// Tasks are looked at once the one after them is known.
  void take(const Task& task) {
    if (next_) run(*next_, &task);
    next_ = task;
  }
  void end() {
    if (next_) run(*next_, nullptr);
  }

 private:
  void run(const Task& task, const Task* after) {
    ORRERY_CHECK(task.kind == TaskKind::step || task.chunk < chunks_.size());
    moment_.task = task;
    before(task);
    const bool step = task.kind == TaskKind::step;
    moment_.worst =
        step || chunks_[task.chunk].parts.empty() ? Worst{} : chunks_[task.chunk].worst(task.kind);
    moment_.arriving = overlap_ && after != nullptr ? messages_[after->recipe].received : 0;
    moment_.leaving = overlap_ ? left_ : 0;
    add_up(task);
    on_moment_(moment_);
    after_(task);
    left_ = messages_[task.recipe].sent;
    ++moment_.index;
  }

  void before(const Task& task) {
    if (task.kind == TaskKind::forward || task.kind == TaskKind::step) return;
    std::uint32_t& in_flight = moment_.in_flight[task.chunk];
    ORRERY_CHECK(in_flight > 0);
    --in_flight;
    if (task.kind == TaskKind::weight_grad) {
      ORRERY_CHECK(moment_.half_done[task.chunk] > 0);
      --moment_.half_done[task.chunk];
    }
  }

  void after_(const Task& task) {
    if (task.kind == TaskKind::forward || task.kind == TaskKind::input_grad) {
      ++moment_.in_flight[task.chunk];
    }
    if (task.kind == TaskKind::input_grad) ++moment_.half_done[task.chunk];
  }

  void add_up(const Task& task) {
    Alive& alive = moment_.alive;
    alive = moment_.worst.alive;
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      alive.activations += moment_.in_flight[i] * chunks_[i].kept;
      alive.activations += moment_.half_done[i] * chunks_[i].redone;
      const bool here = task.kind != TaskKind::step && task.chunk == i;
      if (here || moment_.in_flight[i] > 0) alive.communication += chunks_[i].whole;
    }
    alive.communication += moment_.arriving + moment_.leaving;
  }

  const std::vector<ChunkProfile>& chunks_;
  const std::function<void(const Moment&)>& on_moment_;
  bool overlap_;
  std::vector<Messages> messages_;  // by recipe
  std::optional<Task> next_;
  std::int64_t left_ = 0;
  Moment moment_;
};

}  // namespace

void walk(const Program& program, const Role& role, const std::vector<ChunkProfile>& chunks,
          const std::function<void(const Moment&)>& on_moment) {
  Walker walker(program, role, chunks, on_moment);
  for (const TaskLoop& loop : role.tasks) {
    for (std::uint32_t round = 0; round < loop.count; ++round) {
      for (Task task : loop.tasks) {
        task.microbatch += round * loop.stride;
        walker.take(task);
      }
    }
  }
  walker.end();
}

double bound(const Program& program, const Role& role) {
  std::vector<double> passes(role.chunks.size(), 1);  // that may be alive at one time
  for (const TaskLoop& loop : role.tasks) {
    for (const Task& task : loop.tasks) {
      if (task.kind == TaskKind::forward) passes[task.chunk] += loop.count;
    }
  }
  double total = 0;
  for (std::size_t i = 0; i < role.chunks.size(); ++i) {
    for (const PartRun& run : role.chunks[i]) {
      const Part& part = program.parts[run.part];
      double bytes = 0;
      for (const Kept& item : part.kept) bytes += static_cast<double>(item.bytes);
      for (const Kept& item : part.transient) bytes += static_cast<double>(item.bytes);
      // State, whole weights once more, gradients in two buckets: below 16 + 4 + 8 bytes each.
      total += run.count * (passes[i] * bytes + 28 * static_cast<double>(part.weights.dense) +
                            28 * static_cast<double>(part.weights.replicated) +
                            28 * static_cast<double>(part.weights.expert));
    }
  }
  for (const auto& recipe : role.recipes) {
    for (const Segment& segment : recipe) {
      for (const Op& op : program.bodies[segment.body].ops) {
        total += static_cast<double>(op.size) * segment.count;
      }
    }
  }
  return total;
}

}  // namespace orrery::workload
