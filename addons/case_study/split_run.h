// SPDX-License-Identifier: Apache-2.0
//
// A run without simulation: how to split a total bandwidth over dimensions.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "addons/case_study/limits.h"
#include "addons/case_study/run_grid.h"
#include "addons/case_study/run_metrics.h"
#include "addons/split_bandwidth/bandwidth_split.h"
#include "addons/split_bandwidth/limits.h"
#include "orrery/core/error.h"
#include "orrery/core/quantity.h"

namespace orrery::case_study {

/// A dimension of the network.
struct SplitDimension {
  std::int64_t size = 1;
  double cost = 1;
  Bandwidth lower{}, upper{};

  static constexpr auto fields = std::tuple{
      config::field("size", &SplitDimension::size, "ranks in the dimension",
                    config::between(1, 16777216))
          .required(),
      config::field("cost", &SplitDimension::cost, "cost of one GB/s of a device, in any currency",
                    config::at_least(0)),
      config::field("least", &SplitDimension::lower, "minimum bandwidth of a device"),
      config::field("most", &SplitDimension::upper, "maximum bandwidth of a device")
          .by_default("the total")};
};

/// Identical collectives.
struct SplitCollective {
  std::string type;
  Bytes size{};
  std::int64_t times = 1, ranks = 0, stride = 1;

  static constexpr auto fields = std::tuple{
      config::field("type", &SplitCollective::type, "type, as in `collective`").required(),
      config::field("size", &SplitCollective::size, "size, as in `collective`", config::at_least(0))
          .required(),
      config::field("times", &SplitCollective::times, "occurrences per step",
                    config::between(0, 1e9)),
      config::field("ranks", &SplitCollective::ranks, "ranks of the group",
                    config::between(1, 16777216))
          .required(),
      config::field("stride", &SplitCollective::stride,
                    "distance between consecutive ranks of the group: 1 for neighbors",
                    config::between(1, 16777216))};
};

struct SplitJob {
  Time compute{};
  double weight = 1;
  std::vector<SplitCollective> collectives;

  static constexpr auto fields = std::tuple{
      config::field("compute", &SplitJob::compute,
                    "compute time of a step, independent of bandwidth"),
      config::field("weight", &SplitJob::weight, "weight of its time", config::between(0, 1e9)),
      config::field("collectives", &SplitJob::collectives,
                    "collectives of a step, one after another",
                    config::between(0, limits::kChoices))
          .required()};
};

/// The content of `split`.
struct SplitSpec {
  Bandwidth total{};
  split_bandwidth::SplitObjective objective = split_bandwidth::SplitObjective::time;
  std::vector<SplitDimension> dimensions;
  std::vector<SplitJob> jobs;

  static constexpr auto fields = std::tuple{
      config::field("total", &SplitSpec::total, "total bandwidth of a device over all dimensions")
          .required(),
      config::field("objective", &SplitSpec::objective,
                    "what is minimized: `time` of communication, or `time_cost`: (compute + "
                    "communication) x cost"),
      config::field("dimensions", &SplitSpec::dimensions, "dimensions, innermost first",
                    config::between(1, split_bandwidth::limits::kDims))
          .required(),
      config::field("jobs", &SplitSpec::jobs, "jobs whose times are added",
                    config::between(1, limits::kChoices))
          .required()};
};

/// The best split of a run with `split`, its time, and the value of the objective. Errc: config_*,
/// limit_exceeded.
[[nodiscard]] Result<MetricValues> split_values(const GridRun& run, const std::string& where);

}  // namespace orrery::case_study

namespace orrery::config {

template <>
struct EnumNames<split_bandwidth::SplitObjective> {
  static constexpr std::array<EnumName<split_bandwidth::SplitObjective>, 2> names{
      {{"time", split_bandwidth::SplitObjective::time},
       {"time_cost", split_bandwidth::SplitObjective::time_cost}}};
};

}  // namespace orrery::config
