// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/profile/inspection/inspection.h"

namespace orrery::profile {

enum class DeviceUse : std::uint8_t { compute, comm, copy };

/// Intervals of activity on the device, or on the threads if there is no device work; ascending by
/// start.
class Activity {
 public:
  explicit Activity(const Profile& profile);

  [[nodiscard]] bool on_device() const { return on_device_; }
  [[nodiscard]] Breakdown breakdown(Time from, Time to) const;
  [[nodiscard]] static DeviceUse device_use(const Profile& profile, EventId e);

 private:
  struct ActivityInterval {
    Time start;
    Time end;
    Time launched;  ///< when the launching call began; `start` if unknown
    DeviceUse use;
  };
  void add_device_work(const Profile& profile);
  void add_thread(const Profile& profile, std::uint32_t lane);

  bool on_device_ = false;
  std::vector<ActivityInterval> intervals_;
  std::vector<Time> latest_end_;  ///< running maximum of `end`
};

}  // namespace orrery::profile
