// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/points/result_columns.h"

#include <gtest/gtest.h>

#include <map>

namespace orrery::explore {
namespace {

TEST(Figures, HaveTheUnitsOfTheirMetrics) {
  struct Unit {
    std::string_view ending;  // of keys in JSON
    double scale;             // from the metric's unit to that of keys
  };
  const std::map<std::string_view, Unit> units = {{"s", {"_ns", 1e9}},    {"B", {"_bytes", 1}},
                                                  {"W", {"_w", 1}},       {"J", {"_j", 1}},
                                                  {"1/s", {"_per_s", 1}}, {"1/J", {"_per_j", 1}}};
  for (const FigureDescription& one : figures()) {
    const analysis::MetricInfo* metric = analysis::find_metric(one.metric);
    ASSERT_NE(metric, nullptr) << one.name;
    EXPECT_EQ(&info(one.figure), &one) << one.name;
    EXPECT_EQ(&metric_of(one.figure), metric) << one.name;
    const auto unit = units.find(metric->unit);
    EXPECT_TRUE(unit == units.end() || one.json_name.ends_with(unit->second.ending)) << one.name;
    EXPECT_EQ(one.json_scale, unit == units.end() ? 1 : unit->second.scale) << one.name;
  }
}

}  // namespace
}  // namespace orrery::explore
