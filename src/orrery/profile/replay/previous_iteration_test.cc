// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/replay/previous_iteration.h"

#include <gtest/gtest.h>

#include "orrery/profile/dependencies/dependencies_testing.h"
#include "orrery/profile/link/link.h"
#include "orrery/profile/profile_testing.h"

namespace orrery::profile {
namespace {

/// Iterations of 1 ms: a launch, its kernel, and a wait for it.
struct Iterating : Maker {
  std::uint32_t main = thread(1), one = stream(7);
  std::uint64_t next = 1;
  EventId last = kNoEvent, waited = kNoEvent;

  void iteration(std::int64_t number, std::int64_t length, std::int64_t late = 0) {
    const std::int64_t at = number * 1'000;
    op(main, "ProfilerStep#" + std::to_string(number), at, 990, Kind::annotation);
    launch("gemm", at + 10, length, late);
    waited = call(main, "cudaDeviceSynchronize", at + 30, length + late + 10, next++);
  }
  EventId launch(std::string_view name, std::int64_t at, std::int64_t length,
                 std::int64_t late = 0) {
    call(main, "cudaLaunchKernel", at, 5, next);
    return last = kernel(one, name, at + 10 + late, length, next++);
  }
  Dependencies learn() {
    profile = take();
    attach(profile, findings);
    Dependencies found = find_dependencies(profile, {}, findings);
    predict_from_previous_iteration(profile, found);
    EXPECT_TRUE(replay(profile, found).acyclic);
    return found;
  }
};

TEST(Learn, TakesTheTimesOfTheIterationBefore) {
  Iterating make;
  make.iteration(0, 300);
  const EventId first = make.last;
  make.iteration(1, 500);
  const EventId second = make.last;
  make.iteration(2, 400);
  const Dependencies found = make.learn();
  EXPECT_EQ(found.cost[found.node_of[first]], us(300));
  EXPECT_EQ(found.cost[found.node_of[second]], us(300));
  EXPECT_EQ(found.cost[found.node_of[make.last]], us(500));
  EXPECT_EQ(found.recorded_cost[found.node_of[make.last]], us(400));
  EXPECT_EQ(found.previous_duration[found.node_of[first]], us(300));
  EXPECT_EQ(found.previous_duration[found.node_of[make.last]], us(500));
  EXPECT_EQ(found.predictable, 8u);
  EXPECT_EQ(found.predicted, 8u);
}

// What nothing explains in one iteration is not known to come again, and comes where it was.
TEST(Learn, WaitsComeFromTheIterationBefore) {
  Iterating make;
  make.iteration(0, 300);
  make.iteration(1, 300, 200);
  const EventId late = make.last;
  make.iteration(2, 300);
  const Dependencies found = make.learn();
  const auto lag = [&](EventId event) {
    Time longest{};
    for (const Dependency& edge : found.of(found.node_of[event]))
      longest = std::max(longest, edge.lag);
    return longest;
  };
  EXPECT_LT(lag(late), us(20));
  EXPECT_EQ(lag(make.last), us(205));
}

// One work more shifts nothing, and keeps its own time.
TEST(Learn, AlignsWhatIsThereMoreOften) {
  Iterating make;
  make.iteration(0, 300);
  make.iteration(1, 500);
  const EventId extra = make.launch("copy", 1'600, 40);
  make.iteration(2, 400);
  const Dependencies found = make.learn();
  EXPECT_EQ(found.cost[found.node_of[extra]], us(40));
  EXPECT_EQ(found.cost[found.node_of[make.last]], us(500));
}

TEST(Learn, NothingOfOneIteration) {
  Iterating make;
  make.iteration(0, 300);
  const Dependencies found = make.learn();
  EXPECT_EQ(found.predictable, 0u);
  EXPECT_EQ(found.predicted, 0u);
  EXPECT_TRUE(found.recorded_cost.empty());
}

}  // namespace
}  // namespace orrery::profile
