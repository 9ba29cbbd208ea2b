// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "orrery/profile/link/link_internal.h"

namespace orrery::profile {
namespace {

class ThreadPairs {
 public:
  ThreadPairs(const Profile& device, const Profile& host, const Links& links)
      : device_(device), host_(host), links_(links) {}

  std::vector<std::uint32_t> find(const std::vector<std::uint8_t>& linked) {
    count_links();
    count_names(linked);
    std::vector<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>> best;
    for (const auto& [lanes, count] : common_) {
      // A few common names are not sufficient.
      if (count * 4 >= std::min(host_steps_[lanes.first], device_steps_[lanes.second]))
        best.emplace_back(count, lanes.first, lanes.second);
    }
    std::sort(best.begin(), best.end(), [](const auto& a, const auto& b) {
      return std::get<0>(a) != std::get<0>(b) ? std::get<0>(a) > std::get<0>(b) : a < b;
    });
    std::vector<std::uint32_t> out(host_.lanes.size(), kNone);
    std::vector<std::uint8_t> taken(device_.lanes.size(), 0);
    for (const auto& [count, h, d] : best) {
      if (out[h] != kNone || taken[d] != 0) continue;
      out[h] = d;
      taken[d] = 1;
    }
    return out;
  }

 private:
  void count_links() {
    for (std::size_t h = 0; h < host_.events.size(); ++h) {
      if (links_.event[h] == kNoEvent) continue;
      common_[{host_.events[h].lane, device_.events[links_.event[h]].lane}] += 2;
    }
  }

  void count_names(const std::vector<std::uint8_t>& linked) {
    constexpr std::size_t kLanes = 4096;  // a name on more pairs of threads is ignored
    struct PerName {
      std::map<std::uint32_t, std::uint64_t> host, device;
    };
    std::unordered_map<std::uint32_t, PerName> names;
    host_steps_.assign(host_.lanes.size(), 0);
    device_steps_.assign(device_.lanes.size(), 0);
    for (std::size_t e = 0; e < host_.events.size(); ++e) {
      const Event& event = host_.events[e];
      if (!is_linkable(host_, static_cast<EventId>(e)) || links_.event[e] != kNoEvent) continue;
      ++names[static_cast<std::uint32_t>(event.name)].host[event.lane];
      ++host_steps_[event.lane];
    }
    for (std::size_t e = 0; e < device_.events.size(); ++e) {
      const Event& event = device_.events[e];
      if (!is_linkable(device_, static_cast<EventId>(e)) || linked[e] != 0) continue;
      ++device_steps_[event.lane];
      const auto found = names.find(static_cast<std::uint32_t>(event.name));
      if (found != names.end()) ++found->second.device[event.lane];
    }
    for (const auto& [name, per] : names) {
      if (per.host.size() * per.device.size() > kLanes) continue;
      for (const auto& [h, host_count] : per.host) {
        for (const auto& [d, device_count] : per.device)
          common_[{h, d}] += std::min(host_count, device_count);
      }
    }
  }

  const Profile& device_;
  const Profile& host_;
  const Links& links_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> common_;  // (host, device lane)
  std::vector<std::uint64_t> host_steps_, device_steps_;                     // per lane, unlinked
};

}  // namespace

std::vector<std::uint32_t> match_threads(const Profile& device, const Profile& host,
                                         const Links& links,
                                         const std::vector<std::uint8_t>& linked) {
  return ThreadPairs(device, host, links).find(linked);
}

}  // namespace orrery::profile
