// SPDX-License-Identifier: Apache-2.0
//
// Waits in recordings: of a host for a value that a kernel writes before it ends, and of all ranks
// for one that starts late.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "handmade_traces_testing.h"
#include "orrery/study/recordings/replay.h"
#include "orrery/study/stragglers/straggler_search.h"
#include "orrery/study/whatif/whatif.h"

namespace orrery::study {
namespace {

using testing::HasSubstr;

WhatIf changed(const std::vector<std::string>& traces, std::vector<std::string> changes,
               bool list = false) {
  WhatIfQuestion question;
  question.base.recorded.traces = traces;
  question.changes = std::move(changes);
  question.list = list;
  question.most = 0;
  Watch watch;
  auto made = what_if(question, watch);
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
  return made ? *std::move(made) : WhatIf{};
}

double saved(const WhatIf& made) {
  return 1 - static_cast<double>(made.changed->whole.count()) /
                 static_cast<double>(made.base.whole.count());
}

/// A host that launches a product and `notify_dispatch`, then spins until the latter has written
/// a number, `until` after its begin. All times are those of one step, in us.
struct SpinStep {
  int product = 5'000, notify = 100, until = 70, next = 200;
};

/// The events of a recording in which the device times are multiplied by `factor`, and its length.
struct Spins {
  std::vector<std::string> events;
  int end = 0;

  Spins(const std::vector<SpinStep>& steps, double factor) {
    const auto scaled = [&](int time) { return static_cast<int>(time * factor + 0.5); };
    int host = 0, device = 0, number = 0;
    const auto run = [&](const char* name, int begin, int length) {
      events.push_back(event("cuda_runtime", "cudaLaunchKernel", false, 1, host + 2, 5, ++number));
      const int start = std::max({begin, device + 2, host + 12});
      events.push_back(kernel(name, 7, start, scaled(length), number));
      device = start + scaled(length);
      host += 15;
      return start;
    };
    for (const SpinStep& step : steps) {
      events.push_back(event("cpu_op", "aten::mm", false, 1, host, 12, 0));
      run("gemm", 0, step.product);
      events.push_back(event("cpu_op", "DeepEP::notify", false, 1, host, 12, 0));
      const int notify =
          run("void deep_ep::internode::notify_dispatch<false, 8>(X)", 0, step.notify);
      host = std::max(host, notify + scaled(step.until));
      events.push_back(event("cpu_op", "aten::add", false, 1, host, 12, 0));
      run("add", 0, step.next);
    }
    end = device;
  }
};

class Waits : public ByHand {};

// The change is that of a recording made with other device times, whether the host sees the number
// before the kernel ends or after.
TEST_F(Waits, OfAHostForAValueFollowTheDevice) {
  std::mt19937 random(7);
  for (int i = 0; i < 12; ++i) {
    std::vector<SpinStep> steps(3 + random() % 3);
    const int notify = 60 + static_cast<int>(random() % 200);
    for (SpinStep& step : steps) {
      step.product = 3'000 + static_cast<int>(random() % 4'000);
      step.notify = notify;
      step.until = i % 3 == 0 ? notify + 5 : notify * (3 + static_cast<int>(random() % 6)) / 10;
      step.next = 100 + static_cast<int>(random() % 300);
    }
    const Spins now(steps, 1), half(steps, 0.5);
    const auto made =
        changed({write("spins.json", now.events)}, {"kernels=0.5", "communication=0.5"});
    ASSERT_TRUE(made.changed);
    EXPECT_NEAR(saved(made), 1 - static_cast<double>(half.end) / now.end, 0.01) << i;
    EXPECT_EQ(made.findings.count(FindingCode::poll_guessed), steps.size()) << i;
    EXPECT_EQ(made.findings.count(FindingCode::step_ignores_device), 0u);
  }
}

// If nothing shows what the host waits for, the recording says that its step ignores the device.
TEST_F(Waits, WithoutACauseAreReported) {
  std::vector<std::string> events;
  for (int i = 0; i < 8; ++i) {
    const int start = i * 1'000;
    events.push_back(event("cpu_op", fmt::format("step{}", i), false, 1, start, 12, 0));
    events.push_back(event("cuda_runtime", "cudaLaunchKernel", false, 1, start + 2, 5, i + 1));
    // Ends early or late before the next one: no pattern.
    events.push_back(
        kernel(fmt::format("gemm{}", i), 7, start + 10, i % 2 == 0 ? 960 : 900, i + 1));
  }
  const auto made = changed({write("busy.json", events)}, {"kernels=0.5"});
  ASSERT_TRUE(made.changed);
  EXPECT_LT(saved(made), 0.3);
  EXPECT_EQ(made.findings.count(FindingCode::step_ignores_device), 1u);
}

// A step of pauses between the kernels of a graph, which nothing in the recording explains, reacts
// to no change.
TEST_F(Waits, StepsThatIgnoreEveryChangeAreReported) {
  std::vector<std::string> events = {event("cpu_op", "replay", false, 1, 0, 12, 0),
                                     event("cuda_runtime", "cudaGraphLaunch", false, 1, 2, 5, 1)};
  for (int i = 0; i < 8; ++i)
    events.push_back(kernel(fmt::format("gemm{}", i), 7, 10 + i * 10'000, 60, 1));
  const auto made = changed({write("idle.json", events)}, {"kernels=0.5"});
  ASSERT_TRUE(made.changed);
  EXPECT_EQ(made.findings.count(FindingCode::step_ignores_changes), 1u);
  EXPECT_EQ(made.findings.count(FindingCode::step_ignores_device), 0u);
}

/// Two ranks that compute for 1 ms and reduce for 400 us; rank 1 starts `late` us later.
std::vector<std::vector<std::string>> late_ranks(int late) {
  std::vector<std::vector<std::string>> ranks;
  for (const int start : {0, late})
    ranks.push_back({launch(start, 1), kernel("sgemm", 7, start + 10, 1'000, 1),
                     launch(start + 20, 2), all_reduce(7, start + 1'012, late + 400 - start, 2)});
  return ranks;
}

// A late start is one figure everywhere, and no saving.
TEST_F(Waits, ForALateRankAreNoSaving) {
  const auto ranks = late_ranks(5'000);
  const std::vector<std::string> traces = {write("w.rank0.json", ranks[0], 0),
                                           write("w.rank1.json", ranks[1], 1)};
  const auto made = changed(traces, {"waits=0"}, true);
  ASSERT_TRUE(made.changed);
  EXPECT_EQ(made.changed->whole, made.base.whole);
  for (const ChangeTrial& tried : made.list) EXPECT_NE(tried.change, "waits=0.5");
  ASSERT_EQ(made.findings.count(FindingCode::late_start), 1u);
  for (const Finding& finding : made.findings.list())
    if (finding.code == FindingCode::late_start)
      EXPECT_THAT(finding.places.front(), HasSubstr("5 ms after rank 0"));

  Watch watch;
  ReplayQuestion again;
  again.recorded.traces = traces;
  const auto replayed = replay(again, watch);
  ASSERT_TRUE(replayed) << to_string(replayed.error());
  EXPECT_EQ(replayed->ranks[0].late_start, Time{});
  EXPECT_EQ(replayed->ranks[1].late_start, us(5'000));
  EXPECT_EQ(replayed->findings.count(FindingCode::late_start), 1u);

  StragglersQuestion slow;
  slow.base.recorded.traces = traces;
  const auto found = stragglers(slow, watch);
  ASSERT_TRUE(found) << to_string(found.error());
  EXPECT_THAT(found->late_starts, testing::ElementsAre(Time{}, us(5'000)));
  EXPECT_EQ(found->blame, Blame::none);
}

}  // namespace
}  // namespace orrery::study
