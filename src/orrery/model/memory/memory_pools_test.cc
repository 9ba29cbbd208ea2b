// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/memory/memory_pools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>

namespace orrery::model {
namespace {

using platform::MemoryShape;
using platform::MemoryStage;
using platform::RemoteMemoryKind;

platform::Platform devices(std::int64_t count) {
  platform::Platform platform;
  platform.dims = {{platform::Block::switched, count, Bandwidth(1e9), 0}};
  return platform;
}

using Access = MemoryPools::Access;

/// When each access of `at` ends, in the order of its keys.
std::map<Access, std::int64_t> run(MemoryPools& pools, std::multimap<std::int64_t, Access> at) {
  std::map<Access, std::int64_t> ends;
  std::vector<MemoryPools::FinishedAccess> ended;
  std::int64_t now = 0;
  while (!at.empty() || pools.next() != MemoryPools::kNever) {
    const std::int64_t due = at.empty() ? MemoryPools::kNever : at.begin()->first;
    now = std::min(due, pools.next());
    if (pools.next() == now) pools.advance(now, ended);
    for (const MemoryPools::FinishedAccess& one : ended) {
      EXPECT_GE(one.lost, 0);
      EXPECT_TRUE(ends.emplace(one.access, now).second) << "ends once";
    }
    ended.clear();
    for (; !at.empty() && at.begin()->first == now; at.erase(at.begin()))
      pools.begin(at.begin()->second);
    if (pools.unsettled()) pools.settle(now);
  }
  return ends;
}

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  std::int64_t of(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }
  Bandwidth bandwidth() { return Bandwidth(1e9 * static_cast<double>(of(1, 400))); }

  MemoryStage stage(std::int64_t count) {
    MemoryStage stage;
    stage.bandwidth = bandwidth();
    stage.shape = static_cast<MemoryShape>(of(0, 2));
    stage.devices = of(0, 2) == 0 ? 0 : of(1, count);
    if (stage.shape == MemoryShape::straight) stage.links = of(1, 16);
    if (stage.shape == MemoryShape::ring) stage.sizes = {of(1, 9)};
    if (stage.shape == MemoryShape::mesh) stage.sizes = {of(1, 5), of(1, 5)};
    return stage;
  }

  platform::Platform platform() {
    platform::Platform made = devices(of(1, 40));
    platform::RemoteMemory& memory = made.remote_memory;
    memory.kind = static_cast<RemoteMemoryKind>(of(1, 3));
    memory.npus_per_node = of(1, 8);
    memory.nodes = made.npu_count();
    memory.latency = ns(of(0, 5000));
    memory.bandwidth = bandwidth();
    memory.groups = of(1, 32);
    memory.chunk = Bytes(of(0, 1) * of(1, 1'000'000));
    memory.in_switch = of(0, 1) == 1;
    for (std::int64_t i = of(0, 4); i > 0; --i) memory.stages.push_back(stage(made.npu_count()));
    return made;
  }

 private:
  std::mt19937_64 random_;
};

TEST(MemoryPools, ThatAllLoadAtOnceIsTheClosedForm) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Draw draw(seed);
    const platform::Platform platform = draw.platform();
    const Bytes size(draw.of(1, 50'000'000));
    MemoryPools pools(platform);
    std::multimap<std::int64_t, Access> at;
    for (std::uint32_t device = 0; device < platform.npu_count(); ++device)
      at.emplace(1000, Access{device, device, 0, size.count(), false});
    std::int64_t last = 0;
    for (const auto& [access, end] : run(pools, at)) last = std::max(last, end - 1000);
    const double closed = 1e3 * all_load_ns(platform, size, platform.npu_count());
    EXPECT_NEAR(static_cast<double>(last) / closed, 1, 1e-3) << seed;
  }
}

TEST(MemoryPools, OneAloneTakesLatencyAndBytesOverBandwidth) {
  platform::Platform platform = devices(4);
  for (const RemoteMemoryKind kind :
       {RemoteMemoryKind::per_npu, RemoteMemoryKind::per_node, RemoteMemoryKind::pool}) {
    platform.remote_memory.kind = kind;
    platform.remote_memory.npus_per_node = platform.remote_memory.nodes = 2;
    platform.remote_memory.latency = ns(700);
    platform.remote_memory.bandwidth = Bandwidth(40e9);
    for (const std::int64_t bytes : {0, 1, 1000, 123'456'789}) {
      MemoryPools pools(platform);
      const auto ends = run(pools, {{5, Access{3, 3, 9, bytes, true}}});
      EXPECT_EQ(ends.begin()->second - 5, 700'000 + 25 * bytes);
    }
  }
}

/// Links of a ring or mesh, each by itself, that take what goes from every place to every place by
/// the least hops, dimension by dimension, both ways round where they are equal.
double explicit_bytes_per_link(const std::vector<std::int64_t>& sizes, bool closed) {
  const auto places =
      std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
  std::map<std::pair<std::int64_t, std::int64_t>, double> loads;
  const double each = 1.0 / static_cast<double>(places * places);
  for (std::int64_t from = 0; from < places; ++from)
    for (std::int64_t to = 0; to < places; ++to) {
      std::int64_t at = from, stride = 1;
      for (const std::int64_t size : sizes) {
        const std::int64_t a = at / stride % size, b = to / stride % size;
        const auto walk = [&](std::int64_t step, double bytes) {
          for (std::int64_t x = a, here = at; x != b;) {
            const std::int64_t next = (x + step + size) % size;
            const std::int64_t there = here + (next - x) * stride;
            loads[{here, there}] += bytes;
            x = next, here = there;
          }
        };
        const std::int64_t up = (b - a + size) % size, down = (a - b + size) % size;
        if (!closed || size == 2) {
          if (a != b) walk(b > a ? 1 : -1, each);
        } else if (up == down) {
          if (a != b) walk(1, each / 2), walk(-1, each / 2);
        } else {
          walk(up < down ? 1 : -1, each);
        }
        at += (b - a) * stride;
        stride *= size;
      }
    }
  double most = 0;
  for (const auto& [link, load] : loads) most = std::max(most, load);
  return 1 / most;
}

TEST(MemoryStages, RingsAndMeshesCarryWhatTheirLinksDo) {
  for (std::int64_t places = 2; places <= 9; ++places) {
    const MemoryStage ring{MemoryShape::ring, Bandwidth(1e9), 1, {places}, 0};
    EXPECT_NEAR(stage_bytes_per_ns(ring), explicit_bytes_per_link({places}, true), 1e-9) << places;
  }
  for (const std::vector<std::int64_t>& sizes : std::vector<std::vector<std::int64_t>>{
           {2}, {5}, {4, 4}, {3, 5}, {1, 6}, {2, 7}, {3, 3, 3}, {4, 2, 3}}) {
    const MemoryStage mesh{MemoryShape::mesh, Bandwidth(1e9), 1, sizes, 0};
    EXPECT_NEAR(stage_bytes_per_ns(mesh), explicit_bytes_per_link(sizes, false), 1e-9);
  }
}

// No transfer is faster than alone, no stage exceeds its bandwidth, and no bytes get lost.
TEST(MemoryPools, NothingIsCreatedOrLost) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Draw draw(1000 + seed);
    const platform::Platform platform = draw.platform();
    MemoryPools pools(platform);
    pools.watch();
    const auto stages = stage_capacities(platform);
    std::multimap<std::int64_t, Access> at;
    std::uint64_t loaded = 0, stored = 0;
    for (std::uint32_t i = 0; i < 60; ++i) {
      const auto device = static_cast<std::uint32_t>(draw.of(0, platform.npu_count() - 1));
      const Access access{
          device, device, i, draw.of(0, 3'000'000), draw.of(0, 1) == 1, draw.of(0, 1) == 1};
      (access.store ? stored : loaded) += static_cast<std::uint64_t>(access.bytes);
      at.emplace(draw.of(0, 20) * 5'000'000, access);
    }
    std::map<Access, std::int64_t> began;
    for (const auto& [time, access] : at) began[access] = time;
    const auto ends = run(pools, at);
    ASSERT_EQ(ends.size(), 60u);
    std::int64_t last = 0;
    for (const auto& [access, end] : ends) {
      MemoryPools one(platform);
      const std::int64_t alone = run(one, {{0, access}}).begin()->second;
      EXPECT_GE(end - began[access] + 2, alone) << seed;
      last = std::max(last, end);
    }
    std::uint64_t moved_in = 0, moved_out = 0;
    for (const MemoryPools::TransferSpan& one : pools.moved()) {
      EXPECT_LE(one.from, one.until);
      EXPECT_GT(one.bytes, 0);
      (one.store ? moved_out : moved_in) += static_cast<std::uint64_t>(one.bytes);
    }
    EXPECT_EQ(moved_in, loaded);
    EXPECT_EQ(moved_out, stored);
    if (platform.remote_memory.in_switch) continue;
    for (std::size_t s = 0; s < stages.size(); ++s) {
      EXPECT_EQ(pools.traffic(s).loaded, loaded);
      EXPECT_EQ(pools.traffic(s).stored, stored);
      const double places =
          std::ceil(static_cast<double>(platform.npu_count()) /
                    static_cast<double>(std::min(stages[s].devices, platform.npu_count())));
      const double most = stages[s].bytes_per_ns * places * static_cast<double>(last) / 1e3;
      EXPECT_LE(
          static_cast<double>(stages[s].half_duplex ? loaded + stored : std::max(loaded, stored)),
          most * (1 + 1e-9));
    }
  }
}

// A memory that is never idle is done when all bytes have passed it.
TEST(MemoryPools, AMemoryThatIsNeverIdleMovesAllItCan) {
  platform::Platform platform = devices(7);
  platform.remote_memory = {RemoteMemoryKind::pool, {}, Bandwidth(10e9)};
  Draw draw(5);
  std::multimap<std::int64_t, Access> at;
  std::int64_t all = 0;
  for (std::uint32_t i = 0; i < 50; ++i) {
    const Access access{i % 7, i % 7, i, draw.of(1'000'000, 2'000'000), i % 3 == 0};
    all += access.bytes;
    at.emplace(i * 50'000'000, access);  // 50 us, and each takes 100 us or more alone
  }
  MemoryPools pools(platform);
  std::int64_t last = 0;
  for (const auto& [access, end] : run(pools, at)) last = std::max(last, end);
  EXPECT_NEAR(static_cast<double>(last), static_cast<double>(all) * 100, 60);
}

TEST(MemoryPools, OneStandsForAllThatAreAlike) {
  int folded = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Draw draw(2000 + seed);
    platform::Platform platform = draw.platform();
    const auto count = static_cast<std::uint32_t>(platform.npu_count());
    // Classes by place in a node of `node` devices, or by which half they are in.
    const auto node = static_cast<std::uint32_t>(draw.of(1, 6));
    const bool halves = draw.of(0, 3) == 0;
    std::vector<std::uint32_t> class_of, members;
    for (std::uint32_t device = 0; device < count; ++device) {
      class_of.push_back(halves ? (2 * device < count ? 0 : 1) : device % node);
      members.resize(std::max<std::size_t>(members.size(), class_of.back() + 1));
      ++members[class_of.back()];
    }
    MemoryPools one(platform), every(platform);
    if (!one.fold(class_of, members)) continue;
    ++folded;
    std::multimap<std::int64_t, Access> at_one, at_every;
    std::vector<bool> seen(members.size(), false);
    for (std::uint32_t device = 0; device < count; ++device) {
      const std::uint32_t kind = class_of[device];
      for (std::uint32_t i = 0; i < 4; ++i) {
        const Access access{device, kind, i, 100'000 * (kind * 7 % 5 + 1) + 10'000 * i, i % 2 == 1};
        const std::int64_t time = (kind % 3) * 20'000'000 + i * 7'000'000;
        at_every.emplace(time, access);
        if (!seen[kind]) at_one.emplace(time, access);
      }
      seen[kind] = true;
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> ends;
    for (const auto& [access, end] : run(one, at_one)) ends[{access.rank, access.node}] = end;
    for (const auto& [access, end] : run(every, at_every))
      EXPECT_NEAR(static_cast<double>(end),
                  static_cast<double>(ends.at({access.rank, access.node})), 2)
          << seed;
    for (std::size_t s = 0; s < one.stages().size(); ++s)
      EXPECT_EQ(one.traffic(s), every.traffic(s)) << seed;
  }
  EXPECT_GT(folded, 50);
}

// In addition to what all load together: what one device loads by itself crosses each stage
// completely.
TEST(MemoryPools, WhatOneLoadsByItselfIsNotGathered) {
  platform::Platform platform = devices(8);
  platform.remote_memory = {RemoteMemoryKind::pool, {}, Bandwidth(8e9)};
  platform.remote_memory.in_switch = true;
  platform.remote_memory.stages = {{MemoryShape::straight, Bandwidth(4e9), 1, {}, 1}};
  for (const bool together : {true, false}) {
    MemoryPools pools(platform);
    std::multimap<std::int64_t, Access> at;
    for (std::uint32_t device = 0; device < 8; ++device)
      at.emplace(0, Access{device, device, 0, 8'000'000, false, together});
    // 8 MB over a link of 4 GB/s; or 64 MB from a memory of 8 GB/s.
    const std::int64_t expected = (together ? us(2000) : us(8000)).count();
    for (const auto& [access, end] : run(pools, at))
      EXPECT_NEAR(static_cast<double>(end), static_cast<double>(expected), 2) << together;
    EXPECT_EQ(pools.traffic(0).loaded, together ? 8'000'000u : 64'000'000u);
    EXPECT_EQ(pools.traffic(1).loaded, 64'000'000u);
  }
}

TEST(MemoryPools, SharedByUnlikeNodesDoesNotFold) {
  platform::Platform platform = devices(8);
  platform.remote_memory = {RemoteMemoryKind::per_node, {}, Bandwidth(10e9)};
  platform.remote_memory.nodes = 2;
  platform.remote_memory.npus_per_node = 4;
  MemoryPools pools(platform);
  EXPECT_FALSE(pools.fold({0, 0, 0, 1, 0, 0, 1, 1}, {5, 3}));
  EXPECT_TRUE(pools.fold({0, 0, 0, 1, 0, 0, 1, 0}, {6, 2}));
}

}  // namespace
}  // namespace orrery::model
