// SPDX-License-Identifier: Apache-2.0
//
// The cluster file's deviations, key by key (see cluster_file.h). Private to this room.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "orrery/config/field.h"
#include "orrery/config/json_types.h"
#include "orrery/platform/platform.h"

namespace orrery::platform {

using config::at_least;
using config::between;
using config::Field;
using config::field;
using config::Json;
using config::Kind;
using config::Limits;
using config::OrderedJson;
using config::positive;
using config::Reading;

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

  static constexpr auto fields = std::tuple{
      field("dimension", &PortSection::dimension, "of `network`, the innermost is 0",
            between(0, 15))
          .required(),
      field("bandwidth", &PortSection::bandwidth, "share of the dimension's that is left",
            config::share()),
      field("latency", &PortSection::latency, "more, for each message that leaves or enters here")};
};

struct KernelSection {
  std::string name;
  double time = 1;

  static constexpr auto fields = std::tuple{
      field("name", &KernelSection::name, "part of their name").required(),
      field("time", &KernelSection::time,
            "they take this many times as long, before `compute_time` and the others", positive())
          .required()};
};

struct DeviationSection {
  RankRanges ranks;
  double compute_time = 1;
  double host_time = 1;
  double copy_time = 1;
  double communication_time = 1;
  std::optional<std::vector<KernelSection>> kernels;
  Time start{};
  std::optional<std::vector<PortSection>> ports;

  static constexpr auto fields = std::tuple{
      field("ranks", &DeviationSection::ranks, "which; no rank in two deviations").required(),
      field("compute_time", &DeviationSection::compute_time,
            "their compute nodes take this many times as long", positive()),
      field("host_time", &DeviationSection::host_time,
            "recorded traces: what their hosts do beside a device takes this many times as long",
            positive()),
      field("copy_time", &DeviationSection::copy_time,
            "recorded traces: so do their devices' copies", positive()),
      field("communication_time", &DeviationSection::communication_time,
            "recorded traces: so does communication whose recorded time is taken", positive()),
      field("kernels", &DeviationSection::kernels,
            "recorded traces: kernels with times of their own, by name; the first that fits counts",
            between(0, 256)),
      field("start", &DeviationSection::start, "their first node begins this late"),
      field("ports", &DeviationSection::ports, "what is wrong with their ports", between(0, 16))};
};

}  // namespace orrery::platform
