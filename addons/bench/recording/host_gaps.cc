// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/recording/host_gaps.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>

#include "orrery/core/statistics/statistics.h"
#include "orrery/profile/host/host_overheads.h"

namespace orrery::bench {
namespace {

using profile::EventId;
using profile::kNoEvent;

constexpr std::string_view kEngine = "autograd::engine::evaluate_function: ";
constexpr std::int64_t kMicrosecond = 1'000'000;

/// Profilers before PyTorch 2.1 truncate begins and durations to microseconds: on average, an end
/// is a microsecond early, and a begin half a microsecond.
Time truncation(Time end, Time begin) {
  const bool whole = end.count() % kMicrosecond == 0 && begin.count() % kMicrosecond == 0;
  return Time{whole ? kMicrosecond / 2 : 0};
}

/// The mean without the largest tenth. Sorts `times`.
Time trimmed_mean(std::vector<Time>& times) {
  std::sort(times.begin(), times.end());
  const auto most = std::max<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(times.size()) * 9 / 10, 1);
  return Time{std::accumulate(times.begin(), times.begin() + most, Time{}).count() / most};
}

}  // namespace

HostGaps::HostGaps(const profile::Profile& profile) : profile_(profile), repeats_(profile) {
  const std::vector<EventId> none(profile.lanes.size(), kNoEvent);
  for (std::size_t step = 0; step < repeats_.size(); ++step)
    walks_.push_back({none, repeats_.begin(step), {}, false, {}});
  find_places();
  estimate_profiler_overhead();
  find_ends();
}

void HostGaps::find_places() {
  places_.resize(profile_.events.size());
  for (std::uint32_t lane = 0; lane < profile_.lanes.size(); ++lane) {
    if (profile_.lanes[lane].device) continue;
    const auto order = profile_.in_order(lane);
    std::uint32_t at = 0;
    for (const EventId e : order) {
      const profile::Event& event = profile_.events[e];
      const std::uint32_t counts = event.timed() ? 1 : 0;
      const std::uint32_t depth =
          event.parent == kNoEvent ? 0 : places_[event.parent].depth + counts;
      places_[e] = {at, counts, depth};
      at += counts;
    }
    for (auto e = order.rbegin(); e != order.rend(); ++e) {
      const EventId parent = profile_.events[*e].parent;
      if (parent != kNoEvent) places_[parent].size += places_[*e].size;
    }
  }
}

/// If `inner` is the only event in its parent, the kind of the pair: two names, or the range of the
/// autograd engine and its operator.
std::optional<HostGaps::Pair> HostGaps::single_child(EventId inner) const {
  const profile::Event& event = profile_.events[inner];
  const EventId outer = event.parent;
  if (!event.timed() || outer == kNoEvent || !profile_.events[outer].timed()) return std::nullopt;
  if (places_[outer].size != places_[inner].size + 1) return std::nullopt;
  const std::string_view name = profile_.name(outer);
  if (name.starts_with(kEngine) && name.substr(kEngine.size()) == profile_.name(inner))
    return Pair{StringId::empty, StringId::empty};
  // Other pairs must be known from the execution trace: other times may be rounded.
  if (profile_.node(outer) == nullptr || profile_.node(inner) == nullptr) return std::nullopt;
  return Pair{profile_.events[outer].name, event.name};
}

void HostGaps::estimate_profiler_overhead() {
  constexpr std::size_t kFew = 20;
  std::map<Pair, std::vector<Time>> by_pair;
  for (EventId e = 0; e < profile_.events.size(); ++e) {
    const auto pair = single_child(e);
    if (!pair) continue;
    const EventId around = profile_.events[e].parent;
    std::vector<Time>& times = by_pair[*pair];
    for (std::size_t step = 0; step < repeats_.size(); ++step) {
      const EventId outer = repeats_.counterpart(step, around),
                    inner = repeats_.counterpart(step, e);
      if (outer != kNoEvent && inner != kNoEvent)
        times.push_back(profile_.events[outer].duration - profile_.events[inner].duration);
    }
  }
  // Lin et al. (TPDS 2024): 2 us per event on hosts with V100
  Time least{static_cast<std::int64_t>(profile::OverheadBuilder::kEvent * 1e6)};
  bool any = false;
  for (auto& [pair, times] : by_pair) {
    const bool engine = pair == Pair{StringId::empty, StringId::empty};
    if (times.empty() || (!engine && times.size() < kFew)) continue;
    least = std::min(least, trimmed_mean(times));
    any = true;
  }
  profiler_overhead_ = any ? std::max(least, Time{}) : Time{};
}

void HostGaps::find_ends() {
  for (EventId e = 0; e < profile_.events.size(); ++e) {
    const profile::Event& event = profile_.events[e];
    if (!event.timed() || !profile::is_host(event.kind) || !profile_.name(e).starts_with("gloo:"))
      continue;
    ends_.emplace_back(event.end(), event.lane);
  }
  std::sort(ends_.begin(), ends_.end());
}

/// The number of begins and ends of events on the thread since the last operator there. The
/// difference in depth is begins minus ends.
std::int64_t HostGaps::stamps_before(const Walk& walk, EventId event) const {
  const EventId last = walk.last[profile_.events[event].lane];
  if (last == kNoEvent) return 0;
  const Place &from = places_[last], &to = places_[event];
  const std::int64_t begins = std::int64_t{to.at} - from.at - from.size;
  if (begins < 0) return 0;
  return std::max<std::int64_t>(2 * begins - (std::int64_t{to.depth} - from.depth), 0);
}

void HostGaps::visit(EventId event) {
  if (!profile_.events[event].timed()) return;
  for (std::size_t step = 0; step < walks_.size(); ++step)
    visit(walks_[step], repeats_.counterpart(step, event));
}

void HostGaps::visit(Walk& walk, EventId event) const {
  if (event == kNoEvent) {
    walk.lost = true;
    walk.host = Time{};
    return;
  }
  walk.lost = walk.lost || walk.host == Time{};
  const profile::Event& recorded = profile_.events[event];
  if (walk.host != Time{} && recorded.start > walk.host) {
    const auto after =
        std::upper_bound(ends_.begin(), ends_.end(), std::pair{recorded.start, ~std::uint32_t{0}});
    for (auto end = after; end != ends_.begin() && (--end)->first > walk.host;) {
      if (end->second == recorded.lane) continue;
      walk.host = end->first;
      break;
    }
    walk.remaining += recorded.start - walk.host - truncation(walk.host, recorded.start);
    walk.remaining -= Time{profiler_overhead_.count() * (stamps_before(walk, event) + 1) / 2};
  }
  move_to_end(walk, event);
}

void HostGaps::skip(EventId event) {
  if (!profile_.events[event].timed()) return;
  for (std::size_t step = 0; step < walks_.size(); ++step)
    if (walks_[step].host != Time{}) move_to_end(walks_[step], repeats_.counterpart(step, event));
}

void HostGaps::move_to_end(Walk& walk, EventId event) const {
  if (event == kNoEvent) {
    walk.host = Time{};
    return;
  }
  const profile::Event& recorded = profile_.events[event];
  walk.host = std::max(walk.host, recorded.end());
  EventId& last = walk.last[recorded.lane];
  if (last == kNoEvent || recorded.end() >= profile_.events[last].end()) last = event;
}

Time HostGaps::take() {
  std::vector<Time> taken;
  std::vector<Walk*> lost;
  for (Walk& walk : walks_) {
    const Time some = std::max(walk.remaining, Time{});
    walk.remaining -= some;
    if (std::exchange(walk.lost, false)) {
      lost.push_back(&walk);
    } else {
      taken.push_back(some);
      walk.all += some;
    }
  }
  if (taken.empty()) return Time{};
  const Time gap = median(std::move(taken));
  for (Walk* walk : lost) walk->all += gap;
  taken_ += gap;
  return gap;
}

double HostGaps::total_ratio() const {
  std::vector<Time> all;
  for (const Walk& walk : walks_) all.push_back(walk.all);
  if (all.size() == 1 || taken_ <= Time{}) return 1;
  return std::max(1.0, static_cast<double>(median(std::move(all)).count()) /
                           static_cast<double>(taken_.count()));
}

}  // namespace orrery::bench
