// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "orrery/profile/link/link.h"
#include "orrery/profile/profile_testing.h"

namespace orrery::profile {
namespace {

/// Operators inside operators, most of them shorter than a microsecond, as a program runs them.
struct Ran {
  std::string name;
  std::int64_t start_ns = 0, end_ns = 0;
  std::size_t parent = ~std::size_t{0};
};

void run_some(std::mt19937& random, std::size_t parent, int depth, std::int64_t& now,
              std::vector<Ran>& out) {
  const auto children = 1 + random() % 4;
  for (std::size_t i = 0; i < children; ++i) {
    now += static_cast<std::int64_t>(1 + random() % 300);
    const std::size_t self = out.size();
    out.push_back({"op" + std::to_string(random() % 8), now, 0, parent});
    if (depth > 0 && random() % 3 != 0) run_some(random, self, depth - 1, now, out);
    now += static_cast<std::int64_t>(1 + random() % 900);
    out[self].end_ns = now;
  }
}

struct Traces {
  Maker device;
  Maker host{device.profile.strings};
  std::vector<EventId> in_device, in_host;
  Findings findings;
};

/// Both recordings; the device's times in whole microseconds.
void record(const std::vector<Ran>& ran, Traces& to) {
  const auto thread = to.device.thread(4711), logical = to.host.thread(1);
  for (std::size_t i = 0; i < ran.size(); ++i) {
    const std::int64_t start = ran[i].start_ns / 1000;
    const std::int64_t length = (ran[i].end_ns - ran[i].start_ns) / 1000;
    to.in_device.push_back(to.device.op(thread, ran[i].name, start, length));
    const EventId parent = ran[i].parent < i ? to.in_host[ran[i].parent] : kNoEvent;
    to.in_host.push_back(to.host.node(logical, ran[i].name, 10 + i, parent));
  }
}

TEST(LinkNesting, FollowsTheExecutionTrace) {
  std::size_t wrong_by_times = 0, wrong_now = 0, all = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    std::vector<Ran> ran;
    std::int64_t now = 5000;
    while (ran.size() < 60) run_some(random, ~std::size_t{0}, 4, now, ran);
    Traces traces;
    record(ran, traces);
    traces.host.profile.format = "pytorch_et";
    Profile host = traces.host.take(), linked = traces.device.take();
    const auto parent_of = [&](std::size_t i) { return linked.events[traces.in_device[i]].parent; };
    const auto expected = [&](std::size_t i) {
      return ran[i].parent < i ? traces.in_device[ran[i].parent] : kNoEvent;
    };
    for (std::size_t i = 0; i < ran.size(); ++i) wrong_by_times += parent_of(i) != expected(i);
    all += ran.size();
    const auto report = link(linked, std::move(host), traces.findings);
    ASSERT_TRUE(report) << "seed " << seed << ": " << to_string(report.error());
    for (std::size_t i = 0; i < ran.size(); ++i) {
      wrong_now += parent_of(i) != expected(i);
      const Event& event = linked.events[traces.in_device[i]];
      EXPECT_LE(event.start - Time{ran[i].start_ns / 1000 * 1'000'000}, Time{2'000'000});
      EXPECT_GE(event.duration, Time{});
    }
  }
  EXPECT_GT(wrong_by_times * 10, all) << "what there is to mend";
  // Of two with equal times the order is not always known, and one is not linked then.
  EXPECT_LT(wrong_now * 3, wrong_by_times);
}

TEST(LinkNesting, LeavesThreadsWithCallsAndFinerTimes) {
  for (const bool finer : {false, true}) {
    Traces traces;
    record({{"outer", 1000, 2900, ~std::size_t{0}}, {"inner", 2100, 2700, 0}}, traces);
    const auto thread = traces.device.profile.events[traces.in_device[0]].lane;
    if (finer)
      traces.device.profile.events[traces.in_device[1]].start += Time{1000};
    else
      traces.device.call(thread, "cudaLaunchKernel", 1, 0, 7);
    traces.host.profile.format = "pytorch_et";
    Profile host = traces.host.take(), linked = traces.device.take();
    const Event before = linked.events[traces.in_device[1]];
    ASSERT_TRUE(link(linked, std::move(host), traces.findings));
    EXPECT_EQ(linked.events[traces.in_device[1]].start, before.start);
    EXPECT_EQ(linked.events[traces.in_device[1]].duration, before.duration);
  }
}

/// The same again, a little quicker or slower.
std::vector<Ran> again(std::mt19937& random, const std::vector<Ran>& ran, std::int64_t& now) {
  std::vector<std::pair<std::int64_t, std::int64_t*>> stamps;  // when, and where to put it
  std::vector<Ran> out = ran;
  for (Ran& op : out) {
    stamps.emplace_back(op.start_ns, &op.start_ns);
    stamps.emplace_back(op.end_ns, &op.end_ns);
  }
  std::sort(stamps.begin(), stamps.end());
  std::int64_t before = stamps.front().first;
  for (auto& [when, at] : stamps) {
    now += std::max<std::int64_t>(1, (when - before) * (80 + random() % 40) / 100);
    before = when;
    *at = now;
  }
  return out;
}

// An execution trace of one step with a device trace of eight: whichever it is taken for, it is
// one of them.
TEST(LinkNesting, StepsThatRepeatAreNotMixed) {
  std::size_t right = 0, all = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    std::mt19937 random(seed);
    std::vector<Ran> ran;
    std::int64_t now = 5000;
    while (ran.size() < 80) run_some(random, ~std::size_t{0}, 4, now, ran);
    Traces traces;
    record(ran, traces);
    traces.in_host.clear();
    Maker device(traces.device.profile.strings);
    const auto thread = device.thread(4711);
    std::vector<std::vector<EventId>> in_step;
    for (std::size_t step = 0; step < 8; ++step) {
      const std::int64_t begin = now += 10'000;
      in_step.emplace_back();
      for (const Ran& op : again(random, ran, now))
        in_step.back().push_back(
            device.op(thread, op.name, op.start_ns / 1000, (op.end_ns - op.start_ns) / 1000));
      now += 5'000;
      device.annotation(thread, "ProfilerStep#" + std::to_string(step), begin / 1000,
                        (now - begin) / 1000);
    }
    traces.host.profile.format = "pytorch_et";
    Profile host = traces.host.take(), linked = device.take();
    const auto report = link(linked, std::move(host), traces.findings);
    ASSERT_TRUE(report) << "seed " << seed << ": " << to_string(report.error());
    std::size_t steps = 0;
    for (const std::vector<EventId>& events : in_step) {
      std::size_t found = 0;
      for (std::size_t i = 0; i < ran.size(); ++i) {
        const Node* node = linked.node(events[i]);
        if (node == nullptr) continue;
        ++found;
        right += node->id == 10 + i;
      }
      steps += found > 0;
    }
    all += ran.size();
    EXPECT_EQ(steps, 1U) << "seed " << seed;
  }
  EXPECT_GT(right * 100, all * 90) << right << " of " << all;
}

}  // namespace
}  // namespace orrery::profile
