// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/replicate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orrery::graph {
namespace {

using ::testing::ElementsAre;

// A group keeps the order of its ring where it has every rank already.
TEST(Replicate, CopiesOfARankCommunicateWithEachOther) {
  Workload workload;
  workload.graph_of_rank = {0};
  workload.files = {"w.0.et"};
  workload.groups["dp"] = {"dp", {0}};
  workload.groups["tp"] = {"tp", {0, 8}};
  workload.groups["ring"] = {"ring", {2, 0, 1}};
  workload.groups["twice"] = {"twice", {0, 1, 1}};
  replicate(workload, 3);
  EXPECT_THAT(workload.graph_of_rank, ElementsAre(0, 0, 0));
  EXPECT_THAT(workload.files, ElementsAre("w.0.et", "w.0.et", "w.0.et"));
  EXPECT_THAT(workload.groups["ring"].ranks, ElementsAre(2, 0, 1));
  for (const char* name : {"dp", "tp", "twice"})
    EXPECT_THAT(workload.groups[name].ranks, ElementsAre()) << name;
}

}  // namespace
}  // namespace orrery::graph
