// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/convert/recorded_ranges.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "orrery/profile/comm_names.h"
#include "orrery/profile/scopes/scopes.h"
#include "orrery/trace/operators/gradients.h"

namespace orrery::intake {

namespace {

using graph::HostRanges;
using graph::RangePart;
using profile::EventId;

/// The time of one node on its thread.
struct Segment {
  Time from{}, to{};
  std::uint64_t node = 0;
};

class RangeFinder {
 public:
  RangeFinder(const profile::Profile& profile, const profile::Dependencies& dependencies)
      : profile_(profile) {
    segments_.resize(profile.lanes.size());
    for (std::uint32_t n = 0; n < dependencies.nodes.size(); ++n) {
      const profile::Event& event = profile.events[dependencies.nodes[n]];
      const Time cost = dependencies.cost[n];
      if (!profile::is_host(event.kind) || !event.timed() || cost <= Time{}) continue;
      const Time end = dependencies.end[n];
      segments_[event.lane].push_back({end - cost, end, std::uint64_t{n} + 1});
    }
  }

  std::shared_ptr<const HostRanges> find() {
    for (std::uint32_t lane = 0; lane < profile_.lanes.size(); ++lane)
      if (!segments_[lane].empty()) add_thread(lane);
    if (made_.parts.empty()) return nullptr;
    std::sort(made_.parts.begin(), made_.parts.end(), [](const auto& a, const auto& b) {
      return std::tie(a.node, a.from, a.to, a.name) < std::tie(b.node, b.from, b.to, b.name);
    });
    return std::make_shared<const HostRanges>(std::move(made_));
  }

 private:
  [[nodiscard]] bool is_range(const profile::Event& event) const {
    const std::string_view name = profile_.string(event.name);
    return profile::is_range_name(event.kind, name) && !profile::is_library_range(name) &&
           !trace::operators::is_autograd_node(name);
  }

  /// Ranges nest, so those that reach into a segment are few.
  void add_thread(std::uint32_t lane) {
    std::vector<Segment>& segments = segments_[lane];
    std::sort(segments.begin(), segments.end(), [](const Segment& a, const Segment& b) {
      return std::tie(a.from, a.node) < std::tie(b.from, b.node);
    });
    std::vector<EventId> open;
    const auto events = profile_.in_order(lane);
    auto next = events.begin();
    for (const Segment& segment : segments) {
      for (; next != events.end() && profile_.events[*next].start < segment.to; ++next) {
        const profile::Event& event = profile_.events[*next];
        if (event.timed() && is_range(event)) open.push_back(*next);
      }
      std::erase_if(open, [&](EventId e) { return profile_.events[e].end() <= segment.from; });
      for (const EventId e : open) add_part(segment, profile_.events[e]);
    }
  }

  void add_part(const Segment& segment, const profile::Event& range) {
    const Time from = std::max(range.start, segment.from);
    const Time to = std::min(range.end(), segment.to);
    if (to <= from) return;
    const auto [known, added] =
        names_.try_emplace(range.name, static_cast<std::uint32_t>(made_.names.size()));
    if (added) made_.names.emplace_back(profile_.string(range.name));
    made_.parts.push_back({segment.node, known->second, from - segment.from, to - segment.from,
                           segment.to - segment.from});
  }

  const profile::Profile& profile_;
  std::vector<std::vector<Segment>> segments_;  // by lane
  std::map<StringId, std::uint32_t> names_;
  HostRanges made_;
};

}  // namespace

std::shared_ptr<const HostRanges> recorded_ranges(const profile::Profile& profile,
                                                  const profile::Dependencies& dependencies) {
  return RangeFinder(profile, dependencies).find();
}

}  // namespace orrery::intake
