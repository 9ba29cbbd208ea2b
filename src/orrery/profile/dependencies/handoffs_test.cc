// SPDX-License-Identifier: Apache-2.0
//
// One thread waits for another, and nothing but the times says so.
#include <gtest/gtest.h>

#include "orrery/profile/dependencies/dependencies.h"
#include "orrery/profile/dependencies/dependencies_testing.h"
#include "orrery/profile/profile_testing.h"

namespace orrery::profile {
namespace {

using HandOffPairs = std::vector<std::pair<EventId, EventId>>;

struct MadeOfHandOffs {
  explicit MadeOfHandOffs(Maker& make) : profile(make.take()) {
    found = find_dependencies(profile, {}, findings);
    const Replay played = replay(profile, found);
    EXPECT_TRUE(played.acyclic);
    Time last = played.begin;
    for (const EventId e : found.nodes) last = std::max(last, profile.events[e].end());
    EXPECT_EQ(played.total, last);  // as recorded
    EXPECT_EQ(findings.count(FindingCode::dependency_contradicts_time), 0u);
  }
  /// (from, to) of the guessed ones, in order of the later one.
  [[nodiscard]] HandOffPairs all() const {
    HandOffPairs pairs;
    for (std::uint32_t node = 0; node < found.nodes.size(); ++node) {
      for (const Dependency& edge : found.of(node))
        if (edge.kind == DependencyKind::inter_thread && edge.guessed)
          pairs.emplace_back(edge.from, found.nodes[node]);
    }
    EXPECT_EQ(findings.count(FindingCode::inter_thread_guessed), pairs.size());
    return pairs;
  }
  [[nodiscard]] Time cost(EventId event) const { return found.cost[found.node_of[event]]; }
  [[nodiscard]] Time idle(EventId event) const {
    for (const Dependency& edge : found.of(found.node_of[event])) {
      if (edge.kind == DependencyKind::recorded_wait) return edge.lag;
    }
    return {};
  }

  Profile profile;
  Findings findings;
  Dependencies found;
};

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

TEST(HandOffs, ThereAndBack) {
  StepMaker make;
  const MadeOfHandOffs made(make);
  EXPECT_EQ(made.all(),
            (HandOffPairs{{make.inner, make.backward}, {make.accumulate, make.optimizer}}));
  EXPECT_EQ(made.findings.count(FindingCode::inter_thread_guessed), 2u);
  EXPECT_EQ(made.cost(make.backward), us(10'200));  // from the end of inner
  EXPECT_EQ(made.cost(make.optimizer), us(2'100));  // 100 us to come back, 2000 of its own
  EXPECT_EQ(made.found.guessed, 2u);
}

TEST(HandOffs, ABusyThreadHandsNothingOver) {
  StepMaker make;
  for (int i = 0; i < 110; ++i) make.op(make.thread(3), "busy", 400 * i, 399);
  const MadeOfHandOffs made(make);
  EXPECT_EQ(made.findings.count(FindingCode::inter_thread_guessed), 2u);
}

TEST(HandOffs, AnOperatorIsNoGap) {
  Maker make;
  const std::uint32_t main = make.thread(1), other = make.thread(2);
  make.annotation(other, "range", 0, 50'000);
  make.op(other, "short", 5, 10);
  make.op(main, "long", 0, 10'000);  // does not wait for what ends meanwhile
  make.op(other, "ends meanwhile", 5'000, 4'900);
  make.op(main, "next", 10'010, 5);
  EXPECT_EQ(MadeOfHandOffs(make).all(), HandOffPairs{});
}

TEST(HandOffs, ThinkTimeIsNoHandOff) {
  Maker make;
  const std::uint32_t main = make.thread(1), other = make.thread(2);
  make.op(main, "a", 0, 10);
  make.op(other, "finished long before", 5, 500);
  const EventId next = make.op(main, "after the data loader", 30'000, 10);
  const MadeOfHandOffs made(make);
  EXPECT_EQ(made.all(), HandOffPairs{});
  EXPECT_EQ(made.cost(next) + made.idle(next), us(30'000));
}

/// An iteration of a model: forward on one thread, backward on another, which was idle since the
/// last one, and the optimizer.
struct Trainer : Maker {
  std::uint32_t main = thread(1), autograd = thread(2);
  std::vector<EventId> forwards, losses, backwards, accumulates, optimizers;

  /// `lag`: how long each hand-off takes.
  void iteration(std::int64_t start, std::int64_t forward, std::int64_t backward,
                 std::int64_t lag) {
    forwards.push_back(op(main, "forward", start, forward / 2));
    losses.push_back(op(main, "loss", start + forward / 2 + 5, forward / 2 - 5));
    std::int64_t now = start + forward + lag;
    backwards.push_back(op(autograd, "LossBackward0", now, backward / 2));
    accumulates.push_back(op(autograd, "AccumulateGrad", now + backward / 2 + 5, backward / 2 - 5));
    now += backward + lag;
    optimizers.push_back(op(main, "Optimizer.step", now, 100));
  }
  [[nodiscard]] HandOffPairs expected() const {
    HandOffPairs pairs;
    for (std::size_t i = 0; i < losses.size(); ++i) {
      pairs.emplace_back(losses[i], backwards[i]);
      pairs.emplace_back(accumulates[i], optimizers[i]);
    }
    return pairs;
  }
};

TEST(HandOffs, TheFirstEventOfAThread) {
  Maker make;
  const std::uint32_t main = make.thread(1), autograd = make.thread(2);
  make.op(main, "forward", 0, 3'000);
  const EventId sync = make.call(main, "cudaDeviceSynchronize", 3'010, 990);
  const EventId backward = make.op(autograd, "backward", 4'050, 5'000);
  const EventId next = make.op(main, "optimizer", 9'100, 100);
  const MadeOfHandOffs made(make);
  EXPECT_EQ(made.all(), (HandOffPairs{{sync, backward}, {backward, next}}));
  EXPECT_EQ(made.cost(backward), us(5'050));
  EXPECT_EQ(made.found.start[made.found.node_of[backward]], Time{});
}

TEST(HandOffs, ThreadsIdleForAnIteration) {
  Trainer make;
  make.iteration(0, 5'000, 8'000, 60);
  make.iteration(13'300, 5'000, 8'000, 60);
  make.iteration(26'600, 5'000, 8'000, 60);
  const MadeOfHandOffs made(make);
  EXPECT_EQ(made.all(), make.expected());
  EXPECT_EQ(made.cost(make.backwards[1]), us(4'060));
  EXPECT_EQ(made.cost(make.optimizers[2]), us(160));
  EXPECT_EQ(made.findings.count(FindingCode::thread_idle_unexplained), 0u);
}

// A model so small that no gap lasts a millisecond.
TEST(HandOffs, OfSmallModels) {
  Trainer make;
  for (int i = 0; i < 4; ++i) make.iteration(1'000 * i, 400, 300, 30);
  const MadeOfHandOffs made(make);
  EXPECT_EQ(made.all(), make.expected());
  EXPECT_EQ(made.cost(make.optimizers[1]), us(130));
}

// The thread that handed over is in a range, a Python frame, or an operator meanwhile.
TEST(HandOffs, WhileSomethingIsAroundTheOneThatWaits) {
  for (const Kind around : {Kind::annotation, Kind::python, Kind::op}) {
    SCOPED_TRACE(name(around));
    Maker make;
    const std::uint32_t main = make.thread(1), autograd = make.thread(2);
    const EventId forward = make.op(main, "forward", 0, 5'000);
    const EventId range = make.op(main, "## backward ##", 5'010, 8'000, around);
    const EventId backward = make.op(autograd, "backward", 5'080, 4'000);
    const EventId last = make.op(autograd, "AccumulateGrad", 9'100, 3'860);
    const EventId optimizer = make.op(main, "optimizer", 13'050, 100);
    const MadeOfHandOffs made(make);
    if (around == Kind::python) {
      EXPECT_EQ(made.all(), (HandOffPairs{{forward, backward}, {last, optimizer}}));
    } else {  // without anything in it, it is what waits
      EXPECT_EQ(made.all(), (HandOffPairs{{last, range}, {forward, backward}}));
    }
    EXPECT_EQ(made.cost(optimizer), us(around == Kind::python ? 190 : 140));
    EXPECT_EQ(made.cost(backward), us(4'080));
  }
}

TEST(HandOffs, WithinAnOperatorThatGoesOn) {
  Maker make;
  const std::uint32_t main = make.thread(1), autograd = make.thread(2);
  make.op(main, "autograd::engine::evaluate_function: CheckpointBackward", 0, 6'000);
  const EventId recompute = make.op(main, "recompute", 10, 1'000);
  const EventId worker = make.op(autograd, "on another device", 1'050, 3'900);
  const EventId next = make.op(main, "next", 5'000, 500);
  const MadeOfHandOffs made(make);
  EXPECT_EQ(made.all(), (HandOffPairs{{recompute, worker}, {worker, next}}));
}

// What belongs to the host is run by the thread that called backward, as soon as it is due.
TEST(HandOffs, FromAThreadThatGoesOnWorking) {
  Maker make;
  const std::uint32_t main = make.thread(1), autograd = make.thread(2);
  const EventId loss = make.op(main, "loss", 0, 5'000);
  const EventId a = make.op(autograd, "a", 5'060, 4'000);
  const EventId b = make.op(autograd, "b", 9'070, 4'000);
  const EventId c = make.op(autograd, "c", 13'080, 4'000);
  const EventId task = make.op(main, "AccumulateGrad", 9'085, 20);
  const EventId other = make.op(main, "AccumulateGrad", 13'090, 20);
  const EventId optimizer = make.op(main, "optimizer", 17'110, 100);
  const MadeOfHandOffs made(make);
  EXPECT_EQ(made.all(), (HandOffPairs{{loss, a}, {a, task}, {b, other}, {c, optimizer}}));
  EXPECT_EQ(made.cost(task), us(45));
}

// Of two threads that nothing connects one's pauses are waiting: it has less to do.
TEST(HandOffs, WhatNothingExplainsIsIdle) {
  Maker make;
  const std::uint32_t main = make.thread(1), other = make.thread(2);
  for (int i = 0; i < 100; ++i) make.op(main, "work", 400 * i, 399);
  const EventId first = make.op(other, "a", 1'000, 100);
  const EventId late = make.op(other, "late", 6'100, 100);
  const EventId soon = make.op(other, "soon", 6'800, 100);
  make.python(other, "frame", 6'950, 4'000);
  const EventId busy = make.op(other, "after a frame", 10'955, 100);
  const MadeOfHandOffs made(make);
  EXPECT_EQ(made.all(), (HandOffPairs{{1, first}}));  // a thread woke it
  EXPECT_EQ(made.cost(late), us(100));
  EXPECT_EQ(made.idle(late), us(5'000));
  EXPECT_EQ(made.idle(soon), Time{});
  EXPECT_EQ(made.idle(busy), Time{});
  EXPECT_EQ(made.findings.count(FindingCode::thread_idle_unexplained), 1u);
}

// … but not if the one that does most had done nothing for long, either.
TEST(HandOffs, WhoBeginsAloneBeganByItself) {
  Maker make;
  const std::uint32_t main = make.thread(1), other = make.thread(2);
  for (int i = 0; i < 100; ++i) make.op(main, "work", 400 * i, 399);
  const EventId first = make.op(other, "timer", 60'000, 100);
  const MadeOfHandOffs made(make);
  EXPECT_EQ(made.all(), HandOffPairs{});
  EXPECT_EQ(made.found.start[made.found.node_of[first]], us(60'000));
}

// While no thread has recorded work there is no thread to wait for.
TEST(HandOffs, PausesOfAllThreadsAreNotIdle) {
  Maker make;
  const std::uint32_t main = make.thread(1), other = make.thread(2);
  make.op(main, "work", 0, 9'000);
  make.op(other, "a", 9'050, 100);
  make.op(other, "b", 15'000, 100);
  make.op(main, "work", 30'000, 1'000);
  const MadeOfHandOffs made(make);
  EXPECT_EQ(made.findings.count(FindingCode::thread_idle_unexplained), 0u);
}

}  // namespace
}  // namespace orrery::profile
