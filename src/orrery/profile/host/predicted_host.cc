// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/host/predicted_host.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace orrery::profile {
namespace {

Time of_us(double us) { return Time(std::llround(us * 1e6)); }

/// One thread, told from its first step to its last.
class Teller {
 public:
  Teller(const Profile& profile, Dependencies& dependencies, const HostOverheadTimes& times,
         PredictedHost& made)
      : profile_(profile), dependencies_(dependencies), times_(times), made_(made) {}

  void tell(const std::vector<HostEvent>& steps) {
    const HostEvent* before = nullptr;  // the operator before
    for (std::size_t i = 0; i < steps.size();) {
      if (steps[i].root == kNoEvent) {
        if (steps[i].launch || steps[i].wait) before = nullptr;
        keep(steps[i]);
        ++i;
        continue;
      }
      std::size_t last = i + 1;
      while (last < steps.size() && steps[last].root == steps[i].root) ++last;
      const auto group = std::span(steps).subspan(i, last - i);
      const bool waits =
          std::any_of(group.begin(), group.end(), [](auto& step) { return step.wait; });
      if (waits) {
        for (const HostEvent& step : group) keep(step);
      } else {
        tell_operator(group, before);
      }
      before = waits ? nullptr : &steps[i];
      i = last;
    }
  }

 private:
  [[nodiscard]] std::uint32_t node(const HostEvent& step) const {
    return dependencies_.node_of[step.event];
  }

  /// Its own time says all since the step before.
  void keep(const HostEvent& step) {
    if (node(step) == kNone) return;
    made_.retained += dependencies_.cost[node(step)];
    left_ = 0;
  }

  void take(const HostEvent& step, double us) {
    left_ += us;
    const std::uint32_t at = node(step);
    if (at == kNone) return;
    made_.recorded += dependencies_.cost[at];
    dependencies_.cost[at] = of_us(left_);
    made_.predicted += dependencies_.cost[at];
    left_ = 0;
  }

  /// From the operator before. A pause, what begins a thread, and what follows something that keeps
  /// its time are nobody's overhead: of these, what was recorded and is no wait.
  double way_to(std::span<const HostEvent> group, const HostEvent* before) {
    const Event& root = profile_.events[group.front().event];
    if (before != nullptr && root.start - profile_.events[before->event].end() < kLongestGap)
      return times_.us(Overhead::between_operators, profile_.name(group.front().event));
    const std::uint32_t at = node(group.front());
    if (at == kNone) return 0;
    const Time end = group.size() > 1 ? profile_.events[group[1].event].start : root.end();
    const Time way = std::max(Time{}, dependencies_.cost[at] - std::max(Time{}, end - root.start));
    made_.retained += way;
    made_.recorded -= way;
    made_.predicted -= way;
    return static_cast<double>(way.count()) / 1e6;
  }

  void tell_operator(std::span<const HostEvent> group, const HostEvent* before) {
    const std::string_view of = profile_.name(group.front().event);
    const auto launches = std::count_if(group.begin(), group.end(),
                                        [](const HostEvent& step) { return step.launch; });
    double next =
        way_to(group, before) +
        times_.us(launches > 0 ? Overhead::before_launch : Overhead::between_launches, of);
    std::ptrdiff_t launched = 0;
    for (const HostEvent& step : group) {
      if (!step.launch) {
        take(step, next);
        next = 0;
        continue;
      }
      take(step, next + times_.us(Overhead::launch_call, profile_.name(step.event)));
      ++launched;
      next =
          times_.us(launched < launches ? Overhead::between_launches : Overhead::after_launch, of);
    }
    left_ += next;
  }

  static constexpr Time kLongestGap = us(200);  // as for T1
  const Profile& profile_;
  Dependencies& dependencies_;
  const HostOverheadTimes& times_;
  PredictedHost& made_;
  double left_ = 0;  // us, of what no node has been found for
};

}  // namespace

HostOverheadTimes::HostOverheadTimes(std::span<const OverheadRow> rows) {
  for (const OverheadRow& row : rows) means_.try_emplace({row.overhead, row.of}, row.mean_us);
}

double HostOverheadTimes::us(Overhead overhead, std::string_view of) const {
  const auto known = means_.find(std::pair(overhead, std::string(of)));
  if (known != means_.end()) return known->second;
  const auto all = means_.find(std::pair(overhead, std::string()));
  return all == means_.end() ? 0 : all->second;
}

PredictedHost predict_host(const Profile& profile, Dependencies& dependencies,
                           const HostOverheadTimes& times) {
  if (dependencies.recorded_cost.empty()) dependencies.recorded_cost = dependencies.cost;
  PredictedHost made;
  const std::vector<EventId> work_of = first_works(profile);
  for (std::uint32_t lane = 0; lane < profile.lanes.size(); ++lane)
    if (!profile.lanes[lane].device)
      Teller(profile, dependencies, times, made).tell(host_events(profile, lane, work_of));
  return made;
}

}  // namespace orrery::profile
