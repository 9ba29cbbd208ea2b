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

/// Who of all players meets whom on an axis.
std::vector<CostedProgram::CollectiveMeeting> meetings_on(const Program& program,
                                                          const RankClasses& classes, Axis axis) {
  const graph::GroupAxis& groups = program.mesh.axis(axis);
  std::vector<CostedProgram::CollectiveMeeting> out(classes.size());
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

/// Numbers what is used, as it comes.
class Places {
 public:
  Places() {
    of_stream_.fill(CostedProgram::kNowhere);
    of_axis_.fill(CostedProgram::kNowhere);
    (void)stream(workload::stream::compute);
  }
  std::uint8_t stream(workload::Stream stream) { return number(of_stream_[stream]); }
  std::uint8_t axis(Axis axis) { return number(of_axis_[static_cast<std::size_t>(axis)]); }
  [[nodiscard]] std::size_t count() const { return next_; }

 private:
  std::uint8_t number(std::uint8_t& known) {
    if (known == CostedProgram::kNowhere) known = next_++;
    ORRERY_CHECK(next_ < CostedProgram::kNowhere);
    return known;
  }
  std::array<std::uint8_t, 256> of_stream_{};
  std::array<std::uint8_t, workload::kAxes> of_axis_{};
  std::uint8_t next_ = 0;
};

CostedProgram::OpKind what_of(const Op& op) {
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

CostedProgram::CostedProgram(const Program& program, const OpCosts::Times& of)
    : times(&of), costed_bodies(program.bodies.size()) {
  std::array<bool, workload::kAxes> alone{};  // nobody meets anybody
  for (std::size_t a = 0; a < workload::kAxes; ++a) {
    meetings[a] = meetings_on(program, of.classes, static_cast<Axis>(a));
    alone[a] =
        std::all_of(meetings[a].begin(), meetings[a].end(),
                    [](const CollectiveMeeting& meeting) { return meeting.rank_classes == 1; });
  }
  Places numbers;
  std::vector<std::uint8_t> of_lane;  // its stream's place
  for (std::size_t body = 0; body < costed_bodies.size(); ++body) {
    if (of.of[body].empty()) continue;  // nobody runs it
    CostedBody& costed_body = costed_bodies[body];
    for (std::size_t i = 0; i < program.bodies[body].ops.size(); ++i) {
      const Op& op = program.bodies[body].ops[i];
      CostedOp step;
      step.cost = of.of[body][i];
      step.what = what_of(op);
      step.number = static_cast<std::uint32_t>(i);
      step.stream = numbers.stream(op.stream);
      for (const workload::Stream wait : op.waits)
        if (wait != workload::stream::none) step.waits[step.wait_count++] = numbers.stream(wait);
      if (step.what == OpKind::copy) step.wait_count = 1;  // what its register holds
      if (op.marks != workload::stream::none) step.marks = numbers.stream(op.marks);
      step.axis = static_cast<std::uint8_t>(op.axis);
      if (step.what == OpKind::collective) {
        step.group = step.waits[step.wait_count++] = numbers.axis(op.axis);
        step.queue = of.queue[step.axis];
      }
      if (step.what == OpKind::collective || step.what == OpKind::transfer) {
        const auto lane = std::find(of_lane.begin(), of_lane.end(), step.stream);
        step.lane = static_cast<std::uint8_t>(lane - of_lane.begin());
        if (lane == of_lane.end()) of_lane.push_back(step.stream);
      }
      step.edge = op.edge;
      step.inside = op.axis != Axis::pp;
      costed_body.plain &= step.what != OpKind::send && step.what != OpKind::receive &&
                           (step.what != OpKind::collective || alone[step.axis]);
      costed_body.steps.push_back(step);
    }
  }
  places = numbers.count();
  lanes = of_lane.size();
}

}  // namespace orrery::estimate
