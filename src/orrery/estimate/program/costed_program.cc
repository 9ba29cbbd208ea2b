// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/program/costed_program.h"

#include <algorithm>

#include "orrery/core/check.h"

namespace orrery::estimate {

using graph::NodeKind;
using workload::Axis;
using workload::Op;
using workload::OpClass;
using workload::Program;

namespace {

/// The rank classes that meet in collectives on an axis, by rank class.
std::vector<CostedProgram::CollectiveClasses> collective_classes_on(const Program& program,
                                                                    const RankClasses& classes,
                                                                    Axis axis) {
  const graph::GroupAxis& groups = program.mesh.axis(axis);
  std::vector<CostedProgram::CollectiveClasses> out(classes.size());
  if (groups.extent() < 2) return out;
  const auto in_one = [&](std::uint32_t rank_class) {
    return groups.has(classes.rank(rank_class));
  };
  for (std::uint32_t rank_class = 0; rank_class < classes.size(); ++rank_class)
    if (in_one(rank_class)) out[rank_class] = {0, groups.first(classes.rank(rank_class))};
  for (std::uint32_t rank_class = 0; rank_class < classes.size(); ++rank_class)
    for (std::uint32_t other = 0; other < classes.size() && in_one(rank_class); ++other)
      if (in_one(other) && out[other].first == out[rank_class].first)
        ++out[rank_class].rank_classes;
  return out;
}

/// Numbers used streams and axes in the order of use.
class SlotNumbers {
 public:
  SlotNumbers() {
    of_stream_.fill(CostedProgram::kNoSlot);
    of_axis_.fill(CostedProgram::kNoSlot);
    (void)stream(workload::stream::compute);
  }
  std::uint8_t stream(workload::Stream stream) { return number(of_stream_[stream]); }
  std::uint8_t axis(Axis axis) { return number(of_axis_[static_cast<std::size_t>(axis)]); }
  [[nodiscard]] std::size_t count() const { return next_; }

 private:
  std::uint8_t number(std::uint8_t& known) {
    if (known == CostedProgram::kNoSlot) known = next_++;
    ORRERY_CHECK(next_ < CostedProgram::kNoSlot);
    return known;
  }
  std::array<std::uint8_t, 256> of_stream_{};
  std::array<std::uint8_t, workload::kAxes> of_axis_{};
  std::uint8_t next_ = 0;
};

CostedProgram::OpKind kind_of(const Op& op) {
  if (op.op_class == OpClass::copy) return CostedProgram::OpKind::copy;
  switch (op.kind) {
    case NodeKind::comp:
      return CostedProgram::OpKind::kernel;
    case NodeKind::coll:
      return CostedProgram::OpKind::collective;
    case NodeKind::send:
      return CostedProgram::OpKind::send;
    case NodeKind::recv:
      return CostedProgram::OpKind::receive;
    default:
      return CostedProgram::OpKind::transfer;
  }
}

}  // namespace

CostedProgram::CostedProgram(const Program& program, const OpCosts::ProgramCosts& of)
    : times(&of), costed_bodies(program.bodies.size()) {
  std::array<bool, workload::kAxes> is_one_class{};  // axes whose collectives have one rank class
  for (std::size_t a = 0; a < workload::kAxes; ++a) {
    collective_classes[a] = collective_classes_on(program, of.classes, static_cast<Axis>(a));
    is_one_class[a] =
        std::all_of(collective_classes[a].begin(), collective_classes[a].end(),
                    [](const CollectiveClasses& classes) { return classes.rank_classes == 1; });
  }
  SlotNumbers numbers;
  std::vector<std::uint8_t> lane_slots;  // slot of its stream
  for (std::size_t body = 0; body < costed_bodies.size(); ++body) {
    if (of.costs[body].empty()) continue;  // unused by roles
    CostedBody& costed_body = costed_bodies[body];
    for (std::size_t i = 0; i < program.bodies[body].ops.size(); ++i) {
      const Op& op = program.bodies[body].ops[i];
      CostedOp step;
      step.cost = of.costs[body][i];
      step.kind = kind_of(op);
      step.number = static_cast<std::uint32_t>(i);
      step.stream = numbers.stream(op.stream);
      for (const workload::Stream wait : op.waits)
        if (wait != workload::stream::none) step.waits[step.wait_count++] = numbers.stream(wait);
      if (step.kind == OpKind::copy) step.wait_count = 1;  // the content of its register
      if (op.marks != workload::stream::none) step.marks = numbers.stream(op.marks);
      step.axis = static_cast<std::uint8_t>(op.axis);
      if (step.kind == OpKind::collective) {
        step.group = step.waits[step.wait_count++] = numbers.axis(op.axis);
        step.queue = of.queue[step.axis];
      }
      if (step.kind == OpKind::collective || step.kind == OpKind::transfer) {
        const auto lane = std::find(lane_slots.begin(), lane_slots.end(), step.stream);
        step.lane = static_cast<std::uint8_t>(lane - lane_slots.begin());
        if (lane == lane_slots.end()) lane_slots.push_back(step.stream);
      }
      step.edge = op.message_id;
      step.inside = op.axis != Axis::pp;
      costed_body.plain &= step.kind != OpKind::send && step.kind != OpKind::receive &&
                           (step.kind != OpKind::collective || is_one_class[step.axis]);
      costed_body.steps.push_back(step);
    }
  }
  slots = numbers.count();
  lanes = lane_slots.size();
}

}  // namespace orrery::estimate
