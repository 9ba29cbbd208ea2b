// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/program/score.h"

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
std::vector<Score::Meeting> meetings_on(const Program& program, const Cast& cast, Axis axis) {
  const graph::GroupAxis& groups = program.mesh.axis(axis);
  std::vector<Score::Meeting> out(cast.size());
  if (groups.extent() < 2) return out;
  const auto in_one = [&](std::uint32_t player) { return groups.has(cast.rank(player)); };
  for (std::uint32_t player = 0; player < cast.size(); ++player)
    if (in_one(player)) out[player] = {0, groups.first(cast.rank(player))};
  for (std::uint32_t player = 0; player < cast.size(); ++player)
    for (std::uint32_t other = 0; other < cast.size() && in_one(player); ++other)
      if (in_one(other) && out[other].first == out[player].first) ++out[player].players;
  return out;
}

/// Numbers what is used, as it comes.
class Places {
 public:
  Places() {
    of_stream_.fill(Score::kNowhere);
    of_axis_.fill(Score::kNowhere);
    (void)stream(workload::stream::compute);
  }
  std::uint8_t stream(workload::Stream stream) { return number(of_stream_[stream]); }
  std::uint8_t axis(Axis axis) { return number(of_axis_[static_cast<std::size_t>(axis)]); }
  [[nodiscard]] std::size_t count() const { return next_; }

 private:
  std::uint8_t number(std::uint8_t& known) {
    if (known == Score::kNowhere) known = next_++;
    ORRERY_CHECK(next_ < Score::kNowhere);
    return known;
  }
  std::array<std::uint8_t, 256> of_stream_{};
  std::array<std::uint8_t, workload::kAxes> of_axis_{};
  std::uint8_t next_ = 0;
};

Score::What what_of(const Op& op) {
  if (op.op_class == OpClass::copy) return Score::What::copy;
  switch (op.kind) {
    case NodeKind::comp:
      return Score::What::kernel;
    case NodeKind::coll:
      return Score::What::collective;
    case NodeKind::send:
      return Score::What::send;
    case NodeKind::recv:
      return Score::What::receive;
    default:
      return Score::What::transfer;
  }
}

}  // namespace

Score::Score(const Program& program, const OpCosts::Times& of)
    : times(&of), bars(program.bodies.size()) {
  std::array<bool, workload::kAxes> alone{};  // nobody meets anybody
  for (std::size_t a = 0; a < workload::kAxes; ++a) {
    meetings[a] = meetings_on(program, of.cast, static_cast<Axis>(a));
    alone[a] = std::all_of(meetings[a].begin(), meetings[a].end(),
                           [](const Meeting& meeting) { return meeting.players == 1; });
  }
  Places numbers;
  std::vector<std::uint8_t> of_lane;  // its stream's place
  for (std::size_t body = 0; body < bars.size(); ++body) {
    if (of.of[body].empty()) continue;  // nobody runs it
    Bar& bar = bars[body];
    for (std::size_t i = 0; i < program.bodies[body].ops.size(); ++i) {
      const Op& op = program.bodies[body].ops[i];
      Step step;
      step.cost = of.of[body][i];
      step.what = what_of(op);
      step.number = static_cast<std::uint32_t>(i);
      step.stream = numbers.stream(op.stream);
      for (const workload::Stream wait : op.waits)
        if (wait != workload::stream::none) step.waits[step.wait_count++] = numbers.stream(wait);
      if (step.what == What::copy) step.wait_count = 1;  // what its register holds
      if (op.marks != workload::stream::none) step.marks = numbers.stream(op.marks);
      step.axis = static_cast<std::uint8_t>(op.axis);
      if (step.what == What::collective) {
        step.group = step.waits[step.wait_count++] = numbers.axis(op.axis);
        step.queue = of.queue[step.axis];
      }
      if (step.what == What::collective || step.what == What::transfer) {
        const auto lane = std::find(of_lane.begin(), of_lane.end(), step.stream);
        step.lane = static_cast<std::uint8_t>(lane - of_lane.begin());
        if (lane == of_lane.end()) of_lane.push_back(step.stream);
      }
      step.edge = op.edge;
      step.inside = op.axis != Axis::pp;
      bar.plain &= step.what != What::send && step.what != What::receive &&
                   (step.what != What::collective || alone[step.axis]);
      bar.steps.push_back(step);
    }
  }
  places = numbers.count();
  lanes = of_lane.size();
}

}  // namespace orrery::estimate
