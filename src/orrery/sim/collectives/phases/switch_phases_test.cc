// SPDX-License-Identifier: Apache-2.0
//
// Collectives that switches do, on every kind of network.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "orrery/platform/cluster/cluster.h"
#include "orrery/sim/sim_testing.h"

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using testing::Rank;

/// A byte takes 1 ns on a link, a hop 500 ns.
platform::Platform machine(const std::string& network, const std::string& model,
                           const std::string& algorithm = "in_network") {
  Findings findings;
  const auto made = platform::parse_cluster(
      "device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\nnetwork_model: " + model +
          "\ncollectives: {library: ideal, chunks: 1, all_reduce: " + algorithm + "}\n" + network,
      "test", findings);
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
  platform::Platform platform = made ? *made : platform::Platform{};
  platform.device.memory = Bandwidth(0);  // reductions take no time
  return platform;
}

const std::string kSwitch =
    "network: [{block: switch, size: 8, bandwidth: 1 GB/s, latency: 500 ns, in_network: {}}]";
const std::string kTree =
    "fabric: {hosts: [{count: 16, devices: 1}], network: {kind: fat_tree, per_leaf: 4, radix: 8,"
    " port: {bandwidth: 1 GB/s, latency: 500 ns}, trunk: {bandwidth: 1 GB/s, latency: 300 ns}},"
    " in_network: [{switches: \"leaf*\"}, {switches: \"spine*\"}]}";

std::int64_t duration(const graph::Workload& workload, const platform::Platform& platform,
                      bool fold = true) {
  Options options;
  options.fold = fold;
  const auto made = simulate(workload, platform, options);
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
  return made ? made->end.count() : -1;
}

graph::Workload one(CollectiveType type, std::uint32_t ranks, std::int64_t bytes = 1'000'000) {
  Rank rank;
  rank.coll(type, bytes);
  return testing::replicated(rank, ranks);
}

// 2 l alpha + n / B on every network: there is no contention.
TEST(SwitchPhases, AloneTakeWhatTheFormulaSays) {
  for (const char* model : {"analytical", "flow", "message"}) {
    SCOPED_TRACE(model);
    for (const bool fold : {true, false}) {
      EXPECT_EQ(duration(one(CollectiveType::all_reduce, 8), machine(kSwitch, model), fold),
                1'000'000 + 1'000'000'000);
      EXPECT_EQ(duration(one(CollectiveType::reduce_scatter, 8), machine(kSwitch, model), fold),
                1'000'000 + 1'000'000'000);
      EXPECT_EQ(
          duration(one(CollectiveType::all_gather, 8, 125'000), machine(kSwitch, model), fold),
          1'000'000 + 1'000'000'000);
      EXPECT_EQ(duration(one(CollectiveType::all_reduce, 16),
                         machine(kTree, model, "one_in_network"), fold),
                1'600'000 + 1'000'000'000);
    }
  }
}

// 500 bytes are on their way for 1,000 ns there and back: half of the links' rate.
TEST(SwitchPhases, AreHeldBackByBuffersOnEveryNetwork) {
  std::string small = kSwitch;
  small.replace(small.find("in_network: {}"), 14, "in_network: {buffer: 500 B}");
  for (const char* model : {"analytical", "flow", "message"}) {
    for (const bool fold : {true, false}) {
      EXPECT_EQ(duration(one(CollectiveType::all_reduce, 8), machine(small, model), fold),
                1'000'000 + 2'000'000'000)
          << model;
    }
  }
}

// At most 2 (p - 1) / p faster than what end points do in bandwidth.
TEST(SwitchPhases, AreAtMostTwiceAsFastAsEndPoints) {
  const auto workload = one(CollectiveType::all_reduce, 8, 100'000'000);
  for (const char* model : {"analytical", "flow"}) {
    const auto by_switch = static_cast<double>(duration(workload, machine(kSwitch, model)));
    for (const char* algorithm : {"ring", "halving_doubling"}) {
      const auto by_ends =
          static_cast<double>(duration(workload, machine(kSwitch, model, algorithm)));
      EXPECT_GT(by_ends / by_switch, 1.7) << model << " " << algorithm;
      EXPECT_LT(by_ends / by_switch, 1.752) << model << " " << algorithm;
    }
  }
}

// Two at once share every link, where links are shared.
TEST(SwitchPhases, MeetOtherTraffic) {
  std::vector<Rank> ranks(8);
  for (std::uint32_t r = 0; r < 8; ++r) {
    ranks[r].coll(CollectiveType::all_reduce, 1'000'000);
    if (r == 0) ranks[r].send(1, 1'000'000);
    if (r == 1) ranks[r].recv(0, 1'000'000);
  }
  const graph::Workload workload = testing::workload(ranks);
  EXPECT_EQ(duration(workload, machine(kSwitch, "analytical")), 1'001'000'000);
  for (const bool fold : {true, false})
    EXPECT_EQ(duration(workload, machine(kSwitch, "flow"), fold), 2'001'000'000);
}

// Data moves when there is a summand from everybody.
TEST(SwitchPhases, WaitForTheLast) {
  for (const char* model : {"analytical", "flow", "message"}) {
    std::vector<Rank> ranks(8);
    for (std::uint32_t r = 0; r < 8; ++r) {
      Rank& rank = ranks[r];
      rank.coll(CollectiveType::all_reduce, 1'000'000,
                r == 5 ? testing::Deps{rank.comp(us(300))} : testing::Deps{});
    }
    const graph::Workload workload = testing::workload(ranks);
    for (const bool fold : {true, false})
      EXPECT_EQ(duration(workload, machine(kSwitch, model), fold), 300'000'000 + 1'001'000'000);
  }
}

TEST(SwitchPhases, AreAPhaseAmongOthers) {
  const std::string two =
      "network: [{block: ring, size: 4, bandwidth: 1 GB/s, latency: 500 ns},"
      " {block: switch, size: 4, bandwidth: 1 GB/s, latency: 500 ns, in_network: {}}]";
  const auto workload = one(CollectiveType::all_reduce, 16, 4'000'000);
  // Reduce-scatter and all-gather of 4 MB around the ring, an all-reduce of 1 MB between.
  const auto rings = std::int64_t{6} * (500'000 + 1'000'000'000);
  for (const bool fold : {true, false}) {
    EXPECT_EQ(duration(workload, machine(two, "analytical", "[ring, in_network]"), fold),
              rings + 1'001'000'000);
    EXPECT_EQ(duration(workload, machine(two, "flow", "[ring, in_network]"), fold),
              rings + 1'001'000'000);
  }
}

/// The switches of a machine do only so many collectives at once.
std::string limited(std::string network, int streams) {
  const std::string figures = "{streams: " + std::to_string(streams) + "}";
  for (const std::string key : {"in_network: {}", "\"leaf*\"", "\"spine*\""}) {
    const auto at = network.find(key);
    if (at == std::string::npos) continue;
    if (key.back() == '}')
      network.replace(at + key.size() - 2, 2, figures);
    else
      network.insert(at + key.size(), ", with: " + figures);
  }
  return network;
}

/// A collective of some ranks that they begin after computing.
struct LateGroup {
  std::vector<std::uint32_t> ranks;
  std::int64_t after = 0;  // microseconds
};

/// Their groups are called as what they are numbered.
graph::Workload among(std::uint32_t count, const std::vector<LateGroup>& all,
                      CollectiveType type = CollectiveType::all_reduce) {
  std::vector<Rank> ranks(count);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const std::uint32_t r : all[i].ranks) {
      Rank& rank = ranks[r];
      testing::Deps after;
      if (all[i].after > 0) after = {rank.comp(us(all[i].after))};
      rank.coll(type, 1'000'000, after, "g" + std::to_string(i));
    }
  }
  graph::Workload made = testing::workload(ranks);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string name = "g" + std::to_string(i);
    made.groups[name] = {name, all[i].ranks};
  }
  return made;
}

TEST(SwitchPhases, WaitForAStreamOfTheirSwitch) {
  const auto halves = among(8, {{{0, 1, 2, 3}, 0}, {{4, 5, 6, 7}, 0}});
  for (const char* model : {"analytical", "flow", "message"}) {
    for (const bool fold : {true, false}) {
      SCOPED_TRACE(std::string(model) + (fold ? " folded" : ""));
      EXPECT_EQ(duration(halves, machine(limited(kSwitch, 2), model), fold), 1'001'000'000);
      EXPECT_EQ(duration(halves, machine(limited(kSwitch, 1), model), fold), 2 * 1'001'000'000);
      // Who is alone never waits.
      EXPECT_EQ(
          duration(one(CollectiveType::all_reduce, 8), machine(limited(kSwitch, 1), model), fold),
          1'001'000'000);
    }
  }
}

// One that wants two switches keeps its place at both: 0 and 4 wait for 1 and 2 below one leaf, and
// 5 and 6, who come later below the other, do not pass them.
TEST(SwitchPhases, AreServedInTheOrderInWhichTheyCome) {
  const auto lines = among(16, {{{1, 2}, 0}, {{0, 4}, 100}, {{5, 6}, 200}});
  const auto machines = [](int streams, const char* model) {
    return machine(limited(kTree, streams), model, "one_in_network");
  };
  for (const char* model : {"analytical", "flow", "message"}) {
    SCOPED_TRACE(model);
    const std::int64_t below_leaf = 1'001'000'000, below_spine = 1'001'600'000;
    EXPECT_EQ(duration(lines, machines(1, model)), 2 * below_leaf + below_spine);
    EXPECT_EQ(duration(lines, machines(2, model)), 200'000'000 + below_leaf);
  }
}

// Those that share no switch are folded all the same, and those that do are not.
TEST(SwitchPhases, FoldWhereNobodySharesALimitedSwitch) {
  const std::string two =
      "network: [{block: switch, size: 4, bandwidth: 1 GB/s, latency: 500 ns, in_network: {}},"
      " {block: switch, size: 4, bandwidth: 1 GB/s, latency: 500 ns}]";
  Rank rank;
  rank.coll(CollectiveType::all_reduce, 1'000'000);
  rank.coll(CollectiveType::all_reduce, 2'000'000);
  const auto twice = testing::replicated(rank, 16);
  const auto apart = machine(limited(two, 1), "analytical", "[in_network, ring]");
  Options options;
  options.fold = true;
  const auto made = simulate(twice, apart, options);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->savings.representatives, 1U) << made->savings.unfolded_reason;
  EXPECT_EQ(made->end.count(), duration(twice, apart, false));
  const auto halves = among(8, {{{0, 1, 2, 3}, 0}, {{4, 5, 6, 7}, 0}});
  const auto shared = simulate(halves, machine(limited(kSwitch, 1), "flow"), options);
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->savings.representatives, 8U);
  EXPECT_EQ(shared->savings.unfolded_reason,
            "groups share switches with a limited number of concurrent collectives");
}

// Any groups at any times: folding, threads and the network's model change nothing that they must
// not, fewer streams never help a group that is alone, and as many as there are groups are enough.
TEST(SwitchPhases, StreamsGoWithEverythingElse) {
  std::mt19937_64 random(7);
  std::size_t waited = 0;
  for (int i = 0; i < 60; ++i) {
    std::vector<LateGroup> groups;
    const std::size_t count = 2 + random() % 3;
    const bool columns = random() % 2 == 0;  // each goes through the spine, no two share a rank
    for (std::size_t g = 0; g < count; ++g) {
      LateGroup& made = groups.emplace_back();
      made.after = static_cast<std::int64_t>(random() % 3 * 400);
      const std::uint32_t step = !columns && random() % 2 == 0 ? 1 : 4;
      const auto first = static_cast<std::uint32_t>(columns ? g : random() % 4);
      for (std::uint32_t m = 0; m < 4; ++m)
        made.ranks.push_back((first * (step == 1 ? 4 : 1) + m * step) % 16);
    }
    constexpr CollectiveType kTypes[] = {CollectiveType::all_reduce, CollectiveType::reduce_scatter,
                                         CollectiveType::all_gather};
    const auto workload = among(16, groups, kTypes[random() % 3]);
    for (const char* model : {"analytical", "flow", "message"}) {
      std::int64_t without = 0;
      for (const int streams : {0, 1, 2, 4}) {
        const auto on = machine(limited(kTree, streams), model, "one_in_network");
        const std::int64_t unfolded = duration(workload, on, false);
        EXPECT_EQ(duration(workload, on, true), unfolded) << i << " " << model << " " << streams;
        Options side_by_side;
        side_by_side.threads = 4;
        const auto made = simulate(workload, on, side_by_side);
        ASSERT_TRUE(made);
        EXPECT_EQ(made->end.count(), unfolded) << i << " " << model << " " << streams;
        if (streams == 0) without = unfolded;
        if (streams == 4) {
          EXPECT_EQ(unfolded, without) << i << " " << model;
        }
        if (std::string(model) == "analytical") {
          EXPECT_GE(unfolded, without);
          waited += unfolded > without ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(waited, 40U);
}

TEST(SwitchPhases, WhoCannotIsNotAskedTo) {
  Findings findings;
  const auto refused = [&](const std::string& network, const std::string& collective) {
    const auto made =
        platform::parse_cluster("device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\n" + network +
                                    "\ncollectives: {" + collective + "}",
                                "test", findings);
    return made ? std::string() : to_string(made.error());
  };
  const std::string plain = "network: [{block: switch, size: 8, bandwidth: 1 GB/s, latency: 1 us}]";
  EXPECT_NE(refused(plain, "all_reduce: in_network").find("do not support it"), std::string::npos);
  EXPECT_NE(refused(plain, "all_to_all: in_network").find("do not support it"), std::string::npos);
  EXPECT_NE(refused("network: [{block: ring, size: 8, bandwidth: 1 GB/s, latency: 1 us,"
                    " in_network: {}}]",
                    "chunks: 1")
                .find("has no switch"),
            std::string::npos);
  EXPECT_NE(refused("fabric: {hosts: [{count: 4, devices: 1}], network: {kind: switch,"
                    " port: {bandwidth: 1 GB/s, latency: 1 us}}}",
                    "all_reduce: in_network")
                .find("no switch of the fabric"),
            std::string::npos);
}

}  // namespace
}  // namespace orrery::sim
