// SPDX-License-Identifier: Apache-2.0
//
// Dependencies between threads.
#include <gtest/gtest.h>

#include "orrery/profile/dependencies/dependencies.h"
#include "orrery/profile/dependencies/dependencies_testing.h"
#include "orrery/profile/profile_testing.h"

namespace orrery::profile {
namespace {

struct MadeOfThreads {
  explicit MadeOfThreads(Maker& make) : profile(make.take()) {
    found = find_dependencies(profile, {}, findings);
    EXPECT_TRUE(replay(profile, found).acyclic);
  }
  /// (from, to), in order of the later one.
  [[nodiscard]] std::vector<std::pair<EventId, EventId>> all(bool guessed) const {
    std::vector<std::pair<EventId, EventId>> pairs;
    for (std::uint32_t node = 0; node < found.nodes.size(); ++node) {
      for (const Dependency& edge : found.of(node))
        if (edge.kind == DependencyKind::inter_thread && edge.guessed == guessed)
          pairs.emplace_back(edge.from, found.nodes[node]);
    }
    return pairs;
  }
  [[nodiscard]] Time cost(EventId event) const { return found.cost[found.node_of[event]]; }

  Profile profile;
  Findings findings;
  Dependencies found;
};

using ThreadPairs = std::vector<std::pair<EventId, EventId>>;

TEST(Threads, ForwardToBackward) {
  Maker make;
  const std::uint32_t main = make.thread(1), backward = make.thread(2);
  const EventId mm = make.op(main, "aten::mm", 0, 10);
  const EventId same = make.op(main, "aten::t", 12, 10);
  const EventId late = make.op(main, "late", 200, 10);
  const EventId mm_backward = make.op(backward, "MmBackward0", 50, 10);
  const EventId other = make.op(main, "on the same thread", 70, 10);
  make.profile.forward_backward = {{mm, mm_backward}, {same, other}, {late, mm_backward}};
  const MadeOfThreads made(make);
  EXPECT_EQ(made.all(false), (ThreadPairs{{mm, mm_backward}}));
  EXPECT_EQ(made.findings.count(FindingCode::dependency_contradicts_time), 1u);
}

TEST(Threads, BySequenceNumber) {
  Maker make;
  const std::uint32_t main = make.thread(1), backward = make.thread(2);
  const auto op = [&](std::uint32_t lane, std::int64_t start, std::int64_t duration,
                      std::int64_t sequence, std::uint32_t forward_thread) {
    const EventId event = make.op(lane, "op", start, duration);
    make.op_of(event).sequence = sequence;
    make.op_of(event).forward_thread = forward_thread;
    return event;
  };
  op(main, 0, 5, 3, 0);
  const EventId second = op(main, 10, 5, 3, 0);  // the number's last before the backward
  const EventId outer = op(backward, 50, 20, 3, 1);
  op(backward, 51, 10, 3, 1);  // inside: the thread implies it
  const EventId again = op(main, 100, 5, 3, 0);
  const EventId next = op(backward, 150, 5, 3, 1);
  op(backward, 170, 5, 9, 1);  // of no other thread
  const MadeOfThreads made(make);
  EXPECT_EQ(made.all(false), (ThreadPairs{{second, outer}, {again, next}}));
}

TEST(Threads, ByForwardParent) {
  Maker make;
  const std::uint32_t main = make.thread(1), backward = make.thread(2);
  const EventId a = make.node(main, "a", 3), b = make.node(backward, "b", 7),
                c = make.node(backward, "c", 8);
  make.node_of(b).forward_parent = 3;
  make.node_of(c).forward_parent = 99;
  const MadeOfThreads made(make);
  EXPECT_EQ(made.all(false), (ThreadPairs{{a, b}}));
}

}  // namespace
}  // namespace orrery::profile
