// SPDX-License-Identifier: Apache-2.0
#include "addons/case_study/run_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "orrery/core/text/units.h"

namespace orrery::case_study {

namespace {

constexpr std::array<RunMetricInfo, kMetrics> kInfo{
    RunMetricInfo{RunMetric::time, "time", "time_ns", Unit::time, "time", "end of the last rank"},
    RunMetricInfo{RunMetric::compute, "compute", "compute_ns", Unit::time, "compute",
                  "compute time of the rank that ends last"},
    RunMetricInfo{RunMetric::communication, "communication", "comm_ns", Unit::time, "communication",
                  "communication time of that rank, exposed and overlapped"},
    RunMetricInfo{RunMetric::exposed, "exposed", "exposed_comm_ns", Unit::time,
                  "exposed communication", "communication time of that rank without compute"},
    RunMetricInfo{RunMetric::memory, "memory", "exposed_memory_ns", Unit::time, "exposed memory",
                  "time of that rank with only remote memory accesses"},
    RunMetricInfo{RunMetric::idle, "idle", "idle_ns", Unit::time, "idle", "idle time of that rank"},
    RunMetricInfo{RunMetric::sent, "sent", "sent_bytes", Unit::bytes, "sent",
                  "bytes that the rank sends"},
    RunMetricInfo{RunMetric::ideal, "ideal", "ideal_ns", Unit::time, "ideal",
                  "time of these bytes at the total rate of all dimensions"},
    RunMetricInfo{RunMetric::utilization, "utilization", "utilization_share", Unit::share,
                  "utilization", "ideal / time: used share of the total rate of all dimensions"},
    RunMetricInfo{RunMetric::bus_bandwidth, "bus_bandwidth", "busbw_bytes_per_s", Unit::bandwidth,
                  "bus bandwidth", "of a collective: bus bandwidth as in nccl-tests"},
    RunMetricInfo{RunMetric::peak_memory, "peak_memory", "peak_bytes", Unit::bytes, "peak memory",
                  "of a job: maximum memory of the tensors of a rank"},
    RunMetricInfo{RunMetric::flops, "flops", "device_model_flop_per_s", Unit::flops,
                  "FLOP/s per device", "of a job: operations of its model, per second and device"},
    RunMetricInfo{RunMetric::bandwidth_0, "bandwidth_0", "dimension_0_bytes_per_s", Unit::bandwidth,
                  "dimension 0", "of a split: bandwidth of a device in the innermost dimension"},
    RunMetricInfo{RunMetric::bandwidth_1, "bandwidth_1", "dimension_1_bytes_per_s", Unit::bandwidth,
                  "dimension 1", "of a split: bandwidth of a device in dimension 1"},
    RunMetricInfo{RunMetric::bandwidth_2, "bandwidth_2", "dimension_2_bytes_per_s", Unit::bandwidth,
                  "dimension 2", "of a split: bandwidth of a device in dimension 2"},
    RunMetricInfo{RunMetric::bandwidth_3, "bandwidth_3", "dimension_3_bytes_per_s", Unit::bandwidth,
                  "dimension 3", "of a split: bandwidth of a device in dimension 3"},
    RunMetricInfo{
        RunMetric::gain, "gain", "gain_ratio", Unit::ratio, "over equal",
        "of a split: improvement factor over equal bandwidths, according to the objective"},
    RunMetricInfo{RunMetric::gap, "gap", "gap_share", Unit::share, "gap",
                  "of a split: upper bound of the possible improvement"},
    RunMetricInfo{RunMetric::exposed_tensor, "exposed_tensor", "exposed_tensor_ns", Unit::time,
                  "exposed, tensors", "of a job: `exposed` among tensor-parallel ranks (tp)"},
    RunMetricInfo{RunMetric::exposed_data, "exposed_data", "exposed_data_ns", Unit::time,
                  "exposed, data", "of a job: `exposed` among data-parallel ranks (dp)"},
    RunMetricInfo{RunMetric::exposed_other, "exposed_other", "exposed_other_ns", Unit::time,
                  "exposed, others", "of a job: `exposed` among all other ranks"},
    RunMetricInfo{RunMetric::weights, "weights", "weights_bytes", Unit::bytes, "weights",
                  "of a job: weights in `peak_memory`"},
    RunMetricInfo{RunMetric::gradients, "gradients", "gradients_bytes", Unit::bytes, "gradients",
                  "of a job: gradients in `peak_memory`"},
    RunMetricInfo{RunMetric::optimizer, "optimizer", "optimizer_bytes", Unit::bytes, "optimizer",
                  "of a job: moments and master weights in `peak_memory`"},
    RunMetricInfo{
        RunMetric::activations, "activations", "activations_bytes", Unit::bytes, "activations",
        "of a job: the rest of `peak_memory`: activations, and memory of operators and messages"},
    RunMetricInfo{RunMetric::needed, "needed", "needed_bytes", Unit::bytes, "needed",
                  "of a job: total memory that a device needs"},
    RunMetricInfo{RunMetric::capacity, "capacity", "capacity_bytes", Unit::bytes, "capacity",
                  "of a job's cluster: memory of a device, including its expansion; none: "
                  "unlimited or unknown"},
    RunMetricInfo{RunMetric::remote_share, "expansion", "expansion_share", Unit::share,
                  "in expansion", "of a job: share of the needed memory in the memory expansion"},
    RunMetricInfo{RunMetric::device_time, "device_time", "device_time_ns", Unit::time,
                  "device time", "of a job: sum of `time` over all devices"}};

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
