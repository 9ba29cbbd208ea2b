// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/host/predicted_host.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace orrery::profile {
namespace {

Time from_us(double us) { return Time(std::llround(us * 1e6)); }

/// Predicts the steps of one thread, from first to last.
class HostPredictor {
 public:
  HostPredictor(const Profile& profile, Dependencies& dependencies, const HostOverheadTimes& times,
                PredictedHost& made)
      : profile_(profile), dependencies_(dependencies), times_(times), made_(made) {}

  void predict_thread(const std::vector<HostEvent>& steps) {
    const HostEvent* before = nullptr;  // the previous operator
    for (std::size_t i = 0; i < steps.size();) {
      if (steps[i].root == kNoEvent) {
        if (steps[i].is_launch || steps[i].is_wait) before = nullptr;
        keep(steps[i]);
        ++i;
        continue;
      }
      std::size_t last = i + 1;
      while (last < steps.size() && steps[last].root == steps[i].root) ++last;
      const auto group = std::span(steps).subspan(i, last - i);
      const bool waits =
          std::any_of(group.begin(), group.end(), [](auto& step) { return step.is_wait; });
      if (waits) {
        for (const HostEvent& step : group) keep(step);
      } else {
        predict_operator(group, before);
      }
      before = waits ? nullptr : &steps[i];
      i = last;
    }
  }

 private:
  [[nodiscard]] std::uint32_t node(const HostEvent& step) const {
    return dependencies_.node_of[step.event];
  }

  /// Keeps the recorded cost, which covers all time since the previous step.
  void keep(const HostEvent& step) {
    if (node(step) == kNone) return;
    made_.retained += dependencies_.cost[node(step)];
    pending_us_ = 0;
  }

  void set_cost(const HostEvent& step, double us) {
    pending_us_ += us;
    const std::uint32_t at = node(step);
    if (at == kNone) return;
    made_.recorded += dependencies_.cost[at];
    dependencies_.cost[at] = from_us(pending_us_);
    made_.predicted += dependencies_.cost[at];
    pending_us_ = 0;
  }

  /// Overhead between the previous operator and this one, in us. After a pause, at the start of a
  /// thread, and after an event that keeps its recorded time, it is the recorded gap, because no
  /// operator's overhead applies there.
  double gap_before(std::span<const HostEvent> group, const HostEvent* before) {
    const Event& root = profile_.events[group.front().event];
    if (before != nullptr && root.start - profile_.events[before->event].end() < kLongestGap)
      return times_.us(Overhead::between_operators, profile_.name(group.front().event));
    const std::uint32_t at = node(group.front());
    if (at == kNone) return 0;
    const Time end = group.size() > 1 ? profile_.events[group[1].event].start : root.end();
    const Time gap = std::max(Time{}, dependencies_.cost[at] - std::max(Time{}, end - root.start));
    made_.retained += gap;
    made_.recorded -= gap;
    made_.predicted -= gap;
    return static_cast<double>(gap.count()) / 1e6;
  }

  void predict_operator(std::span<const HostEvent> group, const HostEvent* before) {
    const std::string_view of = profile_.name(group.front().event);
    const auto launches = std::count_if(group.begin(), group.end(),
                                        [](const HostEvent& step) { return step.is_launch; });
    const StringId dims = profile_.op(group.front().event).dims;
    double next = gap_before(group, before) +
                  (launches > 0 ? times_.us(Overhead::before_launch, of)
                                : times_.us(Overhead::between_launches, of, profile_.string(dims)));
    std::ptrdiff_t launched = 0;
    for (const HostEvent& step : group) {
      if (!step.is_launch) {
        set_cost(step, next);
        next = 0;
        continue;
      }
      set_cost(step, next + times_.us(Overhead::launch_call, profile_.name(step.event)));
      ++launched;
      next =
          times_.us(launched < launches ? Overhead::between_launches : Overhead::after_launch, of);
    }
    pending_us_ += next;
  }

  static constexpr Time kLongestGap = us(200);  // as for T1
  const Profile& profile_;
  Dependencies& dependencies_;
  const HostOverheadTimes& times_;
  PredictedHost& made_;
  double pending_us_ = 0;  // us; overheads before the next node
};

}  // namespace

namespace {

/// A mean of this many times is used as it is.
constexpr std::uint64_t kEnoughTimes = 4;

/// `mean` of `count` times. If that are few, and fewer than `uses`, it has only its share of the
/// weight, and `general` has the rest.
double weighted(double mean, std::uint64_t count, std::uint64_t uses, double general) {
  constexpr double kLeast = 0.01;  // us; for the logarithm of 0
  const std::uint64_t needed = std::min(uses, kEnoughTimes);
  if (count >= needed || general <= 0) return mean;
  const double weight = static_cast<double>(count) / static_cast<double>(needed);
  return std::exp(weight * std::log(std::max(mean, kLeast)) +
                  (1 - weight) * std::log(std::max(general, kLeast)));
}

}  // namespace

HostOverheadTimes::HostOverheadTimes(std::span<const OverheadRow> rows,
                                     std::span<const OverheadRow> uses) {
  std::map<std::tuple<Overhead, std::string, std::string>, std::uint64_t> counts;
  for (const OverheadRow& row : uses) counts[{row.overhead, row.of, row.size}] += row.count;
  const auto uses_of = [&](const OverheadRow& row) {
    const auto found = counts.find({row.overhead, row.of, row.size});
    return found == counts.end() ? 0 : found->second;
  };
  std::map<Overhead, double> medians;
  for (const OverheadRow& row : rows)
    if (row.of.empty()) {
      times_.try_emplace({row.overhead, "", ""}, row.mean_us);
      medians[row.overhead] = row.median_us;
    }
  for (const OverheadRow& row : rows)
    if (!row.of.empty() && row.size.empty())
      times_.try_emplace({row.overhead, row.of, ""},
                         weighted(row.mean_us, row.count, uses_of(row), medians[row.overhead]));
  for (const OverheadRow& row : rows)
    if (!row.size.empty())
      times_.try_emplace({row.overhead, row.of, row.size},
                         weighted(row.mean_us, row.count, uses_of(row), us(row.overhead, row.of)));
}

double HostOverheadTimes::us(Overhead overhead, std::string_view of, std::string_view size) const {
  for (const auto& [name, shapes] : {std::pair(of, size), std::pair(of, std::string_view()),
                                     std::pair<std::string_view, std::string_view>()}) {
    const auto known = times_.find({overhead, std::string(name), std::string(shapes)});
    if (known != times_.end()) return known->second;
  }
  return 0;
}

PredictedHost predict_host(const Profile& profile, Dependencies& dependencies,
                           const HostOverheadTimes& times) {
  if (dependencies.recorded_cost.empty()) dependencies.recorded_cost = dependencies.cost;
  PredictedHost made;
  const std::vector<EventId> work_of = first_works(profile);
  for (std::uint32_t lane = 0; lane < profile.lanes.size(); ++lane)
    if (!profile.lanes[lane].device)
      HostPredictor(profile, dependencies, times, made)
          .predict_thread(host_events(profile, lane, work_of));
  return made;
}

}  // namespace orrery::profile
