// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/recorded_device.h"

#include <algorithm>

namespace orrery::study {

using profile::EventId;
using profile::Profile;

CommunicationTimes::CommunicationTimes(const Profile& profile) {
  std::vector<Stretch> all;
  for (EventId e = 0; e < profile.events.size(); ++e) {
    const profile::Event& event = profile.events[e];
    if (event.kind == profile::Kind::kernel && event.timed() &&
        profile::is_comm_kernel(profile.name(e)))
      all.push_back({event.start, event.end()});
  }
  std::sort(all.begin(), all.end(),
            [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
  for (const Stretch& one : all) {
    if (!stretches_.empty() && one.begin <= stretches_.back().end) {
      stretches_.back().end = std::max(stretches_.back().end, one.end);
    } else {
      stretches_.push_back(one);
    }
  }
}

Time CommunicationTimes::within(Time begin, Time end) const {
  auto at = std::lower_bound(stretches_.begin(), stretches_.end(), begin,
                             [](const Stretch& one, Time time) { return one.end <= time; });
  Time sum{};
  for (; at != stretches_.end() && at->begin < end; ++at)
    sum += std::min(at->end, end) - std::max(at->begin, begin);
  return sum;
}

std::string_view driver_name(const Profile& profile, std::uint32_t lane) {
  for (const profile::Device& device : profile.devices)
    if (device.id == profile.lanes[lane].process) return device.name;
  return profile.devices.empty() ? std::string_view() : profile.devices.front().name;
}

}  // namespace orrery::study
