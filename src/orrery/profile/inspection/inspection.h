// SPDX-License-Identifier: Apache-2.0
//
// What a recorded rank spent its time on.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "orrery/profile/iterations.h"
#include "orrery/profile/profile.h"

namespace orrery::profile {

/// Where a stretch of time went on the device; without a device, on the host's threads.
/// compute_only + overlapped + comm_only + copy_only + idle = length.
struct Breakdown {
  Time length{};
  Time compute_only{};  ///< kernels run, none of them communicates
  Time overlapped{};    ///< computing and communicating
  Time comm_only{};     ///< communicating, not computing
  Time copy_only{};     ///< copies or memsets, nothing else
  Time idle{};          ///< nothing on any stream
  /// The part of idle in which the work that ends it had not yet been launched: the device waits
  /// for the host.
  Time host_bound{};

  friend bool operator==(const Breakdown&, const Breakdown&) = default;
};

struct NameSummary {
  std::string name;
  Kind kind = Kind::kernel;
  std::uint64_t count = 0;
  Time total{};
  Time longest{};
};

/// The communications of one kind in one group.
struct CommSummary {
  std::string group;  ///< its description, else its name; "" = not said
  CommKind kind = CommKind::unknown;
  std::uint64_t count = 0;
  std::int64_t bytes = 0;           ///< their whole buffers, of those that say them
  std::uint64_t without_bytes = 0;  ///< those that do not
  Time total{};
  Time shortest{};
};

struct IterationBreakdown {
  Iteration iteration;
  Breakdown breakdown;
};

struct Inspection {
  std::array<std::uint64_t, kKinds> events{};  ///< by Kind
  std::uint64_t untimed = 0;
  std::uint32_t threads = 0, streams = 0;
  Time first{};  ///< of the timed events
  Time last{};
  bool on_device = false;  ///< the breakdown is of the device, not of the host
  Breakdown whole;         ///< from first to last
  std::vector<IterationBreakdown> steps;
  std::vector<NameSummary> device;  ///< device work by name, longest total first
  std::vector<NameSummary>
      host;  ///< operators by name and own time (without what runs inside them)
  std::vector<CommSummary> comms;  ///< longest total first
};

/// O(events log events). `profile` is indexed and attached.
[[nodiscard]] Inspection inspect(const Profile& profile);

/// Where the time from `from` to `to` went.
[[nodiscard]] Breakdown breakdown(const Profile& profile, Time from, Time to);

}  // namespace orrery::profile
