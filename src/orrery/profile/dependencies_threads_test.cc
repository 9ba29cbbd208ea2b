// SPDX-License-Identifier: Apache-2.0
//
// Dependencies between threads.
#include <gtest/gtest.h>

#include "orrery/profile/dependencies.h"
#include "orrery/profile/dependencies_testing.h"
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
  op(backward, 170, 5, 9, 1);  // nobody's
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

/// Main: forward, loss.backward() without an event of its own for 20 ms, optimizer.
struct StepMaker : Maker {
  std::uint32_t main = thread(1), autograd = thread(2);
  EventId step = annotation(main, "ProfilerStep#1", 0, 40'000);
  EventId forward = op(main, "forward", 100, 9'000);
  EventId inner = op(main, "inner", 5'000, 4'000);
  EventId backward = op(autograd, "backward", 9'200, 10'000);
  EventId accumulate = op(autograd, "accumulate", 19'300, 9'700);
  EventId optimizer = op(main, "optimizer", 29'100, 2'000);
  EventId last = op(main, "last", 31'200, 100);  // takes the rest of the iteration too
};

TEST(Threads, HandOffs) {
  StepMaker make;
  const MadeOfThreads made(make);
  EXPECT_EQ(made.all(true),
            (ThreadPairs{{make.inner, make.backward}, {make.accumulate, make.optimizer}}));
  EXPECT_EQ(made.findings.count(FindingCode::inter_thread_guessed), 2u);
  EXPECT_EQ(made.cost(make.backward), us(10'200));  // from the end of inner
  EXPECT_EQ(made.cost(make.optimizer), us(2'100));  // 100 us to come back, 2000 of its own
  EXPECT_EQ(made.found.guessed, 2u);
}

TEST(Threads, ABusyThreadHandsNothingOver) {
  StepMaker make;
  for (int i = 0; i < 100; ++i) make.op(make.thread(3), "busy", 400 * i, 399);
  const MadeOfThreads made(make);
  EXPECT_EQ(made.findings.count(FindingCode::inter_thread_guessed), 2u);
}

TEST(Threads, AnOperatorIsNoGap) {
  Maker make;
  const std::uint32_t main = make.thread(1), other = make.thread(2);
  make.annotation(other, "range", 0, 50'000);
  make.op(other, "short", 5, 10);
  make.op(main, "long", 0, 10'000);  // does not wait for what ends meanwhile
  make.op(other, "ends meanwhile", 5'000, 4'900);
  make.op(main, "next", 10'010, 5);
  EXPECT_EQ(MadeOfThreads(make).all(true), ThreadPairs{});
}

TEST(Threads, ThinkTimeIsNoHandOff) {
  Maker make;
  const std::uint32_t main = make.thread(1), other = make.thread(2);
  make.op(main, "a", 0, 10);
  make.op(other, "finished long before", 5, 500);
  const EventId next = make.op(main, "after the data loader", 30'000, 10);
  const MadeOfThreads made(make);
  EXPECT_EQ(made.all(true), ThreadPairs{});
  EXPECT_EQ(made.cost(next), us(30'000));
}

}  // namespace
}  // namespace orrery::profile
