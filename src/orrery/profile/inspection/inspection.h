// SPDX-License-Identifier: Apache-2.0
//
// A summary of a recorded rank: where its time went, by name and by communication.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "orrery/profile/iterations.h"
#include "orrery/profile/profile.h"

namespace orrery::profile {

/// A breakdown of a time span on the device; without device work, on the host's threads.
/// compute_only + overlapped + comm_only + copy_only + idle = length.
struct Breakdown {
  Time length{};
  Time compute_only{};  ///< compute kernels run, but no communication
  Time overlapped{};    ///< compute and communication kernels run
  Time comm_only{};     ///< communication kernels run, but no compute
  Time copy_only{};     ///< only copies or memsets run
  Time idle{};          ///< no stream runs work
  /// The part of `idle` before the launch of the work that ends it: the device waits for the host.
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
  std::string group;  ///< description of the group, else its name; "": not recorded
  CommKind kind = CommKind::unknown;
  std::uint64_t count = 0;
  std::int64_t bytes = 0;           ///< total size of their complete buffers, if known
  std::uint64_t without_bytes = 0;  ///< communications of unknown size
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
  /// From the first to the last event that does something, as in a replay (recorded_extent): Python
  /// frames and calls that neither launch nor wait do not count.
  Time first{}, last{};
  bool on_device = false;                 ///< the breakdown is of the device, otherwise of the host
  Breakdown whole;                        ///< from first to last
  std::vector<IterationBreakdown> steps;  ///< without unrecorded_iterations()
  std::vector<NameSummary> device;        ///< device work by name; by total time, descending
  std::vector<NameSummary> host;  ///< operators by name; own time (without children), descending
  /// Device work by the name of the operator that launched it; "" for none. By total time,
  /// descending.
  std::vector<NameSummary> launched;
  std::vector<CommSummary> comms;  ///< by total time, descending
};

/// O(events log events). `profile` is indexed and attached.
[[nodiscard]] Inspection inspect(const Profile& profile);

/// The breakdown of the time between `from` and `to`.
[[nodiscard]] Breakdown breakdown(const Profile& profile, Time from, Time to);

}  // namespace orrery::profile
