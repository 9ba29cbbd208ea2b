// SPDX-License-Identifier: Apache-2.0
//
// A host that launches kernels one after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

namespace orrery::model {

/// Kernels that are launched one after another and have equal durations. Times are picoseconds.
struct Launches {
  std::int64_t each = 0;   ///< time of one launch on the host; above 0
  std::int64_t count = 1;  ///< number of kernels
  std::int64_t share = 0;  ///< duration of one kernel
  std::int64_t least = 0;  ///< minimum time of all launches of this host; above 0
  std::int64_t ahead = 0;  ///< maximum number of waiting launches; above 0, constant for a host
};

/// The progress of a host. It launches kernels in the order in which its device runs them, and runs
/// ahead of the device. If `ahead` launches wait, it starts the next launch when the kernel that is
/// `ahead` launches before it begins. The clock stores the begins of at most `ahead` kernels, and
/// only of those that can make the host wait. A kernel cannot if it begins so soon after its launch
/// that the host could not launch `ahead` kernels in between.
class HostClock {
 public:
  HostClock() = default;
  /// A host that begins at `start`.
  explicit HostClock(std::int64_t start) : issued_(start) {}

  /// Launches kernels that the device could begin at `ready`, and returns when the device begins
  /// the first of them. From then on, they run without a pause, and none begins before its launch
  /// ends.
  std::int64_t launch(const Launches& what, std::int64_t ready);

  /// The host requests a result of the device, which is there at `time`: it launches nothing
  /// before.
  void wait_until(std::int64_t time);

  /// The end of the last launch.
  [[nodiscard]] std::int64_t issued() const { return issued_; }
  /// Number of times that the device has waited for the host, or the host for a result.
  [[nodiscard]] std::uint64_t waits() const { return waits_; }

  /// Whether, if the launches since `before` repeat `step` later, the device begins all of their
  /// kernels exactly `step` later.
  [[nodiscard]] bool repeats(const HostClock& before, std::int64_t step) const;
  /// Number of further repetitions for which repeats() certainly holds: until the host is so far
  /// ahead that it waits.
  [[nodiscard]] std::int64_t repetitions(const HostClock& before, std::int64_t step) const;
  /// Applies the launches since `before` `times` more times, each `step` later.
  void skip(const HostClock& before, std::int64_t step, std::int64_t times);

  /// Its state, for checkpoints.
  static auto fields(auto& self) {
    auto& [issued, waits, launches, last_begin, max_lag, stores, stored, next, begins] = self;
    return std::tie(issued, waits, launches, last_begin, max_lag, stores, stored, next, begins);
  }

 private:
  static constexpr std::int64_t kNotStored = std::numeric_limits<std::int64_t>::min();
  [[nodiscard]] std::size_t slot_of(std::int64_t launch) const;
  [[nodiscard]] bool has_same_queue(const HostClock& before, std::int64_t step) const;
  void apply_launch_limit(const Launches& what, std::int64_t& begin, std::int64_t& issued) const;
  void store_begins(const Launches& what, std::int64_t begin, bool all);

  std::int64_t issued_ = 0;
  std::uint64_t waits_ = 0;
  std::int64_t launches_ = 0;    // number of launches
  std::int64_t last_begin_ = 0;  // begin of the last kernel
  std::int64_t max_lag_ = 0;     // time from launch to begin up to which a kernel is not stored
  std::uint64_t stores_ = 0;     // number of calls that stored kernels
  std::int64_t stored_ = 0;      // number of stored kernels
  std::size_t next_ = 0;         // index in begins_ of the next launch
  /// Begins of the last `ahead` kernels, in a ring buffer. The place of the next launch contains
  /// the begin that this launch waits for. Empty: no kernel is stored.
  std::vector<std::int64_t> begins_;
};

}  // namespace orrery::model
