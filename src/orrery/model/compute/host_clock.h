// SPDX-License-Identifier: Apache-2.0
//
// A host that launches kernels one after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace orrery::model {

/// Kernels that are launched in a row and share a time evenly. Times are picoseconds.
struct Launches {
  std::int64_t each = 0;   ///< of the host; above 0
  std::int64_t count = 1;  ///< of them
  std::int64_t share = 0;  ///< how long one of them runs
  std::int64_t least = 0;  ///< no launch of this host takes less; above 0
  std::int64_t ahead = 0;  ///< a host can be ahead by so many launches; above 0
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
  struct Begun {
    std::int64_t first = 0, count = 0;  ///< by number of launch
    std::int64_t begin = 0, share = 0;
  };
  [[nodiscard]] bool remembers_alike(const HostClock& before, std::int64_t step) const;
  void remember(const Begun& kernels);
  void forget(std::int64_t before);

  std::int64_t issued_ = 0;
  std::uint64_t waits_ = 0;
  std::int64_t made_ = 0;         // launches
  std::int64_t last_ = 0;         // when the last of them begins
  std::int64_t room_ = 0;         // how far it may be ahead and need not be remembered
  std::uint64_t remembered_ = 0;  // so many times
  std::vector<Begun> begun_;      // in order
  std::size_t gone_ = 0;          // of them: nobody waits for these any more
};

}  // namespace orrery::model
