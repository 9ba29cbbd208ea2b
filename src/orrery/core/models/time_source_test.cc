// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "orrery/core/dependency_kind.h"
#include "orrery/core/models/network_names.h"
#include "orrery/core/models/time_source_table.h"

namespace orrery {
namespace {

TEST(TimeSource, EachHasOneRowAndAName) {
  std::set<std::string_view> names;
  std::set<TimeSource> sources;
  for (const TimeSourceEntry& row : kTimeSourceTable) {
    sources.insert(row.source);
    names.insert(row.name);
    EXPECT_EQ(name(row.source), row.name);
    EXPECT_NE(row.explanation.empty(), row.source != TimeSource::automatic) << row.name;
    EXPECT_NE(row.summary.empty(), is_compute_choice(row)) << row.name;
  }
  EXPECT_EQ(sources.size(), kTimeSources + 1);
  EXPECT_EQ(names.size(), kTimeSources + 1);
}

TEST(TimeSource, NetworkModelsAreSourcesOfTheTimesOfMessages) {
  std::set<TimeSource> sources;
  for (const NetworkModelEntry& network : kNetworkModels) {
    EXPECT_TRUE(sources.insert(network.source).second) << network.name;
    EXPECT_EQ(entry(network.source).name, network.name);
    EXPECT_EQ(entry(network.source).of, TimedWork::messages) << network.name;
    EXPECT_EQ(&network_model(network.kind), &network);
  }
}

TEST(DependencyKind, IsFoundByItsName) {
  for (std::size_t i = 0; i < kDependencyKinds; ++i) {
    const auto kind = static_cast<DependencyKind>(i);
    EXPECT_EQ(dependency_kind(name(kind)), kind);
  }
  EXPECT_EQ(dependency_kind("?"), DependencyKind::unsaid);
}

}  // namespace
}  // namespace orrery
