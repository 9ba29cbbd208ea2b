// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/replay/previous_iteration.h"

#include <algorithm>
#include <vector>

#include "orrery/profile/iterations.h"
#include "orrery/profile/link/align.h"

namespace orrery::profile {
namespace {

class IterationPredictor {
 public:
  IterationPredictor(const Profile& profile, Dependencies& dependencies)
      : profile_(profile), dependencies_(dependencies), recorded_(dependencies) {
    for (const Iteration& iteration : iterations(profile)) begins_.push_back(iteration.start);
  }

  void predict() {
    if (begins_.size() < 2) return;
    match();
    if (dependencies_.recorded_cost.empty()) dependencies_.recorded_cost = recorded_.cost;
    for (const EventId event : recorded_.nodes)
      dependencies_.previous_duration.push_back(profile_.events[event].duration);
    for (std::uint32_t node = 0; node < previous_.size(); ++node) {
      if (iteration_of(node) >= 2) ++dependencies_.predictable;
      if (previous_[node] == kNone) continue;
      ++dependencies_.predicted;
      dependencies_.cost[node] = recorded_.cost[previous_[node]];
      dependencies_.previous_duration[node] =
          profile_.events[recorded_.nodes[previous_[node]]].duration;
      for (std::uint32_t i = recorded_.first[node]; i < recorded_.first[node + 1]; ++i)
        set_lag(dependencies_.edges[i], previous_[node]);
    }
  }

 private:
  /// 0: before the first iteration.
  [[nodiscard]] std::size_t iteration_of(std::uint32_t node) const {
    const EventId event = recorded_.nodes[node];
    const Event* at = &profile_.events[event];
    if (is_device_work(at->kind) && profile_.work(event).call != kNoEvent)
      at = &profile_.events[profile_.work(event).call];
    return static_cast<std::size_t>(std::upper_bound(begins_.begin(), begins_.end(), at->start) -
                                    begins_.begin());
  }

  void match() {
    previous_.assign(recorded_.nodes.size(), kNone);
    for (std::uint32_t lane = 0; lane < profile_.lanes.size(); ++lane) {
      std::vector<std::vector<AlignedEvent>> iterations(begins_.size());
      for (const EventId event : profile_.in_order(lane)) {
        const std::uint32_t node = recorded_.node_of[event];
        if (node == kNone || !profile_.events[event].timed()) continue;
        const std::size_t iteration = iteration_of(node);
        if (iteration > 0) iterations[iteration - 1].push_back(step_of(node));
      }
      for (std::size_t i = 1; i < iterations.size(); ++i) {
        for (const auto& [earlier, later] : align(iterations[i - 1], iterations[i]))
          previous_[iterations[i][later].event] = iterations[i - 1][earlier].event;
      }
    }
  }

  [[nodiscard]] AlignedEvent step_of(std::uint32_t node) const {
    const EventId event = recorded_.nodes[node];
    const Event& at = profile_.events[event];
    AlignedEvent step;
    if (iteration_number(profile_.string(at.name)) < 0)
      step.name = static_cast<std::uint32_t>(at.name);
    step.event = node;
    if (is_device_work(at.kind)) {
      step.shape = static_cast<std::uint32_t>(profile_.work(event).launch);
    } else if (at.kind == Kind::op) {
      step.shape = static_cast<std::uint32_t>(profile_.op(event).dims);
    }
    if (at.parent != kNoEvent && iteration_number(profile_.name(at.parent)) < 0)
      step.parent = static_cast<std::uint32_t>(profile_.events[at.parent].name);
    return step;
  }

  void set_lag(Dependency& edge, std::uint32_t before) const {
    const std::uint32_t from = previous_[recorded_.node_of[edge.from]];
    const auto others = recorded_.of(before);
    auto other = std::find_if(others.begin(), others.end(), [&](const Dependency& d) {
      return from != kNone && recorded_.node_of[d.from] == from;
    });
    if (other == others.end() && edge.kind == DependencyKind::recorded_wait) {
      other = std::find_if(others.begin(), others.end(),
                           [&](const Dependency& d) { return d.kind == edge.kind; });
      if (other == others.end()) edge.lag = Time{};
    }
    if (other != others.end()) edge.lag = other->lag;
  }

  const Profile& profile_;
  Dependencies& dependencies_;
  const Dependencies recorded_;
  std::vector<Time> begins_;
  std::vector<std::uint32_t> previous_;  // per node: its counterpart in the previous iteration
};

}  // namespace

void predict_from_previous_iteration(const Profile& profile, Dependencies& dependencies) {
  IterationPredictor(profile, dependencies).predict();
}

}  // namespace orrery::profile
