// SPDX-License-Identifier: Apache-2.0
//
// Who waits for whom where a replay's steps run on several streams.
#include <gmock/gmock.h>

#include <array>
#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "apps/orrery_bench/stream_order.h"

namespace orrery::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::array<char, 8> kBytes{};
const void* memory(std::size_t number) { return &kBytes.at(number); }
MemoryUse reads(std::size_t number) { return {memory(number), false}; }
MemoryUse writes(std::size_t number) { return {memory(number), true}; }

TEST(BenchStreams, OneStreamIsAQueue) {
  StreamOrder streams(2);
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(streams.step(1, {reads(0), writes(1)}), IsEmpty());
    EXPECT_THAT(streams.step(1, {writes(0), reads(1)}), IsEmpty());
  }
}

TEST(BenchStreams, AReaderWaitsForTheWriterOnce) {
  StreamOrder streams(2);
  EXPECT_THAT(streams.step(0, {writes(0)}), IsEmpty());
  EXPECT_THAT(streams.step(1, {reads(0)}), ElementsAre(0));
  EXPECT_THAT(streams.step(1, {reads(0)}), IsEmpty());
  EXPECT_THAT(streams.step(0, {writes(0)}), ElementsAre(1)) << "it is still being read";
  EXPECT_THAT(streams.step(1, {reads(0)}), ElementsAre(0)) << "it was written again";
}

TEST(BenchStreams, ReadersDoNotWaitForEachOther) {
  StreamOrder streams(3);
  EXPECT_THAT(streams.step(0, {reads(0)}), IsEmpty());
  EXPECT_THAT(streams.step(1, {reads(0)}), IsEmpty());
  EXPECT_THAT(streams.step(2, {writes(0)}), ElementsAre(0, 1));
}

TEST(BenchStreams, ResultsAreWritten) {
  StreamOrder streams(2);
  EXPECT_THAT(streams.step(0, {}), IsEmpty());
  streams.made(memory(3));
  EXPECT_THAT(streams.step(1, {reads(3)}), ElementsAre(0));
}

TEST(BenchStreams, WaitingIsForAllThatWasWaitedFor) {
  StreamOrder streams(3);
  EXPECT_THAT(streams.step(0, {writes(0)}), IsEmpty());
  EXPECT_THAT(streams.step(1, {reads(0), writes(1)}), ElementsAre(0));
  EXPECT_THAT(streams.step(2, {reads(1)}), ElementsAre(1));
  EXPECT_THAT(streams.step(2, {reads(0)}), IsEmpty()) << "stream 1 had waited for it";
}

TEST(BenchStreams, MemoryThatComesAgainIsAnother) {
  StreamOrder streams(2);
  EXPECT_THAT(streams.step(0, {writes(0)}), IsEmpty());
  streams.forget(memory(0));
  EXPECT_THAT(streams.step(1, {writes(0)}), IsEmpty());
  streams.clear();
  EXPECT_THAT(streams.step(0, {reads(0)}), IsEmpty());
}

// By another way: the steps' order as a graph, of queues and of waits, holds each pair of uses of
// the same memory of which one writes.
TEST(BenchStreams, WhatConflictsIsOrdered) {
  std::mt19937 random(7);
  const auto below = [&](unsigned most) { return random() % most; };
  for (int round = 0; round < 200; ++round) {
    StreamOrder streams(4);
    std::vector<std::pair<std::uint32_t, std::vector<MemoryUse>>> steps;
    std::vector<std::set<std::size_t>> after;  // by step: all that have ended before it
    std::vector<std::vector<std::size_t>> queue(4);
    for (std::size_t i = 0; i < 40; ++i) {
      const std::uint32_t stream = below(4);
      std::vector<MemoryUse> uses;
      for (unsigned u = 0; u < 1 + below(3); ++u) uses.push_back({memory(below(5)), below(3) == 0});
      std::set<std::size_t> ended;
      std::vector<std::uint32_t> before = streams.step(stream, uses);
      EXPECT_THAT(before, ::testing::Not(::testing::Contains(stream)));
      before.push_back(stream);
      for (const std::uint32_t other : before) {
        if (queue[other].empty()) continue;
        const std::size_t tail = queue[other].back();
        ended.insert(tail);
        ended.insert(after[tail].begin(), after[tail].end());
      }
      for (std::size_t earlier = 0; earlier < i; ++earlier) {
        for (const MemoryUse& one : steps[earlier].second) {
          for (const MemoryUse& two : uses) {
            if (one.memory != two.memory || !(one.written || two.written)) continue;
            EXPECT_TRUE(ended.contains(earlier)) << "round " << round << " step " << i;
          }
        }
      }
      queue[stream].push_back(i);
      after.push_back(std::move(ended));
      steps.emplace_back(stream, std::move(uses));
    }
  }
}

}  // namespace
}  // namespace orrery::bench
