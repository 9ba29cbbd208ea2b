// SPDX-License-Identifier: Apache-2.0
//
// The cluster file's deviations, key by key (see cluster_file.h). Private to this room.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "orrery/config/field.h"
#include "orrery/config/json_types.h"
#include "orrery/core/limits.h"
#include "orrery/platform/platform.h"

namespace orrery::platform {

using config::between;
using config::field;
using config::Json;
using config::Kind;
using config::Limits;
using config::OrderedJson;
using config::positive;
using config::Reading;

/// Limits of a number of devices, hosts, links and the like.
inline constexpr Limits kAnyCount = between(1, static_cast<double>(limits::kRanks));

/// Ranks as ranges, both ends included: 3, "0-7,12", or a list of such.
struct RankRanges {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> list;
};
void read_value(const Json& value, const std::string& path, const Limits&, RankRanges& out,
                Reading& reading);
OrderedJson schema_of(Kind<RankRanges>, const Limits&);
inline std::string about_kind(Kind<RankRanges>, const Limits&) {
  return "a rank, text such as `0-7,12`, or a list of these";
}
OrderedJson write_value(const RankRanges& value);

struct PortSection {
  std::int64_t dimension = 0;
  double bandwidth = 1;
  Time latency{};

  static constexpr auto fields =
      std::tuple{field("dimension", &PortSection::dimension,
                       "dimension of `network`; the innermost is 0", between(0, 15))
                     .required(),
                 field("bandwidth", &PortSection::bandwidth,
                       "remaining share of the dimension's bandwidth", config::share()),
                 field("latency", &PortSection::latency,
                       "additional latency of each message through the port")};
};

}  // namespace orrery::platform

namespace orrery::config {

template <>
struct ParameterTable<platform::Deviation::Kernel> {
  using Kernel = platform::Deviation::Kernel;
  static constexpr auto fields = std::tuple{
      field("name", &Kernel::name, "part of the kernel name").required(),
      field("time", &Kernel::time,
            "factor of the kernel times, applied before `compute_time` and the other factors",
            positive())
          .required()};
};

}  // namespace orrery::config

namespace orrery::platform {

/// A deviation whose ranks and ports are not checked against the network yet.
struct DeviationSection : Deviation {
  RankRanges rank_ranges;
  std::optional<std::vector<PortSection>> port_sections;

  static constexpr auto fields = std::tuple{
      field("ranks", &DeviationSection::rank_ranges,
            "the ranks; a rank can be in only one deviation")
          .required(),
      field("compute_time", &DeviationSection::compute_time, "factor of their compute times",
            positive()),
      field("host_time", &DeviationSection::host_time,
            "recorded traces: factor of host times on ranks with a device", positive()),
      field("copy_time", &DeviationSection::copy_time,
            "recorded traces: factor of the times of device copies", positive()),
      field("communication_time", &DeviationSection::communication_time,
            "recorded traces: factor of communication times that come from the recording",
            positive()),
      field("kernels", &DeviationSection::kernels,
            "recorded traces: factors of kernels, by name; the first matching entry applies",
            between(0, 256))
          .unset_by_default(),
      field("start", &DeviationSection::start, "delay of their first node"),
      field("ports", &DeviationSection::port_sections, "degradation of their ports",
            between(0, 16))};
};

}  // namespace orrery::platform
