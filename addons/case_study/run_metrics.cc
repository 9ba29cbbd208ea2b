// SPDX-License-Identifier: Apache-2.0
#include "addons/case_study/run_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "orrery/core/text/units.h"

namespace orrery::case_study {

namespace {

constexpr std::array<RunMetricInfo, kMetrics> kInfo{
    RunMetricInfo{RunMetric::time, "time", "time_ns", Unit::time, "time",
                  "when the last rank ends"},
    RunMetricInfo{RunMetric::compute, "compute", "compute_ns", Unit::time, "compute",
                  "how long the rank that ends last computes"},
    RunMetricInfo{RunMetric::communication, "communication", "comm_ns", Unit::time, "communication",
                  "how long it communicates, also beside compute"},
    RunMetricInfo{RunMetric::exposed, "exposed", "exposed_comm_ns", Unit::time,
                  "exposed communication", "… while nothing computes"},
    RunMetricInfo{RunMetric::memory, "memory", "exposed_memory_ns", Unit::time, "exposed memory",
                  "how long it waits for remote memory alone"},
    RunMetricInfo{RunMetric::idle, "idle", "idle_ns", Unit::time, "idle",
                  "how long it does nothing"},
    RunMetricInfo{RunMetric::sent, "sent", "sent_bytes", Unit::bytes, "sent",
                  "bytes it puts on the network"},
    RunMetricInfo{RunMetric::ideal, "ideal", "ideal_ns", Unit::time, "ideal",
                  "how long these take at the rate of all dimensions together"},
    RunMetricInfo{RunMetric::utilisation, "utilisation", "utilisation_share", Unit::share,
                  "utilisation", "ideal / time: how much of the rate of all dimensions is used"},
    RunMetricInfo{RunMetric::bus_bandwidth, "bus_bandwidth", "busbw_bytes_per_s", Unit::bandwidth,
                  "bus bandwidth", "of a collective: as nccl-tests count it"},
    RunMetricInfo{RunMetric::peak_memory, "peak_memory", "peak_bytes", Unit::bytes, "peak memory",
                  "of a job: most that tensors of a rank take at once"},
    RunMetricInfo{RunMetric::flops, "flops", "device_model_flop_per_s", Unit::flops,
                  "FLOP/s per device", "of a job: what its model needs, per second and device"},
    RunMetricInfo{RunMetric::bandwidth_0, "bandwidth_0", "dimension_0_bytes_per_s", Unit::bandwidth,
                  "dimension 0", "of a split: what a device has there, innermost"},
    RunMetricInfo{RunMetric::bandwidth_1, "bandwidth_1", "dimension_1_bytes_per_s", Unit::bandwidth,
                  "dimension 1", "… in the next dimension"},
    RunMetricInfo{RunMetric::bandwidth_2, "bandwidth_2", "dimension_2_bytes_per_s", Unit::bandwidth,
                  "dimension 2", "… in the next"},
    RunMetricInfo{RunMetric::bandwidth_3, "bandwidth_3", "dimension_3_bytes_per_s", Unit::bandwidth,
                  "dimension 3", "… in the next"},
    RunMetricInfo{
        RunMetric::gain, "gain", "gain_ratio", Unit::ratio, "over equal",
        "of a split: how many times as good as equal bandwidths, by what it is the best of"},
    RunMetricInfo{RunMetric::gap, "gap", "gap_share", Unit::share, "gap",
                  "of a split: how much better another could be at most"},
    RunMetricInfo{RunMetric::exposed_tensor, "exposed_tensor", "exposed_tensor_ns", Unit::time,
                  "exposed, tensors",
                  "of a job: `exposed` among ranks that share its tensors out (tp)"},
    RunMetricInfo{RunMetric::exposed_data, "exposed_data", "exposed_data_ns", Unit::time,
                  "exposed, data", "… among those that share its batch out (dp)"},
    RunMetricInfo{RunMetric::exposed_other, "exposed_other", "exposed_other_ns", Unit::time,
                  "exposed, others", "… among all others"},
    RunMetricInfo{RunMetric::weights, "weights", "weights_bytes", Unit::bytes, "weights",
                  "of a job: what of `peak_memory` are weights"},
    RunMetricInfo{RunMetric::gradients, "gradients", "gradients_bytes", Unit::bytes, "gradients",
                  "… gradients"},
    RunMetricInfo{RunMetric::optimizer, "optimizer", "optimizer_bytes", Unit::bytes, "optimizer",
                  "… moments and master weights"},
    RunMetricInfo{RunMetric::activations, "activations", "activations_bytes", Unit::bytes,
                  "activations",
                  "… all the rest: activations, and what operators and messages hold"},
    RunMetricInfo{RunMetric::needed, "needed", "needed_bytes", Unit::bytes, "needed",
                  "of a job: what a device needs in all"},
    RunMetricInfo{
        RunMetric::capacity, "capacity", "capacity_bytes", Unit::bytes, "capacity",
        "of a job's cluster: what a device has, with what is beside it; none: as much as is "
        "needed, or not known"},
    RunMetricInfo{RunMetric::remote_share, "beside", "beside_share", Unit::share, "beside",
                  "of a job: how much of what is needed lies beside the device's own memory"},
    RunMetricInfo{RunMetric::device_time, "device_time", "device_time_ns", Unit::time,
                  "device time", "of a job: `time` of all devices together"}};

struct Scale {
  Unit unit;
  std::string_view word;
  double of;
};
constexpr std::array kScales{
    Scale{Unit::time, "ns", 1e3},        Scale{Unit::time, "us", 1e6},
    Scale{Unit::time, "ms", 1e9},        Scale{Unit::time, "s", 1e12},
    Scale{Unit::bandwidth, "GB/s", 1e9}, Scale{Unit::bytes, "GB", 1e9},
    Scale{Unit::bytes, "MB", 1e6},       Scale{Unit::flops, "TFLOP/s", 1e12}};

template <class T>
Result<double> plain(const Result<T>& read) {
  if (!read) return tl::unexpected(read.error());
  return static_cast<double>(read->count());
}

}  // namespace

std::span<const RunMetricInfo> metrics() { return kInfo; }

const RunMetricInfo& info(RunMetric metric) { return kInfo[static_cast<std::size_t>(metric)]; }

std::optional<RunMetric> metric_named(std::string_view name) {
  for (const RunMetricInfo& one : kInfo)
    if (one.name == name) return one.metric;
  return std::nullopt;
}

std::optional<double> scale_of(Unit unit, std::string_view word) {
  for (const Scale& one : kScales)
    if (one.unit == unit && one.word == word) return one.of;
  return std::nullopt;
}

std::string format(double value, Unit unit, std::string_view scale, std::int64_t decimals) {
  if (!std::isfinite(value)) return "-";
  if (const auto of = scale_of(unit, scale))
    return fmt::format("{:.{}f} {}", value / *of, decimals, scale);
  switch (unit) {
    case Unit::time:
      return format_time(Time(std::llround(std::clamp(value, -9e18, 9e18))));
    case Unit::share:
      return fmt::format("{:.{}f} %", 100 * value, decimals);
    case Unit::ratio:
      return fmt::format("{:.{}f}", value, decimals);
    case Unit::bandwidth:
      return format_bandwidth(Bandwidth(value));
    case Unit::bytes:
      return format_bytes(Bytes(std::llround(std::clamp(value, -9e18, 9e18))));
    case Unit::flops:
      return format_flops(FlopRate(value));
  }
  return "-";
}

Result<double> parse(std::string_view text, Unit unit, const std::string& where) {
  switch (unit) {
    case Unit::time:
      return plain(parse_time(text, where));
    case Unit::bandwidth:
      return plain(parse_bandwidth(text, where));
    case Unit::bytes:
      return plain(parse_bytes(text, where));
    case Unit::flops:
      return plain(parse_flops(text, where));
    case Unit::share:
      if (text.ends_with('%')) {
        std::string_view number = text.substr(0, text.size() - 1);
        while (number.ends_with(' ')) number.remove_suffix(1);
        auto read = parse_number(number, where);
        if (read) *read /= 100;
        return read;
      }
      return parse_number(text, where);
    case Unit::ratio:
      break;
  }
  return parse_number(text, where);
}

}  // namespace orrery::case_study
