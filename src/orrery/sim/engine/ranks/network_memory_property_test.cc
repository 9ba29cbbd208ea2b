// SPDX-License-Identifier: Apache-2.0
//
// Memories in random networks, under random loads, stores, messages and collectives: what must hold
// of every run.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "orrery/platform/cluster/cluster.h"
#include "orrery/sim/engine/ranks/network_memory.h"
#include "orrery/sim/engine/state/network_memories.h"
#include "orrery/sim/result_difference.h"
#include "orrery/sim/sim_testing.h"

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using graph::NodeKind;
using platform::Platform;
using testing::Rank;

constexpr std::uint64_t kMemoryCases = 150;

class MemoryDraw {
 public:
  explicit MemoryDraw(std::uint64_t seed) : random_(seed) {}
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(limit));
  }
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + below(most - least + 1);
  }
  bool one_in(std::int64_t cases) { return below(cases) == 0; }
  std::string link() {
    const std::int64_t rate = between(1, 4), latency = 100 * below(4);
    return fmt::format("{{bandwidth: {} GB/s, latency: {} ns}}", rate, latency);
  }

  Platform machine();
  /// All ranks do the same, or each its own.
  std::vector<Rank> job(std::uint32_t ranks);

 private:
  std::string fabric();
  void add_node(Rank& rank, std::int64_t what, std::uint32_t number, std::uint32_t ranks,
                std::int64_t bytes);

  std::mt19937_64 random_;
};

// Eight ranks each.
std::string MemoryDraw::fabric() {
  const std::string fabrics[] = {
      "{hosts: [{count: 8, devices: 1}], network: {kind: switch, port: $}, memories: [{at: "
      "switch, link: $}]",
      "{hosts: [{count: 4, devices: 2, scale_up: $, nics: 2, pcie: $}], network: {kind: fat_tree, "
      "per_leaf: 4, radix: 8, port: $}, memories: [{at: \"leaf*\", count: 2, link: $}]",
      "{hosts: [{count: 4, devices: 2, scale_up: $, nics: 2, pcie: $}], network: {kind: fat_tree, "
      "per_leaf: 4, radix: 8, port: $}, memories: [{at: \"spine*\", link: $}, {at: host1.nic0, "
      "link: $}]",
      "{hosts: [{count: 8, devices: 1}], network: {kind: torus, sizes: [2, 4], port: $}, memories: "
      "[{at: npu0, link: $}, {at: npu5, link: $}]"};
  std::string text = fabrics[below(4)];
  for (std::size_t at = 0; (at = text.find('$')) != std::string::npos;) text.replace(at, 1, link());
  const char* const ways[] = {"known", "ecmp", "spray"};
  text += fmt::format(", routing: {}", ways[below(3)]);
  if (one_in(3)) text += ", faults: [{from: memory0, to: \"*\", bandwidth: 0.5}]";
  return "fabric: " + text + "}";
}

Platform MemoryDraw::machine() {
  std::string text = "device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\n";
  if (one_in(2)) {
    text += fabric();
  } else {
    const char* const block = one_in(2) ? "ring" : "switch";
    const std::int64_t inner = between(1, 4), outer = between(1, 4), count = between(1, 2);
    text += fmt::format(
        "network: [{{block: {}, size: 2, bandwidth: {} GB/s, latency: 100 ns}}, {{block: switch, "
        "size: 4, bandwidth: {} GB/s, latency: 300 ns, memories: {{count: {}, link: {}}}}}]",
        block, inner, outer, count, link());
  }
  const std::int64_t latency = 500 * below(3);
  text += fmt::format("\nremote_memory: {{kind: network, latency: {} ns, spread: {}}}", latency,
                      one_in(3));
  Findings findings;
  auto made = platform::parse_cluster(text, "drawn", findings);
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error())) << text;
  return made ? *made : Platform{};
}

void MemoryDraw::add_node(Rank& rank, std::int64_t what, std::uint32_t number, std::uint32_t ranks,
                          std::int64_t bytes) {
  switch (what) {
    case 0:
      rank.load(bytes);
      return;
    case 1:
      rank.store(bytes);
      return;
    case 2:
      rank.send(static_cast<std::int32_t>((number + 1) % ranks), bytes);
      rank.recv(static_cast<std::int32_t>((number + ranks - 1) % ranks), bytes);
      return;
    default:
      rank.coll(CollectiveType::all_reduce, bytes);
  }
}

std::vector<Rank> MemoryDraw::job(std::uint32_t ranks) {
  std::vector<Rank> made(ranks);
  for (std::int64_t step = between(1, 5); step > 0; --step) {
    const std::int64_t what = below(4), bytes = below(5) * 999 + below(3);
    const bool equivalent = what > 1 || one_in(2);  // messages have a partner
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      add_node(made[rank], what, rank, ranks, equivalent ? bytes : bytes + 100 * below(3));
  }
  return made;
}

/// What links carry of accesses, by the name of those into and out of memories.
std::map<std::string, std::uint64_t> expected_at_memories(const graph::Workload& work,
                                                          const Platform& platform,
                                                          const model::Network& network) {
  std::map<std::string, std::uint64_t> bytes;
  std::vector<model::Crossing> way;
  for (std::uint32_t rank = 0; rank < work.rank_count(); ++rank) {
    const graph::Graph& graph = work.graph(rank);
    const auto memories = memories_of(platform.remote_memory, network, rank);
    for (graph::NodeId node = 0; node < graph.size(); ++node) {
      const bool store = graph.kind(node) == NodeKind::mem_store;
      if (!store && graph.kind(node) != NodeKind::mem_load) continue;
      const std::int64_t all = graph.work(node).tensor_size.count();
      for (std::size_t i = 0; i < memories.size(); ++i) {
        const auto count = static_cast<std::int64_t>(memories.size());
        const std::int64_t own = all / count + (static_cast<std::int64_t>(i) < all % count ? 1 : 0);
        network.crossings(store ? rank : memories[i], store ? memories[i] : rank, way);
        for (const model::Crossing& step : way) {
          const std::string name = network.link(step.link).name;
          if (name.find("memory") != std::string::npos)
            bytes[name] += static_cast<std::uint64_t>(own);
        }
      }
    }
  }
  std::erase_if(bytes, [](const auto& one) { return one.second == 0; });
  return bytes;
}

// No access is faster than without contention, every byte crosses the memory's link once, and
// loaded and stored bytes equal those of the job.
TEST(NetworkMemory, NothingIsLostAndNobodyIsQuickerThanAlone) {
  for (std::uint64_t seed = 1; seed <= kMemoryCases; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    MemoryDraw draw(seed);
    const Platform platform = draw.machine();
    std::vector<Rank> ranks = draw.job(static_cast<std::uint32_t>(platform.npu_count()));
    const graph::Workload work = testing::workload(ranks);
    Options options;
    options.record = true;
    const auto result = simulate(work, platform, options);
    ASSERT_TRUE(result) << to_string(result.error());
    const Recording& recording = *result->recording;
    const model::Network& network = *recording.network;
    std::uint64_t loaded = 0, stored = 0;
    for (std::uint32_t rank = 0; rank < work.rank_count(); ++rank) {
      const graph::Graph& graph = work.graph(rank);
      const auto memories = memories_of(platform.remote_memory, network, rank);
      ASSERT_FALSE(memories.empty());
      for (graph::NodeId node = 0; node < graph.size(); ++node) {
        const bool store = graph.kind(node) == NodeKind::mem_store;
        if (!store && graph.kind(node) != NodeKind::mem_load) continue;
        const std::int64_t bytes = graph.work(node).tensor_size.count();
        (store ? stored : loaded) += static_cast<std::uint64_t>(bytes);
        const auto each = bytes / static_cast<std::int64_t>(memories.size());
        std::int64_t alone = 0;
        for (const model::EndPoint one : memories)
          alone = std::max(alone, store ? network.uncontended_time(rank, one, each)
                                        : network.uncontended_time(one, rank, each));
        if (each == 0) alone = 0;  // not all have a part
        const NodeTimes& times = recording.at(rank, node);
        EXPECT_GE(times.end - times.start, alone + platform.remote_memory.latency.count());
      }
    }
    std::uint64_t all_loaded = 0, all_stored = 0;
    for (const MemoryLevel& level : result->memory) {
      all_loaded += level.loaded;
      all_stored += level.stored;
    }
    EXPECT_EQ(all_loaded, loaded);
    EXPECT_EQ(all_stored, stored);
    std::map<std::string, std::uint64_t> carried;
    for (const RecordedLink& link : recording.links) {
      if (link.name.find("memory") != std::string::npos) carried[link.name] += link.bytes;
    }
    EXPECT_EQ(carried, expected_at_memories(work, platform, network));
    if (::testing::Test::HasFailure()) return;
  }
}

// One rank for all that are alike, or every rank: the same, to the picosecond. And it is folded
// often enough to mean something.
TEST(NetworkMemory, FoldedIsTheSame) {
  std::uint32_t folded_cases = 0;
  for (std::uint64_t seed = 1; seed <= kMemoryCases; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    MemoryDraw draw(seed);
    const Platform platform = draw.machine();
    std::vector<Rank> ranks = draw.job(static_cast<std::uint32_t>(platform.npu_count()));
    const graph::Workload work = testing::workload(ranks);
    Options once;
    once.fold = true;
    const auto folded = simulate(work, platform, once), all = simulate(work, platform);
    ASSERT_TRUE(folded && all);
    EXPECT_EQ(first_difference(*folded, *all), std::nullopt);
    EXPECT_EQ(folded->memory, all->memory);
    if (folded->savings.representatives < work.rank_count()) ++folded_cases;
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(folded_cases, kMemoryCases / 6);
}

}  // namespace
}  // namespace orrery::sim
