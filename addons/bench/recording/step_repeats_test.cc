// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/recording/step_repeats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "addons/bench/recording/host_gaps.h"
#include "orrery/profile/profile_testing.h"

namespace orrery::bench {
namespace {

using profile::EventId;
using profile::kNoEvent;
using profile::Maker;

/// Seven steps of one program, in a device trace. Before an operator the host works as long in each
/// but for noise; now and then something else has its processor for a while. One step has an
/// operator more in its middle, one is another program.
class Steps {
 public:
  static constexpr int kSteps = 7, kOther = 2, kLonger = 4, kOperators = 150;

  Steps(unsigned seed, bool whole, int linked) : random_(seed), whole_(whole), linked_(linked) {
    for (int i = 0; i < kOperators; ++i) program_.push_back(draw());
    for (int s = 0; s < kSteps; ++s) run(s);
    profile = make_.take();
  }

  profile::Profile profile;
  std::vector<std::vector<EventId>> operators;  // by step
  std::int64_t worked = 0;                      // between operators without noise, ns
  std::int64_t delayed = 0;                     // how long others had the processor in linked_
  std::vector<std::int64_t> delays;             // of each step but the other program
  /// Their median.
  [[nodiscard]] std::int64_t usually_delayed() const {
    std::vector<std::int64_t> sorted = delays;
    std::sort(sorted.begin(), sorted.end());
    return (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
  }

 private:
  struct Operator {
    std::string name;
    std::int64_t before, inside;  // ns
  };

  Operator draw() {
    return {"aten::op" + std::to_string(random_() % 12),
            2'000 + static_cast<std::int64_t>(random_() % 8'000),
            random_() % 5 == 0 ? 300 : 3'000 + static_cast<std::int64_t>(random_() % 20'000)};
  }

  void run(int step) {
    const std::int64_t begin = now_;
    const EventId around = make_.annotation(thread_, "ProfilerStep#" + std::to_string(step), 0, 0);
    operators.emplace_back();
    worked = 0;
    std::int64_t waited = 0;
    for (int i = 0; i < kOperators; ++i) {
      const Operator op = step == kOther ? draw() : program_[static_cast<std::size_t>(i)];
      now_ += op.before + static_cast<std::int64_t>(random_() % 200) - 100;
      worked += program_[static_cast<std::size_t>(i)].before;
      if (random_() % 60 == 0) {
        now_ += 300'000;
        waited += 300'000;
        if (step == linked_) delayed += 300'000;
      }
      operators.back().push_back(add(op.name, now_, op.inside));
      if (step == linked_) link(operators.back().back());
      now_ += op.inside;
      if (step == kLonger && i == kOperators / 2) {
        add("aten::another", now_ + 500, 1'000);
        now_ += 2'000;
      }
    }
    if (step != kOther) delays.push_back(waited);
    now_ += 5'000;
    set_times(around, begin, now_ - begin);
    now_ += 20'000;
  }

  EventId add(const std::string& name, std::int64_t start, std::int64_t length) {
    const EventId event = make_.op(thread_, name, 0, 0);
    set_times(event, start, length);
    return event;
  }
  void set_times(EventId event, std::int64_t start, std::int64_t length) {
    const std::int64_t unit = whole_ ? 1000 : 1;
    make_.profile.events[event].start = Time(start / unit * unit * 1000);
    make_.profile.events[event].duration = Time(length / unit * unit * 1000);
  }
  void link(EventId event) {
    make_.profile.nodes.push_back({});
    make_.op_of(event).node = static_cast<std::uint32_t>(make_.profile.nodes.size() - 1);
    make_.profile.events[event].flags |= profile::kHasNode;
  }

  Maker make_;
  std::uint32_t thread_ = make_.thread(1);
  std::mt19937 random_;
  std::vector<Operator> program_;
  std::int64_t now_ = 5'000'000;
  bool whole_;
  int linked_;
};

// Whichever step has the nodes, the others' operators are found: all of them where times are exact.
TEST(BenchRepeats, FindTheSameOperators) {
  for (const bool whole : {false, true})
    for (const int linked : {0, 3, Steps::kLonger, Steps::kSteps - 1})
      for (unsigned seed = 1; seed <= 5; ++seed) {
        const Steps steps(seed, whole, linked);
        const StepRepeats repeats(steps.profile);
        ASSERT_EQ(repeats.size(), Steps::kSteps - 1U) << "all but the other program";
        std::size_t step = 0, right = 0, asked = 0;
        for (int s = 0; s < Steps::kSteps; ++s) {
          if (s == Steps::kOther) continue;
          if (s != linked) ++step;
          const auto &here = steps.operators[static_cast<std::size_t>(linked)],
                     &there = steps.operators[static_cast<std::size_t>(s)];
          for (std::size_t i = 0; i < here.size(); ++i, ++asked)
            right += repeats.counterpart(s == linked ? 0 : step, here[i]) == there[i];
        }
        EXPECT_GE(right, whole ? asked * 98 / 100 : asked) << "of " << asked << ", seed " << seed;
      }
}

// What now and then has the host's processor is no work of the host's; one step cannot tell.
TEST(BenchRepeats, GapsAreTheMedianOfSteps) {
  for (const bool whole : {false, true})
    for (unsigned seed = 1; seed <= 10; ++seed) {
      const Steps steps(seed, whole, 1);
      HostGaps gaps(steps.profile);
      std::int64_t predicted = 0;
      for (const EventId op : steps.operators[1]) {
        gaps.visit(op);
        predicted += gaps.take().count() / 1000;
      }
      EXPECT_GT(steps.delayed, 0);
      EXPECT_GE(gaps.total_ratio(), 1);
      EXPECT_NEAR(gaps.total_ratio() * static_cast<double>(predicted),
                  static_cast<double>(steps.worked + steps.usually_delayed()),
                  static_cast<double>(steps.worked) * (whole ? 0.05 : 0.03))
          << "whole " << whole << " seed " << seed;
      EXPECT_NEAR(static_cast<double>(predicted) / static_cast<double>(steps.worked), 1,
                  whole ? 0.03 : 0.01)
          << "whole " << whole << " seed " << seed;
    }
}

// No steps annotated, one only, or nodes outside of all: nothing to compare with.
TEST(BenchRepeats, OneStepIsAloneWithItself) {
  Maker make;
  const auto main = make.thread(1);
  const EventId op = make.op(main, "aten::mm", 10, 5);
  const profile::Profile bare = make.take();
  EXPECT_EQ(StepRepeats(bare).size(), 1U);
  EXPECT_EQ(StepRepeats(bare).counterpart(0, op), op);

  Maker outside;
  const auto thread = outside.thread(1);
  for (const int s : {0, 1}) {
    outside.annotation(thread, "ProfilerStep#" + std::to_string(s), 100 * s, 50);
    outside.op(thread, "aten::mm", 100 * s + 10, 5);
  }
  const EventId late = outside.node(thread, "aten::mm", 7);
  outside.profile.events[late].flags |= profile::kTimed;
  outside.profile.events[late].start = Time{400'000'000};
  const profile::Profile apart = outside.take();
  EXPECT_EQ(StepRepeats(apart).size(), 1U);
}

// The engine does something in its ranges, too: operators that only call another one tell what the
// profiler takes. Those without nodes may only seem to be inside of each other.
TEST(BenchRepeats, TheProfilerTakesNoMoreThanTheLeastOfRanges) {
  for (const bool with_nodes : {false, true}) {
    Maker make;
    const auto main = make.thread(1);
    std::int64_t now = 100;
    const auto nest = [&](const std::string& outer, const std::string& inner, std::int64_t more) {
      for (int i = 0; i < 30; ++i, now += 100) {
        const EventId around = make.op(main, outer, now, 20 + more);
        const EventId inside = make.op(main, inner, now + 1, 20);
        for (const EventId event : {around, inside}) {
          make.profile.events[event].duration += Time{300'000};  // no whole microseconds
          if (!with_nodes) continue;
          make.profile.nodes.push_back({});
          make.op_of(event).node = static_cast<std::uint32_t>(make.profile.nodes.size() - 1);
          make.profile.events[event].flags |= profile::kHasNode;
        }
      }
    };
    nest("autograd::engine::evaluate_function: MmBackward0", "MmBackward0", 5);
    nest("aten::conv2d", "aten::convolution", 4);
    nest("aten::t", "aten::transpose", 1);
    const profile::Profile profile = make.take();
    EXPECT_EQ(HostGaps(profile).profiler_overhead(), Time{with_nodes ? 1'000'000 : 2'000'000});
  }
}

}  // namespace
}  // namespace orrery::bench
