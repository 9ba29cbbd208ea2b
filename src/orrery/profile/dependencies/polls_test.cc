// SPDX-License-Identifier: Apache-2.0
//
// Threads that wait for the device without a call that says so.
#include <gtest/gtest.h>

#include <optional>

#include "orrery/profile/dependencies/dependencies.h"
#include "orrery/profile/dependencies/dependencies_testing.h"
#include "orrery/profile/link/link.h"
#include "orrery/profile/profile_testing.h"
#include "orrery/profile/replay/dependency_changes.h"

namespace orrery::profile {
namespace {

using PollPairs = std::vector<std::pair<EventId, EventId>>;

struct MadeOfPolls {
  explicit MadeOfPolls(Maker& make) : profile(make.take()) {
    attach(profile, findings);
    found = find_dependencies(profile, {}, findings);
    EXPECT_TRUE(replay(profile, found).acyclic);
  }
  /// Guessed waits of threads for the device, in order of the later one.
  [[nodiscard]] PollPairs polls() const {
    PollPairs pairs;
    for (std::uint32_t node = 0; node < found.nodes.size(); ++node) {
      for (const Dependency& edge : found.of(node))
        if (edge.kind == DependencyKind::sync && edge.guessed)
          pairs.emplace_back(edge.from, found.nodes[node]);
    }
    EXPECT_EQ(findings.count(FindingCode::poll_guessed), pairs.size());
    return pairs;
  }
  [[nodiscard]] Time cost(EventId event) const { return found.cost[found.node_of[event]]; }
  /// The end of an event in a replay in which all works take half as long.
  [[nodiscard]] Time halved(EventId event) const {
    Dependencies half = found;
    for (std::uint32_t node = 0; node < half.nodes.size(); ++node) {
      if (is_device_work(profile.events[half.nodes[node]].kind))
        half.cost[node] = half.cost[node] - Time(found.cost[node].count() / 2);
    }
    return replay(profile, half).end[half.node_of[event]];
  }

  Profile profile;
  Findings findings;
  Dependencies found;
};

/// A thread that learns from a kernel how much comes, then receives it: `dispatch` begins at
/// `start`, a kernel of `length` runs 10 us later, and `notice` after its end the thread goes on.
struct Expert : Maker {
  std::uint32_t main = thread(1), compute = stream(7);
  std::uint64_t next = 1;
  EventId kernel_of = kNoEvent, after = kNoEvent;

  void dispatch(std::int64_t start, std::int64_t length, std::int64_t notice) {
    op(main, "deep_ep::dispatch", start, length + notice + 40);
    call(main, "cudaLaunchKernel", start + 2, 5, next);
    kernel_of = kernel(compute, "notify_dispatch", start + 10, length, next++);
    after = op(main, "aten::empty", start + 10 + length + notice, 5);
    call(main, "cudaLaunchKernel", start + 20 + length + notice, 5, next);
    kernel(compute, "dispatch", start + 27 + length + notice, 100, next++);
  }
};

TEST(Polls, WaitForTheKernelBefore) {
  Expert make;
  make.dispatch(0, 300, 5);
  const EventId a = make.kernel_of, after_a = make.after;
  make.dispatch(1'000, 500, 8);
  const EventId b = make.kernel_of, after_b = make.after;
  make.dispatch(2'000, 200, 3);
  const EventId c = make.kernel_of, after_c = make.after;
  const MadeOfPolls made(make);
  EXPECT_EQ(made.polls(), (PollPairs{{a, after_a}, {b, after_b}, {c, after_c}}));
  EXPECT_EQ(made.cost(after_a), us(10));  // 5 to see it, 5 of its own
  EXPECT_EQ(made.halved(after_a), us(320 - 150));
  EXPECT_EQ(made.halved(after_c), us(2'218 - 150 - 250 - 100));
}

// Where the kernel ended just before once, and long before another time, it was chance.
TEST(Polls, OfAPatternNearlyAllMustEndWithTheWork) {
  Expert make;
  make.dispatch(0, 300, 5);
  make.dispatch(1'000, 500, 8);
  make.dispatch(2'000, 200, 150);
  EXPECT_EQ(MadeOfPolls(make).polls(), PollPairs{});
}

TEST(Polls, OneShortStretchIsChance) {
  Expert make;
  make.dispatch(0, 300, 5);
  EXPECT_EQ(MadeOfPolls(make).polls(), PollPairs{});
}

TEST(Polls, OneLongStretchIsNone) {
  Expert make;
  make.dispatch(0, 3'000, 5);
  EXPECT_EQ(MadeOfPolls(make).polls(), (PollPairs{{make.kernel_of, make.after}}));
}

// A kernel that had ended before says nothing, nor does a stretch without any.
TEST(Polls, NotForWhatHadEnded) {
  Expert make;
  make.op(make.main, "first", 0, 1'500);
  make.call(make.main, "cudaLaunchKernel", 1'600, 5, 50);
  make.kernel(make.compute, "k", 1'610, 20, 50);
  make.op(make.main, "second", 1'700, 10);
  make.op(make.main, "third", 3'000, 1'500);
  EXPECT_EQ(MadeOfPolls(make).polls(), PollPairs{});
}

/// The same, but `dispatch` reads what the kernel writes `until` after it begins, and then the
/// kernel runs on. The kernel waits for a product of `product` on its stream.
struct EarlyExpert : Expert {
  EventId product_of = kNoEvent;

  void dispatch_early(std::int64_t start, std::int64_t product, std::int64_t until,
                      std::int64_t length) {
    call(main, "cudaLaunchKernel", start, 2, next);
    product_of = kernel(compute, "product", start + 5, product, next++);
    call(main, "cudaLaunchKernel", start + 4, 2, next);
    const std::int64_t notify = start + 5 + product + 2;
    kernel_of = kernel(compute, "notify_dispatch", notify, length, next++);
    after = op(main, "aten::empty", notify + until, 5);
    call(main, "cudaLaunchKernel", notify + until + 1, 2, next);
    kernel(compute, "dispatch", notify + length + 4, 100, next++);
  }
  /// The lag of the poll from `from` to `to`; empty: there is none.
  static std::optional<Time> poll_lag(const MadeOfPolls& made, EventId from, EventId to) {
    for (const Dependency& edge : made.found.of(made.found.node_of[to]))
      if (edge.from == from && edge.kind == DependencyKind::poll) return edge.lag;
    return std::nullopt;
  }
};

// The wait ends with the product before the kernel, and a part of the kernel.
TEST(Polls, OfAValueThatTheKernelWritesBeforeItEnds) {
  EarlyExpert make;
  make.dispatch_early(0, 5'000, 70, 100);
  const EventId product = make.product_of, after = make.after;
  make.dispatch_early(6'000, 4'000, 40, 100);
  const EventId last = make.after;
  const MadeOfPolls made(make);
  EXPECT_EQ(made.findings.count(FindingCode::poll_guessed), 2u);
  EXPECT_EQ(EarlyExpert::poll_lag(made, product, after), us(72));  // a gap of 2, then 70
  EXPECT_EQ(made.cost(after), us(1));                              // until its launch begins
  ASSERT_EQ(made.found.polls.size(), 2u);
  EXPECT_EQ(made.found.polls[0].progress, us(70));
  // Half of 5,000 + 4,000 and of the 100 in between; polls become shorter with their kernel.
  CostScales half;
  half.kernels = half.communication = 0.5;
  Dependencies scaled = made.found;
  scale_costs(made.profile, scaled, half);
  const Time was = replay(made.profile, made.found).end[made.found.node_of[last]];
  const Time is = replay(made.profile, scaled).end[made.found.node_of[last]];
  EXPECT_NEAR(static_cast<double>(is.count()) / static_cast<double>(was.count()), 0.5, 0.06);
}

// Some kernel usually runs: once, or with a kernel as long as the wait, it is chance.
TEST(Polls, WithinAKernelByChance) {
  EarlyExpert once;
  once.dispatch_early(0, 5'000, 70, 100);
  EXPECT_EQ(MadeOfPolls(once).findings.count(FindingCode::poll_guessed), 0u);
  EarlyExpert longer;
  longer.dispatch_early(0, 500, 400, 5'000);
  longer.dispatch_early(6'000, 500, 400, 5'000);
  EXPECT_EQ(MadeOfPolls(longer).findings.count(FindingCode::poll_guessed), 0u);
}

// The wait is inside an operator, or filled with questions whether an event has happened.
TEST(Polls, WithinAStepAndByQueries) {
  Maker make;
  const std::uint32_t main = make.thread(1), stream = make.stream(7);
  make.call(main, "cudaLaunchKernel", 0, 5, 1);
  const EventId a = make.kernel(stream, "a", 10, 2'000, 1);
  const EventId spin = make.op(main, "spin", 6, 2'010);
  make.call(main, "cudaLaunchKernel", 2'020, 5, 2);
  const EventId b = make.kernel(stream, "b", 2'030, 1'500, 2);
  make.call(main, "cudaEventRecord", 2'026, 1, 3);
  for (int i = 0; i < 150; ++i)
    make.call(main, "cudaEventQuery", 2'030 + 10 * i, 1, static_cast<std::uint64_t>(10 + i));
  const EventId next = make.op(main, "next", 3'535, 10);
  const MadeOfPolls made(make);
  EXPECT_EQ(made.polls(), (PollPairs{{a, spin}, {b, next}}));
  EXPECT_EQ(made.cost(spin), us(6));
  EXPECT_EQ(made.cost(next), us(15));
  EXPECT_EQ(made.halved(next), us(3'545 - 1'000 - 750));
}

// A call that waits says itself what for, and the step after a copy waits for the copy.
TEST(Polls, NotBesideWhatIsKnown) {
  Maker make;
  const std::uint32_t main = make.thread(1), stream = make.stream(7);
  make.call(main, "cudaLaunchKernel", 0, 5, 1);
  make.kernel(stream, "a", 10, 2'000, 1);
  make.call(main, "cudaDeviceSynchronize", 2'012, 5);
  make.call(main, "cudaMemcpyAsync", 2'100, 1'000, 2);
  make.kernel(stream, "Memcpy DtoH (Device -> Pageable)", 2'110, 980, 2, kNoId, Kind::memcpy);
  make.op(main, "next", 3'105, 10);
  EXPECT_EQ(MadeOfPolls(make).polls(), PollPairs{});
}

}  // namespace
}  // namespace orrery::profile
