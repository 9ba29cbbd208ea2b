// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/columns/stage_memory.h"

#include <algorithm>

#include "orrery/estimate/columns/pipeline_closed_form.h"
#include "orrery/workload/memory/memory_walk.h"
#include "orrery/workload/schedule/pipeline_order.h"

namespace orrery::estimate {

using workload::Op;
using workload::Pass;
using workload::TaskKind;

namespace {

constexpr std::int32_t kAliveRounds = 4;

TaskKind kind_of_pass(Pass pass) {
  switch (pass) {
    case Pass::forward:
      return TaskKind::forward;
    case Pass::backward:
      return TaskKind::backward;
    case Pass::input_grad:
      return TaskKind::input_grad;
    case Pass::weight_grad:
      break;
  }
  return TaskKind::weight_grad;
}

Op unit_message(graph::NodeKind kind) {
  Op op;
  op.op_class = workload::OpClass::communication;
  op.kind = kind;
  op.axis = workload::Axis::pp;
  op.size = 1;
  return op;
}

/// The passes of a stage, with messages of one byte.
class BareRole {
 public:
  BareRole(const workload::Spec& spec, const workload::PipelineOrder& order, std::uint32_t stage)
      : order_(order), stage_(stage) {
    program_.spec = spec;
    workload::Role role;
    role.ranks = 1;
    role.chunks.resize(order.chunks);
    for (std::uint16_t chunk = 0; chunk < order.chunks; ++chunk)
      for (const TaskKind kind :
           {TaskKind::forward, TaskKind::backward, TaskKind::input_grad, TaskKind::weight_grad})
        add_recipe(role, chunk, kind);
    for (const workload::SlotLoop& loop : order.loops[stage]) {
      workload::TaskLoop tasks{{}, loop.count, loop.stride};
      for (const workload::Slot& slot : loop.slots) {
        const TaskKind kind = kind_of_pass(slot.pass);
        const auto recipe = slot.chunk * 4u + static_cast<std::uint32_t>(kind);
        tasks.tasks.push_back({kind, slot.chunk, recipe, slot.microbatch});
      }
      role.tasks.push_back(std::move(tasks));
    }
    role.tasks.push_back({{{TaskKind::step, 0, order.chunks * 4u, 0}}, 1, 0});
    role.recipes.emplace_back();
    program_.roles.push_back(std::move(role));
  }

  [[nodiscard]] const workload::Program& program() const { return program_; }

 private:
  void add_recipe(workload::Role& role, std::uint32_t chunk, TaskKind kind) {
    const std::uint32_t at = chunk * order_.stages + stage_;
    const bool before = order_.stages > 1 && at > 0;
    const bool after = order_.stages > 1 && at + 1 < order_.stages * order_.chunks;
    const bool forward = kind == TaskKind::forward, talks = kind != TaskKind::weight_grad;
    workload::Body body;
    if (talks && (forward ? before : after))
      body.ops.push_back(unit_message(graph::NodeKind::recv));
    if (talks && (forward ? after : before))
      body.ops.push_back(unit_message(graph::NodeKind::send));
    role.recipes.push_back({{static_cast<std::uint32_t>(program_.bodies.size())}});
    program_.bodies.push_back(std::move(body));
  }

  const workload::PipelineOrder& order_;
  std::uint32_t stage_;
  workload::Program program_;
};

bool is_covered_by(const StageMoment& a, const StageMoment& b) {
  return a.kind == b.kind && a.own == b.own && a.own_stored <= b.own_stored &&
         a.other_stored <= b.other_stored && a.own_halfway <= b.own_halfway &&
         a.other_halfway <= b.other_halfway && a.messages <= b.messages;
}

void add_moment(std::vector<StageMoment>& moments, const StageMoment& stage_moment) {
  for (const StageMoment& known : moments)
    if (is_covered_by(stage_moment, known)) return;
  std::erase_if(moments,
                [&](const StageMoment& known) { return is_covered_by(known, stage_moment); });
  moments.push_back(stage_moment);
}

void add_stage_moments(const workload::Spec& spec, const workload::PipelineOrder& order,
                       std::uint32_t stage, std::int32_t own, std::vector<StageMoment>& moments) {
  const BareRole bare(spec, order, stage);
  workload::ChunkProfile profile;
  profile.parts = {0};
  const std::vector<workload::ChunkProfile> chunks(order.chunks, profile);
  workload::walk_tasks(
      bare.program(), bare.program().roles.front(), chunks, workload::TaskSelection::peak_tasks,
      [&](const workload::TaskPeak& moment) {
        StageMoment stage_moment;
        stage_moment.kind = moment.task.kind;
        stage_moment.own = stage_moment.kind != TaskKind::step && moment.task.chunk == own;
        stage_moment.messages =
            static_cast<std::int32_t>(moment.incoming_message + moment.outgoing_message);
        for (std::size_t c = 0; c < chunks.size(); ++c) {
          const auto half = static_cast<std::int32_t>(moment.awaiting_weight_half[c]);
          const auto complete = static_cast<std::int32_t>(moment.in_flight[c]) - half;
          const bool at_own = static_cast<std::int32_t>(c) == own;
          (at_own ? stage_moment.own_stored : stage_moment.other_stored) += complete;
          (at_own ? stage_moment.own_halfway : stage_moment.other_halfway) += half;
        }
        add_moment(moments, stage_moment);
      });
}

}  // namespace

std::int32_t microbatches_alive(workload::ScheduleKind kind, std::int32_t stages,
                                std::int32_t microbatches) {
  const std::int32_t maximum = kAliveRounds * stages;
  if (closed_schedule(kind)->in_phases || microbatches <= maximum) return microbatches;
  return maximum + microbatches % stages;
}

Result<StageMoments> stage_moments(const workload::Spec& spec) {
  const auto stages = static_cast<std::uint32_t>(spec.parallel.pp);
  const auto chunks = static_cast<std::uint32_t>(spec.schedule.chunks);
  const auto order = workload::pipeline_order(
      spec.schedule.kind, stages, static_cast<std::uint32_t>(spec.microbatches()), chunks);
  if (!order) return tl::unexpected(order.error());
  StageMoments moments;
  for (std::uint32_t stage = 0; stage < stages; ++stage) {
    const ModelEnds ends = stages == 1           ? ModelEnds::both
                           : stage == 0          ? ModelEnds::embedding
                           : stage + 1 == stages ? ModelEnds::head
                                                 : ModelEnds::none;
    const std::int32_t own = ends == ModelEnds::none   ? -1
                             : ends == ModelEnds::head ? static_cast<std::int32_t>(chunks) - 1
                                                       : 0;
    add_stage_moments(spec, *order, stage, own, moments[index_of(ends)]);
  }
  return moments;
}

ChunkMemory chunk_memory(const LayerShape& layer, const DataParallelShape& data,
                         std::span<const std::int64_t> gradient_bytes,
                         const ChunkMemoryShape& shape) {
  const std::int32_t front = has_embedding(shape.ends) ? 1 : 0;
  const std::int32_t parts = shape.layers + front + (has_head(shape.ends) ? 1 : 0);
  const auto place_at = [&](std::int32_t at) {
    if (at < front) return static_cast<std::size_t>(Place::embedding);
    return at < front + shape.layers ? kLayerPlace : static_cast<std::size_t>(Place::head);
  };
  const auto gathered = [&](std::int32_t at, std::int32_t maximum, std::int32_t step) {
    std::int64_t sum = 0;
    for (std::int32_t i = 0; i <= maximum && at >= 0 && at < parts; ++i, at += step)
      sum += data.gathered[place_at(at)];
    return sum;
  };
  ChunkMemory out;
  std::int64_t halves = 0, shared = 0;
  std::int32_t sharing = parts;
  for (std::int32_t at = 0; at < parts; ++at) {
    const PartMemory& part = layer.memory[place_at(at)];
    out.stored += part.stored;
    halves += part.halfway;
    out.gathered = std::max(out.gathered, layer.gathered[place_at(at)]);
    if (part.shared == 0 || sharing < parts) continue;
    sharing = at;
    shared = part.shared;
  }
  out.stored += shared;
  out.halfway = halves + shared;
  std::int64_t stored = 0, halfway = 0;  // of earlier parts
  for (std::int32_t at = 0; at < parts; ++at) {
    const PartMemory& part = layer.memory[place_at(at)];
    const std::int64_t own_shared = at >= sharing ? shared : 0;
    const std::int64_t own = stored + part.stored + own_shared;
    const std::int64_t between = stored + std::max(part.stored + part.redone, part.halfway) +
                                 (halves - halfway - part.halfway) + shared;
    const std::int64_t back = gathered(at, shape.prefetch_backward, -1);
    const std::int64_t bucket = gradient_bytes[static_cast<std::size_t>(at)];
    const auto raise = [&](TaskKind kind, std::int64_t bytes) {
      std::int64_t& worst = out.worst[static_cast<std::size_t>(kind)];
      worst = std::max(worst, bytes);
    };
    raise(TaskKind::forward, own + part.working + gathered(at, shape.prefetch, 1));
    raise(TaskKind::backward, own + part.working + part.redone + back + bucket);
    raise(TaskKind::input_grad, between + part.working + back);
    raise(TaskKind::weight_grad, halfway + part.halfway + own_shared + bucket);
    stored += part.stored;
    halfway += part.halfway;
  }
  return out;
}

std::int64_t peak_bytes(std::span<const StageMoment> moments, const ChunkMemory& own,
                        const ChunkMemory& other, std::int64_t boundary, std::int64_t copies) {
  std::int64_t maximum = 0;
  for (const StageMoment& stage_moment : moments) {
    std::int64_t bytes =
        stage_moment.own_stored * own.stored + stage_moment.other_stored * other.stored +
        stage_moment.own_halfway * own.halfway + stage_moment.other_halfway * other.halfway +
        stage_moment.messages * boundary;
    if (stage_moment.kind == TaskKind::step) {
      bytes += copies;
    } else {
      const ChunkMemory& at = stage_moment.own ? own : other;
      bytes += at.worst[static_cast<std::size_t>(stage_moment.kind)];
      if (stage_moment.kind == TaskKind::weight_grad) bytes += at.gathered;
    }
    maximum = std::max(maximum, bytes);
  }
  return maximum;
}

}  // namespace orrery::estimate
