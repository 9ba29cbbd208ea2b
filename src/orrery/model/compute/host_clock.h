// SPDX-License-Identifier: Apache-2.0
//
// A host that launches kernels one after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace orrery::model {

/// Kernels that are launched in a row and share a time evenly. Times are picoseconds.
struct Launches {
  std::int64_t each = 0;   ///< of the host; above 0
  std::int64_t count = 1;  ///< of them
  std::int64_t share = 0;  ///< how long one of them runs
  std::int64_t least = 0;  ///< no launch of this host takes less; above 0
  std::int64_t ahead = 0;  ///< a host can be ahead by so many launches; above 0, always the same
};

/// How far a host has come. It launches kernels in the order in which its device takes them, and
/// runs ahead of it until `ahead` launches wait: then the next one is begun when the kernel begins
/// that is so many launches before it. Kernels that cannot make it wait, since the host was nearer
/// to them than it takes to launch so many, are not remembered; the others are, up to `ahead`.
class HostClock {
 public:
  HostClock() = default;
  /// It begins then.
  explicit HostClock(std::int64_t start) : issued_(start) {}

  /// Launches kernels that the device could begin at `ready`. When it begins them, so that none of
  /// them, the ones before it having run without a pause, begins before it has been launched.
  std::int64_t launch(const Launches& what, std::int64_t ready);

  /// When it has launched, or will have, all that was to be.
  [[nodiscard]] std::int64_t issued() const { return issued_; }
  /// How often the device has waited for it.
  [[nodiscard]] std::uint64_t waits() const { return waits_; }

  /// Whether the device, if it does what it did since `before` again, `step` later, begins all of
  /// it that much later, too.
  [[nodiscard]] bool repeats(const HostClock& before, std::int64_t step) const;
  /// How often more, at most, that is certain to hold: until the host is so far ahead that it
  /// waits.
  [[nodiscard]] std::int64_t repetitions(const HostClock& before, std::int64_t step) const;
  /// All that was launched since `before` so many times more, each `step` later.
  void skip(const HostClock& before, std::int64_t step, std::int64_t times);

 private:
  static constexpr std::int64_t kForgotten = std::numeric_limits<std::int64_t>::min();
  [[nodiscard]] std::size_t place_of(std::int64_t launch) const;
  [[nodiscard]] bool remembers_same(const HostClock& before, std::int64_t step) const;
  void hold_back(const Launches& what, std::int64_t& begin, std::int64_t& issued) const;
  void remember(const Launches& what, std::int64_t begin, bool all);

  std::int64_t issued_ = 0;
  std::uint64_t waits_ = 0;
  std::int64_t made_ = 0;         // launches
  std::int64_t last_ = 0;         // when the last of them begins
  std::int64_t room_ = 0;         // how far it may be ahead and need not be remembered
  std::uint64_t remembered_ = 0;  // calls
  std::int64_t waiting_for_ = 0;  // kernels that are remembered
  std::size_t next_ = 0;          // in begun_
  /// When the last kernels began, so many as the host is ahead by, in a ring: in the place of the
  /// next launch is the one that it waits for. Empty: none is remembered.
  std::vector<std::int64_t> begun_;
};

}  // namespace orrery::model
