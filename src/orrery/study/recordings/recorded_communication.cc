// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/recordings/recorded_communication.h"

#include <algorithm>

namespace orrery::study {

using profile::EventId;
using profile::Profile;

CommunicationTimes::CommunicationTimes(const Profile& profile) {
  std::vector<Interval> all;
  for (EventId e = 0; e < profile.events.size(); ++e) {
    const profile::Event& event = profile.events[e];
    if (event.kind == profile::Kind::kernel && event.timed() &&
        profile::is_comm_kernel(profile.name(e)))
      all.push_back({event.start, event.end()});
  }
  std::sort(all.begin(), all.end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  for (const Interval& one : all) {
    if (!intervals_.empty() && one.begin <= intervals_.back().end) {
      intervals_.back().end = std::max(intervals_.back().end, one.end);
    } else {
      intervals_.push_back(one);
    }
  }
}

Time CommunicationTimes::within(Time begin, Time end) const {
  auto at = std::lower_bound(intervals_.begin(), intervals_.end(), begin,
                             [](const Interval& one, Time time) { return one.end <= time; });
  Time sum{};
  for (; at != intervals_.end() && at->begin < end; ++at)
    sum += std::min(at->end, end) - std::max(at->begin, begin);
  return sum;
}

std::string_view driver_name(const Profile& profile, std::uint32_t lane) {
  for (const profile::Device& device : profile.devices)
    if (device.id == profile.lanes[lane].process) return device.name;
  return profile.devices.empty() ? std::string_view() : profile.devices.front().name;
}

}  // namespace orrery::study
