// SPDX-License-Identifier: Apache-2.0
//
// Closed forms against passes that are run one by one.
#include "orrery/estimate/columns/pipeline_closed_form.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "orrery/core/sanitized_testing.h"
#include "orrery/workload/schedule/pipeline_order.h"

namespace orrery::estimate {
namespace {

using workload::Pass;
using workload::ScheduleKind;

/// When each stage has run all its passes, in their order, each as soon as it can.
class Clockwork {
 public:
  explicit Clockwork(const PipelinePasses& of)
      : of_(of),
        order_(*workload::pipeline_order(of.schedule, static_cast<std::uint32_t>(of.stages),
                                         static_cast<std::uint32_t>(of.microbatches),
                                         static_cast<std::uint32_t>(of.chunks))) {}

  std::vector<double> run() {
    const std::uint32_t stages = order_.stages;
    std::vector<std::vector<workload::Slot>> slots;
    for (std::uint32_t s = 0; s < stages; ++s) slots.push_back(order_.slots(s));
    std::vector<std::size_t> at(stages, 0);
    std::vector<double> now(stages, 0);
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint32_t s = 0; s < stages; ++s)
        for (; at[s] < slots[s].size() && may_start(s, slots[s][at[s]]); ++at[s], moved = true)
          now[s] = std::max(now[s], start_) + duration(s, slots[s][at[s]], now[s]);
    }
    return now;
  }

 private:
  using Key = std::tuple<bool, std::uint32_t, std::uint32_t>;  // forward, virtual stage, microbatch

  bool may_start(std::uint32_t s, const workload::Slot& slot) {
    const std::uint32_t at = slot.chunk * order_.stages + s;
    const std::uint32_t all = order_.stages * order_.chunks;
    start_ = 0;
    if (slot.pass == Pass::weight_grad) return true;
    const bool forward = slot.pass == Pass::forward;
    if (forward && at == 0) return true;
    const bool turns = !forward && at + 1 == all;
    const std::uint32_t other = forward ? at - 1 : turns ? at : at + 1;
    const auto known = ends_.find({forward || turns, other, slot.microbatch});
    if (known == ends_.end()) return false;
    const bool wraps = forward ? s == 0 : s + 1 == order_.stages;
    start_ = known->second + (turns || order_.stages == 1 ? 0 : wraps ? of_.wrap : of_.message);
    return true;
  }

  double duration(std::uint32_t s, const workload::Slot& slot, double now) {
    const std::uint32_t at = slot.chunk * order_.stages + s;
    const auto of = [&](const PassTimes& halves) {
      switch (slot.pass) {
        case Pass::forward:
          return halves.forward;
        case Pass::input_grad:
          return halves.input;
        case Pass::weight_grad:
          return halves.weight;
        case Pass::backward:
          break;
      }
      return halves.backward();
    };
    double time = of(of_.chunk);
    if (at == 0) time += of(of_.embedding);
    if (at + 1 == order_.stages * order_.chunks) time += of(of_.head);
    if (slot.pass != Pass::weight_grad)
      ends_[{slot.pass == Pass::forward, at, slot.microbatch}] = std::max(now, start_) + time;
    return time;
  }

  const PipelinePasses& of_;
  workload::PipelineOrder order_;
  std::map<Key, double> ends_;
  double start_ = 0;
};

PipelinePasses drawn(const ClosedSchedule& schedule, std::mt19937_64& random, double most_message) {
  const auto between = [&](double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random);
  };
  PipelinePasses of;
  of.schedule = schedule.kind;
  of.stages = 1 + static_cast<std::int32_t>(random() % 9);
  of.chunks = workload::find_schedule(schedule.kind)->chunks == workload::ChunkCount::several
                  ? 2 + static_cast<std::int32_t>(random() % 3)
                  : 1;
  of.microbatches = 1 + static_cast<std::int32_t>(random() % 40);
  if (of.chunks > 1) of.microbatches = of.stages * (1 + of.microbatches % 6);
  of.chunk.forward = between(1, 2);
  of.chunk.input = between(0.9, 1.3) * of.chunk.forward;
  of.chunk.weight = between(0.8, 1.1) * of.chunk.forward;
  const double table = between(0, 0.1), head = between(0, 0.6);
  of.embedding = {table, table / 2, table};
  of.head = {head, head, head};
  of.message = between(0, most_message);
  of.wrap = of.message;
  return of;
}

/// Differences of drawn schedules, as shares, ascending.
std::vector<double> differences(const ClosedSchedule& schedule, double most_message) {
  std::mt19937_64 random(7);
  std::vector<double> found;
  for (int i = 0; i < rounds(600, 60); ++i) {
    const PipelinePasses of = drawn(schedule, random, most_message);
    const auto ran = Clockwork(of).run();
    const StageEnds estimated = stage_ends(of);
    const double longest = *std::max_element(ran.begin(), ran.end());
    found.push_back(std::abs(estimated.first / ran.front() - 1));
    found.push_back(std::abs(estimated.last - ran.back()) / longest);
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(StageOrder, ClosedFormsAreWhatIsPlayed) {
  std::size_t known = 0;
  for (const workload::ScheduleEntry* each : workload::kSchedules) {
    const ClosedSchedule* schedule = closed_schedule(each->kind);
    if (schedule == nullptr) continue;
    SCOPED_TRACE(workload::name(each->kind));
    const bool exact = schedule->largest_error == 0;
    const auto found = differences(*schedule, exact ? 0.6 : 0.1);
    EXPECT_LE(found[found.size() / 2], schedule->median_error + 1e-9);
    EXPECT_LE(found.back(), schedule->largest_error + 1e-9);
    ++known;
  }
  EXPECT_EQ(known, 4u);
  EXPECT_EQ(closed_schedule(ScheduleKind::file), nullptr);
}

}  // namespace
}  // namespace orrery::estimate
