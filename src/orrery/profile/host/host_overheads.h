// SPDX-License-Identifier: Apache-2.0
//
// What a host's framework takes around the kernels that it launches.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/profile/host/host_events.h"
#include "orrery/profile/profile.h"

namespace orrery::profile {

/// Where a host's time goes. Source: Lin et al. (HiPC 2022, TPDS 2024), T1 to T5.
enum class Overhead : std::uint8_t {
  between_operators,  ///< T1: an operator's end to the begin of the next under the same parent
  before_launch,      ///< T2: an operator's begin to that of its first launch
  after_launch,       ///< T3: its last launch's end to its own
  launch_call,        ///< T4: the launch itself, by the runtime's function
  between_launches,   ///< T5: between its launches; or all of it where it launches nothing
};
inline constexpr std::size_t kOverheads = 5;
/// "T1" … "T5"
[[nodiscard]] std::string_view name(Overhead overhead);

/// Three places in a distribution, in microseconds: 10 % are below `least`, 10 % above `most`.
struct TimeSpread {
  std::uint64_t count = 0;
  double least = 0, median = 0, most = 0;
  /// What the median of every second one says of the others': |one / other - 1|; 0 below four.
  double held_back = 0;
};

struct OverheadRow {
  Overhead overhead = Overhead::between_operators;
  std::string of;  ///< an operator (T1: the one that follows), of T4 a function; empty: of all
  std::uint64_t count = 0;       ///< measured
  std::uint64_t dropped = 0;     ///< outliers: outside 1.5 times the quartiles' distance
  std::uint64_t below_zero = 0;  ///< less than the profiler's own time: taken for 0
  double mean_us = 0;
};

/// Gathers recordings of one kind of machine.
///
/// Operators are the outermost ones of each thread. From each time the profiler's own is taken off:
/// kEvent for every operator, annotation, call or frame that begins in it, and from a launch kEvent
/// for itself and kDeviceEvent (Lin's constants, of PyTorch's profiler on V100 hosts). T1 is kept
/// between 2 and 200 us, as recorded. Operators that wait for the device say nothing.
class OverheadBuilder {
 public:
  static constexpr double kEvent = 2, kDeviceEvent = 4;  // us

  /// Adds a rank, indexed and attached. O(events log events).
  void add(const Profile& profile);
  /// Adds what another one measured of operators; not its launches, latencies and gaps.
  void add_operators(const OverheadBuilder& other);

  /// By overhead, then the sum over all, then names.
  [[nodiscard]] std::vector<OverheadRow> rows() const;
  /// As recorded: with the profiler's own time, outliers, and operators that follow within 2 us, so
  /// that a mean times how many there are is what all of them took. In no order.
  [[nodiscard]] std::vector<OverheadRow> recorded_rows() const;
  /// From a launch's begin to the next one's on its thread, where the device waited: both kernels
  /// began within 20 us of their launches, nothing waited in between, and it was no pause of more
  /// than 1 ms. So benchmarks/launch_times.py measures, too.
  [[nodiscard]] TimeSpread launches(LaunchPass pass) const;
  [[nodiscard]] TimeSpread launches() const;  ///< of all passes
  /// From a launch's begin to its kernel's, on a stream that was idle when it was launched.
  [[nodiscard]] TimeSpread latency() const;
  /// From a kernel's end to the begin of the next on its stream that waited in the queue.
  [[nodiscard]] TimeSpread gap() const;
  [[nodiscard]] std::uint64_t operators() const { return operators_; }
  [[nodiscard]] std::uint64_t waiting() const { return waiting_; }  ///< of them: said nothing

 private:
  void add_thread(const Profile& profile, std::uint32_t lane, const std::vector<EventId>& work_of);
  void add_operator(const Profile& profile, const std::vector<HostEvent>& steps, std::size_t first,
                    std::size_t last);
  void add_launches(const Profile& profile, const std::vector<HostEvent>& steps);
  void add_stream(const Profile& profile, std::uint32_t lane);
  struct Values {
    std::vector<double> recorded, own;  // us; without the profiler's own time
  };
  void note(Overhead overhead, std::string_view of, double us, std::optional<double> profiler);

  std::map<std::pair<Overhead, std::string>, Values> times_;
  std::array<std::vector<double>, 3> launches_;
  std::vector<double> latencies_, gaps_;
  std::uint64_t operators_ = 0, waiting_ = 0;
};

/// From the end of each kernel that computes to the begin of the next work on the stream, if that
/// computes, too, and had been launched at least 20 us before: in picoseconds, by time.
[[nodiscard]] std::vector<double> queue_gaps(const Profile& profile, std::uint32_t lane);

}  // namespace orrery::profile
