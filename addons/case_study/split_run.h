// SPDX-License-Identifier: Apache-2.0
//
// A run that is no simulation: how to split a total of bandwidth among dimensions.
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

/// A dimension of the network that is split.
struct SplitDimension {
  std::int64_t size = 1;
  double cost = 1;
  Bandwidth lower{}, upper{};

  static constexpr auto fields = std::tuple{
      config::field("size", &SplitDimension::size, "ranks in it", config::between(1, 16777216))
          .required(),
      config::field("cost", &SplitDimension::cost, "of a GB/s of a device, in any money",
                    config::at_least(0)),
      config::field("least", &SplitDimension::lower, "bandwidth of a device that it has to have"),
      config::field("most", &SplitDimension::upper, "bandwidth of a device that it may have")
          .by_default("the total")};
};

/// Collectives that are alike.
struct SplitCollective {
  std::string type;
  Bytes size{};
  std::int64_t times = 1, ranks = 0, stride = 1;

  static constexpr auto fields = std::tuple{
      config::field("type", &SplitCollective::type, "as of a `collective`").required(),
      config::field("size", &SplitCollective::size, "as of a `collective`", config::at_least(0))
          .required(),
      config::field("times", &SplitCollective::times, "in a step", config::between(0, 1e9)),
      config::field("ranks", &SplitCollective::ranks, "that do it together",
                    config::between(1, 16777216))
          .required(),
      config::field("stride", &SplitCollective::stride,
                    "from one of them to the next: 1 for neighbours",
                    config::between(1, 16777216))};
};

struct SplitJob {
  Time compute{};
  double weight = 1;
  std::vector<SplitCollective> collectives;

  static constexpr auto fields = std::tuple{
      config::field("compute", &SplitJob::compute, "of a step, which no bandwidth changes"),
      config::field("weight", &SplitJob::weight, "its time counts so many times",
                    config::between(0, 1e9)),
      config::field("collectives", &SplitJob::collectives, "of a step, one after another",
                    config::between(0, limits::kChoices))
          .required()};
};

/// What a `split` says.
struct SplitSpec {
  Bandwidth total{};
  split_bandwidth::SplitObjective objective = split_bandwidth::SplitObjective::time;
  std::vector<SplitDimension> dimensions;
  std::vector<SplitJob> jobs;

  static constexpr auto fields = std::tuple{
      config::field("total", &SplitSpec::total, "of a device, over all dimensions together")
          .required(),
      config::field("objective", &SplitSpec::objective,
                    "`time` of communication, or `time_cost`: (compute + communication) x cost"),
      config::field("dimensions", &SplitSpec::dimensions, "innermost first",
                    config::between(1, split_bandwidth::limits::kDims))
          .required(),
      config::field("jobs", &SplitSpec::jobs, "whose times are added up",
                    config::between(1, limits::kChoices))
          .required()};
};

/// The best split of a run that asks for one, its time, and what it is worth. Errc: config_*,
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
