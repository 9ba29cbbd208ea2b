// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/host/host_overheads.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "orrery/core/statistics/statistics.h"

namespace orrery::profile {
namespace {

constexpr double kShortestGap = 2, kLongestGap = 200;  // us; limits of T1
constexpr double kQueueEmpty = 20;                     // us; maximum from a launch to its kernel
constexpr double kPause = 1000;                        // us
constexpr Time kQueuedBefore = Time(20'000'000);

double to_us(Time time) { return static_cast<double>(time.count()) / 1e6; }

double median_of_every_second(const std::vector<double>& values, std::size_t first) {
  std::vector<double> half;
  for (std::size_t i = first; i < values.size(); i += 2) half.push_back(values[i]);
  std::sort(half.begin(), half.end());
  return quantile_interpolated_of_sorted(half, 0.5);
}

TimeSpread spread_of_times(std::vector<double> values) {
  TimeSpread made;
  made.count = values.size();
  const double even = median_of_every_second(values, 0), odd = median_of_every_second(values, 1);
  if (values.size() >= 4 && odd > 0) made.holdout_error = std::abs(even / odd - 1);
  std::sort(values.begin(), values.end());
  made.p10 = quantile_interpolated_of_sorted(values, 0.1);
  made.median = quantile_interpolated_of_sorted(values, 0.5);
  made.p90 = quantile_interpolated_of_sorted(values, 0.9);
  return made;
}

OverheadRow row_of(Overhead overhead, std::string of, std::vector<double> values) {
  OverheadRow row{overhead, std::move(of), values.size(), 0, 0, 0};
  std::sort(values.begin(), values.end());
  const double low = quantile_interpolated_of_sorted(values, 0.25),
               high = quantile_interpolated_of_sorted(values, 0.75);
  const double reach = 1.5 * (high - low);
  double sum = 0;
  for (const double us : values) {
    if (us < low - reach || us > high + reach) {
      ++row.dropped;
      continue;
    }
    row.below_zero += us < 0 ? 1 : 0;
    sum += std::max(us, 0.0);
  }
  const std::uint64_t retained = row.count - row.dropped;
  row.mean_us = retained > 0 ? sum / static_cast<double>(retained) : 0;
  return row;
}

}  // namespace

std::string_view name(Overhead overhead) {
  constexpr std::array<std::string_view, kOverheads> kNames = {"T1", "T2", "T3", "T4", "T5"};
  return kNames[static_cast<std::size_t>(overhead)];
}

void OverheadBuilder::add_time(Overhead overhead, std::string_view of, double us,
                               std::optional<double> profiler) {
  Values& values = times_[{overhead, std::string(of)}];
  values.recorded.push_back(us);
  if (profiler) values.own.push_back(us - *profiler);
}

void OverheadBuilder::add(const Profile& profile) {
  const std::vector<EventId> work_of = first_works(profile);
  for (std::uint32_t lane = 0; lane < profile.lanes.size(); ++lane)
    if (profile.lanes[lane].device) add_stream(profile, lane);
  for (std::uint32_t lane = 0; lane < profile.lanes.size(); ++lane)
    if (!profile.lanes[lane].device) add_thread(profile, lane, work_of);
}

void OverheadBuilder::add_operators(const OverheadBuilder& other) {
  for (const auto& [key, values] : other.times_) {
    Values& all = times_[key];
    all.recorded.insert(all.recorded.end(), values.recorded.begin(), values.recorded.end());
    all.own.insert(all.own.end(), values.own.begin(), values.own.end());
  }
  for (const auto& [key, values] : other.sized_) {
    std::vector<double>& all = sized_[key];
    all.insert(all.end(), values.begin(), values.end());
  }
  operators_ += other.operators_;
  waiting_ += other.waiting_;
}

void OverheadBuilder::add_thread(const Profile& profile, std::uint32_t lane,
                                 const std::vector<EventId>& work_of) {
  const std::vector<HostEvent> steps = host_events(profile, lane, work_of);
  std::size_t before = steps.size();  // index of the previous operator
  std::size_t between = 0;            // number of events since its end
  for (std::size_t i = 0; i < steps.size();) {
    if (steps[i].root == kNoEvent) {
      before = steps[i].is_wait || steps[i].is_launch ? steps.size() : before;
      ++between;
      ++i;
      continue;
    }
    std::size_t last = i + 1;
    while (last < steps.size() && steps[last].root == steps[i].root) ++last;
    if (before < steps.size() && steps[before].annotation == steps[i].annotation) {
      const double gap =
          to_us(profile.events[steps[i].event].start - profile.events[steps[before].event].end());
      if (gap < kLongestGap)
        add_time(Overhead::between_operators, profile.name(steps[i].event), gap,
                 gap > kShortestGap ? std::optional(kEvent * static_cast<double>(between))
                                    : std::nullopt);
    }
    add_operator(profile, steps, i, last);
    before = i;
    between = 0;
    i = last;
  }
  add_launches(profile, steps);
}

void OverheadBuilder::add_operator(const Profile& profile, const std::vector<HostEvent>& steps,
                                   std::size_t first, std::size_t last) {
  ++operators_;
  const Event& root = profile.events[steps[first].event];
  const std::string_view of = profile.name(steps[first].event);
  const auto waited = [](const HostEvent& step) { return step.is_wait; };
  const auto begin = steps.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = steps.begin() + static_cast<std::ptrdiff_t>(last);
  if (std::any_of(begin, end, waited)) {
    ++waiting_;
    return;
  }
  Time from = root.start;
  double nested = 0;  // number of events that began since `from`
  bool launched = false;
  for (auto step = begin + 1; step != end; ++step) {
    if (!step->is_launch) {
      ++nested;
      continue;
    }
    const Event& call = profile.events[step->event];
    add_time(launched ? Overhead::between_launches : Overhead::before_launch, of,
             to_us(call.start - from), kEvent * nested);
    add_time(Overhead::launch_call, profile.name(step->event), to_us(call.duration),
             kEvent + kDeviceEvent);
    launched = true;
    from = call.end();
    nested = 0;
  }
  add_time(launched ? Overhead::after_launch : Overhead::between_launches, of,
           to_us(root.end() - from), kEvent * nested);
  if (!launched)
    sized_[{std::string(of), std::string(profile.string(profile.op(steps[first].event).dims))}]
        .push_back(to_us(root.end() - from));
}

void OverheadBuilder::add_launches(const Profile& profile, const std::vector<HostEvent>& steps) {
  const HostEvent* before = nullptr;
  const auto at_once = [&](const HostEvent& step) {
    return to_us(step.kernel_start - profile.events[step.event].start) <= kQueueEmpty;
  };
  for (const HostEvent& step : steps) {
    if (step.is_wait) before = nullptr;
    if (!step.is_kernel_launch) continue;
    const HostEvent* const last = std::exchange(before, &step);
    if (last == nullptr || !at_once(*last) || !at_once(step)) continue;
    const double us = to_us(profile.events[step.event].start - profile.events[last->event].start);
    if (us > kPause) continue;
    const LaunchPass pass = last->pass == step.pass ? step.pass : LaunchPass::forward;
    launches_[static_cast<std::size_t>(pass)].push_back(us);
  }
}

void OverheadBuilder::add_stream(const Profile& profile, std::uint32_t lane) {
  for (const double gap : queue_gaps(profile, lane)) gaps_.push_back(gap / 1e6);
  Time free = Time(std::int64_t{-1} << 62);
  for (const EventId e : profile.in_order(lane)) {
    const Event& event = profile.events[e];
    if (!is_device_work(event.kind) || !event.timed()) continue;
    const EventId call = profile.work(e).call;
    const bool idle = call != kNoEvent && free <= profile.events[call].start;
    if (idle && event.kind == Kind::kernel && profile.graph_node(event.detail) == nullptr &&
        event.start >= profile.events[call].start)
      latencies_.push_back(to_us(event.start - profile.events[call].start));
    free = std::max(free, event.end());
  }
}

std::vector<OverheadRow> OverheadBuilder::rows() const {
  std::vector<OverheadRow> rows;
  for (std::size_t kind = 0; kind < kOverheads; ++kind) {
    const auto overhead = static_cast<Overhead>(kind);
    std::vector<OverheadRow> named;
    std::vector<double> all;
    for (const auto& [key, values] : times_) {
      if (key.first != overhead || values.own.empty()) continue;
      named.push_back(row_of(overhead, key.second, values.own));
      all.insert(all.end(), values.own.begin(), values.own.end());
    }
    if (all.empty()) continue;
    rows.push_back(row_of(overhead, "", std::move(all)));
    rows.insert(rows.end(), named.begin(), named.end());
  }
  return rows;
}

std::vector<OverheadRow> OverheadBuilder::recorded_rows() const {
  std::vector<OverheadRow> rows;
  std::array<OverheadRow, kOverheads> all;
  std::array<std::vector<double>, kOverheads> values_of_all;
  for (const auto& [key, values] : times_) {
    OverheadRow row{key.first, key.second, values.recorded.size(), 0, 0, 0};
    for (const double us : values.recorded) row.mean_us += us;
    std::vector<double>& together = values_of_all[static_cast<std::size_t>(key.first)];
    together.insert(together.end(), values.recorded.begin(), values.recorded.end());
    OverheadRow& sum = all[static_cast<std::size_t>(key.first)];
    sum.overhead = key.first;
    sum.count += row.count;
    sum.mean_us += row.mean_us;
    row.mean_us /= static_cast<double>(row.count);
    rows.push_back(row);
  }
  for (OverheadRow& row : all) {
    if (row.count == 0) continue;
    row.mean_us /= static_cast<double>(row.count);
    std::vector<double>& together = values_of_all[static_cast<std::size_t>(row.overhead)];
    std::sort(together.begin(), together.end());
    row.median_us = quantile_interpolated_of_sorted(together, 0.5);
    rows.push_back(row);
  }
  for (const auto& [key, values] : sized_) {
    OverheadRow row{Overhead::between_launches, key.first, values.size(), 0, 0, 0};
    for (const double us : values) row.mean_us += us;
    row.mean_us /= static_cast<double>(row.count);
    row.size = key.second;
    if (!row.size.empty()) rows.push_back(std::move(row));
  }
  return rows;
}

TimeSpread OverheadBuilder::launches(LaunchPass pass) const {
  return spread_of_times(launches_[static_cast<std::size_t>(pass)]);
}

TimeSpread OverheadBuilder::launches() const {
  std::vector<double> all;
  for (const auto& of_pass : launches_) all.insert(all.end(), of_pass.begin(), of_pass.end());
  return spread_of_times(std::move(all));
}

TimeSpread OverheadBuilder::latency() const { return spread_of_times(latencies_); }

TimeSpread OverheadBuilder::gap() const { return spread_of_times(gaps_); }

std::vector<double> queue_gaps(const Profile& profile, std::uint32_t lane) {
  std::vector<double> gaps;
  const Event* before = nullptr;  // the previous work on this stream, if it is a compute kernel
  for (const EventId e : profile.in_order(lane)) {
    const Event& event = profile.events[e];
    if (!is_device_work(event.kind)) continue;
    const bool computes =
        event.kind == Kind::kernel && event.timed() && !is_comm_kernel(profile.name(e));
    const Event* const last = std::exchange(before, computes ? &event : nullptr);
    if (!computes) continue;
    const EventId call = profile.work(e).call;
    if (last != nullptr && call != kNoEvent && event.start >= last->end() &&
        profile.events[call].end() + kQueuedBefore <= last->end())
      gaps.push_back(static_cast<double>((event.start - last->end()).count()));
  }
  return gaps;
}

}  // namespace orrery::profile
