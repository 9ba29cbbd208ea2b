// SPDX-License-Identifier: Apache-2.0
//
// Host overheads: the time that the framework spends around the kernels that it launches.
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

/// Components of host time. Source: Lin et al. (HiPC 2022, TPDS 2024), T1 to T5.
enum class Overhead : std::uint8_t {
  between_operators,  ///< T1: from the end of an operator to the begin of the next under the same
                      ///< parent
  before_launch,      ///< T2: from the begin of an operator to the begin of its first launch
  after_launch,       ///< T3: from the end of its last launch to its end
  launch_call,        ///< T4: the launch call, by the name of the runtime function
  between_launches,  ///< T5: from a launch to the next in one operator; or the complete operator if
                     ///< it launches nothing
};
inline constexpr std::size_t kOverheads = 5;
/// "T1" … "T5"
[[nodiscard]] std::string_view name(Overhead overhead);

/// Quantiles of a distribution in microseconds.
struct TimeSpread {
  std::uint64_t count = 0;
  double p10 = 0, median = 0, p90 = 0;
  /// Hold-out error: |a / b - 1|, where a and b are the medians of every second value and of the
  /// others; 0 for fewer than four values.
  double holdout_error = 0;
};

struct OverheadRow {
  Overhead overhead = Overhead::between_operators;
  /// T4: a function; else an operator (T1: the following one); empty: all together.
  std::string of;
  std::uint64_t count = 0;  ///< measured times
  /// Outliers, more than 1.5 times the interquartile range outside the quartiles.
  std::uint64_t dropped = 0;
  std::uint64_t below_zero = 0;  ///< shorter than the profiler's own time: counted as 0
  double mean_us = 0;
  double median_us = 0;  ///< of all operators or functions together; else 0
  /// T5 of operators that launch nothing: the shapes of their inputs, as recorded, because such
  /// operators may work on the CPU; empty: all shapes.
  std::string size = {};
};

/// Collects host overheads from recordings of one kind of machine.
///
/// It measures the outermost operators of each thread. It subtracts the profiler's own time: kEvent
/// for each operator, annotation, call or frame that begins in the measured time, and for each
/// launch kEvent and kDeviceEvent (Lin's constants for PyTorch's profiler on V100 hosts). T1 counts
/// if its recorded length is between 2 and 200 us. Operators in which the host waits for the device
/// are not measured.
class OverheadBuilder {
 public:
  static constexpr double kEvent = 2, kDeviceEvent = 4;  // us

  /// Adds a rank; `profile` is indexed and attached. O(events log events).
  void add(const Profile& profile);
  /// Adds the operator times of another builder, without its launches, latencies and gaps.
  void add_operators(const OverheadBuilder& other);

  /// Ascending by overhead; for each overhead first the row for all operators, then rows by name.
  [[nodiscard]] std::vector<OverheadRow> rows() const;
  /// As recorded: including the profiler's own time, outliers, and operators that follow within 2
  /// us. A mean multiplied by its count is therefore the total recorded time. Also has rows by
  /// size. The order is unspecified.
  [[nodiscard]] std::vector<OverheadRow> recorded_rows() const;
  /// Time between the begins of consecutive kernel launches on a thread while the device waited for
  /// the host: both kernels began within 20 us of their launches, the host did not wait in between,
  /// and the time is at most 1 ms. benchmarks/launch_times.py measures the same.
  [[nodiscard]] TimeSpread launches(LaunchPass pass) const;
  [[nodiscard]] TimeSpread launches() const;  ///< of all passes
  /// Time from the begin of a launch to the begin of its kernel, on a stream that was idle at the
  /// launch.
  [[nodiscard]] TimeSpread latency() const;
  /// Time from the end of a kernel to the begin of the next kernel on its stream, if that waited in
  /// the queue.
  [[nodiscard]] TimeSpread gap() const;
  [[nodiscard]] std::uint64_t operators() const { return operators_; }
  /// Not measured, because the host waits in them.
  [[nodiscard]] std::uint64_t waiting() const { return waiting_; }

 private:
  void add_thread(const Profile& profile, std::uint32_t lane, const std::vector<EventId>& work_of);
  void add_operator(const Profile& profile, const std::vector<HostEvent>& steps, std::size_t first,
                    std::size_t last);
  void add_launches(const Profile& profile, const std::vector<HostEvent>& steps);
  void add_stream(const Profile& profile, std::uint32_t lane);
  struct Values {
    std::vector<double> recorded, own;  // us; `own`: without the profiler's own time
  };
  void add_time(Overhead overhead, std::string_view of, double us, std::optional<double> profiler);

  std::map<std::pair<Overhead, std::string>, Values> times_;
  /// T5 of operators that launch nothing, by (operator, shapes), in us as recorded.
  std::map<std::pair<std::string, std::string>, std::vector<double>> sized_;
  std::array<std::vector<double>, 3> launches_;
  std::vector<double> latencies_, gaps_;
  std::uint64_t operators_ = 0, waiting_ = 0;
};

/// Time from the end of each compute kernel to the begin of the next work on its stream, if that is
/// a compute kernel, too, and was launched at least 20 us before. In picoseconds, in order of time.
[[nodiscard]] std::vector<double> queue_gaps(const Profile& profile, std::uint32_t lane);

}  // namespace orrery::profile
