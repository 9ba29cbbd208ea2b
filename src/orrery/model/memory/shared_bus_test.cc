// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/memory/shared_bus.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <utility>
#include <vector>

namespace orrery::model {
namespace {

using TransferDirection = SharedBus::TransferDirection;

/// Runs a bus with a clock of its own; remembers when each transfer was complete, and in which
/// order.
class Clock {
 public:
  explicit Clock(const platform::SharedBus& config, std::int64_t ticks_per_ns = 1)
      : bus_(config, ticks_per_ns) {}

  void transfer(TransferDirection way, const SharedBus::Transfer& transfer) {
    bus_.transfer(way, transfer, now_);
    collect();
  }

  void run() {
    while (!due_.empty()) {
      const auto first = due_.begin();
      now_ = first->first;
      const std::uint32_t code = first->second;
      due_.erase(first);
      const SharedBus::BusEvent step = bus_.expire(code, now_);
      collect();
      if (step.token != SharedBus::kNoToken) done_.emplace_back(step.token, now_);
      bus_.settle(step, now_);
      collect();
    }
  }

  [[nodiscard]] const std::vector<std::pair<std::uint32_t, std::int64_t>>& done() const {
    return done_;
  }

 private:
  void collect() {
    for (const SharedBus::Timer& timer : bus_.timers())
      due_.emplace(now_ + timer.delay, timer.code);
    bus_.timers().clear();
  }

  SharedBus bus_;
  std::int64_t now_ = 0;
  std::multimap<std::int64_t, std::uint32_t> due_;  // equal times keep their order
  std::vector<std::pair<std::uint32_t, std::int64_t>> done_;
};

using Done = std::vector<std::pair<std::uint32_t, std::int64_t>>;

platform::SharedBus config(std::int64_t gap = 3) {
  platform::SharedBus bus;
  bus.L = 10;
  bus.o = 2;
  bus.g = gap;
  bus.G = 1;
  return bus;
}

// o + 100·G + L + o = 114 over the bus, and the inner bus in floor(2 + 0.38 + 10 + 2) = 14, first
// or last.
TEST(SharedBus, ATransferCrossesBothBuses) {
  Clock down(config());
  down.transfer(TransferDirection::from_memory, {101, false, false, 7});
  down.run();
  EXPECT_EQ(down.done(), (Done{{7, 128}}));
  Clock up(config());
  up.transfer(TransferDirection::to_memory, {101, false, false, 8});
  up.run();
  EXPECT_EQ(up.done(), (Done{{8, 128}}));
}

TEST(SharedBus, FinerTicksKeepWhatNanosecondsDrop) {
  Clock clock(config(), 1000);
  clock.transfer(TransferDirection::from_memory, {101, false, false, 0});
  clock.run();
  EXPECT_EQ(clock.done(), (Done{{0, 128'380}}));
}

// The second follows when the first has left at 102, after the gap of 50: received at 102 + 50 +
// 100 + 12 = 264.
TEST(SharedBus, ASenderKeepsTheGap) {
  Clock clock(config(50));
  clock.transfer(TransferDirection::from_memory, {101, false, false, 0});
  clock.transfer(TransferDirection::from_memory, {101, false, false, 1});
  clock.run();
  EXPECT_EQ(clock.done(), (Done{{0, 128}, {1, 278}}));
}

// Received at 114, to the inner memory and back by 142, reduced in floor(101 / 100)·1 + 50 = 51,
// retired in 14.
TEST(SharedBus, AReducedTransferIsWorkedOn) {
  Clock clock(config());
  clock.transfer(TransferDirection::from_memory, {101, true, false, 0});
  clock.run();
  EXPECT_EQ(clock.done(), (Done{{0, 207}}));
}

// As above until 193, then to the inner memory and back by 221, and over the bus: 221 + 114.
TEST(SharedBus, AReturningTransferCrossesTheBusAgain) {
  Clock clock(config());
  clock.transfer(TransferDirection::from_memory, {101, true, true, 0});
  clock.run();
  EXPECT_EQ(clock.done(), (Done{{0, 335}}));
}

TEST(SharedBus, WorkIsDoneOneAtATime) {
  platform::SharedBus slow = config();
  slow.reduction_delay = 1000;
  Clock clock(slow);
  clock.transfer(TransferDirection::from_memory, {101, true, false, 0});
  clock.transfer(TransferDirection::from_memory, {101, true, false, 1});
  clock.run();
  ASSERT_EQ(clock.done().size(), 2u);
  EXPECT_EQ(clock.done()[0].second, 142 + 1050 + 14);
  EXPECT_EQ(clock.done()[1].second, 142 + 2 * 1050 + 14);
}

// The memory endpoint has 30 transfers to send; the device does not wait for all of them.
TEST(SharedBus, EndpointsTakeTurns) {
  Clock clock(config());
  for (std::uint32_t i = 0; i < 30; ++i)
    clock.transfer(TransferDirection::from_memory, {1001, false, false, i});
  clock.transfer(TransferDirection::to_memory, {1001, false, false, 99});
  clock.run();
  ASSERT_EQ(clock.done().size(), 31u);
  std::size_t place = 0;
  while (clock.done()[place].first != 99) ++place;
  EXPECT_LT(place, 29u);
}

TEST(SharedBus, HugeTransfersSaturate) {
  platform::SharedBus slow = config();
  slow.G = 1e6;
  Clock clock(slow);
  clock.transfer(TransferDirection::from_memory, {std::int64_t{1} << 60, false, false, 0});
  clock.run();
  ASSERT_EQ(clock.done().size(), 1u);
  EXPECT_GE(clock.done()[0].second, 9'000'000'000'000'000);
}

RC_GTEST_PROP(SharedBusProperty, EveryTransferCompletesOnce, ()) {
  platform::SharedBus bus;
  bus.L = *rc::gen::inRange(0, 100);
  bus.o = *rc::gen::inRange(0, 20);
  bus.g = *rc::gen::inRange(0, 20);
  bus.G = *rc::gen::inRange(0, 4) / 2.0;
  Clock clock(bus);
  const int count = *rc::gen::inRange(1, 60);
  for (int i = 0; i < count; ++i) {
    const auto way =
        *rc::gen::element(TransferDirection::to_memory, TransferDirection::from_memory);
    const std::int64_t bytes = *rc::gen::inRange(0, 5000);
    clock.transfer(way, {bytes, *rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>(),
                         static_cast<std::uint32_t>(i)});
  }
  clock.run();
  std::vector<int> seen(static_cast<std::size_t>(count), 0);
  for (const auto& [token, time] : clock.done()) ++seen[token];
  for (const int times : seen) RC_ASSERT(times == 1);
}

}  // namespace
}  // namespace orrery::model
