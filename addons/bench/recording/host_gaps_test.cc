// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/recording/host_gaps.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "orrery/profile/profile_testing.h"

namespace orrery::bench {
namespace {

using profile::EventId;
using profile::Maker;

/// A host that runs operators, each alone or in a range of the autograd engine, and other ranges,
/// while a profiler takes a quarter of `cost` before and after each stamp. Times are nanoseconds.
class Watched {
 public:
  Watched(unsigned seed, std::int64_t cost, bool whole)
      : random_(seed), cost_(cost), whole_(whole) {}

  profile::Profile run(int count) {
    for (int i = 0; i < count; ++i) {
      work();
      switch (random_() % 3) {
        case 0:
          run_operator();
          break;
        case 1:
          run_in_engine(i);
          break;
        default:
          ranged("step", [&] { work(), run_operator(), work(); });
      }
    }
    return make_.take();
  }

  std::vector<EventId> operators;
  std::int64_t worked = 0;

 private:
  void work() {
    const std::int64_t took = 200 + static_cast<std::int64_t>(random_() % 4000);
    now_ += took;
    worked += took;
  }

  template <class InnerOperators>
  EventId ranged(const std::string& name, InnerOperators inside) {
    now_ += cost_ / 4;
    const std::int64_t start = now_;
    const EventId event = make_.op(thread_, name, 0, 0);
    now_ += cost_ / 4;
    inside();
    now_ += cost_ / 4;
    const std::int64_t length = now_ - start, unit = whole_ ? 1000 : 1;
    make_.profile.events[event].start = Time(start / unit * unit * 1000);
    make_.profile.events[event].duration = Time(length / unit * unit * 1000);
    now_ += cost_ / 4;
    return event;
  }

  void run_operator() {
    operators.push_back(ranged(
        "aten::mm", [&] { now_ += 15'000 + static_cast<std::int64_t>(random_() % 10'000); }));
    if (operators.size() == 1) worked = 0;  // what came before is no gap
  }

  void run_in_engine(int i) {
    const std::string name = "Backward" + std::to_string(i);
    ranged("autograd::engine::evaluate_function: " + name,
           [&] { ranged(name, [&] { work(), run_operator(), work(); }); });
  }

  Maker make_;
  std::uint32_t thread_ = make_.thread(1);
  std::mt19937 random_;
  std::int64_t cost_, now_ = 5'000'000;
  bool whole_;
};

// What the host did is found in spite of the profiler's time and of whole microseconds. (What it
// does after the last operator belongs to none.)
TEST(BenchHostGaps, TakeOffWhatTheProfilerTook) {
  for (const bool whole : {false, true})
    for (const std::int64_t cost : {0, 800, 1600})
      for (unsigned seed = 1; seed <= 10; ++seed) {
        Watched watched(seed, cost, whole);
        const profile::Profile profile = watched.run(600);
        HostGaps gaps(profile);
        std::int64_t predicted = 0, before = 0;
        for (const EventId op : watched.operators) {
          gaps.visit(op);
          const Time taken = gaps.take();
          EXPECT_GE(taken, Time{});
          predicted += taken.count() / 1000;
          const Time end = profile.events[op].end();
          EXPECT_GE(end.count(), before) << "in order";
          before = end.count();
        }
        EXPECT_NEAR(static_cast<double>(gaps.profiler_overhead().count()) / 1000,
                    static_cast<double>(cost), whole ? 250 : 1);
        const double off = static_cast<double>(predicted) / static_cast<double>(watched.worked) - 1;
        EXPECT_LT(std::abs(off), whole ? 0.08 : 0.005)
            << "whole " << whole << " cost " << cost << " seed " << seed << ": " << predicted
            << " of " << watched.worked;
      }
}

// Until another thread's communication ended the host may have waited; its own call is no wait.
TEST(BenchHostGaps, WaitingIsNoWork) {
  Maker make;
  const auto main = make.thread(1), other = make.thread(2);
  const EventId first = make.op(main, "aten::mul", 10, 5);
  const EventId call = make.op(main, "c10d::allreduce_", 20, 500);
  make.op(main, "gloo:all_reduce", 21, 300);
  make.op(other, "gloo:all_reduce", 600, 400);
  const EventId second = make.op(main, "aten::copy_", 1012, 8);
  const profile::Profile profile = make.take();
  HostGaps gaps(profile);
  const auto nanoseconds = [&](EventId event) {
    gaps.visit(event);
    return gaps.take().count() / 1000;
  };
  EXPECT_EQ(nanoseconds(first), 0);
  EXPECT_EQ(nanoseconds(call), 4500);
  EXPECT_EQ(nanoseconds(second), 11'500);
}

// Another part's operators take no part; what was added is kept until it is taken.
TEST(BenchHostGaps, AreKeptUntilTheyAreTaken) {
  Maker make;
  const auto main = make.thread(1);
  std::vector<EventId> ops;
  for (const std::int64_t start : {10, 20, 30, 40, 50}) {
    ops.push_back(make.op(main, "aten::mm", start, 5));
    make.profile.events[ops.back()].duration += Time{1'000};  // no whole microseconds
  }
  const profile::Profile profile = make.take();
  HostGaps gaps(profile);
  gaps.skip(ops[0]);
  gaps.visit(ops[1]);
  EXPECT_EQ(gaps.take(), Time{}) << "it is the first";
  gaps.skip(ops[2]);
  gaps.visit(ops[3]);
  gaps.visit(ops[4]);
  EXPECT_EQ(gaps.take(), Time{2 * 4'999'000});
  EXPECT_EQ(gaps.take(), Time{});
}

}  // namespace
}  // namespace orrery::bench
