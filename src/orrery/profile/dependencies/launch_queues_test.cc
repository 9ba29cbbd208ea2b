// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "orrery/profile/dependencies/dependencies.h"
#include "orrery/profile/dependencies/dependencies_testing.h"
#include "orrery/profile/link/link.h"
#include "orrery/profile/profile_testing.h"

namespace orrery::profile {
namespace {

/// A thread that launches `count` kernels, each in 2 us where the queue of `depth` has room, else
/// 3 us after a work before it has ended; kernels take 60 us.
struct Queued : Maker {
  Queued(std::int64_t count, std::int64_t depth) {
    const std::uint32_t main = thread(1), one = stream(7);
    std::vector<std::int64_t> ends;
    std::int64_t now = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      std::int64_t back = now + 2;
      if (i > depth) back = std::max(back, ends[static_cast<std::size_t>(i - depth - 1)] + 3);
      const auto id = static_cast<std::uint64_t>(i + 1);
      calls.push_back(call(main, "cudaLaunchKernel", now, back - now, id));
      const std::int64_t start = std::max(back + 2, ends.empty() ? 0 : ends.back());
      ends.push_back(start + 60);
      works.push_back(kernel(one, "k", start, 60, id));
      now = back;
    }
    profile = take();
    attach(profile, findings);
    found = find_dependencies(profile, {}, findings);
    EXPECT_TRUE(replay(profile, found).acyclic);
  }

  /// When the launch is over if works take `num`/`den` of their time.
  [[nodiscard]] Time back(std::size_t launch, std::int64_t num, std::int64_t den) const {
    Dependencies changed = found;
    for (std::uint32_t node = 0; node < changed.nodes.size(); ++node)
      if (is_device_work(profile.events[changed.nodes[node]].kind))
        changed.cost[node] = Time(found.cost[node].count() * num / den);
    return replay(profile, changed).end[changed.node_of[calls[launch]]];
  }
  [[nodiscard]] std::vector<std::pair<EventId, EventId>> waits() const {
    std::vector<std::pair<EventId, EventId>> pairs;
    for (std::uint32_t node = 0; node < found.nodes.size(); ++node)
      for (const Dependency& edge : found.of(node))
        if (edge.kind == DependencyKind::sync) pairs.emplace_back(edge.from, found.nodes[node]);
    return pairs;
  }

  std::vector<EventId> calls, works;
  Dependencies found;
};

TEST(Queues, FullOnesHoldLaunchesBack) {
  const Queued made(400, 300);
  const auto waits = made.waits();
  ASSERT_EQ(waits.size(), 99u);  // all launches that had 301 before them
  EXPECT_EQ(waits.front(), (std::pair{made.works[0], made.calls[301]}));
  EXPECT_EQ(waits.back(), (std::pair{made.works[98], made.calls[399]}));
  EXPECT_EQ(made.findings.count(FindingCode::launch_queue_full), 89u);  // the first ten had room
  const Time was = made.profile.events[made.calls[399]].end();
  EXPECT_EQ(made.back(399, 1, 1), was);
  EXPECT_EQ(was, us(4 + 99 * 60 + 3));
}

// The queue is as deep as it was, whatever works take.
TEST(Queues, AreAsDeepWithOtherTimes) {
  const Queued made(400, 300);
  EXPECT_EQ(made.back(399, 1, 2), us(4 + 99 * 30 + 3));
  EXPECT_EQ(made.back(399, 2, 1), us(4 + 99 * 120 + 3));
  EXPECT_EQ(made.back(309, 2, 1), us(4 + 9 * 120 + 2));  // had room when it was recorded
  EXPECT_EQ(made.back(399, 1, 100), us(311 * 2 + 89 * 3));
}

TEST(Queues, WhoNeverStoodAtTheEndSaysNothing) {
  EXPECT_TRUE(Queued(400, 500).waits().empty());
  EXPECT_TRUE(Queued(304, 300).waits().empty());  // too few, too short
  EXPECT_TRUE(Queued(400, 100).waits().empty());  // no queue is so short
}

}  // namespace
}  // namespace orrery::profile
