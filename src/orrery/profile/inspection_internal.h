// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/profile/inspection.h"

namespace orrery::profile {

enum class Use : std::uint8_t { compute, comm, copy };

/// What was going on, by start: on the device, or on the threads where there is no device.
class Activity {
 public:
  explicit Activity(const Profile& profile);

  [[nodiscard]] bool on_device() const { return on_device_; }
  [[nodiscard]] Breakdown breakdown(Time from, Time to) const;
  [[nodiscard]] static Use use_of(const Profile& profile, EventId e);

 private:
  struct Stretch {
    Time start;
    Time end;
    Time launched;  ///< when its launching call began; its start when that is not known
    Use use;
  };
  void add_device_work(const Profile& profile);
  void add_thread(const Profile& profile, std::uint32_t lane);

  bool on_device_ = false;
  std::vector<Stretch> stretches_;
  std::vector<Time> latest_end_;  ///< of this and all before
};

}  // namespace orrery::profile
