// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/engine/state/event_queue.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace orrery::sim {
namespace {

Event link_event(std::int64_t time, std::uint32_t link) {
  return Event{.time = time, .kind = EventKind::network, .first = link};
}

TEST(EventQueue, MergesRunsOfMembersAndOfKeys) {
  EventQueue queue;
  for (std::uint32_t rank = 3; rank < 8; ++rank) queue.push({.time = 5, .first = rank});
  for (std::uint32_t key = 1; key < 4; ++key) {
    queue.push({.time = 5, .kind = EventKind::deliver, .first = 9, .key = key});
  }
  Event event;
  ASSERT_TRUE(queue.pop(event));
  EXPECT_EQ(event.first, 3u);
  EXPECT_EQ(event.count, 5u);
  ASSERT_TRUE(queue.pop(event));
  EXPECT_EQ(event.key, 1u);
  EXPECT_EQ(event.keys, 3u);
  EXPECT_FALSE(queue.pop(event));
}

TEST(EventQueue, NeverMergesIntoAnEventAlreadyTaken) {
  EventQueue queue;
  queue.push({.time = 5, .first = 0});
  Event event;
  ASSERT_TRUE(queue.pop(event));
  queue.push({.time = 5, .first = 1});
  ASSERT_TRUE(queue.pop(event));
  EXPECT_EQ(event.first, 1u);
}

// The oracle is a sort by (time, order of pushing): whatever the times, and however pushes and pops
// interleave.
RC_GTEST_PROP(EventQueue, PopsByTimeThenByOrderOfPushing,
              (const std::vector<std::uint16_t>& gaps)) {
  EventQueue queue;
  std::vector<std::pair<std::int64_t, std::uint32_t>> pending;
  std::uint32_t next = 0;
  Event event;
  for (const std::uint16_t gap : gaps) {
    const std::int64_t time = queue.now() + (gap % 7 == 0 ? gap : gap % 5);
    pending.emplace_back(time, next);
    queue.push(link_event(time, next));
    ++next;
    if (gap % 3 != 0) continue;
    const auto soonest = std::min_element(pending.begin(), pending.end());
    RC_ASSERT(queue.pop(event));
    RC_ASSERT(std::tie(event.time, event.first) == std::tie(soonest->first, soonest->second));
    pending.erase(soonest);
  }
  std::sort(pending.begin(), pending.end());
  for (const auto& [time, link] : pending) {
    RC_ASSERT(queue.pop(event));
    RC_ASSERT(event.time == time);
    RC_ASSERT(event.first == link);
  }
  RC_ASSERT(!queue.pop(event));
}

// Times far apart differ in any of their digits.
RC_GTEST_PROP(EventQueue, PopsTimesOfAnyLength, (const std::vector<std::uint32_t>& numbers)) {
  EventQueue queue;
  std::vector<std::pair<std::int64_t, std::uint32_t>> expected, seen;
  Event event;
  for (const std::uint32_t number : numbers) {
    const std::int64_t gap = std::int64_t{number % 1024} << (number / 1024 % 50);
    if (queue.now() > (std::int64_t{1} << 61)) break;
    queue.push(link_event(queue.now() + gap, static_cast<std::uint32_t>(expected.size())));
    expected.emplace_back(queue.now() + gap, static_cast<std::uint32_t>(expected.size()));
    if (number % 4 != 0) continue;
    RC_ASSERT(queue.pop(event));
    seen.emplace_back(event.time, event.first);
    RC_ASSERT(queue.next_time() >= queue.now());
  }
  while (queue.pop(event)) seen.emplace_back(event.time, event.first);
  RC_ASSERT(queue.next_time() == EventQueue::kNever);
  std::sort(expected.begin(), expected.end());
  RC_ASSERT(std::is_sorted(seen.begin(), seen.end(),
                           [](const auto& a, const auto& b) { return a.first < b.first; }));
  std::sort(seen.begin(), seen.end());
  RC_ASSERT(seen == expected);
}

// Every event that is announced comes, and no more of the pending events come before it than
// stated.
RC_GTEST_PROP(EventQueue, AnnouncesEventsThatApproach, (const std::vector<std::uint16_t>& gaps)) {
  EventQueue queue;
  std::uint32_t number = 0;
  for (const std::uint16_t gap : gaps) queue.push(link_event(gap, number++));
  std::vector<std::pair<std::uint32_t, std::size_t>> announced;  // event, last place of it
  std::vector<std::size_t> place(number);
  std::size_t popped = 0;
  const auto approach = [&](const Event& event, std::size_t before) {
    announced.emplace_back(event.first, popped + before);
  };
  Event event;
  for (; queue.pop(event, EventQueue::kNever, approach); ++popped) place[event.first] = popped;
  RC_ASSERT(popped == gaps.size());
  for (const auto& [which, last] : announced) RC_ASSERT(place[which] <= last);
}

// The clock is moved on between events, as a network wants it; nothing is lost or overtaken.
RC_GTEST_PROP(EventQueue, MovesOnWithoutAnEvent, ()) {
  EventQueue queue;
  std::vector<std::pair<std::int64_t, std::uint32_t>> expected, seen;
  const auto steps = *rc::gen::container<std::vector<std::pair<std::uint8_t, std::uint16_t>>>(
      rc::gen::arbitrary<std::pair<std::uint8_t, std::uint16_t>>());
  std::uint32_t number = 0;
  Event event;
  for (const auto& [what, amount] : steps) {
    if (what % 3 == 0) {
      const std::int64_t until = queue.now() + amount;
      while (queue.pop(event, until)) seen.emplace_back(event.time, event.first);
      queue.advance_to(until);
      RC_ASSERT(queue.now() == until);
    } else {
      queue.push(link_event(queue.now() + amount, number));
      expected.emplace_back(queue.now() + amount, number++);
    }
  }
  while (queue.pop(event)) seen.emplace_back(event.time, event.first);
  std::stable_sort(expected.begin(), expected.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  RC_ASSERT(seen == expected);
}

}  // namespace
}  // namespace orrery::sim
