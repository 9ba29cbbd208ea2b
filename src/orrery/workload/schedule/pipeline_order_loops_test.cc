// SPDX-License-Identifier: Apache-2.0
//
// Schedules are written as loops: against the same pass by pass.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>

#include "orrery/workload/schedule/pipeline_order.h"

namespace orrery::workload {
namespace {

/// One stage of a schedule as its paper tells it: pass by pass, with microbatches counted out.
class PassByPass {
 public:
  PassByPass(ScheduleKind kind, std::uint32_t stages, std::uint32_t microbatches,
             std::uint32_t chunks, std::uint32_t stage)
      : p_(stages), m_(microbatches), v_(chunks), s_(stage) {
    switch (kind) {
      case ScheduleKind::gpipe:
        for (std::uint32_t b = 0; b < m_; ++b) add(Pass::forward, 0, b);
        for (std::uint32_t b = 0; b < m_; ++b) add(Pass::backward, 0, b);
        break;
      case ScheduleKind::one_f_one_b:
        one_f_one_b();
        break;
      case ScheduleKind::interleaved:
        v_ > 1 ? interleaved() : one_f_one_b();
        break;
      case ScheduleKind::zb_h1:
        zb_h1();
        break;
      case ScheduleKind::zb_v:
        zb_v();
        break;
      case ScheduleKind::dual_pipe:
        dual_pipe();
        break;
      case ScheduleKind::file:
        break;
    }
  }

  std::vector<Slot> slots;

 private:
  void add(Pass pass, std::uint32_t chunk, std::uint32_t microbatch) {
    if (microbatch < m_) slots.push_back({pass, static_cast<std::uint16_t>(chunk), microbatch});
  }

  void one_f_one_b() {
    const std::uint32_t ahead = std::min(p_ - 1 - s_, m_);
    for (std::uint32_t b = 0; b < ahead; ++b) add(Pass::forward, 0, b);
    for (std::uint32_t b = 0; b < m_; ++b) {
      add(Pass::forward, 0, b + ahead);
      add(Pass::backward, 0, b);
    }
  }

  void interleaved() {
    const std::uint32_t passes = v_ * m_;
    const auto chunk = [&](std::uint32_t i) { return i % (p_ * v_) / p_; };
    const auto microbatch = [&](std::uint32_t i) { return i / (p_ * v_) * p_ + i % p_; };
    const std::uint32_t ahead = std::min((v_ - 1) * p_ + 2 * (p_ - 1 - s_), passes);
    for (std::uint32_t i = 0; i < passes + ahead; ++i) {
      if (i < passes) add(Pass::forward, chunk(i), microbatch(i));
      if (i < ahead) continue;
      add(Pass::backward, v_ - 1 - chunk(i - ahead), microbatch(i - ahead));
    }
  }

  void zb_h1() {
    const std::uint32_t ahead = std::min(p_ - 1 - s_, m_), late = std::min(s_, m_);
    for (std::uint32_t b = 0; b < ahead; ++b) add(Pass::forward, 0, b);
    for (std::uint32_t b = 0; b < m_; ++b) {
      add(Pass::forward, 0, b + ahead);
      add(Pass::input_grad, 0, b);
      if (b >= late) add(Pass::weight_grad, 0, b - late);
    }
    for (std::uint32_t b = m_ - late; b < m_; ++b) add(Pass::weight_grad, 0, b);
  }

  void zb_v() {
    const std::uint32_t m = std::max(2 * p_ - 1, m_);
    std::array<std::array<std::uint32_t, 4>, 2> next{};  // by chunk, by pass
    const auto run = [&](Pass pass, std::uint32_t chunk) {
      add(pass, chunk, next[chunk][static_cast<std::size_t>(pass)]++);
    };
    const auto forward = [&](std::uint32_t chunk) { run(Pass::forward, chunk); };
    const auto input = [&](std::uint32_t chunk) { run(Pass::input_grad, chunk); };
    const auto weight = [&](std::uint32_t chunk) { run(Pass::weight_grad, chunk); };
    for (std::uint32_t i = 0; i < 2 * (p_ - s_) - 1; ++i) forward(0);
    for (std::uint32_t i = 0; i < s_; ++i) forward(1), forward(0);
    for (std::uint32_t i = 0; i < p_ - s_; ++i) forward(1), input(1), weight(1);
    while (next[1][0] < m) {
      if (next[0][0] < m) forward(0);
      input(0), weight(0), forward(1), input(1), weight(1);
    }
    for (std::uint32_t i = 0; i < s_; ++i) input(0), input(1);
    for (std::uint32_t i = 0; i < p_ - s_; ++i) input(0), weight(0);
    while (next[1][3] < next[1][2]) weight(1);
    while (next[0][3] < next[0][2]) weight(0);
  }

  void dual_pipe() {
    const std::uint32_t half = m_ / 2, depth = std::min(s_, p_ - 1 - s_);
    const std::uint32_t inner = p_ / 2 - 1 - depth;
    std::array<std::uint32_t, 2> forwards{}, backwards{};  // near, far
    std::deque<Slot> owed;
    const auto run = [&](Pass pass, std::uint32_t direction, std::uint32_t i) {
      const std::uint32_t chunk = (direction == 1) != (s_ >= p_ / 2) ? 1 : 0;
      add(pass, chunk, i + (chunk == 1 ? half : 0));
    };
    const auto forward = [&](std::uint32_t d) { run(Pass::forward, d, forwards[d]++); };
    const auto backward = [&](std::uint32_t d) { run(Pass::backward, d, backwards[d]++); };
    const auto input = [&](std::uint32_t d) {
      run(Pass::input_grad, d, backwards[d]++);
      owed.push_back(slots.back());
    };
    const auto weight = [&] {
      add(Pass::weight_grad, owed.front().chunk, owed.front().microbatch);
      owed.pop_front();
    };
    for (std::uint32_t i = 0; i < 2 * inner; ++i) forward(0);
    for (std::uint32_t i = 0; i <= depth; ++i) forward(0), forward(1);
    for (std::uint32_t i = 0; i < inner; ++i) input(1), weight(), forward(1);
    for (std::uint32_t i = 0; i < half - p_ + depth + 1; ++i)
      forward(0), backward(1), forward(1), backward(0);
    for (std::uint32_t i = 0; i < inner; ++i) backward(1), forward(1), backward(0);
    for (std::uint32_t i = 0; i < 2 * (depth + 1); ++i)
      i <= depth ? backward(1 - i % 2) : input(1 - i % 2);
    for (std::uint32_t i = 0; i < inner; ++i) weight(), input(0);
    while (!owed.empty()) weight();
  }

  std::uint32_t p_, m_, v_, s_;
};

constexpr ScheduleKind kLoopKinds[] = {ScheduleKind::gpipe,       ScheduleKind::one_f_one_b,
                                       ScheduleKind::interleaved, ScheduleKind::zb_h1,
                                       ScheduleKind::zb_v,        ScheduleKind::dual_pipe};

TEST(ScheduleLoops, SchedulesAreThoseOfThePapersPassByPass) {
  std::size_t tried = 0;
  for (const ScheduleKind kind : kLoopKinds) {
    for (std::uint32_t p = 1; p <= 9; ++p) {
      for (std::uint32_t m = 1; m <= 50; ++m) {
        for (const std::uint32_t v : {1u, 2u, 3u, 5u}) {
          const Result<PipelineOrder> order = pipeline_order(kind, p, m, v);
          if (!order) continue;
          for (std::uint32_t s = 0; s < p; ++s) {
            ASSERT_EQ(order->slots(s), PassByPass(kind, p, m, v, s).slots)
                << static_cast<int>(kind) << ": " << p << " stages, " << m << " microbatches, " << v
                << " chunks, stage " << s;
            ++tried;
          }
        }
      }
    }
  }
  EXPECT_GT(tried, 10'000u);
}

TEST(ScheduleLoops, StagesAreShortHoweverManyMicrobatches) {
  for (const ScheduleKind kind : kLoopKinds) {
    const bool two = kind == ScheduleKind::zb_v || kind == ScheduleKind::dual_pipe;
    const std::uint32_t chunks = two || kind == ScheduleKind::interleaved ? 2 : 1;
    const Result<PipelineOrder> order = pipeline_order(kind, 8, 262'144, chunks);
    ASSERT_TRUE(order);
    for (const std::vector<SlotLoop>& loops : order->loops) {
      std::size_t slots = 0;
      for (const SlotLoop& loop : loops) slots += loop.slots.size();
      EXPECT_LT(slots, 200u) << static_cast<int>(kind);
    }
  }
}

}  // namespace
}  // namespace orrery::workload
