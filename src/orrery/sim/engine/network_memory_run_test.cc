// SPDX-License-Identifier: Apache-2.0
//
// Memories as end points of the network: by hand, with and without concurrent messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "orrery/platform/cluster/cluster.h"
#include "orrery/sim/engine/engine.h"
#include "orrery/sim/engine/ranks/network_memory.h"
#include "orrery/sim/result_difference.h"
#include "orrery/sim/sim_testing.h"

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using platform::Block;
using platform::NetworkModelKind;
using platform::Platform;
using ::testing::ElementsAre;
using testing::Rank;

/// Ranks at one switch, and memories there: all links carry a byte per ns, at once.
Platform at_a_switch(std::int64_t ranks, std::int64_t memories = 1) {
  Platform made = testing::line(Block::switched, ranks);
  made.dims[0].latency_ns = 0;
  made.dims[0].memories = platform::Memories{memories, Bandwidth(1e9), Time{}};
  made.network = NetworkModelKind::flow;
  made.remote_memory.kind = platform::RemoteMemoryKind::network;
  return made;
}

Platform in_a_fabric(const std::string& fabric, const std::string& more = {}) {
  Findings findings;
  auto made = platform::parse_cluster(
      "device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\nremote_memory: {kind: network" + more +
          "}\nfabric: " + fabric,
      "test", findings);
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
  return made ? *made : Platform{};
}

/// Two leaves with two ranks each and a spine between them; memories where `at` says.
std::string two_leaves(const std::string& at, const std::string& more = {}) {
  return "{hosts: [{count: 4, devices: 1}], network: {kind: fat_tree, per_leaf: 2, radix: 4, "
         "oversubscription: 2, port: {bandwidth: 1 GB/s, latency: 100 ns}}, memories: [" +
         at + "]" + more + "}";
}
std::string memories_at(const std::string& node) {
  return "{at: \"" + node + "\", link: {bandwidth: 1 GB/s, latency: 50 ns}}";
}

SimResult run_all(std::vector<Rank> ranks, const Platform& platform, bool record = false) {
  Options options;
  options.record = record;
  auto result = simulate(testing::workload(ranks), platform, options);
  EXPECT_TRUE(result) << (result ? "" : to_string(result.error()));
  return result ? std::move(*result) : SimResult{};
}

std::vector<Time> finishes(const SimResult& result) {
  std::vector<Time> made;
  for (std::size_t rank = 0; rank < result.ranks.size(); ++rank)
    made.push_back(result.ranks[rank].finish.value_or(Time(-1)));
  return made;
}
std::vector<Time> finishes(std::vector<Rank> ranks, const Platform& platform) {
  return finishes(run_all(std::move(ranks), platform));
}

/// A rank loads, and another sends to it.
std::vector<Rank> a_load_and_a_message(std::int64_t load, std::int64_t message) {
  std::vector<Rank> ranks(2);
  if (load > 0) ranks[0].load(load);
  if (message > 0) {
    ranks[0].recv(1, message);
    ranks[1].send(0, message);
  }
  return ranks;
}

// What comes to a rank comes by its port: load and message share it, each with half. When the
// message is there, 3,000 of the 4,000 bytes are left to load.
TEST(NetworkMemory, LoadsShareThePortWithMessages) {
  const Platform platform = at_a_switch(2);
  EXPECT_THAT(finishes(a_load_and_a_message(4000, 0), platform), ElementsAre(us(4), Time{}));
  EXPECT_THAT(finishes(a_load_and_a_message(0, 1000), platform), ElementsAre(us(1), us(1)));
  EXPECT_THAT(finishes(a_load_and_a_message(4000, 1000), platform), ElementsAre(us(5), us(2)));
}

// Over time as well: the network's memories are one level, of which 4,000 bytes come in 5 us.
TEST(NetworkMemory, RecordsWhatMovesWhen) {
  const SimResult run = run_all(a_load_and_a_message(4000, 1000), at_a_switch(2), true);
  ASSERT_EQ(run.memory.size(), 1u);
  ASSERT_EQ(run.recording->memory.size(), 1u);
  const RecordedLevel& curve = run.recording->memory[0];
  const auto sum = [](const std::vector<std::uint64_t>& bins) {
    return std::accumulate(bins.begin(), bins.end(), std::uint64_t{0});
  };
  EXPECT_EQ(sum(curve.loads), 4000u);
  EXPECT_EQ(sum(curve.stores), 0u);
  EXPECT_EQ(static_cast<std::int64_t>(curve.loads.size()),
            (us(5).count() - 1) / run.recording->memory_bin + 1);
}

// What is stored leaves by the port, and is in the way of what is sent, not of what comes.
TEST(NetworkMemory, StoresShareTheOtherDirection) {
  const Platform platform = at_a_switch(2);
  std::vector<Rank> sends(2), comes(2);
  sends[0].store(4000);
  sends[0].send(1, 1000);
  sends[1].recv(0, 1000);
  EXPECT_THAT(finishes(std::move(sends), platform), ElementsAre(us(5), us(2)));
  comes[0].store(4000);
  comes[0].recv(1, 1000);
  comes[1].send(0, 1000);
  EXPECT_THAT(finishes(std::move(comes), platform), ElementsAre(us(4), us(1)));
}

// Two that load share the memory's link; one that loads and one that stores do not.
TEST(NetworkMemory, ItsLinkHasTwoDirections) {
  std::vector<Rank> both(2), opposite(2);
  both[0].load(1000);
  both[1].load(3000);
  EXPECT_THAT(finishes(std::move(both), at_a_switch(2)), ElementsAre(us(2), us(4)));
  opposite[0].load(1000);
  opposite[1].store(3000);
  EXPECT_THAT(finishes(std::move(opposite), at_a_switch(2)), ElementsAre(us(1), us(3)));
}

// An all-reduce of two ranks: 1,000 bytes each way, and again. Into rank 0 comes a load of 4,000
// bytes, too. First with half for each; from 1 us on rank 1 has what it needs and sends again, a
// third for each; at 2.5 us the first message is there, at 3.5 us the second, at 6 us the load.
TEST(NetworkMemory, SlowsAnAllReduce) {
  const auto job = [](std::int64_t load) {
    std::vector<Rank> ranks(2);
    if (load > 0) ranks[0].load(load);
    for (Rank& rank : ranks) rank.coll(CollectiveType::all_reduce, 2000);
    return ranks;
  };
  const Platform platform = at_a_switch(2);
  EXPECT_THAT(finishes(job(0), platform), ElementsAre(us(2), us(2)));
  EXPECT_THAT(finishes(job(4000), platform), ElementsAre(us(6), ns(3500)));
  const SimResult result = run_all(job(4000), platform, true);
  EXPECT_EQ(result.ranks[0].memory, us(6));
  EXPECT_EQ(result.ranks[0].memory_only, ns(2500));  // after the all-reduce
  EXPECT_EQ(result.recording->detail(0, 0).queue, us(2).count()) << "4 us alone";
}

// The latencies of its way, and that of the memory.
TEST(NetworkMemory, TakesLatencies) {
  Platform platform = at_a_switch(2);
  platform.dims[0].latency_ns = 20;
  platform.dims[0].memories->latency = ns(300);
  platform.remote_memory.latency = us(2);
  const SimResult result = run_all(a_load_and_a_message(4000, 0), platform, true);
  EXPECT_EQ(result.end, us(6) + ns(320));
  EXPECT_EQ(result.recording->detail(0, 0).queue, 0) << "nobody is in its way";
  ASSERT_EQ(result.memory.size(), 1U);
  EXPECT_EQ(result.memory[0].name, "a memory in the network");
  EXPECT_EQ(result.memory[0].loaded, 4000U);
  EXPECT_EQ(result.memory[0].stored, 0U);
  EXPECT_EQ(result.memory[0].capacity, 1e9);
  EXPECT_EQ(result.messages, 0U) << "accesses are no messages";
}

// Two memories at the switch are equally near: an access comes from both, as fast as the port
// takes it; bytes that do not divide are the first's. Of one byte there is one part.
TEST(NetworkMemory, SpreadsOverThoseThatAreNearest) {
  Platform platform = at_a_switch(2, 2);
  platform.dims[0].bandwidth = Bandwidth(4e9);
  std::vector<Rank> ranks(2);
  ranks[0].load(4001);
  ranks[1].store(1);
  const SimResult result = run_all(std::move(ranks), platform, true);
  EXPECT_THAT(finishes(result), ElementsAre(ns(2001), ns(1)));
  std::map<std::string, std::uint64_t> carried;
  for (const RecordedLink& link : result.recording->links) {
    if (!link.name.empty()) carried[link.name] += link.bytes;
  }
  EXPECT_EQ(carried, (std::map<std::string, std::uint64_t>{{"memory0 -> dim0.switch0", 2001},
                                                           {"memory1 -> dim0.switch0", 2000},
                                                           {"dim0.switch0 -> memory0", 1}}));
}

// A memory at two places: each rank uses its own leaf's, and nothing crosses the spine; spread,
// half of it does, by the leaves' one link each.
TEST(NetworkMemory, AtTwoPlacesTheNearerIsUsed) {
  const auto loads = [] {
    std::vector<Rank> ranks(4);
    for (Rank& rank : ranks) rank.load(1000);
    return ranks;
  };
  const std::string fabric = two_leaves(memories_at("leaf*"));
  const SimResult own = run_all(loads(), in_a_fabric(fabric), true);
  EXPECT_EQ(own.end, us(2) + ns(150)) << "two at each memory";
  for (const RecordedLink& link : own.recording->links)
    EXPECT_EQ(link.name.find("spine"), std::string::npos) << link.name;
  const SimResult spread = run_all(loads(), in_a_fabric(fabric, ", spread: true"), true);
  EXPECT_EQ(spread.end, us(2) + ns(350)) << "two more links on the longer ways";
  std::uint64_t crossed = 0;
  for (const RecordedLink& link : spread.recording->links) {
    if (link.name.starts_with("leaf") && link.name.find("spine") != std::string::npos)
      crossed += link.bytes;
  }
  EXPECT_EQ(crossed, 2000U);
  EXPECT_EQ(spread.memory[0].loaded, 4000U);
  EXPECT_EQ(spread.memory[0].name, "2 memories in the network");
}

// From 2 us on the memory's link has half: of 4,000 bytes 2,000 are left, and take 4 us.
TEST(NetworkMemory, FaultsSlowIt) {
  const auto load = [] {
    std::vector<Rank> ranks(4);
    ranks[0].load(4000);
    return ranks;
  };
  const std::string broken = two_leaves(
      memories_at("leaf0"), ", faults: [{from: memory0, to: leaf0, bandwidth: 0.5, start: 2 us}]");
  EXPECT_EQ(run_all(load(), in_a_fabric(two_leaves(memories_at("leaf0")))).end, us(4) + ns(150));
  EXPECT_EQ(run_all(load(), in_a_fabric(broken)).end, us(6) + ns(150));
  const std::string cut = two_leaves(
      memories_at("leaf0"), ", faults: [{from: memory0, to: leaf0, start: 2 us, end: 9 us}]");
  EXPECT_EQ(run_all(load(), in_a_fabric(cut)).end, us(11) + ns(150)) << "it waits, and goes on";
}

// The other networks of a fabric also support memories: without contention, or with complete
// messages one after another.
TEST(NetworkMemory, OtherNetworksCarryItTheirWay) {
  Platform platform = in_a_fabric(two_leaves(memories_at("leaf0")));
  const auto end = [&](NetworkModelKind kind) {
    platform.network = kind;
    std::vector<Rank> ranks(4);
    ranks[0].load(1000);
    ranks[0].recv(1, 1000);
    ranks[1].send(0, 1000);
    return finishes(std::move(ranks), platform)[0];
  };
  EXPECT_EQ(end(NetworkModelKind::analytical), us(1) + ns(200));  // the message has two ports
  EXPECT_EQ(end(NetworkModelKind::flow), us(2) + ns(200));
  // The load is at the leaf after 1.05 us, the message after 1.1 us; then they take the last link
  // one after another.
  EXPECT_EQ(end(NetworkModelKind::message), us(3) + ns(150));
  Platform dims = at_a_switch(2);
  dims.network = NetworkModelKind::message;
  EXPECT_THAT(finishes(a_load_and_a_message(1000, 0), dims), ElementsAre(us(2), Time{}));
  dims.network = NetworkModelKind::analytical;
  std::vector<Rank> none = a_load_and_a_message(1000, 0);
  const auto refused = simulate(testing::workload(none), dims);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::config_conflict);
}

// Ranks that do the same at alike places are simulated once, with what they load: at one switch, or
// at two leaves that have each their own. Ranks that are farther from memory are not like others.
TEST(NetworkMemory, FoldsWhatIsAlike) {
  const auto both = [](Rank& rank, const Platform& platform) {
    Options once;
    once.fold = true;
    const auto work = testing::replicated(rank, static_cast<std::uint32_t>(platform.npu_count()));
    const auto folded = simulate(work, platform, once), all = simulate(work, platform);
    EXPECT_TRUE(folded && all);
    if (!folded || !all) return 0U;
    EXPECT_EQ(first_difference(*folded, *all), std::nullopt);
    EXPECT_EQ(folded->memory, all->memory);
    EXPECT_EQ(folded->savings.unfolded_reason, "");
    return folded->savings.representatives;
  };
  const auto job = [] {
    Rank rank;
    const auto load = rank.load(1001);
    rank.coll(CollectiveType::all_reduce, 4000);
    rank.store(500, {load});
    return rank;
  };
  Rank a = job(), b = job(), c = job(), d = job();
  EXPECT_EQ(both(a, at_a_switch(4)), 1U);
  EXPECT_EQ(both(b, at_a_switch(4, 2)), 1U);
  EXPECT_EQ(both(c, in_a_fabric(two_leaves(memories_at("leaf*")))), 1U);
  EXPECT_EQ(both(d, in_a_fabric(two_leaves(memories_at("leaf0")))), 2U);
}

// Switches that sum are end points after the memories: they behave as without them, and contend
// with a concurrent load, whether or not one rank represents all.
TEST(NetworkMemory, LeavesSwitchesThatSumAlone) {
  const auto job = [](std::int64_t load) {
    Rank rank;
    if (load > 0) rank.load(load);
    rank.coll(CollectiveType::all_reduce, 4000);
    return testing::replicated(rank, 4);
  };
  Platform with = at_a_switch(4);
  with.dims[0].in_network = platform::InNetwork{};
  with.collectives.all_reduce.per_dim = {{platform::Algorithm::in_network, -1}};
  Platform without = with;
  without.dims[0].memories.reset();
  const auto alone = simulate(job(0), with), as_before = simulate(job(0), without);
  ASSERT_TRUE(alone && as_before);
  EXPECT_EQ(first_difference(*alone, *as_before), std::nullopt);
  Options once;
  once.fold = true;
  const auto kernel_interference = simulate(job(1000), with),
             folded = simulate(job(1000), with, once);
  ASSERT_TRUE(kernel_interference && folded);
  EXPECT_EQ(folded->savings.representatives, 1U);
  EXPECT_EQ(first_difference(*kernel_interference, *folded), std::nullopt);
  EXPECT_GT(kernel_interference->end, alone->end);
}

// A copy of an engine goes on with what is under way.
TEST(NetworkMemory, CopiesGoOn) {
  std::vector<Rank> ranks = a_load_and_a_message(4000, 1000);
  const auto work = testing::workload(ranks);
  const Platform platform = at_a_switch(2);
  const Options options;
  const auto expected = simulate(work, platform, options);
  ASSERT_TRUE(expected);
  for (std::uint64_t events = 0; events < expected->events; ++events) {
    Engine original(work, platform, options);
    ASSERT_TRUE(original.start());
    original.advance(events);
    Engine copy(original);
    for (Engine* engine : {&copy, &original}) {
      engine->advance(~std::uint64_t{0});
      const auto ended = engine->finish();
      ASSERT_TRUE(ended);
      EXPECT_EQ(first_difference(*expected, *ended), std::nullopt) << events;
      EXPECT_EQ(ended->memory, expected->memory);
    }
  }
}

}  // namespace
}  // namespace orrery::sim
